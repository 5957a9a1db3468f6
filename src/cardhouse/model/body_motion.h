// What a body moves with, and the weighted points of it on which contacts, joints and springs act.
#pragma once

#include <array>

#include "cardhouse/math/types.h"

namespace cardhouse {

/// What a body moves with during a step. A body without nodes moves as its frame does. The frame of a body with nodes
/// is at its centre of mass and does not turn.
struct BodyMotion {
  Vec3 linear = Vec3::Zero();   ///< m/s, of the frame
  Vec3 angular = Vec3::Zero();  ///< rad/s, of the frame
  VecX node_velocities{};       ///< m/s, three per node; empty: the body has none
};

/// A point of a body: of its frame, or up to four of its nodes with weights that sum to one.
struct Stencil {
  static constexpr int most_nodes = 4;
  int count = 0;  ///< of nodes; 0: a point of the frame
  std::array<int, most_nodes> node{};
  std::array<double, most_nodes> weight{};

  /// −1: a point of the frame.
  static Stencil at(int node) { return node < 0 ? Stencil{} : Stencil{1, {node}, {1.0}}; }
};

/// The weighted sum over the stencil's nodes of what has three numbers per node.
inline Vec3 weighted(const Stencil& stencil, const VecX& of_nodes) {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < stencil.count; ++i) sum += stencil.weight[i] * of_nodes.segment<3>(3 * stencil.node[i]);
  return sum;
}

/// m/s: the velocity of the point at an arm (m) from the frame's origin of a body that moves with these velocities.
template <typename Motion>
Vec3 point_velocity(const Motion& motion, const Vec3& arm) {
  return motion.linear + motion.angular.cross(arm);
}

/// The same of a stencil. The arm is from its origin (state.h); points of nodes have none to speak of.
template <typename Motion>
Vec3 point_velocity(const Motion& motion, const Stencil& stencil, const Vec3& arm) {
  return stencil.count == 0 ? point_velocity(motion, arm) : weighted(stencil, motion.node_velocities);
}

/// rad/s.
template <typename Motion>
Vec3 spin_at(const Motion& motion, const Stencil& stencil) {
  return stencil.count == 0 ? Vec3(motion.angular) : Vec3(Vec3::Zero());
}

}  // namespace cardhouse
