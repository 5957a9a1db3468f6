#pragma once

#include <cstdint>

namespace cardhouse {

enum class FeatureKind : std::uint32_t { vertex = 0, edge = 1, face = 2 };

/// A vertex, an edge or a face of a convex body, by its number in the body's Hull.
struct Feature {
  FeatureKind kind = FeatureKind::vertex;
  int index = 0;

  bool operator==(const Feature&) const = default;
};

/// The number of a pair of features. Numbers up to 32 bits have a layout of their own for each pair of geometries; it
/// is what recordings of earlier versions hold. Indices that do not fit there make a wide number: bit 63 set, the kind
/// in bits 58–62, one index in bits 29–56, the other in bits 1–28, and a choice of two in bit 0.
using FeatureId = std::uint64_t;

inline constexpr FeatureId wide_feature_bit = FeatureId{1} << 63;

inline FeatureId wide_feature(unsigned kind, int i, int j, int k = 0) {
  constexpr FeatureId mask = (FeatureId{1} << 28) - 1;
  return wide_feature_bit | FeatureId{kind} << 58 | (static_cast<FeatureId>(i) & mask) << 29 |
         (static_cast<FeatureId>(j) & mask) << 1 | (static_cast<FeatureId>(k) & 1);
}

/// Narrow: bits 28–31 hold the two kinds, 14–27 the index on a, 0–13 that on b.
inline FeatureId feature_id(const Feature& a, const Feature& b) {
  constexpr int narrow = 1 << 14;
  const unsigned kinds = 3 * static_cast<unsigned>(a.kind) + static_cast<unsigned>(b.kind);
  if (a.index >= narrow || b.index >= narrow) return wide_feature(kinds, a.index, b.index);
  return FeatureId{kinds} << 28 | static_cast<FeatureId>(a.index) << 14 | static_cast<FeatureId>(b.index);
}

}  // namespace cardhouse
