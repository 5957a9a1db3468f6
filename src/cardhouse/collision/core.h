#pragma once

#include <algorithm>
#include <vector>

#include "cardhouse/geometry/shape.h"

namespace cardhouse {

/// A solid as the points within `radius` of a convex core, placed in the world: a sphere's core is a point, a
/// capsule's a segment; boxes and polytopes are their own cores, with radius 0. Points and segments are hulls without
/// faces.
///
/// Coordinates are relative to an origin near the pair that is looked at, so that a structure far from the world's
/// origin loses no digits. The vectors keep their memory from call to call.
struct Core {
  const Hull* topology = nullptr;
  std::vector<Vec3> vertices;
  std::vector<Vec3> normals;    ///< of the faces
  std::vector<double> offsets;  ///< normals[f] · x = offsets[f] on face f
  double radius = 0.0;
  double size = 0.0;  ///< half the diagonal of the solid's own box

  int vertex_count() const { return static_cast<int>(vertices.size()); }
  int edge_count() const { return static_cast<int>(topology->edges.size()); }
  int face_count() const { return static_cast<int>(normals.size()); }
  const Vec3& start(int edge) const { return vertices[topology->edges[edge].vertices[0]]; }
  const Vec3& end(int edge) const { return vertices[topology->edges[edge].vertices[1]]; }
  Vec3 along(int edge) const { return end(edge) - start(edge); }
};

/// Places the core of a sphere, box, capsule or polytope; other geometries have none (an InputError names them).
void place_core(const Geometry& geometry, const Pose& pose, const Vec3& origin, Core& core);

/// What round-off may add to a distance between the two cores (m): the digits of their coordinates, and some dozens of
/// operations on the smaller one.
inline double round_off(const Core& a, const Core& b) {
  return 1e-14 * (a.size + b.size) + 1e-12 * std::min(a.size, b.size);
}

/// The unit vector out of face `face` at its side k, in the plane of the face, for reference polygons.
Vec3 side_normal(const Core& core, int face, int k);

/// Whether a point, projected onto the plane of the face, lies in the face or within `tolerance` of it.
bool over_face(const Core& core, int face, const Vec3& point, double tolerance);

}  // namespace cardhouse
