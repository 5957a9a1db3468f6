#include "cardhouse/variational/published_examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

TEST(ContactingParticle, TheHalfStepIntegratorKeepsItsEnergyForEveryStep) {
  // Fig. 4.1 (c) and (d).
  for (const double h : {0.1, 0.01, 0.001}) {
    for (const ContactingParticle& start : three_close_starts(h)) {
      SCOPED_TRACE(::testing::Message() << "h " << h << ", height " << start.height);
      const Trajectory run = run_contacting_particle(start, Integrator::half_step, h);
      EXPECT_EQ(run.uncertified_steps, 0);
      // The potential is linear and a bounce moves nothing: only round-off is left, of some 5000 steps.
      EXPECT_LT(run.highest_energy - run.lowest_energy, 1e-11 * run.energies.front());
      EXPECT_NEAR(effective_restitution(run, start), 1.0, 1e-10);
      const auto turns_up = [&](std::size_t i) { return run.velocities[i - 1][0] < 0.0 && run.velocities[i][0] > 0.0; };
      int bounces = 0;
      for (std::size_t i = 1; i < run.times.size(); ++i) bounces += turns_up(i) ? 1 : 0;
      EXPECT_GE(bounces, 3);
      double deepest = 0.0;
      for (const VecX& q : run.positions) deepest = std::min(deepest, q[0]);
      const double impact = std::sqrt(2.0 * start.gravity * start.height);
      EXPECT_GT(deepest, -h * (impact + start.gravity * h));  // it sinks in by one step's way
    }
  }
}

TEST(ContactingParticle, TheImplicitMidpointRuleLosesOrGainsEnergyWithTheStart) {
  // Fig. 4.1 (a). A collision at the part θ of the step's way from q gives v⁺ = −v − 4 q/h and a second one −v⁺ + 4
  // q/h.
  double least = 10.0;
  double most = 0.0;
  for (const double h : {0.01, 0.001}) {
    for (const ContactingParticle& start : three_close_starts(h)) {
      const Trajectory run = run_contacting_particle(start, Integrator::implicit_midpoint, h);
      EXPECT_EQ(run.uncertified_steps, 0);
      const double e = effective_restitution(run, start);
      least = std::min(least, e);
      most = std::max(most, e);
    }
  }
  EXPECT_LT(least, 0.6);
  EXPECT_GT(most, 1.5);
  EXPECT_LT(most, 3.1);  // the bound 3, and what gravity adds
}

TEST(ContactingParticle, ContactNewmarkLosesADifferentPartFromEveryStart) {
  // Fig. 4.1 (b): a particle at q > 0 that would pass the wall leaves it with −v − 2 q/h, |…| ≤ |v|.
  for (const double h : {0.01, 0.001}) {
    double least = 10.0;
    double most = 0.0;
    for (const ContactingParticle& start : three_close_starts(h)) {
      const Trajectory run = run_contacting_particle(start, Integrator::contact_newmark, h);
      EXPECT_EQ(run.uncertified_steps, 0);
      EXPECT_LT(run.largest_rise, 1e-10);
      const double e = effective_restitution(run, start);
      least = std::min(least, e);
      most = std::max(most, e);
    }
    EXPECT_GT(most - least, 0.3);
    EXPECT_LE(most, 1.0 + 1e-10);
  }
}

NonlinearOscillator oscillator(bool wall, double mu, double duration) {
  NonlinearOscillator setting;
  setting.wall = wall;
  setting.mu = mu;
  setting.duration = duration;
  return setting;
}

TEST(NonlinearOscillator, FluctuatesInABandThatNarrowsWithTheSquareOfTheStep) {
  // Fig. 4.2 (a): from rest at V = 32 · 31².
  const Trajectory coarse = run_nonlinear_oscillator(oscillator(false, 0.0, 10.0), Integrator::half_step, 2e-3);
  const Trajectory fine = run_nonlinear_oscillator(oscillator(false, 0.0, 10.0), Integrator::half_step, 1e-3);
  EXPECT_EQ(coarse.uncertified_steps + fine.uncertified_steps, 0);
  EXPECT_DOUBLE_EQ(fine.energies.front(), 30752.0);
  const double ratio = (coarse.highest_energy - coarse.lowest_energy) / (fine.highest_energy - fine.lowest_energy);
  EXPECT_NEAR(ratio, 4.0, 0.2);
  EXPECT_LT(fine.highest_energy - fine.lowest_energy, 2e-3 * 30752.0);
}

TEST(NonlinearOscillator, KeepsItsBandOnAWallWithoutFriction) {
  // Fig. 4.2 (b). Bounces shift the band by little: 0.02 % after 50,000 steps.
  const Trajectory run = run_nonlinear_oscillator(oscillator(true, 0.0, 50.0), Integrator::half_step, 1e-3, 10);
  EXPECT_EQ(run.uncertified_steps, 0);
  EXPECT_LT(run.highest_energy - run.lowest_energy, 2e-3 * 30752.0);
  EXPECT_GT(std::min_element(run.positions.begin(), run.positions.end(),
                             [](const VecX& a, const VecX& b) { return a[1] < b[1]; })
                ->y(),
            -0.3);  // one step's way at 250 m/s
}

