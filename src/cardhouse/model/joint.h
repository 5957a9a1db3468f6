// Descriptors of joints: plain data. What a joint holds and measures is in model/joint_kinematics.h, its rows of the
// step's problem in stepping/rows/joint_rows.h (docs/joints.md).
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "cardhouse/math/pose.h"
#include "cardhouse/model/body_motion.h"

namespace cardhouse {

struct Model;
struct State;

enum class JointKind {
  fixed,      ///< holds point and orientation
  ball,       ///< holds a point
  hinge,      ///< turns about the z axes of its frames
  slider,     ///< moves along the z axis of the second frame
  universal,  ///< turns about z of the second frame, then about x of the first
  distance,   ///< holds the distance of two points
  revolute,   ///< planar: turns about +y
  prismatic,  ///< planar: moves along the z axis of the second frame
};

/// Of a coordinate: rad or m. One of them may be infinite.
struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// Drives a coordinate with no more than `max_force`. A position target without stiffness asks for the speed that
/// arrives within the step, up to `max_speed` and to what the force can brake in time; with stiffness or damping it is
/// a spring and damper, taken implicitly.
struct JointMotor {
  enum class Target { velocity, position };
  Target target = Target::velocity;
  double value = 0.0;                                          ///< rad/s or m/s; rad or m
  double max_force = std::numeric_limits<double>::infinity();  ///< N m or N, ≥ 0
  double max_speed = std::numeric_limits<double>::infinity();  ///< rad/s or m/s, > 0, of a position target
  double stiffness = 0.0;                                      ///< N m/rad or N/m, ≥ 0, of a position target
  double damping = 0.0;                                        ///< N m s/rad or N s/m, ≥ 0, of a position target

  bool is_spring() const { return target == Target::position && (stiffness > 0.0 || damping > 0.0); }
};

/// What acts along one coordinate of a joint.
struct JointDrive {
  std::optional<JointLimits> limits;
  std::optional<JointMotor> motor;
  double friction = 0.0;  ///< N m or N, ≥ 0: the most that dry friction gives

  bool acts() const { return limits || motor || friction > 0.0; }
};

inline constexpr int most_joint_coordinates = 2;

/// Between two bodies, or a body and the world (second = −1, whose frame is then in the world). Coordinates are those
/// of the first body against the second.
struct Joint {
  std::string name;
  JointKind kind = JointKind::ball;
  int first = 0;
  int second = -1;
  Stencil stencil_first;  ///< of a body with nodes: those that hold this end
  Stencil stencil_second;
  Pose frame_first;      ///< in the frame of the first body
  Pose frame_second;     ///< in the frame of the second body, or of the world
  double length = 0.0;   ///< m, > 0, of a distance joint without limits; with limits it is a rope or a strut
  bool collide = false;  ///< whether the two bodies touch each other
  /// m/N and rad/(N m), ≥ 0. Left out: 0, or in closed loops what the default stiffness gives (docs/joints.md).
  std::optional<double> compliance;
  std::optional<double> angular_compliance;
  std::array<JointDrive, most_joint_coordinates> drives;
};

bool is_planar(JointKind kind);
/// How many coordinates can have limits, motors and friction; 0 … 2.
int coordinate_count(const Joint& joint);
/// Whether coordinate c is an angle.
bool is_angle(JointKind kind, int c);

/// Puts the joint where `anchor` is in the world, with its frames' z axes along `axis` and the first frame's x axis
/// along `second_axis` (of a universal joint), so that no row is violated and angles are 0.
void place_joint(Joint& joint, const State& state, const Vec3& anchor, const Vec3& axis = Vec3::UnitZ(),
                 const Vec3& second_axis = Vec3::Zero());

/// Throws InputError for the first thing that is wrong with joints[index]: "joints[2].first = 7: no such body", …
void check_joint(const Model& model, const State& state, int index);

}  // namespace cardhouse
