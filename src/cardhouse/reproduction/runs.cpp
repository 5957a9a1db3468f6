#include "cardhouse/reproduction/runs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cardhouse/base/stopwatch.h"

namespace cardhouse::reproduction {

World make_world(Scene scene, const Progress& progress) {
  scene.settings.stop = progress.stop();
  // The published schemes linearise once.
  if (scene.settings.scheme == Scheme::leapfrog) scene.settings.scheme = Scheme::stewart_trinkle;
  scene.settings.initial_overlaps = InitialOverlaps::push;
  return World(std::move(scene));
}

RunOutcome run_to(World& world, double time, const Share& share, const std::function<void()>& see,
                  double max_wall_seconds) {
  RunOutcome outcome;
  const double start = world.state().time;
  double least_energy = world.energy().total();
  const double h = world.settings().step;
  const auto steps = static_cast<int>(std::ceil((time - start) / h - 1e-6));
  const Stopwatch watch;
  for (int i = 0; i < steps; ++i) {
    share.progress.at(share.words, share.from + (share.to - share.from) * i / steps);
    if (max_wall_seconds > 0.0 && watch.seconds() > max_wall_seconds) {
      outcome.out_of_time = true;
      break;
    }
    const StepReport& report = world.step();
    ++outcome.steps;
    if (!report.certified) ++outcome.uncertified;
    if (report.parts > 1) ++outcome.split;
    if (report.hairline_rows > 0) ++outcome.hairlines;
    outcome.seconds += report.seconds.solve;
    outcome.iterations += report.iterations;
    outcome.largest_residual = std::max(outcome.largest_residual, report.certificate.residual);
    outcome.deepest = std::max(outcome.deepest, report.penetration);
    const double energy = world.energy().total();
    outcome.energy_rise = std::max(outcome.energy_rise, energy - least_energy);
    least_energy = std::min(least_energy, energy);
    if (see) see();
  }
  outcome.iterations /= std::max(outcome.steps, 1);
  return outcome;
}

std::vector<int> dynamic_bodies(const World& world) {
  std::vector<int> bodies;
  for (std::size_t i = 0; i < world.model().bodies.size(); ++i) {
    if (world.model().bodies[i].mobility == Mobility::dynamic) bodies.push_back(static_cast<int>(i));
  }
  return bodies;
}

double largest_speed(const World& world, double size, std::span<const int> bodies) {
  double largest = 0.0;
  for (const int i : bodies) {
    const BodyState& body = world.state().bodies[i];
    const double speed = body.linear.norm() + size * body.angular.norm();
    if (!(speed <= largest)) largest = speed;  // NaN too
  }
  return largest;
}

double largest_speed(const World& world, double size) {
  return largest_speed(world, size, dynamic_bodies(world));
}

}  // namespace cardhouse::reproduction