TEST(NonlinearOscillator, FrictionTakesEnergyUntilTheMotionIsNormalToTheWall) {
  // Fig. 4.2 (c) and (d). With friction the energy never rises by more than it fluctuates without.
  const Trajectory free = run_nonlinear_oscillator(oscillator(false, 0.0, 10.0), Integrator::half_step, 1e-3);
  const double band = free.highest_energy - free.lowest_energy;
  for (const double mu : {0.5, 5.0}) {
    const Trajectory run = run_nonlinear_oscillator(oscillator(true, mu, 10.0), Integrator::half_step, 1e-3);
    SCOPED_TRACE(mu);
    EXPECT_EQ(run.uncertified_steps, 0);
    EXPECT_LE(run.largest_rise, band);
    const std::size_t n = run.energies.size();
    const double strong = run.energies.front() - run.energies[n / 2];
    const double weak = run.energies[n / 2] - run.energies.back();
    EXPECT_GT(strong, 0.3 * run.energies.front());
    EXPECT_LT(weak, 0.01 * strong);
  }
}

TEST(NonlinearOscillator, ComesBackTheSameWayWhenItsVelocityIsTurned) {
  // What a bounce does has no direction of time: a body sinks in, turns its normal velocity round where it is, and
  // leaves by the same steps.
  NonlinearOscillator setting = oscillator(true, 0.0, 0.3);
  setting.velocity = Vec2(40.0, -40.0);
  const Trajectory out = run_nonlinear_oscillator(setting, Integrator::half_step, 1e-3);
  int inside = 0;
  for (const VecX& q : out.positions) inside += q[1] <= 0.0 ? 1 : 0;
  EXPECT_GE(inside, 6);  // two in each bounce
  NonlinearOscillator back = setting;
  back.start = out.positions.back();
  back.velocity = -out.velocities.back();
  const Trajectory home = run_nonlinear_oscillator(back, Integrator::half_step, 1e-3);
  EXPECT_LT((home.positions.back() - setting.start).norm(), 1e-6);
  EXPECT_LT((home.velocities.back() + setting.velocity).norm(), 1e-4);
}

Trajectory million_steps(bool wall, double mu, const Vec2& velocity) {
  constexpr double h = 1e-3;
  NonlinearOscillator setting = oscillator(wall, mu, 1e6 * h);
  setting.velocity = velocity;
  return run_nonlinear_oscillator(setting, Integrator::half_step, h, 1000);
}

TEST(EnergyBandSlow, StaysBoundedInAMillionStepsAndFrictionNeverRisesAboveIt) {
  for (const Vec2& velocity : {Vec2(0.0, 0.0), Vec2(40.0, -40.0)}) {
    SCOPED_TRACE(velocity.x());
    const Trajectory free = million_steps(false, 0.0, velocity);
    const double width = free.highest_energy - free.lowest_energy;
    EXPECT_EQ(free.uncertified_steps, 0);
    EXPECT_LT(width, 2e-3 * free.energies.front());
    const Trajectory wall = million_steps(true, 0.0, velocity);
    const double band = wall.highest_energy - wall.lowest_energy;
    EXPECT_EQ(wall.uncertified_steps, 0);
    EXPECT_LT(band, 2.0 * width);
    for (const double mu : {1e-6, 1e-3, 0.5}) {
      const Trajectory run = million_steps(true, mu, velocity);
      EXPECT_EQ(run.uncertified_steps, 0) << mu;
      EXPECT_LE(run.largest_rise, band) << mu;
      EXPECT_LE(run.highest_energy, wall.lowest_energy + band) << mu;
    }
  }
}

/// The energy after the first step that takes more than the band: the first bounce.
double energy_after_first_bounce(const Trajectory& run) {
  for (std::size_t i = 1; i < run.energies.size(); ++i) {
    if (run.energies[i] < run.energies[i - 1] - 1000.0) return run.energies[i];
  }
  return run.energies.front();
}

TEST(NonlinearOscillator, FromRestOnTheDiagonalHalfIsJustEnoughFrictionToStopTheSlide) {
  // It meets the wall at 45°, half of its energy tangential: mu (1 + e) with e = 1 is the part of the tangential
  // velocity that is lost. With mu = 0.5 that is all of it, so that Fig. 4.2 (c) and (d) differ only for other starts.
  for (const double mu : {0.3, 0.5, 5.0}) {
    const Trajectory run = run_nonlinear_oscillator(oscillator(true, mu, 0.2), Integrator::half_step, 1e-3);
    const double left = std::max(0.0, 1.0 - 2.0 * mu);
    // To the band, and to the force that turns the velocity within the step of the bounce.
    EXPECT_NEAR(energy_after_first_bounce(run), 15376.0 * (1.0 + left * left), 100.0) << mu;
  }
}

}  // namespace
}  // namespace cardhouse
