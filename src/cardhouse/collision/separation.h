#pragma once

#include <vector>

#include "cardhouse/collision/core.h"

namespace cardhouse {

/// How far two cores are apart (negative: overlap) along each direction that can matter. Memory is kept between calls.
struct Separation {
  std::vector<double> faces_a;  ///< along each face normal of a
  std::vector<double> faces_b;
  int edge_a = -1;  ///< the best pair of crossing edges, or −1
  int edge_b = -1;
  double edge = 0.0;  ///< −infinity where there is no such pair
  Vec3 edge_normal = Vec3::Zero();
  double best = 0.0;                ///< the largest of all; −infinity when neither core has faces or crossing edges
  Vec3 best_normal = Vec3::Zero();  ///< unit, from b to a
};

/// The separation of all of a and b along a direction from b to a: at most their distance, whatever the direction.
double separation_along(const Core& a, const Core& b, const Vec3& normal);

/// The unit vector across two edges that are not parallel. Of nearly parallel ones round-off may turn it about them,
/// but not along them, where their whole length is the lever.
Vec3 edge_axis(const Vec3& ea, const Vec3& eb);

/// Fills `result` and returns true, or returns false as soon as one direction shows a separation above `reach`. Edges
/// that diverge by less than `parallel` (m) over the shorter one's length do not count as crossing.
bool separate(const Core& a, const Core& b, double reach, double parallel, Separation& result);

}  // namespace cardhouse
