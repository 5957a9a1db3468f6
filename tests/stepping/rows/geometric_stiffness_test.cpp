#include "cardhouse/stepping/rows/geometric_stiffness.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <random>

#include "cardhouse/math/pose.h"
#include "cardhouse/model/kinds/least_addition.h"
#include "stepping/bodies.h"

namespace cardhouse {
namespace {

class RandomArm {
 public:
  explicit RandomArm(unsigned seed) : engine_(seed) {}
  Vec3 vector(double size) { return size * Vec3(number_(engine_), number_(engine_), number_(engine_)); }
  Mat3 positive_definite() {
    Mat3 root;
    for (int i = 0; i < 3; ++i) root.col(i) = vector(1.0);
    return root * root.transpose() + 0.01 * Mat3::Identity();
  }

 private:
  std::mt19937 engine_;
  std::uniform_real_distribution<double> number_{-1.0, 1.0};
};

TEST(GeometricStiffness, IsTheDerivativeOfTheTorqueThatAForceHasOnATurningArm) {
  const unsigned seed = 7;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  RandomArm random(seed);
  const double h = 0.01;
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3 force = random.vector(10.0);
    const Vec3 arm = random.vector(0.5);
    const Vec3 axis = random.vector(1.0);
    const double turn = 1e-5;
    const auto torque = [&](double angle) -> Vec3 { return (rotation_from_vector(angle * axis) * arm).cross(force); };
    // A force that does not turn with the body has a torque with an antisymmetric part in its derivative; energy, and
    // so the spring that holds, is in the symmetric one: compare along the axis.
    const double slope = axis.dot(torque(turn) - torque(-turn)) / (2.0 * turn);
    const Mat3 stiffness = geometric_stiffness(h * force, arm, h) / (h * h);
    // Central differences: turn² of 10 N · 0.5 m, and round-off over the turn.
    EXPECT_NEAR(-slope, axis.dot(stiffness * axis), 1e-8);
    EXPECT_EQ(stiffness, stiffness.transpose());
  }
}

TEST(LeastAddition, BringsEveryPrincipalQuotientToOneAndLeavesTheOthers) {
  const unsigned seed = 11;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  RandomArm random(seed);
  for (int trial = 0; trial < 20; ++trial) {
    const Mat3 inertia = random.positive_definite();
    const Mat3 root = random.positive_definite();
    const Mat3 stiffness = 3.0 * (root - 0.3 * root.trace() * Mat3::Identity());  // of both signs
    const Mat3 addition = least_addition(inertia, stiffness);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Mat3> before(stiffness, inertia);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Mat3> after(stiffness, inertia + addition);
    // The pencil's condition is about 1e3 here.
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(after.eigenvalues()[i], std::min(before.eigenvalues()[i], 1.0), 1e-10);
    const Eigen::SelfAdjointEigenSolver<Mat3> sign(addition);
    EXPECT_GE(sign.eigenvalues()[0], -1e-12 * (1.0 + addition.norm()));
  }
}

/// A box that hangs by the middle of its top from the world, with an impulse in its joint.
struct HangingBox {
  test::SmallModel setup;
  std::vector<Prediction> predictions;
  std::vector<JointRows> rows;
  Predictor predictor;
  static constexpr double h = 0.01;

  HangingBox(double force, BodyKind kind) {
    setup.add_box(Vec3(0.1, 0.1, 0.5), Vec3(0.0, 0.0, -0.5));
    setup.model.bodies[0].kind = kind;
    Joint joint;
    joint.kind = kind == BodyKind::planar ? JointKind::revolute : JointKind::ball;
    joint.first = 0;
    joint.second = -1;
    place_joint(joint, setup.state, Vec3::Zero(), Vec3::UnitY());
    setup.model.joints = {joint};
    update_joints(setup.model, setup.state);
    StepSettings settings;
    settings.step = h;
    predictions = predictor.predict(setup.model, setup.state, settings);
    JointRowBuilder builder(setup.model);
    rows = builder.build(setup.model, setup.state, predictions, settings);
    // Along the rows: whatever their directions are, the impulse is upwards.
    for (int n = 0; n < rows[0].rows; ++n) {
      setup.state.joints[0].impulse[n] = h * force * rows[0].on_first(n, 2);
    }
    GeometricStiffness().hold(setup.model, setup.state, rows, h, predictions);
  }
};

TEST(GeometricStiffness, LeavesBodiesAloneWhoseSwingTheStepFollows) {
  for (const BodyKind kind : {BodyKind::spatial, BodyKind::planar}) {
    for (const double force : {200.0, -1e9, 0.0}) {  // its weight; pushed over; without a force
      const HangingBox box(force, kind);
      EXPECT_EQ(box.predictions[0].block_inertia, box.predictions[0].inertia) << force;
      EXPECT_EQ(box.predictions[0].block_inverse, box.predictions[0].inverse_inertia) << force;
    }
  }
}

TEST(GeometricStiffness, GivesABodyUnderTensionTheInertiaOfItsArmButNotAboutThatArm) {
  const double force = 1e6;
  const HangingBox box(force, BodyKind::spatial);
  const Prediction& p = box.predictions[0];
  const double lever = HangingBox::h * HangingBox::h * force * 0.5;  // h² f a
  EXPECT_NEAR(p.block_inertia(0, 0), lever, 1e-12 * lever);
  EXPECT_NEAR(p.block_inertia(1, 1), lever, 1e-12 * lever);
  EXPECT_NEAR(p.block_inertia(2, 2), p.inertia(2, 2), 1e-12 * lever);
  EXPECT_LT((p.block_inertia * p.block_inverse - Mat3::Identity()).norm(), 1e-12);
  const HangingBox flat(force, BodyKind::planar);
  EXPECT_NEAR(flat.predictions[0].block_inertia(1, 1), lever, 1e-12 * lever);
  EXPECT_EQ(flat.predictions[0].block_inertia(0, 0), 0.0);
}

}  // namespace
}  // namespace cardhouse
