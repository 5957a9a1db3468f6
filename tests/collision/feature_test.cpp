#include "cardhouse/collision/feature.h"

#include <gtest/gtest.h>

#include <set>

#include "cardhouse/collision/cylinder_patch.h"

namespace cardhouse {
namespace {

TEST(FeatureNumbers, OfSmallHullsAreThoseOfEarlierRecordings) {
  EXPECT_EQ(feature_id({FeatureKind::edge, 5}, {FeatureKind::face, 7}), (5u << 28) + (5u << 14) + 7u);
  EXPECT_EQ(cylinder_feature(CylinderFeature::edge_over_rim, 3, 9, 1), (4u << 28) + (3u << 14) + (9u << 1) + 1u);
}

TEST(FeatureNumbers, OfLargeSurfacesAllDiffer) {
  std::set<FeatureId> seen;
  int count = 0;
  for (const int i : {0, 1, (1 << 14) - 1, 1 << 14, (1 << 14) + 1, 1 << 20, (1 << 28) - 1}) {
    for (const int j : {0, 1, (1 << 14) - 1, 1 << 14, 1 << 20, (1 << 28) - 1}) {
      for (const FeatureKind kind : {FeatureKind::vertex, FeatureKind::edge, FeatureKind::face}) {
        seen.insert(feature_id({kind, i}, {FeatureKind::edge, j}));
        ++count;
      }
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
}

}  // namespace
}  // namespace cardhouse
