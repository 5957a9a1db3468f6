#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/model/energy.h"
#include "cardhouse/stepping/schemes/integrate.h"
#include "cardhouse/stepping/schemes/predict.h"

namespace cardhouse {
namespace {

struct FreeBody {
  Model model;
  State state;
};

FreeBody spinning_brick(const Vec3& angular) {
  FreeBody result;
  Body body;
  body.name = "brick";
  body.mass = 1.0;
  body.inertia = Vec3(1.0, 2.0, 3.0).asDiagonal();
  result.model.bodies.push_back(body);
  result.model.gravity.setZero();
  BodyState s;
  s.angular = angular;
  result.state.bodies.push_back(s);
  result.state.initial_poses.push_back(s.pose);
  return result;
}

void step_freely(FreeBody& body, Predictor& predictor, const StepSettings& settings) {
  const std::vector<Prediction>& p = predictor.predict(body.model, body.state, settings);
  const std::vector<BodyMotion> twists = {{p[0].linear, p[0].angular}};
  integrate(body.model, p, twists, settings, body.state);
}

Vec3 angular_momentum(const FreeBody& body) {
  const BodyState& s = body.state.bodies[0];
  return s.pose.orientation * (body.model.bodies[0].inertia * (s.pose.orientation.conjugate() * s.angular));
}

TEST(FreeRotation, AboutTheMiddleAxisKeepsMomentumAndEnergyOverTenThousandSteps) {
  // A small tilt off the unstable middle axis makes the body flip over and over: the hard case.
  FreeBody body = spinning_brick(Vec3(1e-3, 10.0, 1e-3));
  StepSettings settings;
  settings.step = 1e-3;
  Predictor predictor;
  const Vec3 momentum = angular_momentum(body);
  const double energy = energy_of(body.model, body.state).kinetic;
  double momentum_error = 0.0;
  double early = 0.0;
  double late = 0.0;
  for (int step = 0; step < 10000; ++step) {
    step_freely(body, predictor, settings);
    momentum_error = std::max(momentum_error, (angular_momentum(body) - momentum).norm() / momentum.norm());
    const double error = std::abs(energy_of(body.model, body.state).kinetic - energy) / energy;
    (step < 5000 ? early : late) = std::max(step < 5000 ? early : late, error);
  }
  EXPECT_LT(momentum_error, 1e-9);  // momentum is kept to round-off
  EXPECT_LT(std::max(early, late), 1e-9);
  EXPECT_LT(late, 1.5 * early + 1e-11);  // symmetric in time: no drift but for round-off, 1e-15 a step
}

TEST(FreeRotation, ErrorOfTheEnergyFallsWithTheFourthPowerOfTheStep) {
  double error[2] = {0.0, 0.0};
  const double steps[2] = {4e-3, 2e-3};
  for (int k = 0; k < 2; ++k) {
    FreeBody body = spinning_brick(Vec3(2.0, 10.0, 1.0));
    StepSettings settings;
    settings.step = steps[k];
    Predictor predictor;
    const double energy = energy_of(body.model, body.state).kinetic;
    for (int step = 0; step < static_cast<int>(2.0 / steps[k]); ++step) {
      step_freely(body, predictor, settings);
      error[k] = std::max(error[k], std::abs(energy_of(body.model, body.state).kinetic - energy));
    }
  }
  EXPECT_GT(error[0] / error[1], 12.0);  // fourth order would give 16
}

TEST(FreeRotation, DampingOnlyTakesEnergyAway) {
  FreeBody body = spinning_brick(Vec3(2.0, 10.0, 1.0));
  body.model.bodies[0].angular_damping = 5.0;
  body.model.bodies[0].linear_damping = 1000.0;  // h · damping = 1: an explicit scheme would stop dead or reverse
  body.state.bodies[0].linear = Vec3(1.0, 0.0, 0.0);
  StepSettings settings;
  Predictor predictor;
  double energy = energy_of(body.model, body.state).kinetic;
  for (int step = 0; step < 1000; ++step) {
    step_freely(body, predictor, settings);
    const double next = energy_of(body.model, body.state).kinetic;
    EXPECT_LT(next, energy);
    energy = next;
  }
  EXPECT_GT(body.state.bodies[0].linear.x(), 0.0);
}

}  // namespace
}  // namespace cardhouse
