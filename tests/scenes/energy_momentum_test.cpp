// No step of the scheme energy_momentum gains energy: with E of the state itself, whose positions and velocities belong
// to one time, a gain is at most 1e-9 of the largest kinetic energy within ten steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cardhouse/base/error.h"
#include "cardhouse/scenes/building.h"
#include "cardhouse/scenes/library.h"
#include "scenes/thrown_heap.h"
#include "world/motion_scenes.h"

namespace cardhouse {
namespace {

using namespace test;

constexpr double motion_h = 1e-3;  // s
constexpr double most_gain = 1e-9;

/// The energies of all states.
struct EnergyRun {
  std::vector<double> total;    ///< J
  std::vector<double> kinetic;  ///< J
  int uncertified = 0;
  double penetration = 0.0;  ///< m
  State end;

  void see(const Energy& energy) {
    total.push_back(energy.total());
    kinetic.push_back(energy.kinetic);
  }
  /// (−): the largest gain of a step over the largest kinetic energy within ten steps.
  double worst_gain() const {
    constexpr std::size_t near = 10;
    double worst = 0.0;
    for (std::size_t k = 1; k < total.size(); ++k) {
      const auto from = kinetic.begin() + static_cast<std::ptrdiff_t>(k - std::min(k, near));
      const auto to = kinetic.begin() + static_cast<std::ptrdiff_t>(std::min(k + near + 1, kinetic.size()));
      worst = std::max(worst, (total[k] - total[k - 1]) / *std::max_element(from, to));
    }
    return worst;
  }
  double left() const { return total.back() / total.front(); }
};

EnergyRun run(Scene scene, double seconds) {
  scene.settings.scheme = Scheme::energy_momentum;
  World world(scene);
  EnergyRun result;
  result.see(energy_of(scene.model, world.state()));
  const auto steps = static_cast<int>(seconds / scene.settings.step + 0.5);
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = world.step();
    EXPECT_TRUE(report.certified) << "step " << k << ": " << report.reason;
    result.penetration = std::max(result.penetration, report.penetration);
    result.see(energy_of(scene.model, world.state()));
  }
  result.end = world.state();
  return result;
}

TEST(EnergyMomentum, AFreeFlightKeepsItsEnergyHoweverFastItTurns) {
  for (const double spin : {2.0, 200.0}) {
    Scene scene = empty_scene(0.0, motion_h);
    BodyState start;
    start.linear = Vec3(1.0, 2.0, 3.0);
    start.angular = spin * Vec3(0.1, 1.0, 0.05);
    put_solid(scene, "box", {shape_at(Box{Vec3(0.1, 0.2, 0.3)})}, 1000.0, start);
    const EnergyRun flight = run(scene, 1.0);
    const double most = *std::max_element(flight.kinetic.begin(), flight.kinetic.end());
    for (const double energy : flight.total) ASSERT_NEAR(energy, flight.total.front(), 1e-11 * most);
  }
}

TEST(EnergyMomentum, ARockingEllipseKeepsItsSwingAndItsPeriod) {
  const RockingEllipse ellipse;
  Scene scene = rocking_ellipse(ellipse, motion_h);
  scene.settings.scheme = Scheme::energy_momentum;
  const RockingFigures figures = rock(scene, ellipse, 5.0);
  EXPECT_GE(figures.kept, 0.999);
  EXPECT_LE(figures.kept, 1.0 + most_gain);
  EXPECT_NEAR(figures.period_error, 0.0, 1e-3);
  EXPECT_LE(figures.course.largest_gain, most_gain * figures.course.most_kinetic);
  EXPECT_LE(figures.course.penetration, 1e-8);
  EXPECT_EQ(figures.course.uncertified, 0);
}

TEST(EnergyMomentum, WhatRollsAndSwingsLosesNothingAndGainsNothing) {
  for (const LosslessMotion& motion : lossless_motions()) {
    SCOPED_TRACE(motion.name);
    const EnergyRun course = run(motion.make(motion_h), 3.0);
    const double most = *std::max_element(course.kinetic.begin(), course.kinetic.end());
    EXPECT_LE(course.worst_gain(), most_gain);
    EXPECT_NEAR(course.total.back(), course.total.front(), 1e-5 * most);
    EXPECT_LE(course.penetration, 1e-8 * motion.size);
  }
}

TEST(EnergyMomentum, DisksAndCoinsOnTheirRimsLoseWhatFrictionTakes) {
  struct Disk {
    const char* name;
    Scene scene;
    double left;  ///< by smooth equations (rim_reference.h)
  };
  for (const Disk& disk : {Disk{"Euler's disk", eulers_disk(motion_h), 1.0},
                           Disk{"a coin spun at 40 rad/s", coin_at_40(motion_h), 0.99759},
                           Disk{"a coin flicked at 100 rad/s", coin_flicked(motion_h), 0.9998}}) {
    SCOPED_TRACE(disk.name);
    const EnergyRun course = run(disk.scene, 2.0);
    EXPECT_LE(course.worst_gain(), most_gain);
    EXPECT_NEAR(course.left(), disk.left, 1e-3);
  }
}

TEST(EnergyMomentum, ABoxAndAHouseOfCardsStand) {
  Scene box = on_level_ground(0.5, motion_h);
  BodyState start;
  start.pose.position.z() = 0.1;
  put_solid(box, "box", {shape_at(Box{Vec3(0.2, 0.2, 0.1)})}, 1000.0, start);
  for (const Scene& scene : {box, make_scene("card_house", {{"levels", "2"}})}) {
    const EnergyRun course = run(scene, 0.5);
    for (std::size_t i = 0; i < scene.initial.bodies.size(); ++i) {
      const Pose& now = course.end.bodies[i].pose;
      EXPECT_LE((now.position - scene.initial.bodies[i].pose.position).norm(), 1e-12);
    }
    EXPECT_LE(std::abs(course.total.back() - course.total.front()), 1e-12 * std::abs(course.total.front()));
  }
}

TEST(EnergyMomentum, HeapsThatFallGainNothing) {
  constexpr std::uint64_t heaps = 20;
  for (std::uint64_t seed = 1; seed <= heaps; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const EnergyRun course = run(thrown_heap(seed, 5), 1.0);
    EXPECT_LE(course.worst_gain(), most_gain);
    EXPECT_LT(course.total.back(), course.total.front());
  }
}

TEST(EnergyMomentum, GivesTheSameBitsOnAnyNumberOfThreads) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2}) {
    Scene scene = thrown_heap(3, 5);
    scene.settings.threads = threads;
    hashes.push_back(state_hash(run(scene, 0.5).end));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(EnergyMomentum, APendulumKeepsItsEnergy) {
  const EnergyRun course = run(make_scene("pendulum", {}), 1.0);
  EXPECT_LE(course.worst_gain(), most_gain);
  EXPECT_NEAR(course.total.back(), course.total.front(),
              1e-6 * *std::max_element(course.kinetic.begin(), course.kinetic.end()));
}

TEST(EnergyMomentum, RefusesWhatItCannotDo) {
  const auto refused = [](auto&& change) {
    Scene scene = on_level_ground(0.5, motion_h);
    scene.settings.scheme = Scheme::energy_momentum;
    change(scene);
    EXPECT_THROW(World{scene}, InputError);
  };
  refused([](Scene& scene) { scene.settings.contact = ContactModel::soft; });
  refused([](Scene& scene) { scene.settings.restitution = Restitution::poisson; });
  refused([](Scene& scene) { scene.settings.restitution = Restitution::lagged; });
  refused([](Scene& scene) {
    scene = make_scene("pendulum", {});
    scene.settings.scheme = Scheme::energy_momentum;
    scene.settings.stabilisation = Stabilisation::projection;
  });
  refused([](Scene& scene) { scene = make_scene("chain_body", {}), scene.settings.scheme = Scheme::energy_momentum; });
}

}  // namespace
}  // namespace cardhouse
