// Runs a scene and keeps the figures that the behaviour tests ask for.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cardhouse/scenes/library.h"
#include "cardhouse/world/world.h"

namespace cardhouse::test {

struct RunFigures {
  double displacement = 0.0;  ///< m, largest of any dynamic body's centre from the start
  double residual = 0.0;      ///< largest
  double largest_gain = 0.0;  ///< J, energy gained in one step
  double total_gain = 0.0;
  double dissipated = 0.0;  ///< J, energy lost in all steps together
  double initial_energy = 0.0;
  int uncertified = 0;
  bool same_contacts = true;  ///< the same contact keys in every step
  State end;
};

inline RunFigures run_scene(const Scene& scene, double seconds) {
  World world(scene);
  RunFigures figures;
  figures.initial_energy = world.energy().total();
  double energy = figures.initial_energy;
  std::vector<ContactKey> keys;
  const auto steps = static_cast<int>(seconds / scene.settings.step + 0.5);
  for (int step = 0; step < steps; ++step) {
    const StepReport& report = world.step();
    figures.residual = std::max(figures.residual, report.certificate.residual);
    figures.uncertified += report.certified ? 0 : 1;
    for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
      if (scene.model.bodies[i].mobility != Mobility::dynamic) continue;
      const Vec3 moved = world.state().bodies[i].pose.position - scene.initial.bodies[i].pose.position;
      figures.displacement = std::max(figures.displacement, moved.norm());
    }
    const double next = world.energy().total();
    figures.largest_gain = std::max(figures.largest_gain, next - energy);
    figures.total_gain += std::max(next - energy, 0.0);
    figures.dissipated += std::max(energy - next, 0.0);
    energy = next;
    std::vector<ContactKey> now;
    for (const ContactRecord& contact : world.contacts()) now.push_back(contact.key);
    if (step == 0) keys = now;
    figures.same_contacts = figures.same_contacts && now == keys;
  }
  figures.end = world.state();
  return figures;
}

inline RunFigures run_scene(const std::string& name, const std::map<std::string, std::string>& parameters,
                            double seconds, double step = 1e-3, double tolerance = 1e-8) {
  Scene scene = make_scene(name, parameters);
  scene.settings.step = step;
  scene.settings.tolerance = tolerance;
  return run_scene(scene, seconds);
}

}  // namespace cardhouse::test
