#include "cardhouse/variational/integrator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cardhouse/base/error.h"
#include "cardhouse/variational/trajectory.h"

namespace cardhouse {
namespace {

MechanicalSystem oscillator(double mass, double stiffness) {
  MechanicalSystem system;
  system.mass = MatX::Constant(1, 1, mass);
  system.potential = std::make_shared<LinearSpring>(Coordinates{0, 1}, VecX::Zero(1), stiffness);
  return system;
}

Trajectory swing(Integrator integrator, double h) {
  const MechanicalSystem system = oscillator(2.0, 8.0);  // ω = 2 rad/s
  const PhasePoint start{0.0, VecX::Constant(1, 1.0), VecX::Zero(1)};
  return run_system(system, start, {integrator, h, static_cast<int>(std::lround(1.0 / h)), 1, {}});
}

TEST(Integrators, AreAllOfSecondOrderWithoutContacts) {
  for (const Integrator integrator : all_integrators()) {
    SCOPED_TRACE(integrator_name(integrator));
    const double exact = std::cos(2.0);
    const double coarse = std::abs(swing(integrator, 0.02).positions.back()[0] - exact);
    const double fine = std::abs(swing(integrator, 0.01).positions.back()[0] - exact);
    EXPECT_NEAR(coarse / fine, 4.0, 0.1);  // the next term is h² = 1e-4 of it
    EXPECT_LT(fine, 1e-4);                 // (ω h)² / 12 of ω
  }
}

TEST(Integrators, KeepTheEnergyOfALinearOscillator) {
  // The midpoint rule keeps quadratic invariants, and Newmark's trapezoidal member those of a linear system.
  for (const Integrator integrator : all_integrators()) {
    SCOPED_TRACE(integrator_name(integrator));
    const Trajectory run = swing(integrator, 0.01);
    EXPECT_LT(run.highest_energy - run.lowest_energy, 1e-11 * run.energies.front());
    EXPECT_EQ(run.uncertified_steps, 0);
  }
}

/// Gravity along the last axis over the ground z ≥ 0.
MechanicalSystem thrown(int axes, double mu) {
  MechanicalSystem system;
  system.mass = 3.0 * MatX::Identity(axes, axes);
  system.potential = std::make_shared<ConstantForce>(VecX(-3.0 * 9.81 * VecX::Unit(axes, axes - 1)));
  system.obstacles.push_back({{0, axes}, {}, std::make_shared<HalfSpaceGap>(Point(Point::Unit(axes, axes - 1))), mu});
  return system;
}

TEST(HalfStep, BouncesWithFrictionAsCoulombSays) {
  // From 45°: v_T changes by mu (1 + e) v_N with e = 1, unless that is more than there is.
  for (const int axes : {2, 3}) {
    for (const double mu : {0.1, 0.3, 0.8}) {
      SCOPED_TRACE(::testing::Message() << axes << " axes, mu " << mu);
      MechanicalSystem system = thrown(axes, mu);
      system.potential = std::make_shared<PotentialSum>();  // no gravity: one clean bounce
      VecX q = VecX::Zero(axes);
      q[axes - 1] = 0.0105;
      VecX v = VecX::Constant(axes, 1.0);
      v[axes - 1] = -2.0;
      const Trajectory run = run_system(system, {0.0, q, v}, {Integrator::half_step, 1e-3, 20, 1, {}});
      const VecX& after = run.velocities.back();
      const double slid = v.head(axes - 1).norm();
      EXPECT_NEAR(after[axes - 1], 2.0, 1e-9);
      EXPECT_NEAR(after.head(axes - 1).norm(), std::max(0.0, slid - mu * 4.0), 1e-9);
      EXPECT_EQ(run.uncertified_steps, 0);
    }
  }
}

TEST(HalfStep, BouncesOffACurvedObstacleAlongItsNormal) {
  // A disk of radius 1 hit 0.6 beside its centre: the normal there is (0.6, 0.8), found to the depth of a step's fall.
  MechanicalSystem system;
  system.mass = MatX::Identity(2, 2);
  system.potential = std::make_shared<PotentialSum>();
  const auto round = std::make_shared<SmoothGap>([](const Point& x) { return x.squaredNorm() - 1.0; },
                                                 [](const Point& x) { return Point(2.0 * x); });
  for (const std::shared_ptr<const GapFunction>& gap :
       std::vector<std::shared_ptr<const GapFunction>>{round, std::make_shared<BallGap>(Vec2::Zero(), 1.0)}) {
    system.obstacles = {{{0, 2}, {}, gap, 0.0}};
    const double h = 1e-5;
    const Trajectory run =
        run_system(system, {0.0, Vec2(0.6, 0.805), Vec2(0.0, -1.0)}, {Integrator::half_step, h, 1000, 1, {}});
    const Vec2 normal(0.6, 0.8);
    const Vec2 expected = Vec2(0.0, -1.0) + 2.0 * 0.8 * normal;
    EXPECT_LT((run.velocities.back() - expected).norm(), 10.0 * h);
    EXPECT_NEAR(run.energies.back(), 0.5, 1e-12);
  }
}

TEST(HalfStep, CollidesTwoParticlesElastically) {
  // Equal masses exchange their velocities.
  MechanicalSystem system;
  system.mass = MatX::Identity(2, 2);
  system.potential = std::make_shared<PotentialSum>();
  system.obstacles = {{{0, 1}, {1, 1}, std::make_shared<HalfSpaceGap>(Point(Point::Constant(1, 1.0)), 0.1), 0.0}};
  const Trajectory run =
      run_system(system, {0.0, Vec2(0.5, 0.0), Vec2(-1.0, 0.25)}, {Integrator::half_step, 1e-2, 100, 1, {}});
  EXPECT_NEAR(run.velocities.back()[0], 0.25, 1e-12);
  EXPECT_NEAR(run.velocities.back()[1], -1.0, 1e-12);
}

TEST(VelocityLevel, StopsWhatFallsAndSlidesItToRestWhereCoulombSays) {
  MechanicalSystem system = thrown(2, 0.5);
  const double h = 1e-3;
  const Trajectory run =
      run_system(system, {0.0, Vec2(0.0, 0.0), Vec2(2.0, 0.0)}, {Integrator::velocity_level, h, 1000, 1, {}});
  EXPECT_EQ(run.uncertified_steps, 0);
  EXPECT_LT(run.velocities.back().norm(), 1e-12);
  // v²/(2 mu g), to the step in which it stops.
  EXPECT_NEAR(run.positions.back()[0], 4.0 / (2.0 * 0.5 * 9.81), 2.0 * h);
  EXPECT_LT(run.largest_rise, 1e-12);
}

TEST(VelocityLevel, HoldsAParticleOnAnInclineBelowTheAngleOfFrictionAndLetsItSlideAbove) {
  for (const double ratio : {0.9, 1.1}) {
    const double mu = 0.4;
    const double angle = std::atan(ratio * mu);
    MechanicalSystem system = thrown(2, mu);
    system.obstacles[0].gap = std::make_shared<HalfSpaceGap>(Vec2(std::sin(angle), std::cos(angle)));
    const Trajectory run =
        run_system(system, {0.0, Vec2::Zero(), Vec2::Zero()}, {Integrator::velocity_level, 1e-3, 1000, 1, {}});
    const double speed = run.velocities.back().norm();
    const double expected = ratio < 1.0 ? 0.0 : 9.81 * (std::sin(angle) - mu * std::cos(angle));
    EXPECT_NEAR(speed, expected, 1e-9) << ratio;
    EXPECT_EQ(run.uncertified_steps, 0);
  }
}

TEST(ImplicitMidpoint, SolvesGapsOfCurvedObstaclesAtTheMidpoint) {
  MechanicalSystem system;
  system.mass = MatX::Identity(2, 2);
  system.potential = std::make_shared<ConstantForce>(Vec2(0.3, -9.81));
  system.obstacles = {{{0, 2}, {}, std::make_shared<BallGap>(Vec2::Zero(), 1.0), 0.0}};
  const double h = 0.02;
  PhasePoint state{0.0, Vec2(0.1, 1.05), Vec2(0.0, -1.0)};
  Mover mover(system, Integrator::implicit_midpoint, h);
  bool touched = false;
  for (int i = 0; i < 20; ++i) {
    const VecX before = state.q;
    EXPECT_TRUE(mover.step(state).converged);
    const double gap = system.obstacles[0].gap->value(0.5 * (before + state.q));
    EXPECT_GT(gap, -1e-11);  // Newton's tolerance times the speed and the step
    touched = touched || gap < 1e-11;
  }
  EXPECT_TRUE(touched);
}

TEST(ContactNewmark, EndsItsStepsOutsideOfTheObstacle) {
  MechanicalSystem system;
  system.mass = MatX::Identity(2, 2);
  system.potential = std::make_shared<ConstantForce>(Vec2(0.3, -9.81));
  system.obstacles = {{{0, 2}, {}, std::make_shared<BallGap>(Vec2::Zero(), 1.0), 0.0}};
  PhasePoint state{0.0, Vec2(0.1, 1.05), Vec2(0.0, -1.0)};
  Mover mover(system, Integrator::contact_newmark, 0.02);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(mover.step(state).converged);
    EXPECT_GT(system.obstacles[0].gap->value(state.q), -1e-11);
  }
}

TEST(Integrators, RefuseWhatTheyCannotDo) {
  const MechanicalSystem rough = thrown(2, 0.5);
  EXPECT_THROW(Mover(rough, Integrator::contact_newmark, 1e-3), InputError);
  EXPECT_THROW(Mover(rough, Integrator::half_step, 0.0), InputError);
  EXPECT_THROW(Mover(rough, Integrator::half_step, std::nan("")), InputError);
  const PhasePoint start{0.0, Vec2::Zero(), Vec2::Zero()};
  EXPECT_THROW(run_system(rough, start, {Integrator::half_step, 1e-3, -1, 1, {}}), InputError);
  EXPECT_THROW(run_system(rough, start, {Integrator::half_step, 1e-3, 1, 0, {}}), InputError);
}

}  // namespace
}  // namespace cardhouse
