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

/// The number of a pair of features: bits 28–31 hold the two kinds, 14–27 the index on a, 0–13 that on b. Hulls with
/// more than 16384 features of a kind may see two pairs with one number, which costs a warm start and nothing else.
inline std::uint32_t feature_id(const Feature& a, const Feature& b) {
  const auto kinds = 3u * static_cast<std::uint32_t>(a.kind) + static_cast<std::uint32_t>(b.kind);
  const auto index = [](const Feature& f) { return static_cast<std::uint32_t>(f.index) & 0x3fffu; };
  return kinds << 28 | index(a) << 14 | index(b);
}

}  // namespace cardhouse
