#include "cardhouse/model/joint_kinematics.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"

namespace cardhouse {
namespace {

/// Where the joint is in the world.
struct Placement {
  Vec3 arm_a, arm_b;  ///< of p_A, from the origins of the bodies' frames
  Vec3 d;
  Mat3 a, b;  ///< axes of the frames as columns
};

Pose frame_in_world(int body, const Stencil& stencil, const Pose& local, const State& state) {
  return body < 0 ? local : frame_at(state.bodies[body], stencil) * local;
}

Vec3 centre_of(int body, const Stencil& stencil, const State& state) {
  return body < 0 ? Vec3(Vec3::Zero()) : origin_of(state.bodies[body], stencil);
}

/// e · (velocity of A − velocity of B, both at p_A).
void set_translation(const Placement& at, const Vec3& e, FrameRow& on_first, FrameRow& on_second) {
  on_first << e.transpose(), at.arm_a.cross(e).transpose();
  on_second << -e.transpose(), -at.arm_b.cross(e).transpose();
}

/// m · w.
void set_rotation(const Vec3& m, FrameRow& on_first, FrameRow& on_second) {
  on_first << Vec3::Zero().transpose(), m.transpose();
  on_second = -on_first;
}

class Builder {
 public:
  Builder(const Placement& at, JointGeometry& geometry) : at_(at), geometry_(geometry) {}

  void begin(bool angular) {
    constraint_ = &geometry_.constraints[geometry_.constraint_count++];
    constraint_->angular = angular;
  }
  void hold_displacement(const Vec3& e) { add_translation(e.dot(at_.d), e); }
  /// a and e are axes of the first and the second frame that must be perpendicular.
  void hold_perpendicular(const Vec3& a, const Vec3& e) { add_rotation(a.dot(e), a.cross(e)); }
  /// Components of 2 Im(R_B⁻¹ R_A) along axes of the second frame.
  void hold_orientation(const std::initializer_list<int>& axes) {
    const Quat relative(Mat3(at_.b.transpose() * at_.a));
    const double sign = relative.w() < 0.0 ? -1.0 : 1.0;
    const Vec3 imaginary = sign * relative.vec();
    const Mat3 derivative = sign * relative.w() * Mat3::Identity() - cross_matrix(imaginary);
    for (const int axis : axes) {
      add_rotation(2.0 * imaginary[axis], at_.b * derivative.row(axis).transpose());
    }
  }
  void hold_distance(double length) {
    const double now = at_.d.norm();
    add_translation(now - length, direction());
  }

  void measure_displacement(const Vec3& e) {
    JointCoordinate& c = add_coordinate(false, e.dot(at_.d));
    set_translation(at_, e, c.on_first, c.on_second);
  }
  void measure_distance() {
    JointCoordinate& c = add_coordinate(false, at_.d.norm());
    set_translation(at_, direction(), c.on_first, c.on_second);
  }
  /// The angle of `a` in the plane of `start` and `quarter` (where it is at a quarter turn): a of one frame, the
  /// others of the other. `sign` is −1 when `a` belongs to the second frame.
  void measure_angle(const Vec3& a, const Vec3& start, const Vec3& quarter, double sign = 1.0) {
    const double cosine = a.dot(start);
    const double sine = a.dot(quarter);
    const double squared = cosine * cosine + sine * sine;
    JointCoordinate& c = add_coordinate(true, std::atan2(sine, cosine));
    if (squared == 0.0) return;  // the axis is at right angles to its place: no angle to speak of
    const Vec3 m = (cosine * a.cross(quarter) - sine * a.cross(start)) / squared;
    set_rotation(sign * m, c.on_first, c.on_second);
  }

 private:
  /// From the second point to the first; along z_B where they coincide.
  Vec3 direction() const {
    const double length = at_.d.norm();
    return length > 0.0 ? Vec3(at_.d / length) : Vec3(at_.b.col(2));
  }
  void add_translation(double violation, const Vec3& e) {
    FrameRow on_first;
    FrameRow on_second;
    set_translation(at_, e, on_first, on_second);
    add(violation, on_first, on_second);
  }
  void add_rotation(double violation, const Vec3& m) {
    FrameRow on_first;
    FrameRow on_second;
    set_rotation(m, on_first, on_second);
    add(violation, on_first, on_second);
  }
  void add(double violation, const FrameRow& on_first, const FrameRow& on_second) {
    const int row = constraint_->rows++;
    constraint_->violation[row] = violation;
    constraint_->on_first.row(row) = on_first;
    constraint_->on_second.row(row) = on_second;
  }
  JointCoordinate& add_coordinate(bool angular, double value) {
    JointCoordinate& c = geometry_.coordinates[geometry_.coordinate_count++];
    c.angular = angular;
    c.value = value;
    return c;
  }

