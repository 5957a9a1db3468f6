#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "cardhouse/geometry/shape.h"
#include "cardhouse/math/pose.h"
#include "cardhouse/model/body_motion.h"
#include "cardhouse/model/joint.h"

namespace cardhouse {

struct Body;
struct Model;

/// Place and velocities of one body, in the world frame: of its frame, whose origin is the centre of mass, and of its
/// nodes, if it has any.
struct BodyState {
  Pose pose;
  Vec3 linear = Vec3::Zero();   ///< m/s
  Vec3 angular = Vec3::Zero();  ///< rad/s
  VecX nodes{};                 ///< m, three numbers per node; empty: the body has none
  VecX node_velocities{};       ///< m/s
};

/// m: where a stencil is, or the origin of the frame that it is a point of.
inline Vec3 origin_of(const BodyState& state, const Stencil& stencil) {
  return stencil.count == 0 ? state.pose.position : weighted(stencil, state.nodes);
}

/// The frame in which points of a stencil are given: the body's own, or one at the nodes that does not turn.
inline Pose frame_at(const BodyState& state, const Stencil& stencil) {
  return stencil.count == 0 ? state.pose : Pose{weighted(stencil, state.nodes), Quat::Identity()};
}

/// Where a shape of the body is in the world.
inline Pose shape_pose(const Shape& shape, const BodyState& state) {
  return frame_at(state, Stencil::at(shape.node)) * shape.pose;
}

/// No motion at all.
inline BodyMotion rest_of(const BodyState& state) {
  return {Vec3::Zero(), Vec3::Zero(), VecX::Zero(state.nodes.size())};
}

/// Finite in all its numbers.
inline bool is_finite(const BodyState& s) {
  return s.pose.position.allFinite() && s.pose.orientation.coeffs().allFinite() && s.linear.allFinite() &&
         s.angular.allFinite() && s.nodes.allFinite() && s.node_velocities.allFinite();
}

/// Names a contact from step to step: the two shapes (counted over all bodies) and the features that touch.
struct ContactKey {
  std::int32_t shape_a = 0;
  std::int32_t shape_b = 0;
  std::uint64_t feature = 0;
  auto operator<=>(const ContactKey&) const = default;
};

struct StoredImpulse {
  ContactKey key;
  Vec3 impulse = Vec3::Zero();  ///< N s, world frame, on the first body
  Vec3 turning = Vec3::Zero();  ///< N m s, world frame, on the first body: of rolling and torsional friction
};

/// An overlap of two shapes (counted over all bodies) that stays: one that was there at the start, or that a user made
/// (stepping/rows/kept_overlaps.h).
struct KeptOverlap {
  std::int32_t shape_a = 0;
  std::int32_t shape_b = 0;
  double depth = 0.0;  ///< m
};

/// What a joint hands to the next step. Every row that a joint may have has its own slot in `impulse`: the constraints
/// first, then for each coordinate lower limit, upper limit, motor, friction.
struct JointState {
  static constexpr int constraint_slots = 6;
  static constexpr int drive_slots = 4;  ///< per coordinate
  static constexpr int slots = constraint_slots + most_joint_coordinates * drive_slots;

  std::array<double, most_joint_coordinates> coordinate{};  ///< rad, with whole turns counted, or m
  std::array<double, slots> impulse{};                      ///< N s or N m s, of the last step
};

/// All that the next step reads. Saving and restoring it continues bit for bit.
struct State {
  std::int64_t step = 0;
  double time = 0.0;                    ///< s
  std::vector<BodyState> bodies;        ///< one per Model::bodies
  std::vector<Pose> initial_poses;      ///< where the prescribed motions start
  std::vector<StoredImpulse> impulses;  ///< of the last step, sorted by key: the next step's warm start
  std::vector<JointState> joints;       ///< one per Model::joints; empty: as the poses say, without impulses
  /// `bodies` one step earlier, where the next step reads it (BDF2, restitution with lagged velocities); else none.
  std::vector<BodyState> previous;
  std::vector<KeptOverlap> overlaps;  ///< that are kept, sorted by shapes
  double next_step = 0.0;             ///< s: length that the next step tries (adaptive by error); 0: the largest
};

/// Moves the body's frame to `centre` (given in its present frame): shapes shift against it, position follows.
void move_frame(Body& body, BodyState& state, const Vec3& centre);

/// Sets mass and inertia from a uniform density (kg/m³; kg/m² for planar figures) and moves the frame to the centre
/// of mass.
void set_density(Body& body, BodyState& state, double density);

/// Gives every joint its entry and brings angles to the poses, each to the turn that is nearest to its last value.
void update_joints(const Model& model, State& state);

/// The bits of time, poses and velocities as one number (FNV-1a, 64 bits).
std::uint64_t state_hash(const State& state);

}  // namespace cardhouse
