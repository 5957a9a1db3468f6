#include "cardhouse/variational/coupled_minimisation.h"

#include <gtest/gtest.h>

#include "cardhouse/base/error.h"
#include "cardhouse/variational/trajectory.h"

namespace cardhouse {
namespace {

MechanicalSystem particle(int axes, std::shared_ptr<const Potential> potential) {
  MechanicalSystem system;
  system.mass = 2.0 * MatX::Identity(axes, axes);
  system.potential = std::move(potential);
  return system;
}

/// M w = p − s ∇V(q₀ + k w) with V of Eq. 4.72, far from where the linearisation is good.
TEST(CoupledMinimisation, SolvesTheNonlinearMomentumBalanceFromAFarStart) {
  const MechanicalSystem system = particle(2, std::make_shared<DoubleWell>());
  CoupledMinimisation minimisation(system, {});
  StepEquations equations;
  equations.momentum = Vec2(3.0, -500.0);
  equations.base = Vec2(4.0, 4.0);
  equations.reach = 0.01;
  equations.force_time = 0.04;
  VecX w = Vec2(1000.0, 1000.0);
  const StepQuality quality = minimisation.solve(equations, w);
  EXPECT_TRUE(quality.converged);
  EXPECT_LT(quality.iterations, 20);
  VecX force = VecX::Zero(2);
  DoubleWell().add_gradient(equations.base + equations.reach * w, force);
  const VecX residual = system.mass * w - equations.momentum + equations.force_time * force;
  // Newton ends at 1e-12 of the balance's parts, here some 2000 N s.
  EXPECT_LT(residual.norm(), 1e-8);
}

/// Where M + s k ∇²V is indefinite the objective is not convex: a stationary point is found all the same.
TEST(CoupledMinimisation, SolvesWhereThePotentialCurvesDownMoreThanTheMassHolds) {
  const MechanicalSystem system = particle(1, std::make_shared<DoubleWell>());
  CoupledMinimisation minimisation(system, {});
  StepEquations equations;
  equations.momentum = VecX::Constant(1, 0.1);
  equations.base = VecX::Constant(1, 0.6);  // V'' = −2.7 there
  equations.reach = 1.0;
  equations.force_time = 4.0;
  VecX w = VecX::Zero(1);
  const StepQuality quality = minimisation.solve(equations, w);
  EXPECT_TRUE(quality.converged);
  VecX force = VecX::Zero(1);
  DoubleWell().add_gradient(equations.base + w, force);
  EXPECT_NEAR(2.0 * w[0] + 4.0 * force[0], 0.1, 1e-10);
}

TEST(CoupledMinimisation, SaysSoWhenItRunsOutOfIterations) {
  const MechanicalSystem system = particle(2, std::make_shared<DoubleWell>());
  MinimisationSettings settings;
  settings.max_iterations = 1;
  CoupledMinimisation minimisation(system, settings);
  StepEquations equations;
  equations.momentum = Vec2(3.0, -500.0);
  equations.base = Vec2(4.0, 4.0);
  equations.reach = 0.01;
  equations.force_time = 0.04;
  VecX w = Vec2(1000.0, 1000.0);
  EXPECT_FALSE(minimisation.solve(equations, w).converged);
}

/// A chain of three balls of 3 axes each: 9 coupled coordinates in one block.
TEST(CoupledMinimisation, CertifiesContactsAndFrictionOfManyCoupledCoordinates) {
  MechanicalSystem system;
  system.mass = MatX::Identity(9, 9);
  auto potential = std::make_shared<PotentialSum>();
  VecX weight = VecX::Zero(9);
  for (int i = 0; i < 3; ++i) weight[3 * i + 2] = -9.81;
  potential->add(std::make_shared<ConstantForce>(weight));
  potential->add(std::make_shared<LinearSpring>(Coordinates{0, 3}, Coordinates{3, 3}, 200.0, 0.3));
  potential->add(std::make_shared<LinearSpring>(Coordinates{3, 3}, Coordinates{6, 3}, 200.0, 0.3));
  system.potential = potential;
  for (int i = 0; i < 3; ++i) {
    system.obstacles.push_back({{3 * i, 3}, {}, std::make_shared<HalfSpaceGap>(Vec3(0.1, 0.0, 1.0), 0.1), 0.4});
  }
  system.obstacles.push_back({{0, 3}, {6, 3}, std::make_shared<BallGap>(Vec3::Zero(), 0.2), 0.3});
  PhasePoint start{0.0, VecX(9), VecX::Zero(9)};
  start.q << 0.0, 0.0, 0.3, 0.3, 0.01, 0.5, 0.05, 0.1, 0.6;
  for (const char* solver : {"staggered-projections", "newton", "auto"}) {
    RunSettings settings{Integrator::velocity_level, 2e-3, 300, 1, {}};
    settings.minimisation.solver = solver;
    const Trajectory run = run_system(system, start, settings);
    EXPECT_EQ(run.uncertified_steps, 0) << solver;
    EXPECT_LT(run.worst_residual, 1e-10) << solver;
    for (const Obstacle& obstacle : system.obstacles) {
      // Sinks in by a quarter step before it is held, at speeds up to about 3 m/s.
      EXPECT_GT(distance_to(obstacle, run.positions.back()), -0.02) << solver;
    }
  }
}

TEST(CoupledMinimisation, RefusesUnknownSolversAndWrongSystems) {
  MechanicalSystem system = particle(2, std::make_shared<DoubleWell>());
  MinimisationSettings unknown;
  unknown.solver = "nothing";
  EXPECT_THROW(CoupledMinimisation(system, unknown), InputError);
  const PhasePoint state{0.0, Vec2(1.0, 1.0), Vec2(0.0, 0.0)};
  EXPECT_NO_THROW(check_system(system, state));
  EXPECT_THROW(check_system(system, {0.0, Vec3::Zero(), Vec3::Zero()}), InputError);
  system.obstacles.push_back({{1, 2}, {}, std::make_shared<HalfSpaceGap>(Vec2(0.0, 1.0)), 0.0});
  EXPECT_THROW(check_system(system, state), InputError);
  system.obstacles[0] = {{0, 2}, {}, std::make_shared<HalfSpaceGap>(Vec2(0.0, 1.0)), -1.0};
  EXPECT_THROW(check_system(system, state), InputError);
  system.obstacles[0] = {{0, 2}, {}, nullptr, 0.0};
  EXPECT_THROW(check_system(system, state), InputError);
  system.obstacles.clear();
  system.mass(0, 0) = -1.0;
  EXPECT_THROW(check_system(system, state), InputError);
  EXPECT_THROW(HalfSpaceGap(Vec2::Zero()), InputError);
  EXPECT_THROW(BallGap(Vec2::Zero(), 0.0), InputError);
  EXPECT_THROW(SmoothGap({}, {}), InputError);
}

}  // namespace
}  // namespace cardhouse
