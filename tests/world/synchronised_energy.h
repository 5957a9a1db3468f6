// The energy of a run with velocities and positions of one time. The update q + h v makes the velocity of a state that
// of the middle of the step that led to it. At the state's own time it is the mean of this one and the next one.
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <vector>

#include "cardhouse/model/energy.h"
#include "cardhouse/world/world.h"

namespace cardhouse::test {

/// rad/s, at the pose of `now`. What the rotation leaves alone in a free flight is the angular momentum, so its mean
/// counts, with the inertia of this pose. A stored angular velocity is that of the stored pose.
inline Vec3 mean_angular_velocity(const Body& body, const BodyState& now, const BodyState& next) {
  if (body.kind != BodyKind::spatial) return 0.5 * (now.angular + next.angular);
  const auto momentum = [&](const BodyState& s) -> Vec3 {
    return s.pose.orientation * (body.inertia * (s.pose.orientation.conjugate() * s.angular));
  };
  const Vec3 mean = 0.5 * (momentum(now) + momentum(next));
  return now.pose.orientation * (body.inertia.inverse() * (now.pose.orientation.conjugate() * mean));
}

/// Of the positions of `now`, with the velocities that belong to them; `next` is the state one step later.
inline Energy synchronised_energy(const Model& model, const State& now, const State& next) {
  State state = now;
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    if (model.bodies[i].mobility != Mobility::dynamic) continue;
    BodyState& s = state.bodies[i];
    const BodyState& later = next.bodies[i];
    s.angular = mean_angular_velocity(model.bodies[i], now.bodies[i], later);
    s.linear = 0.5 * (s.linear + later.linear);
    if (s.node_velocities.size() > 0) s.node_velocities = 0.5 * (s.node_velocities + later.node_velocities);
  }
  return energy_of(model, state);
}

/// What a run does to the energy, and what its steps told.
struct EnergyCourse {
  std::vector<double> energies;  ///< J, of the states 0 … n
  double largest_gain = 0.0;     ///< J, in a step
  double gained = 0.0;           ///< J, all rises together
  double lost = 0.0;             ///< J, all falls together
  double worst_gain = 0.0;       ///< (−), of a step, over the kinetic energy at its start
  double most_kinetic = 0.0;     ///< J
  double penetration = 0.0;      ///< m: the deepest overlap
  int uncertified = 0;
  State end;  ///< one step after the last energy

  /// (−): by how much the energy rose from the first fifth of the run to the last one, over the largest kinetic energy.
  double drift() const {
    const std::size_t fifth = energies.size() / 5;
    double change = 0.0;
    for (std::size_t k = 0; k < fifth; ++k) change += energies[energies.size() - 1 - k] - energies[k];
    return change / static_cast<double>(fifth) / most_kinetic;
  }
  /// (−): the energy at the end over that at the start.
  double left() const { return energies.back() / energies.front(); }
  void see(const Energy& energy, double floor_of_kinetic) {
    // The first step takes the start's velocity for that of half a step earlier: its change is that shift.
    if (energies.size() >= 2) {
      const double change = energy.total() - energies.back();
      largest_gain = std::max(largest_gain, change);
      gained += std::max(change, 0.0);
      lost += std::max(-change, 0.0);
      worst_gain = std::max(worst_gain, change / std::max(last_kinetic_, floor_of_kinetic));
    }
    energies.push_back(energy.total());
    most_kinetic = std::max(most_kinetic, energy.kinetic);
    last_kinetic_ = energy.kinetic;
  }

 private:
  double last_kinetic_ = 0.0;
};

/// Steps a scene and keeps its synchronised energies. The start's velocity belongs to the start: nobody shifted it.
/// `see` gets the world after every step, and ends the run when it returns false.
template <class See>
EnergyCourse follow_energy(const Scene& scene, double seconds, const See& see) {
  World world(scene);
  EnergyCourse course;
  State now = world.state();
  const Energy start = energy_of(scene.model, now);
  // A kinetic energy that is round-off beside what the run has would make any gain look large.
  const double floor_of_kinetic = 1e-6 * std::max(start.kinetic, std::abs(start.total()));
  const auto steps = static_cast<std::int64_t>(seconds / scene.settings.step + 0.5);
  // With the update q + h/2 (v_old + v_new), velocities belong to the ends of steps.
  const bool at_ends = scene.settings.scheme == Scheme::moreau_jean || scene.settings.scheme == Scheme::energy_momentum;
  course.see(start, floor_of_kinetic);
  bool goes_on = true;
  for (std::int64_t k = 0; k <= steps && goes_on; ++k) {
    const StepReport& report = world.step();
    course.uncertified += report.certified ? 0 : 1;
    course.penetration = std::max(course.penetration, report.penetration);
    if (k > 0) {
      const Energy energy =
          at_ends ? energy_of(scene.model, now) : synchronised_energy(scene.model, now, world.state());
      course.see(energy, floor_of_kinetic);
    }
    now = world.state();
    goes_on = see(world);
  }
  course.end = now;
  return course;
}

inline EnergyCourse follow_energy(const Scene& scene, double seconds) {
  return follow_energy(scene, seconds, [](const World&) { return true; });
}

}  // namespace cardhouse::test
