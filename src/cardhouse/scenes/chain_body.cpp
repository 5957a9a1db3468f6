// Masses and stiff springs on the ground, as one body or as many.
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

constexpr double node_radius = 0.01;   // m
constexpr double node_spacing = 0.03;  // m
constexpr double node_mass = 0.01;     // kg

/// A wave across the ground, so that links pull at an angle and the chain slips as it straightens.
Vec3 place_of(int node) {
  const double x = node_spacing * node;
  return {x, 0.02 * std::sin(20.0 * x), node_radius};
}

/// Link i is between nodes i and i + 1, and shorter when unstrained than the wave has it.
Link link_at(int i, double stiffness, double damping) {
  return {i, i + 1, stiffness, node_spacing, damping};
}

void add_as_one_body(Scene& scene, int count, double stiffness, double damping, double speed) {
  auto network = std::make_shared<NodeNetwork>();
  network->masses.assign(static_cast<std::size_t>(count), node_mass);
  VecX nodes(3 * count);
  VecX velocities(3 * count);
  Body body;
  body.name = "chain";
  for (int i = 0; i < count; ++i) {
    nodes.segment<3>(3 * i) = place_of(i);
    velocities.segment<3>(3 * i) = Vec3(0.0, speed, 0.0);
    body.shapes.push_back({Sphere{node_radius}, Pose{}, 0, i});
    if (i + 1 < count) network->links.push_back(link_at(i, stiffness, damping));
  }
  BodyState state;
  set_network(std::move(network), nodes, velocities, body, state);
  scene.model.bodies.push_back(std::move(body));
  scene.initial.bodies.push_back(std::move(state));
  scene.initial.initial_poses.push_back(scene.initial.bodies.back().pose);
}

void add_as_particles(Scene& scene, int count, double stiffness, double damping, double speed) {
  int last = -1;
  for (int i = 0; i < count; ++i) {
    Body particle;
    particle.name = "mass " + std::to_string(i);
    particle.kind = BodyKind::particle;
    particle.mass = node_mass;
    particle.shapes.push_back({Sphere{node_radius}, Pose{}, 0});
    const int own = add(scene, particle, {place_of(i), Quat::Identity()}, Vec3(0.0, speed, 0.0));
    if (i > 0) {
      const Link link = link_at(i - 1, stiffness, damping);
      Spring spring;
      spring.first = last;
      spring.second = own;
      spring.stiffness = link.stiffness;
      spring.rest_length = link.rest_length;
      spring.damping = link.damping;
      spring.implicit = true;
      scene.model.springs.push_back(spring);
    }
    last = own;
  }
}

Scene chain_body(const Parameters& p) {
  Scene scene =
      start_scene(p, "A chain of masses and stiff springs slides and straightens on the ground.", p.number("mu"));
  add(scene, still("ground", HalfSpace{}), {});
  const int count = p.integer("count");
  const auto build = p.choice("body") == "one" ? add_as_one_body : add_as_particles;
  build(scene, count, p.number("stiffness"), p.number("damping"), p.number("speed"));
  scene.duration = 1.0;
  return scene;
}

}  // namespace

SceneDefinition chain_body_definition() {
  return {"chain_body",
          "a chain of masses and stiff springs on the ground, as one body",
          {integer("count", "300", 2, 100000, "masses"), number("stiffness", "1e5", "N/m", 0.0, 1e12, "of each spring"),
           number("damping", "0.1", "N s/m", 0.0, 1e6, "of each spring"),
           number("mu", "0.5", "-", 0.0, 100.0, "friction coefficient"),
           number("speed", "0.5", "m/s", -100.0, 100.0, "across the chain, at the start"),
           choice("body", {"one", "particles"}, "one, or a particle for each mass with implicit springs between them")},
          chain_body};
}

}  // namespace cardhouse::scenes
