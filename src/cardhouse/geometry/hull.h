#pragma once

#include <array>
#include <span>
#include <vector>

#include "cardhouse/math/types.h"

namespace cardhouse {

/// A convex polyhedron with its full combinatorics, in its own frame.
struct Hull {
  struct Face {
    Vec3 normal;                ///< unit, outward
    double offset = 0.0;        ///< normal · x = offset on the face (m)
    std::vector<int> vertices;  ///< counter-clockwise seen from outside; coplanar triangles are merged
    std::vector<int> edges;     ///< edges[k] joins vertices[k] with the next one
  };
  /// Directed so that faces[0] runs along it from vertices[0] to vertices[1], and faces[1] the other way. So
  /// vertices[1] − vertices[0] points along faces[0].normal × faces[1].normal.
  struct Edge {
    std::array<int, 2> vertices{};
    std::array<int, 2> faces{};
  };

  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<Edge> edges;
};

/// The convex hull of points. Throws InputError when they are fewer than four, not finite, or span no volume. The
/// vertices are input points, bit for bit and in the order of the input; points inside, on a face or on an edge are
/// left out. Faces start at their lowest vertex and are sorted; edges are numbered as the faces meet them.
Hull hull_of_points(std::span<const Vec3> points);

/// Vertex i has x > 0 where bit 0 of i is set, y > 0 for bit 1, z > 0 for bit 2. Faces are −x, +x, −y, +y, −z, +z.
Hull box_hull(const Vec3& half_extents);

}  // namespace cardhouse