  const Placement& at_;
  JointGeometry& geometry_;
  JointConstraint* constraint_ = nullptr;
};

void hold_point(const Placement& at, Builder& rows) {
  rows.begin(false);
  for (int axis = 0; axis < 3; ++axis) rows.hold_displacement(at.b.col(axis));
}

}  // namespace

Pose joint_frame_first(const Joint& joint, const State& state) {
  return frame_in_world(joint.first, joint.stencil_first, joint.frame_first, state);
}

Pose joint_frame_second(const Joint& joint, const State& state) {
  return frame_in_world(joint.second, joint.stencil_second, joint.frame_second, state);
}

JointGeometry joint_geometry(const Joint& joint, const State& state) {
  const Pose first = joint_frame_first(joint, state);
  const Pose second = joint_frame_second(joint, state);
  Placement at;
  at.arm_a = first.position - centre_of(joint.first, joint.stencil_first, state);
  at.arm_b = first.position - centre_of(joint.second, joint.stencil_second, state);
  at.d = first.position - second.position;
  at.a = first.orientation.toRotationMatrix();
  at.b = second.orientation.toRotationMatrix();

  JointGeometry geometry;
  geometry.point = first.position;
  Builder rows(at, geometry);
  switch (joint.kind) {
    case JointKind::fixed:
      hold_point(at, rows);
      rows.begin(true);
      rows.hold_orientation({0, 1, 2});
      break;
    case JointKind::ball:
      hold_point(at, rows);
      break;
    case JointKind::hinge:
      hold_point(at, rows);
      rows.begin(true);
      rows.hold_perpendicular(at.a.col(2), at.b.col(0));
      rows.hold_perpendicular(at.a.col(2), at.b.col(1));
      rows.measure_angle(at.a.col(0), at.b.col(0), at.b.col(1));
      break;
    case JointKind::slider:
      rows.begin(false);
      rows.hold_displacement(at.b.col(0));
      rows.hold_displacement(at.b.col(1));
      rows.begin(true);
      rows.hold_orientation({0, 1, 2});
      rows.measure_displacement(at.b.col(2));
      break;
    case JointKind::universal:
      // R_B⁻¹ R_A = Rz(first angle) Rx(second angle).
      hold_point(at, rows);
      rows.begin(true);
      rows.hold_perpendicular(at.a.col(0), at.b.col(2));
      rows.measure_angle(at.a.col(0), at.b.col(0), at.b.col(1));
      rows.measure_angle(at.b.col(2), at.a.col(2), at.a.col(1), -1.0);
      break;
    case JointKind::distance:
      if (joint.drives[0].limits) {
        rows.measure_distance();
      } else {
        rows.begin(false);
        rows.hold_distance(joint.length);
      }
      break;
    case JointKind::revolute:
      rows.begin(false);
      rows.hold_displacement(at.b.col(0));
      rows.hold_displacement(at.b.col(2));
      rows.measure_angle(at.a.col(2), at.b.col(2), at.b.col(0));
      break;
    case JointKind::prismatic:
      rows.begin(false);
      rows.hold_displacement(at.b.col(0));
      rows.begin(true);
      rows.hold_orientation({1});
      rows.measure_displacement(at.b.col(2));
      break;
  }
  return geometry;
}

double unwound(double angle, double last) {
  constexpr double turn = 2.0 * std::numbers::pi;
  return angle + turn * std::round((last - angle) / turn);
}

JointViolation joint_violation(const JointGeometry& geometry) {
  JointViolation result;
  for (int i = 0; i < geometry.constraint_count; ++i) {
    const JointConstraint& c = geometry.constraints[i];
    double& worst = c.angular ? result.angle : result.length;
    worst = std::max(worst, c.violation.head(c.rows).norm());
  }
  return result;
}

WorstJointViolation worst_joint_violation(const Model& model, const State& state) {
  WorstJointViolation worst;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const JointViolation own = joint_violation(joint_geometry(model.joints[j], state));
    if (worst.length_joint < 0 || own.length > worst.length) {
      worst.length = own.length;
      worst.length_joint = j;
    }
    if (worst.angle_joint < 0 || own.angle > worst.angle) {
      worst.angle = own.angle;
      worst.angle_joint = j;
    }
  }
  return worst;
}

}  // namespace cardhouse
