// Exact distances between features. The closest points of two convex polyhedra lie on vertex and face, or on two
// edges with their ends; each such pair has a closed form (Ericson, "Real-Time Collision Detection", 2005, 5.1.9). The
// least over all pairs needs no iteration. Pairs are few because of the separation s along a known direction n: when
// the distance is at most d, the closest point of a is at most d − s above a's lowest point along n.
//
// A pair of points that is off by an angle θ is farther apart by θ²/2 of the distance, which round-off hides up to
// θ = 1e-8, and the cores are separated along its direction by less: by θ times their extent. So of pairs that are
// equally close to round-off, the one along whose direction the cores are separated best is right.
#include "cardhouse/collision/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/math/constants.h"

namespace cardhouse {
namespace {

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

/// A unit vector perpendicular to both edges, for edges that meet.
Vec3 common_perpendicular(const Vec3& ea, const Vec3& eb) {
  const Vec3 cross = ea.cross(eb);
  if (cross.squaredNorm() > 1e-28 * ea.squaredNorm() * eb.squaredNorm()) return cross.normalized();
  return ea.unitOrthogonal();
}

/// Keeps the closest of the pairs of points that it is shown, if it is closer than the limit.
class ClosestPair {
 public:
  ClosestPair(const Core& a, const Core& b, double limit) : a_(a), b_(b), round_off_(1e-15 * (a.size + b.size)) {
    best_.distance = limit;
  }

  /// Pairs farther apart than this are of no interest.
  double limit() const { return found_ ? best_.distance + round_off_ : best_.distance; }
  double round_off() const { return round_off_; }
  bool found() const { return found_; }
  const ClosestPoints& best() const { return best_; }

  void consider(const ClosestPoints& pair) {
    if (pair.distance >= limit()) return;
    double separation = unknown;
    if (found_ && pair.distance > best_.distance - round_off_) {
      if ((pair.normal - best_.normal).squaredNorm() < 1e-30) return;
      if (std::isnan(separation_)) separation_ = separation_along(a_, b_, best_.normal);
      separation = separation_along(a_, b_, pair.normal);
      if (separation <= separation_) return;
    }
    best_ = pair;
    separation_ = separation;
    found_ = true;
  }

