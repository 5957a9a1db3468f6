// The points by whose way a body is seen to move: its centre, or its nodes if it has any. A centre can rest while nodes
// swing about it.
#pragma once

#include <vector>

#include "cardhouse/model/state.h"

namespace cardhouse {

inline int point_count(const BodyState& state) {
  return state.nodes.size() == 0 ? 1 : static_cast<int>(state.nodes.size() / 3);
}

/// m: in the frame of another body, or of the world (−1).
inline Vec3 seen_point(const std::vector<BodyState>& states, int body, int point, int frame) {
  const BodyState& own = states[body];
  const Vec3 place = own.nodes.size() == 0 ? own.pose.position : Vec3(own.nodes.segment<3>(3 * point));
  return frame < 0 ? place : states[frame].pose.apply_inverse(place);
}

/// Of several bodies, one after the other.
inline std::vector<Vec3> seen_points(const std::vector<BodyState>& states, const std::vector<int>& bodies, int frame) {
  std::vector<Vec3> points;
  points.reserve(bodies.size());
  for (const int body : bodies) {
    for (int p = 0; p < point_count(states[body]); ++p) points.push_back(seen_point(states, body, p, frame));
  }
  return points;
}

}  // namespace cardhouse
