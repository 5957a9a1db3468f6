// Exact distances between features. The closest points of two convex polyhedra lie on vertex and face, or on two
// edges with their ends; each such pair has a closed form (Ericson, "Real-Time Collision Detection", 2005, 5.1.9). The
// least over all pairs needs no iteration and no tolerance. Pairs are few because of the separation s along a known
// direction n: when the distance is at most d, the closest point of a is at most d − s above a's lowest point along n.
#include "cardhouse/collision/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cardhouse {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Feature vertex(int i) {
  return {FeatureKind::vertex, i};
}
Feature edge(int i) {
  return {FeatureKind::edge, i};
}
Feature face(int i) {
  return {FeatureKind::face, i};
}

struct OnSegment {
  Vec3 point;
  Feature feature;
};

/// The point of an edge that is closest to p.
OnSegment closest_on_edge(const Core& core, int e, const Vec3& p) {
  const Vec3 along = core.along(e);
  const double t = along.dot(p - core.start(e)) / along.squaredNorm();
  const auto& ends = core.topology->edges[e].vertices;
  if (t <= 0.0) return {core.start(e), vertex(ends[0])};
  if (t >= 1.0) return {core.end(e), vertex(ends[1])};
  return {core.start(e) + t * along, edge(e)};
}

void keep_closer(ClosestPoints& best, const Vec3& on_a, const Feature& feature_a, const Vec3& on_b,
                 const Feature& feature_b) {
  const double distance = (on_a - on_b).norm();
  if (distance >= best.distance) return;
  best.on_a = on_a;
  best.on_b = on_b;
  best.distance = distance;
  best.feature_a = feature_a;
  best.feature_b = feature_b;
}

/// The crossing of two edges where it is inside both: on_a − on_b = (normal · offset) normal.
void keep_crossing(ClosestPoints& best, const Core& a, int i, const Core& b, int j) {
  const Vec3 ea = a.along(i);
  const Vec3 eb = b.along(j);
  const Vec3 cross = ea.cross(eb);
  const double area = cross.squaredNorm();
  if (!(area > 1e-28 * ea.squaredNorm() * eb.squaredNorm())) return;
  const Vec3 offset = b.start(j) - a.start(i);
  const double s = offset.cross(eb).dot(cross) / area;
  const double t = offset.cross(ea).dot(cross) / area;
  if (s <= 0.0 || s >= 1.0 || t <= 0.0 || t >= 1.0) return;
  const Vec3 axis = cross / std::sqrt(area);
  const double height = -axis.dot(offset);
  // The crossing is never farther than the ends; `<=` prefers it, for its direction is known to full precision.
  if (std::abs(height) > best.distance) return;
  best.distance = std::abs(height);
  best.normal = height < 0.0 ? Vec3(-axis) : axis;
  best.on_b = b.start(j) + t * eb;
  best.on_a = best.on_b + height * axis;
  best.feature_a = edge(i);
  best.feature_b = edge(j);
}

/// A unit vector perpendicular to both edges, for edges that meet.
Vec3 common_perpendicular(const Vec3& ea, const Vec3& eb) {
  const Vec3 cross = ea.cross(eb);
  if (cross.squaredNorm() > 1e-28 * ea.squaredNorm() * eb.squaredNorm()) return cross.normalized();
  return ea.unitOrthogonal();
}

/// Vertices of `other` over the face of `reference`, nearer than `best`.
struct VertexOverFace {
  int vertex = -1;
  double height = kInfinity;
};
VertexOverFace lowest_vertex_over(const Core& reference, int f, const Core& other, double below) {
  VertexOverFace lowest{-1, below};
  for (int v = 0; v < other.vertex_count(); ++v) {
    const double height = reference.normals[f].dot(other.vertices[v]) - reference.offsets[f];
    // The cores are apart: a height below 0 is either round-off or that of a vertex on the far side.
    if (height < -round_off(reference, other) || height >= lowest.height ||
        !over_face(reference, f, other.vertices[v], 0.0))
      continue;
    lowest = {v, height};
  }
  return lowest;
}

/// Lowest value of direction · x over the two ends of an edge.
double lowest(const Core& core, int e, const Vec3& direction) {
  return std::min(direction.dot(core.start(e)), direction.dot(core.end(e)));
}

double lowest(const Core& core, const Vec3& direction) {
  double least = kInfinity;
  for (const Vec3& v : core.vertices) least = std::min(least, direction.dot(v));
  return least;
}

