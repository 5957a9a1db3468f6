#include "cardhouse/collision/core.h"

#include <string>

#include "cardhouse/base/error.h"
#include "cardhouse/geometry/aabb.h"

namespace cardhouse {
namespace {

const Hull& unit_box() {
  static const Hull hull = box_hull(Vec3::Ones());
  return hull;
}

const Hull& unit_segment() {
  static const Hull hull{{-Vec3::UnitZ(), Vec3::UnitZ()}, {}, {{{0, 1}, {-1, -1}}}};
  return hull;
}

const Hull& unit_point() {
  static const Hull hull{{Vec3::Zero()}, {}, {}};
  return hull;
}

/// Places `topology`, stretched along its axes by `scale`.
void place(const Hull& topology, const Vec3& scale, const Pose& pose, const Vec3& origin, Core& core) {
  const Mat3 rotation = pose.orientation.normalized().toRotationMatrix();
  const Mat3 stretched = rotation * scale.asDiagonal();
  const Vec3 position = pose.position - origin;
  core.topology = &topology;
  core.vertices.clear();
  for (const Vec3& v : topology.vertices) core.vertices.push_back(position + stretched * v);
  core.normals.clear();
  core.offsets.clear();
  for (const Hull::Face& face : topology.faces) {
    core.normals.push_back(rotation * face.normal);
    // Faces are either those of a polytope, with scale 1, or perpendicular to an axis.
    core.offsets.push_back(face.offset * scale.dot(face.normal.cwiseAbs2()) + core.normals.back().dot(position));
  }
}

}  // namespace

void place_core(const Geometry& geometry, const Pose& pose, const Vec3& origin, Core& core) {
  core.radius = 0.0;
  if (const auto* box = std::get_if<Box>(&geometry)) {
    place(unit_box(), box->half_extents, pose, origin, core);
    core.size = box->half_extents.norm();
  } else if (const auto* polytope = std::get_if<Polytope>(&geometry)) {
    place(*polytope->hull, Vec3::Ones(), pose, origin, core);
    core.size = characteristic_size(geometry);
  } else if (const auto* capsule = std::get_if<Capsule>(&geometry)) {
    place(unit_segment(), Vec3::Constant(capsule->half_length), pose, origin, core);
    core.radius = capsule->radius;
    core.size = characteristic_size(geometry);
  } else if (const auto* sphere = std::get_if<Sphere>(&geometry)) {
    place(unit_point(), Vec3::Ones(), pose, origin, core);
    core.radius = sphere->radius;
    core.size = characteristic_size(geometry);
  } else {
    throw InputError(std::string(shape_name(geometry)) + ": has no convex core with vertices");
  }
}

Vec3 side_normal(const Core& core, int face, int k) {
  const std::vector<int>& polygon = core.topology->faces[face].vertices;
  const int count = static_cast<int>(polygon.size());
  const Vec3 along = core.vertices[polygon[(k + 1) % count]] - core.vertices[polygon[k]];
  return along.cross(core.normals[face]).normalized();
}

bool over_face(const Core& core, int face, const Vec3& point, double tolerance) {
  const std::vector<int>& polygon = core.topology->faces[face].vertices;
  for (int k = 0; k < static_cast<int>(polygon.size()); ++k) {
    if (side_normal(core, face, k).dot(point - core.vertices[polygon[k]]) > tolerance) return false;
  }
  return true;
}

}  // namespace cardhouse
