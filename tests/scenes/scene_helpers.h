#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "cardhouse/base/error.h"
#include "cardhouse/scenes/library.h"

namespace cardhouse::testing {

inline int index_of(const Scene& scene, const std::string& name) {
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    if (scene.model.bodies[i].name == name) return static_cast<int>(i);
  }
  throw InputError("no body named " + name);
}

inline const Pose& pose_of(const Scene& scene, const std::string& name) {
  return scene.initial.bodies[index_of(scene, name)].pose;
}

inline const Body& body_of(const Scene& scene, const std::string& name) {
  return scene.model.bodies[index_of(scene, name)];
}

inline double dynamic_mass(const Scene& scene) {
  double mass = 0.0;
  for (const Body& body : scene.model.bodies) {
    if (body.mobility == Mobility::dynamic) mass += body.mass;
  }
  return mass;
}

/// The corners of a box- or polytope-shaped body in the world.
inline std::vector<Vec3> corners_of(const Body& body, const Pose& pose) {
  std::vector<Vec3> corners;
  for (const Shape& shape : body.shapes) {
    const Pose placed = pose * shape.pose;
    if (const auto* polytope = std::get_if<Polytope>(&shape.geometry)) {
      for (const Vec3& vertex : polytope->hull->vertices) corners.push_back(placed.apply(vertex));
    } else if (const auto* box = std::get_if<Box>(&shape.geometry)) {
      for (int bits = 0; bits < 8; ++bits) {
        const Vec3 signs(bits & 1 ? 1.0 : -1.0, bits & 2 ? 1.0 : -1.0, bits & 4 ? 1.0 : -1.0);
        corners.push_back(placed.apply(box->half_extents.cwiseProduct(signs)));
      }
    }
  }
  return corners;
}

/// The message of the InputError that making the scene throws; empty when it throws none.
inline std::string error_of(const std::string& name, const std::map<std::string, std::string>& parameters) {
  try {
    make_scene(name, parameters);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace cardhouse::testing