/// Compares all pairs of edges that may be closer than best.distance.
void compare_edges(const Core& a, const Core& b, const Separation& separation, ClosestPoints& best) {
  const bool bounded = separation.best > -kInfinity;
  const Vec3 up = bounded ? separation.best_normal : Vec3::Zero();
  const double floor_a = lowest(a, up);
  const double floor_b = lowest(b, -up);
  const auto out_of_reach = [&](double height) { return bounded && height > best.distance - separation.best; };
  for (int i = 0; i < a.edge_count(); ++i) {
    if (out_of_reach(lowest(a, i, up) - floor_a)) continue;
    for (int j = 0; j < b.edge_count(); ++j) {
      if (out_of_reach(lowest(b, j, -up) - floor_b)) continue;
      const ClosestPoints pair = closest_on_edges(a, i, b, j);
      if (pair.distance < best.distance) best = pair;
    }
  }
}

}  // namespace

ClosestPoints closest_on_edges(const Core& a, int i, const Core& b, int j) {
  ClosestPoints best;
  best.distance = kInfinity;
  const auto& ends_a = a.topology->edges[i].vertices;
  const auto& ends_b = b.topology->edges[j].vertices;
  for (int v : ends_a) {
    const OnSegment foot = closest_on_edge(b, j, a.vertices[v]);
    keep_closer(best, a.vertices[v], vertex(v), foot.point, foot.feature);
  }
  for (int v : ends_b) {
    const OnSegment foot = closest_on_edge(a, i, b.vertices[v]);
    keep_closer(best, foot.point, foot.feature, b.vertices[v], vertex(v));
  }
  best.normal = best.distance > 0.0 ? Vec3((best.on_a - best.on_b) / best.distance)
                                    : common_perpendicular(a.along(i), b.along(j));
  keep_crossing(best, a, i, b, j);
  return best;
}

std::optional<ClosestPoints> closest_points(const Core& a, const Core& b, const Separation& separation, double reach) {
  ClosestPoints best;
  // A reach that the distance equals exactly counts as reached.
  const double limit = reach + round_off(a, b);
  best.distance = limit;
  compare_edges(a, b, separation, best);
  // Only a face whose separation is the lower bound itself, to round-off, can hold the closest point inside.
  const double bound = separation.best - round_off(a, b);
  for (int f = 0; f < a.face_count(); ++f) {
    if (separation.faces_a[f] < bound) continue;
    const VertexOverFace v = lowest_vertex_over(a, f, b, best.distance);
    if (v.vertex < 0) continue;
    const Vec3& on_b = b.vertices[v.vertex];
    best = {on_b - v.height * a.normals[f], on_b, -a.normals[f], v.height, face(f), vertex(v.vertex)};
  }
  for (int f = 0; f < b.face_count(); ++f) {
    if (separation.faces_b[f] < bound) continue;
    const VertexOverFace v = lowest_vertex_over(b, f, a, best.distance);
    if (v.vertex < 0) continue;
    const Vec3& on_a = a.vertices[v.vertex];
    best = {on_a, on_a - v.height * b.normals[f], b.normals[f], v.height, vertex(v.vertex), face(f)};
  }
  if (best.distance >= limit) return std::nullopt;
  return best;
}

ClosestPoints closest_to_point(const Vec3& p, const Core& b) {
  ClosestPoints best;
  best.on_a = p;
  int nearest = -1;
  double height = -kInfinity;
  for (int f = 0; f < b.face_count(); ++f) {
    const double above = b.normals[f].dot(p) - b.offsets[f];
    if (above > height) {
      height = above;
      nearest = f;
    }
  }
  const bool inside = nearest >= 0 && height <= 0.0;
  if (inside || (nearest >= 0 && over_face(b, nearest, p, 0.0))) {
    best.normal = b.normals[nearest];
    best.distance = height;
    best.on_b = p - height * best.normal;
    best.feature_b = face(nearest);
    return best;
  }
  best.distance = kInfinity;
  for (int e = 0; e < b.edge_count(); ++e) {
    const OnSegment foot = closest_on_edge(b, e, p);
    keep_closer(best, p, vertex(0), foot.point, foot.feature);
  }
  if (b.edge_count() == 0) keep_closer(best, p, vertex(0), b.vertices[0], vertex(0));
  // On the boundary itself any direction out of the core will do.
  const Vec3 outward = nearest >= 0         ? b.normals[nearest]
                       : b.edge_count() > 0 ? Vec3(b.along(0).unitOrthogonal())
                                            : Vec3(Vec3::UnitZ());
  best.normal = best.distance > 0.0 ? Vec3((p - best.on_b) / best.distance) : outward;
  return best;
}

}  // namespace cardhouse
