#include "cardhouse/collision/parallel_edges.h"

#include <algorithm>
#include <cmath>

#include "cardhouse/collision/feature.h"
#include "cardhouse/math/constants.h"

namespace cardhouse {
namespace {

/// Edges that differ by less than this (sine) from each other, and from the plane of contact, get points at their ends.
constexpr double kNearlyParallelEdges = 0.02;

/// Edges of `core` at its lowest point along `up`, and nearly perpendicular to it.
bool lies_on_bottom(const Core& core, int edge, const Vec3& up, double bottom, double tie) {
  const double start = up.dot(core.start(edge));
  const double end = up.dot(core.end(edge));
  return std::min(start, end) <= bottom + 4.0 * tie &&
         std::abs(end - start) <= kNearlyParallelEdges * core.along(edge).norm();
}

EdgePair overlap(const Core& a, int i, const Core& b, int j, double tie) {
  EdgePair pair{i, j};
  const Vec3 along = a.along(i);
  const double length = along.norm();
  const Vec3 unit = along / length;
  if (unit.cross(b.along(j)).norm() > kNearlyParallelEdges * b.along(j).norm()) return {};
  const double p = unit.dot(b.start(j) - a.start(i));
  const double q = unit.dot(b.end(j) - a.start(i));
  // A vertex of a is the end unless b's is inside by more than the band: flush ends always belong to a.
  pair.low_on_a = std::min(p, q) <= tie;
  pair.high_on_a = std::max(p, q) >= length - tie;
  pair.low = pair.low_on_a ? 0.0 : std::min(p, q);
  pair.high = pair.high_on_a ? length : std::max(p, q);
  return pair;
}

}  // namespace

EdgePair find_parallel_edges(const Core& a, const Core& b, const Vec3& normal, double tie) {
  double bottom_a = infinity;
  double bottom_b = infinity;
  for (const Vec3& v : a.vertices) bottom_a = std::min(bottom_a, normal.dot(v));
  for (const Vec3& v : b.vertices) bottom_b = std::min(bottom_b, -normal.dot(v));
  EdgePair best;
  for (int i = 0; i < a.edge_count(); ++i) {
    if (!lies_on_bottom(a, i, normal, bottom_a, tie)) continue;
    for (int j = 0; j < b.edge_count(); ++j) {
      if (!lies_on_bottom(b, j, -normal, bottom_b, tie)) continue;
      const EdgePair pair = overlap(a, i, b, j, tie);
      if (pair.a >= 0 && pair.length() > best.length() + 4.0 * tie) best = pair;
    }
  }
  return best;
}

EdgeEnd end_of(const Core& a, const Core& b, const EdgePair& pair, bool at_high) {
  const bool vertex_of_a = at_high ? pair.high_on_a : pair.low_on_a;
  const Core& own = vertex_of_a ? a : b;
  const Core& other = vertex_of_a ? b : a;
  const int own_edge = vertex_of_a ? pair.a : pair.b;
  const int other_edge = vertex_of_a ? pair.b : pair.a;
  const bool same_way = a.along(pair.a).dot(b.along(pair.b)) > 0.0;
  const bool take_end = at_high == (vertex_of_a || same_way);
  const int v = own.topology->edges[own_edge].vertices[take_end ? 1 : 0];
  const Vec3& point = own.vertices[v];
  const Vec3 along = other.along(other_edge);
  const double t = along.dot(point - other.start(other_edge)) / along.squaredNorm();
  const Vec3 foot = other.start(other_edge) + std::clamp(t, 0.0, 1.0) * along;
  const Feature vertex{FeatureKind::vertex, v};
  const Feature edge{FeatureKind::edge, other_edge};
  if (vertex_of_a) return {point, foot, feature_id(vertex, edge), true};
  return {foot, point, feature_id(edge, vertex), false};
}

}  // namespace cardhouse