 private:
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const Core& a_;
  const Core& b_;
  const double round_off_;  ///< of distances (m)
  ClosestPoints best_;
  double separation_ = unknown;  ///< along the best pair's direction
  bool found_ = false;
};

/// Ends of edge i of a over edge j of b, and the other way round.
void consider_ends(ClosestPair& closest, const Core& a, int i, const Core& b, int j) {
  const auto consider = [&](const Vec3& on_a, const Feature& feature_a, const Vec3& on_b, const Feature& feature_b) {
    const Vec3 apart = on_a - on_b;
    const double distance = apart.norm();
    if (distance >= closest.limit()) return;
    const Vec3 normal = distance > 0.0 ? Vec3(apart / distance) : common_perpendicular(a.along(i), b.along(j));
    closest.consider({on_a, on_b, normal, distance, feature_a, feature_b});
  };
  for (int v : a.topology->edges[i].vertices) {
    const OnSegment foot = closest_on_edge(b, j, a.vertices[v]);
    consider(a.vertices[v], vertex(v), foot.point, foot.feature);
  }
  for (int v : b.topology->edges[j].vertices) {
    const OnSegment foot = closest_on_edge(a, i, b.vertices[v]);
    consider(foot.point, foot.feature, b.vertices[v], vertex(v));
  }
}

/// The crossing of two edges where it is inside both.
void consider_crossing(ClosestPair& closest, const Core& a, int i, const Core& b, int j) {
  const Vec3 ea = a.along(i);
  const Vec3 eb = b.along(j);
  const Vec3 cross = ea.cross(eb);
  const double area = cross.squaredNorm();
  if (!(area > 1e-28 * ea.squaredNorm() * eb.squaredNorm())) return;
  const Vec3 offset = b.start(j) - a.start(i);
  const double s = offset.cross(eb).dot(cross) / area;
  const double t = offset.cross(ea).dot(cross) / area;
  const bool inside = s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0;
  // Round-off moves the crossing of nearly parallel edges along them, and past their ends.
  const bool nearly_parallel = area < 1e-8 * ea.squaredNorm() * eb.squaredNorm();
  if (!inside && !nearly_parallel) return;
  const Vec3 on_a = closest_on_edge(a, i, b.start(j) + std::clamp(t, 0.0, 1.0) * eb).point;
  const Vec3 on_b = closest_on_edge(b, j, on_a).point;
  const Vec3 apart = on_a - on_b;
  // Round-off turns the axis by the inverse of the sine between the edges, and the line between the points by the
  // inverse of their distance. Far from each other the points tell the distance, and either may be the direction.
  const Vec3 axis = edge_axis(ea, eb);
  const double height = axis.dot(apart);
  const bool far = !inside || apart.squaredNorm() * std::max(ea.squaredNorm(), eb.squaredNorm()) > area;
  const double distance = far ? apart.norm() : std::abs(height);
  if (distance >= closest.limit()) return;
  const auto consider = [&](const Vec3& normal) {
    closest.consider({on_b + distance * normal, on_b, normal, distance, edge(i), edge(j)});
  };
  // An axis that leaves the line between the points is not that of these points.
  if (std::abs(height) >= distance - closest.round_off()) consider(height < 0.0 ? Vec3(-axis) : axis);
  if (far) consider(apart / distance);
}

/// The lowest vertex of `other` over the face of `reference`, if it is lower than `below`.
struct VertexOverFace {
  int vertex = -1;
  double height = infinity;
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
  double least = infinity;
  for (const Vec3& v : core.vertices) least = std::min(least, direction.dot(v));
  return least;
}

/// Compares all pairs of edges that may be closer than the closest so far.
void compare_edges(const Core& a, const Core& b, const Separation& separation, ClosestPair& closest) {
  const bool bounded = separation.best > -infinity;
  const Vec3 up = bounded ? separation.best_normal : Vec3::Zero();
  const double floor_a = lowest(a, up);
  const double floor_b = lowest(b, -up);
  const auto out_of_reach = [&](double height) { return bounded && height > closest.limit() - separation.best; };
  for (int i = 0; i < a.edge_count(); ++i) {
    if (out_of_reach(lowest(a, i, up) - floor_a)) continue;
    for (int j = 0; j < b.edge_count(); ++j) {
      if (out_of_reach(lowest(b, j, -up) - floor_b)) continue;
      consider_ends(closest, a, i, b, j);
      consider_crossing(closest, a, i, b, j);
    }
  }
}

}  // namespace

std::optional<ClosestPoints> closest_points(const Core& a, const Core& b, const Separation& separation, double reach) {
  // A reach that the distance equals exactly counts as reached.
  ClosestPair closest(a, b, reach + round_off(a, b));
  compare_edges(a, b, separation, closest);
  // Only a face whose separation is the lower bound itself, to round-off, can hold the closest point inside.
  const double bound = separation.best - round_off(a, b);
  for (int f = 0; f < a.face_count(); ++f) {
    if (separation.faces_a[f] < bound) continue;
    const VertexOverFace v = lowest_vertex_over(a, f, b, closest.limit());
    if (v.vertex < 0) continue;
    const Vec3& on_b = b.vertices[v.vertex];
    closest.consider({on_b - v.height * a.normals[f], on_b, -a.normals[f], v.height, face(f), vertex(v.vertex)});
  }
  for (int f = 0; f < b.face_count(); ++f) {
    if (separation.faces_b[f] < bound) continue;
    const VertexOverFace v = lowest_vertex_over(b, f, a, closest.limit());
    if (v.vertex < 0) continue;
    const Vec3& on_a = a.vertices[v.vertex];
    closest.consider({on_a, on_a - v.height * b.normals[f], b.normals[f], v.height, vertex(v.vertex), face(f)});
  }
  if (!closest.found()) return std::nullopt;
  return closest.best();
}

ClosestPoints closest_to_point(const Vec3& p, const Core& b) {
  ClosestPoints best;
  best.on_a = p;
  int nearest = -1;
  double height = -infinity;
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
  best.distance = infinity;
  const auto keep_closer = [&](const OnSegment& foot) {
    const double distance = (p - foot.point).norm();
    if (distance >= best.distance) return;
    best.on_b = foot.point;
    best.distance = distance;
    best.feature_b = foot.feature;
  };
  for (int e = 0; e < b.edge_count(); ++e) keep_closer(closest_on_edge(b, e, p));
  if (b.edge_count() == 0) keep_closer({b.vertices[0], vertex(0)});
  // On the boundary itself any direction out of the core will do.
  const Vec3 outward = nearest >= 0         ? b.normals[nearest]
                       : b.edge_count() > 0 ? Vec3(b.along(0).unitOrthogonal())
                                            : Vec3(Vec3::UnitZ());
  best.normal = best.distance > 0.0 ? Vec3((p - best.on_b) / best.distance) : outward;
  return best;
}

}  // namespace cardhouse
