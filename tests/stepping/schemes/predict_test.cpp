#include "cardhouse/stepping/schemes/predict.h"

#include <gtest/gtest.h>

namespace cardhouse::testing {
namespace {

/// A bead on a wire along x: gravity along z is the wire's business.
TEST(Predict, HoldsAParticleToItsAxes) {
  Model model;
  Body bead;
  bead.kind = BodyKind::particle;
  bead.axes = {true, false, false};
  bead.mass = 2.0;
  bead.force = Vec3(3.0, 5.0, 7.0);
  model.bodies = {bead};
  State state;
  state.bodies.resize(1);
  state.bodies[0].linear = Vec3(1.0, 0.0, 0.0);
  StepSettings settings;
  settings.step = 0.01;
  Predictor predictor;
  EXPECT_EQ(predictor.predict(model, state, settings)[0].linear, Vec3(1.0 + 0.01 / 2.0 * 3.0, 0.0, 0.0));
}

TEST(Predict, TellsHowMuchMoreMassImplicitDampingLooksLike) {
  Model model;
  Body body;
  body.mass = 2.0;
  body.inertia = Mat3::Identity();
  body.linear_damping = 3.0;
  body.angular_damping = 4.0;
  model.bodies = {body};
  model.gravity.setZero();
  State state;
  state.bodies.resize(1);
  state.bodies[0].linear = Vec3(1.0, 0.0, 0.0);
  StepSettings settings;
  settings.step = 0.5;
  Predictor predictor;
  const Prediction& prediction = predictor.predict(model, state, settings)[0];
  EXPECT_EQ(prediction.linear_drag, 2.5);
  EXPECT_EQ(prediction.angular_drag, 3.0);
  EXPECT_EQ(prediction.linear, Vec3(1.0 / 2.5, 0.0, 0.0));
}

TEST(Predict, HoldsAPlanarBodyToItsPlane) {
  Model model;
  Body plate;
  plate.kind = BodyKind::planar;
  plate.mass = 1.0;
  plate.inertia = Mat3::Identity();
  model.bodies = {plate};
  model.gravity = Vec3(1.0, 2.0, 3.0);
  State state;
  state.bodies.resize(1);
  StepSettings settings;
  settings.step = 0.5;
  Predictor predictor;
  EXPECT_EQ(predictor.predict(model, state, settings)[0].linear, Vec3(0.5, 0.0, 1.5));
}

}  // namespace
}  // namespace cardhouse::testing
