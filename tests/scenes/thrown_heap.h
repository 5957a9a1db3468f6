// Heaps that fall together, for the program benchmarks/gates.cpp and the tests.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "cardhouse/scenes/building.h"
#include "cardhouse/scenes/library.h"
#include "world/gate_bodies.h"

namespace cardhouse::test {

/// Rocks or boxes that are thrown, turning, into a bin. Under it is ground, for what hops over its wall.
inline Scene thrown_heap(std::uint64_t seed, int count) {
  scenes::Random random(seed);
  const std::string mu = fmt::format("{:.3f}", random.uniform(0.2, 0.8));
  Scene scene = make_scene(seed % 2 == 0 ? "rock_pile" : "box_pile",
                           {{"count", std::to_string(count)}, {"seed", std::to_string(seed)}, {"mu", mu}});
  put_fixed(scene, "ground", {shape_at(HalfSpace{})}, {Vec3(0.0, 0.0, -0.1), Quat::Identity()});
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    if (scene.model.bodies[i].mobility != Mobility::dynamic) continue;
    BodyState& s = scene.initial.bodies[i];
    s.angular = random.rotation() * Vec3(random.uniform(0.0, 20.0), 0.0, 0.0);
    s.linear = random.rotation() * Vec3(random.uniform(0.0, 1.0), 0.0, 0.0);
  }
  scene.settings.step = 2e-3;
  return scene;
}

}  // namespace cardhouse::test
