// What joints hold, drive and stop, against forces and motions that are known on paper.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cardhouse/world/world.h"

namespace cardhouse {
namespace {

constexpr double g = 9.81;

/// A box of 2 kg with its centre at `centre`; the joint's first body, the second is the world.
Scene box_on_joint(JointKind kind, const Vec3& centre, const Vec3& anchor, const Vec3& axis = Vec3::UnitZ()) {
  Scene scene;
  Body body;
  body.name = "box";
  const bool planar = is_planar(kind);
  if (planar) body.kind = BodyKind::planar;
  body.mass = 2.0;
  body.inertia = Vec3(0.02, 0.03, 0.04).asDiagonal();
  scene.model.bodies = {body};
  BodyState state;
  state.pose.position = centre;
  scene.initial.bodies = {state};
  scene.initial.initial_poses = {state.pose};
  Joint joint;
  joint.name = "joint";
  joint.kind = kind;
  if (kind == JointKind::distance) {
    joint.frame_second.position = anchor;
    joint.length = (centre - anchor).norm();
  } else {
    place_joint(joint, scene.initial, anchor, axis, Vec3::UnitX());
  }
  scene.model.joints = {joint};
  return scene;
}

/// The joint's force and torque on the box after it was held for a while, at rest.
struct Reaction {
  Vec3 force, torque;
  double moved = 0.0;
};

Reaction reaction_of(const Scene& scene, int steps = 50) {
  World world(scene);
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(world.step().certified) << world.last_report().reason;
  const double h = scene.settings.step;
  const Vec3 start = scene.initial.bodies[0].pose.position;
  return {world.joints()[0].impulse / h, world.joints()[0].torque / h,
          (world.state().bodies[0].pose.position - start).norm()};
}

/// The certificate leaves 1e-8 of the largest impulses; forces here are some 20 N.
constexpr double force_tolerance = 1e-5;

TEST(JointForces, AFixedJointCarriesWeightLoadAndTheirMoments) {
  Scene scene = box_on_joint(JointKind::fixed, Vec3(0.5, 0.0, 0.0), Vec3::Zero());
  scene.model.bodies[0].force = Vec3(3.0, 4.0, 0.0);
  scene.model.bodies[0].torque = Vec3(0.1, 0.2, 0.3);
  const Reaction r = reaction_of(scene);
  const Vec3 load(3.0, 4.0, -2.0 * g);
  EXPECT_LT((r.force + load).norm(), force_tolerance);
  EXPECT_LT((r.torque + Vec3(0.1, 0.2, 0.3) + Vec3(0.5, 0.0, 0.0).cross(load)).norm(), force_tolerance);
  EXPECT_LT(r.moved, 1e-9);
}

TEST(JointForces, AHingeCarriesAllButTheMomentAboutItsAxis) {
  // The axis is vertical, so that weight does not turn the box.
  const Reaction r = reaction_of(box_on_joint(JointKind::hinge, Vec3(0.5, 0.0, 0.0), Vec3::Zero()));
  EXPECT_LT((r.force - Vec3(0.0, 0.0, 2.0 * g)).norm(), force_tolerance);
  EXPECT_LT((r.torque - Vec3(0.0, -g, 0.0)).norm(), force_tolerance);
  EXPECT_LT(r.moved, 1e-9);
}

TEST(JointForces, ASliderCarriesAllButTheForceAlongItsAxis) {
  const Reaction r = reaction_of(box_on_joint(JointKind::slider, Vec3(0.5, 0.0, 0.0), Vec3::Zero(), Vec3::UnitX()));
  EXPECT_LT((r.force - Vec3(0.0, 0.0, 2.0 * g)).norm(), force_tolerance);
  EXPECT_LT((r.torque - Vec3(0.0, -g, 0.0)).norm(), force_tolerance);
  EXPECT_LT(r.moved, 1e-9);
}

TEST(JointForces, AUniversalJointCarriesTheMomentAcrossItsTwoAxes) {
  // Axes z and x: the weight's moment is about y, the direction that is left.
  const Reaction r = reaction_of(box_on_joint(JointKind::universal, Vec3(0.5, 0.0, 0.0), Vec3::Zero()));
  EXPECT_LT((r.force - Vec3(0.0, 0.0, 2.0 * g)).norm(), force_tolerance);
  EXPECT_LT((r.torque - Vec3(0.0, -g, 0.0)).norm(), force_tolerance);
  EXPECT_LT(r.moved, 1e-9);
}

TEST(JointForces, BallDistanceAndRevoluteJointsHangABodyBelowThem) {
  for (const JointKind kind : {JointKind::ball, JointKind::distance, JointKind::revolute}) {
    const Reaction r = reaction_of(box_on_joint(kind, Vec3(0.0, 0.0, -0.5), Vec3::Zero()));
    EXPECT_LT((r.force - Vec3(0.0, 0.0, 2.0 * g)).norm(), force_tolerance);
    EXPECT_LT(r.torque.norm(), force_tolerance);
    EXPECT_LT(r.moved, 1e-9);
  }
}

TEST(JointForces, APrismaticJointCarriesForceAcrossAndMoment) {
  const Reaction r = reaction_of(box_on_joint(JointKind::prismatic, Vec3(0.5, 0.0, 0.0), Vec3::Zero(), Vec3::UnitX()));
  EXPECT_LT((r.force - Vec3(0.0, 0.0, 2.0 * g)).norm(), force_tolerance);
  EXPECT_LT((r.torque - Vec3(0.0, -g, 0.0)).norm(), force_tolerance);
  EXPECT_LT(r.moved, 1e-9);
}

TEST(JointForces, AJointWithAComplianceSagsByForceTimesCompliance) {
  Scene scene = box_on_joint(JointKind::ball, Vec3(0.0, 0.0, -0.5), Vec3::Zero());
  scene.model.joints[0].compliance = 1e-6;  // m/N: swings at 700 rad/s, which the implicit step damps within 10 ms
  World world(scene);
  for (int i = 0; i < 2000; ++i) world.step();
  EXPECT_NEAR(world.state().bodies[0].pose.position.z(), -0.5 - 1e-6 * 2.0 * g, 1e-10);
}

Scene spinning_box() {
  Scene scene = box_on_joint(JointKind::hinge, Vec3::Zero(), Vec3::Zero());  // inertia 0.04 about z
  return scene;
}

TEST(JointMotor, ReachesItsSpeedWithNoMoreThanItsTorque) {
  Scene scene = spinning_box();
  scene.model.joints[0].drives[0].motor = JointMotor{.value = 5.0, .max_force = 0.1};  // 2.5 rad/s²: 2 s to get there
  World world(scene);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(world.step().certified);
  EXPECT_NEAR(world.state().bodies[0].angular.z(), 2.5, 1e-7);  // 1 s at the full torque
  EXPECT_NEAR(world.joints()[0].drive[0] / scene.settings.step, 0.1, 1e-9);
  for (int i = 0; i < 1500; ++i) EXPECT_TRUE(world.step().certified);
  EXPECT_NEAR(world.state().bodies[0].angular.z(), 5.0, 1e-7);
  EXPECT_NEAR(world.joints()[0].drive[0], 0.0, 1e-9);
  // 2.5 t²/2 for 2 s and half a second at 5 rad/s; first order in h: a step's worth of angle is 5 mrad.
  EXPECT_NEAR(world.joints()[0].coordinate[0], 5.0 + 2.5, 5e-3);
}

TEST(JointMotor, GoesToAPositionAtItsSpeedAndStaysThereWithWindingKept) {
  Scene scene = spinning_box();
  scene.model.joints[0].drives[0].motor =
      JointMotor{.target = JointMotor::Target::position, .value = 10.0, .max_speed = 20.0};
  World world(scene);
  for (int i = 0; i < 600; ++i) EXPECT_TRUE(world.step().certified);
  EXPECT_NEAR(world.joints()[0].coordinate[0], 10.0, 1e-7);
  EXPECT_NEAR(world.state().bodies[0].angular.z(), 0.0, 1e-5);
}

/// How a motor that goes to a place with a limited force arrives there.
struct Arrival {
  double passed = 0.0;  ///< m or rad: beyond the place, the farthest
  double off = 0.0;     ///< m or rad: the most in the last tenth of the run
  double force = 0.0;   ///< N or N m: the largest
};

Arrival arrive(Scene scene, double place, double most_force, int steps) {
  scene.model.joints[0].drives[0].motor =
      JointMotor{.target = JointMotor::Target::position, .value = place, .max_force = most_force};
  World world(scene);
  const double start = world.state().joints[0].coordinate[0];
  Arrival arrival;
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(world.step().certified);
    const double beyond = (world.joints()[0].coordinate[0] - place) * (place > start ? 1.0 : -1.0);
    arrival.passed = std::max(arrival.passed, beyond);
    if (10 * i > 9 * steps) arrival.off = std::max(arrival.off, std::abs(beyond));
    arrival.force = std::max(arrival.force, std::abs(world.joints()[0].drive[0]) / scene.settings.step);
  }
  return arrival;
}

TEST(JointMotor, WithALimitedForceBrakesInTimeAndStaysWhereItWasSent) {
  Scene scene = box_on_joint(JointKind::slider, Vec3::Zero(), Vec3::Zero());
  scene.model.gravity.setZero();
  const double force = 2.5 * scene.model.bodies[0].mass;  // 2.5 m/s²
  const Arrival arrival = arrive(scene, 0.3, force, 2000);
  EXPECT_NEAR(arrival.force, force, 1e-6 * force);  // it is the force that holds it back
  EXPECT_LT(arrival.passed, 1e-7);
  EXPECT_LT(arrival.off, 1e-7);
}

TEST(JointMotor, WithALimitedForceBrakesALoadThatItCanHardlyHold) {
  Scene scene = box_on_joint(JointKind::slider, Vec3::Zero(), Vec3::Zero());
  // Upwards gravity helps to brake, downwards it leaves a fifth of the force.
  const double force = 1.25 * 9.81 * scene.model.bodies[0].mass;
  for (const double place : {0.8, -0.8}) {
    const Arrival arrival = arrive(scene, place, force, 3000);
    EXPECT_LT(arrival.passed, 1e-7) << place;
    EXPECT_LT(arrival.off, 1e-7) << place;
  }
}

TEST(JointMotor, WithALimitedForceBrakesAllThatHangsOnItsBody) {
  // A box on a hinge that carries another one, ten times as heavy, on a free hinge: its own inertia tells little.
  Scene scene = spinning_box();
  scene.model.gravity.setZero();
  Body load = scene.model.bodies[0];
  load.name = "load";
  load.mass *= 10.0;
  load.inertia *= 10.0;
  scene.model.bodies.push_back(load);
  BodyState place = scene.initial.bodies[0];
  place.pose.position.x() += 1.0;
  scene.initial.bodies.push_back(place);
  scene.initial.initial_poses.push_back(place.pose);
  Joint elbow;
  elbow.name = "elbow";
  elbow.kind = JointKind::hinge;
  elbow.first = 1;
  elbow.second = 0;
  place_joint(elbow, scene.initial, scene.initial.bodies[0].pose.position + Vec3(0.5, 0.0, 0.0), Vec3::UnitZ());
  scene.model.joints.push_back(elbow);
  const Arrival arrival = arrive(scene, 1.0, 0.5 * load.mass, 8000);
  EXPECT_NEAR(arrival.force, 0.5 * load.mass, 1e-6 * load.mass);
  EXPECT_LT(arrival.off, 1e-3);
}

TEST(JointMotor, ASpringAndDamperFindsItsRestAndItsTorque) {
  Scene scene = spinning_box();
  scene.model.bodies[0].torque = Vec3(0.0, 0.0, 0.3);
  JointMotor motor{.target = JointMotor::Target::position, .value = 0.2};
  motor.stiffness = 2.0;
  motor.damping = 0.5;
  scene.model.joints[0].drives[0].motor = motor;
  World world(scene);
  for (int i = 0; i < 5000; ++i) world.step();
  EXPECT_NEAR(world.joints()[0].coordinate[0], 0.2 + 0.3 / 2.0, 1e-6);
  EXPECT_NEAR(world.joints()[0].drive[0] / scene.settings.step, -0.3, 1e-6);
}

TEST(JointLimits, StopAHingeAndASlider) {
  Scene scene = spinning_box();
  scene.initial.bodies[0].angular = Vec3(0.0, 0.0, 7.0);
  scene.model.joints[0].drives[0].limits = JointLimits{-1.0, 1.0};
  World world(scene);
  for (int i = 0; i < 500; ++i) {
    EXPECT_TRUE(world.step().certified);
    EXPECT_LE(world.joints()[0].coordinate[0], 1.0 + 1e-9);
  }
  EXPECT_NEAR(world.joints()[0].coordinate[0], 1.0, 1e-9);

  Scene falling = box_on_joint(JointKind::slider, Vec3::Zero(), Vec3::Zero());
  falling.model.joints[0].drives[0].limits = JointLimits{-0.1, 0.1};
  World slider(falling);
  for (int i = 0; i < 500; ++i) EXPECT_TRUE(slider.step().certified);
  EXPECT_NEAR(slider.joints()[0].coordinate[0], -0.1, 1e-9);
  EXPECT_NEAR(slider.joints()[0].drive[0] / falling.settings.step, 2.0 * g, force_tolerance);
}

TEST(JointLimits, AreNotPassedByAnySpeed) {
  Scene scene = box_on_joint(JointKind::slider, Vec3::Zero(), Vec3::Zero());
  scene.initial.bodies[0].linear = Vec3(0.0, 0.0, 5000.0);  // 5 m in a step
  scene.model.joints[0].drives[0].limits = JointLimits{-0.1, 0.1};
  World world(scene);
  EXPECT_TRUE(world.step().certified);
  EXPECT_LE(world.joints()[0].coordinate[0], 0.1 + 1e-6);
}

TEST(JointLimits, MakeARopeOfADistance) {
  Scene scene = box_on_joint(JointKind::distance, Vec3(0.0, 0.0, -0.5), Vec3::Zero());
  scene.model.joints[0].drives[0].limits = JointLimits{0.0, 0.8};
  World world(scene);
  for (int i = 0; i < 200; ++i) world.step();  // falls freely at first
  EXPECT_NEAR(world.state().bodies[0].linear.z(), -g * 0.2, 1e-9);
  EXPECT_EQ(world.joints()[0].impulse.norm(), 0.0);
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(world.step().certified);
  EXPECT_NEAR(world.state().bodies[0].pose.position.z(), -0.8, 1e-9);
  EXPECT_NEAR(world.joints()[0].impulse.z() / scene.settings.step, 2.0 * g, force_tolerance);
}

TEST(JointFriction, HoldsBelowItsTorqueAndGivesWayAboveIt) {
  for (const double torque : {0.49, 0.51}) {
    Scene scene = spinning_box();
    scene.model.bodies[0].torque = Vec3(0.0, 0.0, torque);
    scene.model.joints[0].drives[0].friction = 0.5;
    World world(scene);
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(world.step().certified);
    const double expected = torque < 0.5 ? 0.0 : (torque - 0.5) / 0.04;  // rad/s after 1 s
    EXPECT_NEAR(world.state().bodies[0].angular.z(), expected, 1e-6);
  }
}

TEST(JointForces, AJointedPairInFreeFlightIsCertifiedAndKeepsItsMomentum) {
  Scene scene = box_on_joint(JointKind::hinge, Vec3(0.5, 0.0, 0.0), Vec3::Zero());
  scene.model.gravity.setZero();
  scene.model.bodies.push_back(scene.model.bodies[0]);
  scene.model.bodies[1].name = "other";
  scene.model.joints[0].second = 1;
  BodyState other;
  other.pose.position = Vec3(-0.5, 0.0, 0.0);
  scene.initial.bodies.push_back(other);
  scene.initial.initial_poses.push_back(other.pose);
  place_joint(scene.model.joints[0], scene.initial, Vec3::Zero());
  for (BodyState& body : scene.initial.bodies) body.linear = Vec3(3.0, -7.0, 11.0);  // nothing for the joint to do
  World world(scene);
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(world.step().certified) << world.last_report().reason;
  EXPECT_LT((world.state().bodies[0].linear - Vec3(3.0, -7.0, 11.0)).norm(), 1e-12);

  scene.initial.bodies[0].angular = Vec3(0.3, 0.2, 4.0);  // a hinge that must pull
  World spinning(scene);
  const auto momentum = [&] {
    Vec3 linear = Vec3::Zero();
    Vec3 angular = Vec3::Zero();
    for (int i = 0; i < 2; ++i) {
      const BodyState& s = spinning.state().bodies[i];
      linear += 2.0 * s.linear;
      const Mat3 rotation = s.pose.orientation.toRotationMatrix();
      angular += s.pose.position.cross(2.0 * s.linear) +
                 rotation * scene.model.bodies[i].inertia * rotation.transpose() * s.angular;
    }
    return std::pair(linear, angular);
  };
  const auto before = momentum();
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(spinning.step().certified) << spinning.last_report().reason;
  const auto after = momentum();
  EXPECT_LT((after.first - before.first).norm(), 1e-10);
  EXPECT_LT((after.second - before.second).norm(), 1e-9);  // round-off at 13 m from the origin
}

TEST(JointState, RestoredContinuesBitForBitWithTurnsAndWarmStart) {
  Scene scene = spinning_box();
  scene.model.joints[0].drives[0] = {JointLimits{-100.0, 12.0}, JointMotor{.value = 9.0, .max_force = 1.0}, 0.1};
  World world(scene);
  for (int i = 0; i < 1000; ++i) world.step();
  const State saved = world.state();
  EXPECT_GT(saved.joints[0].coordinate[0], 6.5);  // more than a turn
  for (int i = 0; i < 500; ++i) world.step();
  World other(scene);
  other.restore(saved);
  for (int i = 0; i < 500; ++i) other.step();
  EXPECT_EQ(state_hash(world.state()), state_hash(other.state()));
  EXPECT_EQ(world.state().joints[0].impulse, other.state().joints[0].impulse);
}

TEST(JointProjection, ClosesAnInitialViolationWithTheLeastMotionOfMasses) {
  Scene scene = box_on_joint(JointKind::ball, Vec3(0.0, 0.0, -0.5), Vec3::Zero());
  scene.model.bodies.push_back(scene.model.bodies[0]);
  scene.model.bodies[1].name = "heavy";
  scene.model.bodies[1].mass = 200.0;
  scene.model.bodies[1].inertia *= 100.0;
  BodyState heavy;
  heavy.pose.position = Vec3(0.0, 0.0, 0.5);
  scene.initial.bodies.push_back(heavy);
  scene.initial.initial_poses.push_back(heavy.pose);
  scene.model.joints[0].second = 1;
  place_joint(scene.model.joints[0], scene.initial, Vec3::Zero());
  scene.initial.bodies[0].pose.position += Vec3(0.01, 0.0, -0.02);
  World world(scene);
  EXPECT_NEAR(world.joint_violation().length, std::sqrt(5.0) * 0.01, 1e-12);
  EXPECT_EQ(world.joint_violation().length_joint, 0);
  EXPECT_LT(world.project_joints().length, 1e-12);
  EXPECT_LT(world.joint_violation().length, 1e-12);
  // The light one moves a hundred times as far, and the common centre of mass stays.
  const Vec3 light = world.state().bodies[0].pose.position - scene.initial.bodies[0].pose.position;
  const Vec3 moved = world.state().bodies[1].pose.position - scene.initial.bodies[1].pose.position;
  EXPECT_LT((2.0 * light + 200.0 * moved).norm(), 1e-9);
  EXPECT_GT(light.norm(), 1e-3);
}

TEST(JointForces, JoinedBodiesTouchOnlyWhenAskedTo) {
  for (const bool collide : {false, true}) {
    Scene scene = box_on_joint(JointKind::slider, Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, 1.0));
    scene.model.bodies[0].shapes = {{Box{Vec3(0.1, 0.1, 0.1)}, {}, 0}};
    Body table;
    table.name = "table";
    table.mobility = Mobility::fixed;
    table.shapes = {{Box{Vec3(1.0, 1.0, 0.5)}, {}, 0}};
    scene.model.bodies.push_back(table);
    scene.initial.bodies.emplace_back();
    scene.initial.initial_poses.emplace_back();
    scene.model.joints[0].second = 1;
    scene.model.joints[0].collide = collide;
    World world(scene);
    for (int i = 0; i < 600; ++i) EXPECT_TRUE(world.step().certified);
    const double z = world.state().bodies[0].pose.position.z();
    EXPECT_NEAR(z, collide ? 0.6 : 1.0 - 0.5 * g * 0.36, collide ? 1e-9 : 5e-3);
  }
}

}  // namespace
}  // namespace cardhouse
