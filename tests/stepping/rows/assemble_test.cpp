#include "cardhouse/stepping/rows/assemble.h"

#include <gtest/gtest.h>

#include "cardhouse/stepping/rows/normal_rows.h"
#include "cardhouse/stepping/schemes/detect.h"
#include "stepping/bodies.h"

namespace cardhouse {
namespace {

using test::SmallModel;

/// A tilted box whose lowest corner touches the floor, moving and spinning.
SmallModel corner_on_floor() {
  SmallModel setup;
  setup.add_floor();
  const int box = setup.add_box(Vec3(0.1, 0.2, 0.3), Vec3::Zero());
  BodyState& s = setup.state.bodies[box];
  s.pose.orientation = rotation_from_vector(Vec3(0.4, 0.3, 0.2));
  double lowest = 0.0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 local(corner & 1 ? 0.1 : -0.1, corner & 2 ? 0.2 : -0.2, corner & 4 ? 0.3 : -0.3);
    lowest = std::min(lowest, (s.pose.orientation * local).z());
  }
  s.pose.position = Vec3(0.7, -0.4, -lowest);
  s.linear = Vec3(0.3, -0.2, 0.1);
  s.angular = Vec3(1.0, -2.0, 0.5);
  return setup;
}

struct Assembled {
  std::vector<Contact> contacts;
  ContactProblem problem;
};

Assembled assemble_all(const SmallModel& setup, const StepSettings& settings) {
  Assembled result;
  Detector detector(setup.model);
  Predictor predictor;
  IslandFinder finder;
  result.contacts = detector.detect(setup.model, setup.state, setup.twists(), settings);
  const auto islands = finder.find(setup.model, result.contacts, {});
  const auto& predictions = predictor.predict(setup.model, setup.state, settings);
  VecX last;
  std::vector<double> biases;
  write_normal_biases({setup.state, predictions, result.contacts, setup.state.impulses, settings}, islands[0], last,
                      biases);
  assemble(setup.model, setup.state, predictions, result.contacts, {}, islands[0], biases, result.problem);
  return result;
}

TEST(Assemble, NormalRowIsTheRateOfChangeOfTheGap) {
  const SmallModel setup = corner_on_floor();
  StepSettings settings;
  settings.margin = 1e-4;
  const Assembled now = assemble_all(setup, settings);
  ASSERT_EQ(now.contacts.size(), 1U);
  Vec6 v;
  v << setup.state.bodies[1].linear, setup.state.bodies[1].angular;
  VecX u;
  now.problem.j.multiply(v, u);

  const double dt = 1e-5;  // central difference: error dt² w² ≈ 1e-9, round-off 1e-16/dt = 1e-11
  double gap[2];
  for (int k = 0; k < 2; ++k) {
    SmallModel moved = setup;
    const double t = k == 0 ? -dt : dt;
    BodyState& s = moved.state.bodies[1];
    s.pose.position += t * s.linear;
    s.pose.orientation = rotation_from_vector(t * s.angular) * s.pose.orientation;
    Detector detector(moved.model);
    gap[k] = detector.detect(moved.model, moved.state, moved.twists(), settings).at(0).gap;
  }
  EXPECT_NEAR(u[0], (gap[1] - gap[0]) / (2.0 * dt), 1e-8);
}

TEST(Assemble, TangentRowsAreTheSlidingVelocityOfTheTouchingPoint) {
  const SmallModel setup = corner_on_floor();
  StepSettings settings;
  settings.margin = 1e-4;
  const Assembled now = assemble_all(setup, settings);
  const Contact& contact = now.contacts.at(0);
  const BodyState& s = setup.state.bodies[1];
  Vec6 v;
  v << s.linear, s.angular;
  VecX u;
  now.problem.j.multiply(v, u);
  const Vec3 velocity = s.linear + s.angular.cross(contact.point() - s.pose.position);
  // The sign depends on which body is the first of the pair.
  const double sign = contact.body_a == 1 ? 1.0 : -1.0;
  EXPECT_LT((contact.basis * u - sign * velocity).norm(), 1e-14);
}

TEST(Assemble, GapOverStepEntersTheNormalRowAlone) {
  SmallModel setup;
  setup.add_floor();
  setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, 0.1 + 2e-5));
  StepSettings settings;
  settings.step = 1e-2;
  const Assembled now = assemble_all(setup, settings);
  ASSERT_EQ(now.contacts.size(), 4U);
  for (int g = 0; g < 4; ++g) {
    EXPECT_NEAR(now.problem.b[3 * g], 2e-3 - 1e-9 * radius_of_gyration(setup.model.bodies[1]) / 1e-2, 1e-12);
    EXPECT_EQ(now.problem.b[3 * g + 1], 0.0);
    EXPECT_EQ(now.problem.b[3 * g + 2], 0.0);
  }
}

