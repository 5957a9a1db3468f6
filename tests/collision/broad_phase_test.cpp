#include "cardhouse/collision/broad_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace cardhouse {
namespace {

using Pairs = std::vector<std::pair<int, int>>;
using Items = std::vector<BroadPhase::Item>;

Pairs brute_force(const Items& items) {
  Pairs pairs;
  for (int i = 0; i < static_cast<int>(items.size()); ++i) {
    for (int j = i + 1; j < static_cast<int>(items.size()); ++j) {
      const bool apart = items[i].body == items[j].body || !(items[i].moves || items[j].moves);
      if (!apart && items[i].box.overlaps(items[j].box)) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

Items random_items(unsigned seed, int count) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> u(0.0, 1.0);
  Items items;
  for (int i = 0; i < count; ++i) {
    // Sizes over six orders of magnitude, some shared bodies, some still, a few without end.
    const double size = std::pow(10.0, -4.0 + 6.0 * u(engine) * u(engine) * u(engine));
    const Vec3 centre = 5.0 * Vec3(u(engine) - 0.5, u(engine) - 0.5, u(engine) - 0.5);
    const Vec3 half = size * Vec3(u(engine), u(engine), u(engine));
    BroadPhase::Item item{{centre - half, centre + half}, i / 2, u(engine) < 0.7};
    if (i % 97 == 5) item.box.lower.setConstant(-INFINITY);
    if (i % 97 == 6) item.box.upper.z() = INFINITY;
    if (i % 89 == 7) item.box.upper = item.box.lower;
    items.push_back(item);
  }
  return items;
}

TEST(BroadPhase, FindsWhatBruteForceFinds) {
  BroadPhase broad_phase;  // one for all, so that nothing is left over from the last call
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Items items = random_items(seed, static_cast<int>(seed) * 10);
    EXPECT_EQ(broad_phase.find_pairs(items), brute_force(items));
  }
}

TEST(BroadPhase, FindsBoxesThatTouchOnTheBordersOfCells) {
  Items items;
  int body = 0;
  for (int x = 0; x < 6; ++x) {
    for (int y = 0; y < 6; ++y) {
      for (int z = 0; z < 6; ++z) {
        items.push_back({{Vec3(x, y, z) - Vec3::Constant(0.5), Vec3(x, y, z) + Vec3::Constant(0.5)}, body++, true});
      }
    }
  }
  BroadPhase broad_phase;
  EXPECT_EQ(broad_phase.find_pairs(items), brute_force(items));
}

TEST(BroadPhase, IgnoresOneBodyAndTwoThatAreStill) {
  const Aabb box{Vec3::Zero(), Vec3::Ones()};
  const Items items{{box, 0, false}, {box, 1, false}, {box, 2, true}, {box, 2, true}};
  BroadPhase broad_phase;
  EXPECT_EQ(broad_phase.find_pairs(items), (Pairs{{0, 2}, {0, 3}, {1, 2}, {1, 3}}));
  EXPECT_TRUE(broad_phase.find_pairs({}).empty());
}

TEST(BroadPhase, CopesWithBoxesFarAwayAndWithoutSize) {
  const Vec3 far = Vec3::Constant(1e30);
  Items items;
  for (int i = 0; i < 40; ++i) items.push_back({{far, far}, i, true});
  for (int i = 40; i < 80; ++i) items.push_back({{-far, -far}, i, true});
  BroadPhase broad_phase;
  EXPECT_EQ(broad_phase.find_pairs(items), brute_force(items));
}

}  // namespace
}  // namespace cardhouse
