// The separating-axis test for convex polyhedra, exhaustive. a and b overlap by the distance of the origin to the
// boundary of the Minkowski difference a − b, whose facets are: a face of a with the support of b; a face of b with the
// support of a; and those pairs of edges whose arcs cross on the Gauss map (Gregorius, "The separating axis test
// between convex polyhedra", GDC 2013). An edge's arc runs between the normals of its two faces; the arc of an edge of
// b is mirrored at the origin. When apart, the largest separation is a lower bound of the distance.
#include "cardhouse/collision/separation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/math/constants.h"

namespace cardhouse {
namespace {

/// What a cross product of edges may be off by, relative to the square of the longer one: the digits of coordinates
/// some times larger than it.
constexpr double kAxisRoundOff = 1e-15;

/// Separation along every face of `reference`; false when one exceeds `reach`. sign = +1: the normal from b to a is
/// the face's own (reference is b), −1: its opposite.
bool face_separations(const Core& reference, const Core& other, double sign, double reach,
                      std::vector<double>& separations, Separation& result) {
  separations.clear();
  for (int f = 0; f < reference.face_count(); ++f) {
    const Vec3& normal = reference.normals[f];
    double least = infinity;
    for (const Vec3& v : other.vertices) least = std::min(least, normal.dot(v));
    const double separation = least - reference.offsets[f];
    if (separation > reach) return false;
    separations.push_back(separation);
    if (separation > result.best) {
      result.best = separation;
      result.best_normal = sign * normal;
    }
  }
  return true;
}

/// Whether the arcs of two edges cross on the Gauss map; ea and eb are the edge vectors. An edge of a bare segment has
/// the whole great circle perpendicular to it for an arc.
bool arcs_cross(const Core& a, const Hull::Edge& edge_a, const Vec3& ea, const Core& b, const Hull::Edge& edge_b,
                const Vec3& eb) {
  const bool bare_a = edge_a.faces[0] < 0;
  const bool bare_b = edge_b.faces[0] < 0;
  double side_b1 = 0.0;
  if (!bare_b) {
    const double side_b0 = b.normals[edge_b.faces[0]].dot(ea);
    side_b1 = b.normals[edge_b.faces[1]].dot(ea);
    if (side_b0 * side_b1 >= 0.0) return false;
  }
  if (bare_a) return true;
  const double side_a0 = a.normals[edge_a.faces[0]].dot(eb);
  const double side_a1 = a.normals[edge_a.faces[1]].dot(eb);
  if (side_a0 * side_a1 >= 0.0) return false;
  // Both arcs cross the other's great circle; they meet on the same side of the sphere, not on opposite ones.
  return bare_b || side_b1 * side_a1 > 0.0;
}

/// Orients `axis` from b to a: out of b, into a, or, for two bare segments, from the one line to the other.
Vec3 oriented(const Vec3& axis, const Core& a, const Hull::Edge& edge_a, const Core& b, const Hull::Edge& edge_b,
              const Vec3& offset) {
  double side = axis.dot(offset);
  if (edge_b.faces[0] >= 0) {
    side = axis.dot(b.normals[edge_b.faces[0]] + b.normals[edge_b.faces[1]]);
  } else if (edge_a.faces[0] >= 0) {
    side = -axis.dot(a.normals[edge_a.faces[0]] + a.normals[edge_a.faces[1]]);
  }
  return side < 0.0 ? Vec3(-axis) : axis;
}

bool edge_separations(const Core& a, const Core& b, double reach, double parallel, Separation& result) {
  for (int i = 0; i < a.edge_count(); ++i) {
    const Hull::Edge& edge_a = a.topology->edges[i];
    const Vec3 ea = a.along(i);
    for (int j = 0; j < b.edge_count(); ++j) {
      const Hull::Edge& edge_b = b.topology->edges[j];
      const Vec3 eb = b.along(j);
      if (!arcs_cross(a, edge_a, ea, b, edge_b, eb)) continue;
      const Vec3 cross = ea.cross(eb);
      const double area = cross.norm();
      const double longer = std::sqrt(std::max(ea.squaredNorm(), eb.squaredNorm()));
      if (area <= parallel * longer) continue;
      const Vec3 offset = a.start(i) - b.start(j);
      const bool nearly_parallel = area < 1e-3 * longer * longer;
      const Vec3 axis =
          oriented(nearly_parallel ? edge_axis(ea, eb) : Vec3(cross / area), a, edge_a, b, edge_b, offset);
      double separation = axis.dot(offset);
      // Round-off turns the axis of nearly parallel edges, and the two edges alone may claim more or less than there
      // is. Along the axis as it is, the cores tell.
      const double doubt = kAxisRoundOff * longer * longer / area * offset.norm();
      if (separation + doubt <= result.edge) continue;
      if (separation + doubt > result.best) separation = separation_along(a, b, axis);
      if (separation > reach) return false;
      if (separation <= result.edge) continue;
      result.edge = separation;
      result.edge_a = i;
      result.edge_b = j;
      result.edge_normal = axis;
    }
  }
  if (result.edge > result.best) {
    result.best = result.edge;
    result.best_normal = result.edge_normal;
  }
  return true;
}

}  // namespace

double separation_along(const Core& a, const Core& b, const Vec3& normal) {
  double low = infinity;
  double high = -infinity;
  for (const Vec3& v : a.vertices) low = std::min(low, normal.dot(v));
  for (const Vec3& v : b.vertices) high = std::max(high, normal.dot(v));
  return low - high;
}

Vec3 edge_axis(const Vec3& ea, const Vec3& eb) {
  const Vec3 axis = ea.cross(eb).normalized();
  const Vec3& longer = ea.squaredNorm() > eb.squaredNorm() ? ea : eb;
  return (axis - axis.dot(longer) / longer.squaredNorm() * longer).normalized();
}

bool separate(const Core& a, const Core& b, double reach, double parallel, Separation& result) {
  result.best = -infinity;
  result.edge = -infinity;
  result.edge_a = -1;
  result.edge_b = -1;
  return face_separations(a, b, -1.0, reach, result.faces_a, result) &&
         face_separations(b, a, 1.0, reach, result.faces_b, result) && edge_separations(a, b, reach, parallel, result);
}

}  // namespace cardhouse
