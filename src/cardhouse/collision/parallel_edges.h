// Edges of two cores that lie side by side at the contact, and the ends of the part that they share.
#pragma once

#include <cstdint>

#include "cardhouse/collision/core.h"

namespace cardhouse {

/// Two edges side by side, and the part of a's edge (from `low` to `high`, in m from its start) that b's edge covers.
struct EdgePair {
  int a = -1;
  int b = -1;
  double low = 0.0;
  double high = 0.0;
  bool low_on_a = true;  ///< the part ends at a vertex of a, not of b
  bool high_on_a = true;

  double length() const { return high - low; }
};

/// The nearly parallel edges at the contact along `normal` (from b to a) with the longest overlap; a = −1 where there
/// are none. `tie` is the band of ties.h (m).
EdgePair find_parallel_edges(const Core& a, const Core& b, const Vec3& normal, double tie);

/// One end of the overlap: a vertex of one edge and the point of the other edge next to it.
struct EdgeEnd {
  Vec3 on_a;
  Vec3 on_b;
  FeatureId feature;
  bool vertex_of_a;
};

/// `at_high` asks for the end farther along a's edge.
EdgeEnd end_of(const Core& a, const Core& b, const EdgePair& pair, bool at_high);

}  // namespace cardhouse
