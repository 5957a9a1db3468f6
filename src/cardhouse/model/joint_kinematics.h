// What a joint holds and measures, as functions of the poses, with their exact derivatives.
//
//     d = p_A − p_B    from the second frame's origin to the first's (world)
//     R_B              the second frame's axes x_B y_B z_B; of the first: x_A y_A z_A
//     w                = w_A − w_B, the relative angular velocity
//
// Displacements are measured along axes that turn with the second body, so that they don't change when both bodies
// move as one. Their derivative is then the relative velocity at the one point p_A: impulses of the two sides are equal
// and opposite there, and angular momentum is kept however far the joint is off.
//
//     (e_B · d)'              = e_B · (velocity of A − velocity of B, both at p_A)
//     (a_A · e_B)'            = w · (a_A × e_B)                     alignment of axes
//     (2 Im q)'               = Re(q) w_B + w_B × Im(q)             q = R_B⁻¹ R_A, w_B = R_Bᵀ w: orientation, 2
//     sin(angle/2)
#pragma once

#include <array>

#include "cardhouse/model/joint.h"

namespace cardhouse {

using FrameRow = Eigen::Matrix<double, 1, 6>;
using FrameRows = Eigen::Matrix<double, 3, 6>;

/// Up to three rows of one unit: their violation Theta and its derivative at the velocities (v, w) of the two bodies'
/// frames.
struct JointConstraint {
  int rows = 0;
  bool angular = false;           ///< rad, else m
  Vec3 violation = Vec3::Zero();  ///< Theta
  FrameRows on_first = FrameRows::Zero();
  FrameRows on_second = FrameRows::Zero();
};

/// An angle in (−pi, pi] (rad), or a slide or length (m).
struct JointCoordinate {
  bool angular = false;
  double value = 0.0;
  FrameRow on_first = FrameRow::Zero();
  FrameRow on_second = FrameRow::Zero();
};

struct JointGeometry {
  int constraint_count = 0;
  std::array<JointConstraint, 2> constraints;
  int coordinate_count = 0;
  std::array<JointCoordinate, most_joint_coordinates> coordinates;
  Vec3 point = Vec3::Zero();  ///< m, world: p_A
};

Pose joint_frame_first(const Joint& joint, const State& state);
Pose joint_frame_second(const Joint& joint, const State& state);

JointGeometry joint_geometry(const Joint& joint, const State& state);

/// The value that equals `angle` but for whole turns and is nearest to `last`.
double unwound(double angle, double last);

/// The largest violation over a joint's rows.
struct JointViolation {
  double length = 0.0;  ///< m
  double angle = 0.0;   ///< rad
};
JointViolation joint_violation(const JointGeometry& geometry);

/// The largest over all joints, with the joint that has it; −1 when there are none.
struct WorstJointViolation : JointViolation {
  int length_joint = -1;
  int angle_joint = -1;
};
WorstJointViolation worst_joint_violation(const Model& model, const State& state);

}  // namespace cardhouse
