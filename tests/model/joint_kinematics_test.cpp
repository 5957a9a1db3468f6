#include "cardhouse/model/joint_kinematics.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"

namespace cardhouse {
namespace {

constexpr JointKind all_kinds[] = {JointKind::fixed,    JointKind::ball,      JointKind::hinge,
                                   JointKind::slider,   JointKind::universal, JointKind::distance,
                                   JointKind::revolute, JointKind::prismatic};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number() { return uniform_(engine_); }
  Vec3 vector() { return {number(), number(), number()}; }
  Vec3 planar_vector() { return {number(), 0.0, number()}; }
  Pose pose() { return {vector(), rotation_from_vector(2.0 * vector())}; }
  Pose planar_pose() { return {planar_vector(), rotation_from_vector(Vec3(0.0, 2.0 * number(), 0.0))}; }

 private:
  std::mt19937 engine_;
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

State moved(const State& state, double t) {
  State result = state;
  for (BodyState& body : result.bodies) {
    body.pose.position += t * body.linear;
    body.pose.orientation = rotation_from_vector(t * body.angular) * body.pose.orientation;
  }
  return result;
}

/// A joint and two bodies in motion, far from satisfying it.
struct Case {
  Joint joint;
  State state;
};

Case random_case(JointKind kind, Random& random) {
  Case c;
  c.joint.kind = kind;
  c.joint.second = 1;
  c.joint.length = 0.5;
  const bool planar = is_planar(kind);
  c.joint.frame_first = planar ? random.planar_pose() : random.pose();
  c.joint.frame_second = planar ? random.planar_pose() : random.pose();
  for (int i = 0; i < 2; ++i) {
    BodyState body;
    body.pose = planar ? random.planar_pose() : random.pose();
    body.linear = planar ? random.planar_vector() : random.vector();
    body.angular = planar ? Vec3(0.0, random.number(), 0.0) : random.vector();
    c.state.bodies.push_back(body);
  }
  return c;
}

Vec6 twist_of(const BodyState& body) {
  Vec6 twist;
  twist << body.linear, body.angular;
  return twist;
}

TEST(JointKinematics, RowsAreTheDerivativesOfViolationsAndCoordinatesAlongRandomMotions) {
  constexpr double dt = 1e-6;
  // Central differences: dt² times third derivatives (some tens, near where axes are at right angles more), and
  // round-off of 1e-16/dt.
  constexpr double tolerance = 1e-7;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    for (const JointKind kind : all_kinds) {
      for (const bool rope : {false, true}) {
        if (rope && kind != JointKind::distance) continue;
        SCOPED_TRACE("seed " + std::to_string(seed) + ", kind " + std::to_string(static_cast<int>(kind)));
        Case c = random_case(kind, random);
        if (rope) c.joint.drives[0].limits = JointLimits{0.0, 1.0};
        const JointGeometry now = joint_geometry(c.joint, c.state);
        const JointGeometry before = joint_geometry(c.joint, moved(c.state, -dt));
        const JointGeometry after = joint_geometry(c.joint, moved(c.state, dt));
        const Vec6 first = twist_of(c.state.bodies[0]);
        const Vec6 second = twist_of(c.state.bodies[1]);
        EXPECT_EQ(now.coordinate_count, coordinate_count(c.joint));
        for (int i = 0; i < now.constraint_count; ++i) {
          const JointConstraint& constraint = now.constraints[i];
          const Vec3 rate = constraint.on_first * first + constraint.on_second * second;
          const Vec3 slope = (after.constraints[i].violation - before.constraints[i].violation) / (2.0 * dt);
          for (int row = 0; row < constraint.rows; ++row) {
            EXPECT_NEAR(rate[row], slope[row], tolerance * (1.0 + std::abs(slope[row])));
          }
        }
        for (int k = 0; k < now.coordinate_count; ++k) {
          const JointCoordinate& coordinate = now.coordinates[k];
          EXPECT_EQ(coordinate.angular, is_angle(kind, k));
          const double rate = (coordinate.on_first * first + coordinate.on_second * second)(0);
          const double last = before.coordinates[k].value;
          const double next =
              coordinate.angular ? unwound(after.coordinates[k].value, last) : after.coordinates[k].value;
          const double slope = (next - last) / (2.0 * dt);
          EXPECT_NEAR(rate, slope, 1e-5 * (1.0 + slope * slope));  // angles near a pole of theirs turn fast
        }
      }
    }
  }
}

TEST(JointKinematics, RowsDoNotFeelTheTwoBodiesMovingAsOneAndImpulsesKeepAllMomentum) {
  Random random(7);
  for (const JointKind kind : all_kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    const Case c = random_case(kind, random);
    const JointGeometry geometry = joint_geometry(c.joint, c.state);
    const bool planar = is_planar(kind);
    const Vec3 linear = planar ? random.planar_vector() : random.vector();
    const Vec3 spin = planar ? Vec3(0.0, random.number(), 0.0) : random.vector();
    Vec6 twist[2];  // of one rigid motion about the origin: by the transpose, no impulse changes a momentum
    for (int i = 0; i < 2; ++i) twist[i] << linear + spin.cross(c.state.bodies[i].pose.position), spin;
    for (int i = 0; i < geometry.constraint_count; ++i) {
      const JointConstraint& constraint = geometry.constraints[i];
      EXPECT_LT((constraint.on_first * twist[0] + constraint.on_second * twist[1]).norm(), 1e-14);
    }
    for (int k = 0; k < geometry.coordinate_count; ++k) {
      const JointCoordinate& coordinate = geometry.coordinates[k];
      EXPECT_LT((coordinate.on_first * twist[0] + coordinate.on_second * twist[1]).norm(), 1e-13);
    }
  }
}

TEST(JointKinematics, APlacedJointIsNotViolatedAndItsCoordinatesAreZero) {
  Random random(3);
  for (const JointKind kind : all_kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    if (kind == JointKind::distance) continue;
    Case c = random_case(kind, random);
    const bool planar = is_planar(kind);
    const Vec3 axis = planar ? random.planar_vector() : random.vector();
    place_joint(c.joint, c.state, planar ? random.planar_vector() : random.vector(), axis);
    const JointGeometry geometry = joint_geometry(c.joint, c.state);
    EXPECT_LT(joint_violation(geometry).length, 1e-14);
    EXPECT_LT(joint_violation(geometry).angle, 1e-14);
    for (int k = 0; k < geometry.coordinate_count; ++k) EXPECT_NEAR(geometry.coordinates[k].value, 0.0, 1e-14);
    const Vec3 z = joint_frame_second(c.joint, c.state).orientation * Vec3::UnitZ();
    EXPECT_LT((z - axis.normalized()).norm(), 1e-14);
  }
}

TEST(JointKinematics, CoordinatesAreThoseOfTheFirstBodyAgainstTheSecond) {
  State state;
  state.bodies.resize(1);
  Joint joint;
  joint.kind = JointKind::hinge;
  place_joint(joint, state, Vec3::Zero(), Vec3::UnitY());
  state.bodies[0].pose.orientation = rotation_from_vector(Vec3(0.0, 0.7, 0.0));
  EXPECT_NEAR(joint_geometry(joint, state).coordinates[0].value, 0.7, 1e-14);

  joint.kind = JointKind::slider;
  state.bodies[0] = {};
  place_joint(joint, state, Vec3::Zero(), Vec3::UnitX());
  state.bodies[0].pose.position = Vec3(0.3, 0.0, 0.0);
  EXPECT_NEAR(joint_geometry(joint, state).coordinates[0].value, 0.3, 1e-14);

  joint.kind = JointKind::revolute;
  state.bodies[0] = {};
  place_joint(joint, state, Vec3::Zero());
  state.bodies[0].pose.orientation = rotation_from_vector(Vec3(0.0, -1.2, 0.0));  // from z towards x is positive
  EXPECT_NEAR(joint_geometry(joint, state).coordinates[0].value, -1.2, 1e-14);

  joint.kind = JointKind::universal;
  state.bodies[0] = {};
  place_joint(joint, state, Vec3::Zero(), Vec3::UnitZ(), Vec3::UnitX());
  state.bodies[0].pose.orientation =
      rotation_from_vector(Vec3(0.0, 0.0, 0.4)) * rotation_from_vector(Vec3(-0.9, 0.0, 0.0));
  const JointGeometry universal = joint_geometry(joint, state);
  EXPECT_NEAR(universal.coordinates[0].value, 0.4, 1e-14);
  EXPECT_NEAR(universal.coordinates[1].value, -0.9, 1e-14);
  EXPECT_LT(joint_violation(universal).angle, 1e-14);
}

TEST(JointKinematics, AnglesGoOnCountingTurns) {
  Model model;
  model.joints.resize(1);
  model.joints[0].kind = JointKind::hinge;
  State state;
  state.bodies.resize(1);
  for (int step = 0; step <= 100; ++step) {
    state.bodies[0].pose.orientation = rotation_from_vector(Vec3(0.0, 0.0, -0.3 * step));
    update_joints(model, state);
  }
  EXPECT_NEAR(state.joints[0].coordinate[0], -30.0, 1e-12);
  EXPECT_EQ(unwound(3.0, -3.0), 3.0 - 2.0 * std::numbers::pi);
}

TEST(JointKinematics, TheWorstViolationNamesItsJoint) {
  Model model;
  State state;
  state.bodies.resize(1);
  EXPECT_EQ(worst_joint_violation(model, state).length_joint, -1);
  model.joints.resize(3);
  model.joints[1].kind = JointKind::fixed;
  model.joints[1].frame_second.orientation = rotation_from_vector(Vec3(0.0, 0.1, 0.0));
  model.joints[2].frame_second.position = Vec3(0.0, 3.0, 4.0);
  const WorstJointViolation worst = worst_joint_violation(model, state);
  EXPECT_EQ(worst.length_joint, 2);
  EXPECT_NEAR(worst.length, 5.0, 1e-14);
  EXPECT_EQ(worst.angle_joint, 1);
  EXPECT_NEAR(worst.angle, 2.0 * std::sin(0.05), 1e-14);
}

}  // namespace
}  // namespace cardhouse