TEST(Assemble, ImpulsesOnBothSidesKeepLinearAndAngularMomentum) {
  SmallModel setup;
  setup.add_box(Vec3(0.5, 0.5, 0.5), Vec3(0.0, 0.0, 0.0));
  setup.add_box(Vec3(0.2, 0.2, 0.2), Vec3(0.1, 0.2, 0.7 + 1e-4));
  StepSettings settings;
  const Assembled now = assemble_all(setup, settings);
  ASSERT_FALSE(now.contacts.empty());
  VecX r = VecX::Ones(now.problem.rows());
  VecX impulse = VecX::Zero(12);
  now.problem.j.add_transposed(r, impulse);
  EXPECT_LT((impulse.segment<3>(0) + impulse.segment<3>(6)).norm(), 1e-14);
  Vec3 angular = Vec3::Zero();
  for (int k = 0; k < 2; ++k) {
    angular += setup.state.bodies[k].pose.position.cross(Vec3(impulse.segment<3>(6 * k)));
    angular += impulse.segment<3>(6 * k + 3);
  }
  EXPECT_LT(angular.norm(), 1e-13);
}

TEST(Assemble, KinematicBodiesEnterThroughTheirVelocity) {
  SmallModel setup;
  Body belt;
  belt.name = "belt";
  belt.mobility = Mobility::kinematic;
  belt.motion = ConstantVelocity{Vec3(2.0, 0.0, 0.0), Vec3::Zero()};
  belt.shapes.push_back({Box{Vec3(5.0, 5.0, 0.5)}, Pose{}, 0});
  BodyState s;
  s.pose.position = Vec3(0.0, 0.0, -0.5);
  setup.add(belt, s);
  setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, 0.1));
  const Assembled now = assemble_all(setup, {});
  const Contact& contact = now.contacts.at(0);
  const Vec3 relative = contact.basis * Vec3(now.problem.b.head<3>());
  const double sign = contact.body_a == 0 ? 1.0 : -1.0;
  EXPECT_NEAR(relative.x(), sign * 2.0, 1e-12);
  EXPECT_EQ(now.problem.a.blocks(), 1);
}

TEST(Assemble, RestitutionActsOnlyOnContactsThatCloseWithinTheStep) {
  SmallModel setup;
  setup.model.materials[0].restitution = 0.5;
  setup.add_floor();
  const int box = setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, 0.1 + 5e-4));
  setup.state.bodies[box].linear = Vec3(0.0, 0.0, -1.0);
  StepSettings settings;
  settings.margin = 0.1;
  EXPECT_NEAR(assemble_all(setup, settings).problem.b[0], -0.5, 1e-12);  // 0.5 mm at 1 m/s: closes within 1 ms
  setup.state.bodies[box].linear = Vec3(0.0, 0.0, -0.4);
  EXPECT_NEAR(assemble_all(setup, settings).problem.b[0], 0.5, 2e-7);  // does not close: gap/h but for a trifle
}

}  // namespace
}  // namespace cardhouse
