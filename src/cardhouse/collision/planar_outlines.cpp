#include "cardhouse/collision/planar_outlines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "cardhouse/collision/ties.h"

namespace cardhouse {
namespace {

enum class Touch : std::uint32_t { vertex_vertex = 1, first_vertex_on_face = 2, second_vertex_on_face = 3 };

FeatureId feature_id(Touch touch, int vertex, int other) {
  constexpr int narrow = 1 << 15;
  if (vertex >= narrow || other >= narrow) return wide_feature(static_cast<unsigned>(touch), vertex, other);
  return static_cast<FeatureId>(touch) << 30 | static_cast<FeatureId>(vertex) << 15 | static_cast<FeatureId>(other);
}

/// A face of `owner` as a separating direction.
struct Face {
  int index = 0;
  int support = 0;  ///< the vertex of the other outline that is deepest below the face
  Vec2 normal = Vec2::Zero();
  double separation = -std::numeric_limits<double>::infinity();
};

Face face_of(const Figure& owner, const Figure& other, int index) {
  Face face{index, 0, owner.face_normal(index), 0.0};
  face.support = other.support(-face.normal);
  face.separation = face.normal.dot(other.vertex(face.support) - owner.vertex(index));
  return face;
}

Face deepest_face(const Figure& owner, const Figure& other, double tie) {
  if (owner.is_segment()) return face_of(owner, other, facing_side(owner, other.middle(), tie));
  Face best;
  for (int i = 0; i < owner.count; ++i) {
    const Face face = face_of(owner, other, i);
    if (face.separation > best.separation) best = face;
  }
  return best;
}

struct ClippedPoint {
  Vec2 on_reference = Vec2::Zero();
  double gap = 0.0;  ///< along the reference face's normal
  int vertex = 0;    ///< of the incident outline, or of the reference when `clipped`
  bool clipped = false;
};

struct ClippedEdge {
  std::array<ClippedPoint, 2> points{};
  int count = 0;
  int incident_face = 0;

  double least_gap() const {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < count; ++i) least = std::min(least, points[static_cast<std::size_t>(i)].gap);
    return least;
  }
};

/// Of the two faces beside the deepest vertex, the one that looks at the reference; the lower index of equals.
int incident_face(const Figure& incident, const Face& reference) {
  const int one = std::min(reference.support, incident.previous(reference.support));
  const int other = std::max(reference.support, incident.previous(reference.support));
  const double facing_one = -reference.normal.dot(incident.face_normal(one));
  const double facing_other = -reference.normal.dot(incident.face_normal(other));
  return facing_other > facing_one + kTieTolerance ? other : one;
}

/// Clips the incident edge to the strip above the reference face. An end within `tie` of the strip stays as it is and
/// keeps its own vertex; an end beyond is replaced by the point above the reference's vertex.
ClippedEdge clip(const Figure& reference, const Figure& incident, const Face& face, double tie) {
  const Vec2 corner = reference.vertex(face.index);
  const Vec2 tangent(-face.normal[1], face.normal[0]);
  const double length = (reference.local(reference.next(face.index)) - reference.local(face.index)).norm();
  ClippedEdge result;
  result.incident_face = incident_face(incident, face);
  const std::array<int, 2> ends{result.incident_face, incident.next(result.incident_face)};
  std::array<double, 2> along;
  std::array<double, 2> gap;
  for (std::size_t k = 0; k < 2; ++k) {
    const Vec2 q = incident.vertex(ends[k]) - corner;
    along[k] = tangent.dot(q);
    gap[k] = face.normal.dot(q);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    if (along[k] >= -tie && along[k] <= length + tie) {
      result.points[static_cast<std::size_t>(result.count++)] = {corner + along[k] * tangent, gap[k], ends[k], false};
      continue;
    }
    const double side = along[k] < 0.0 ? 0.0 : length;
    const double span = along[1 - k] - along[k];
    const double fraction = span == 0.0 ? 2.0 : (side - along[k]) / span;
    if (!(fraction >= 0.0 && fraction < 1.0)) continue;  // the whole edge is beyond this side
    const int vertex = side == 0.0 ? face.index : reference.next(face.index);
    result.points[static_cast<std::size_t>(result.count++)] = {reference.vertex(vertex),
                                                               gap[k] + fraction * (gap[1 - k] - gap[k]), vertex, true};
  }
  return result;
}

/// The exact answer for two outlines.
struct BestDirection {
  double distance = 0.0;       ///< negative: overlap
  Vec2 normal = Vec2::Zero();  ///< from second to first
};

/// Whether the separation along the face of `owner` is the distance: a vertex of `other` lies over the face at this
/// height. `size` is that of the smaller outline.
bool attained(const Figure& owner, const Figure& other, const Face& face, double size) {
  const Vec2 corner = owner.vertex(face.index);
  const Vec2 tangent(-face.normal[1], face.normal[0]);
  const double length = (owner.local(owner.next(face.index)) - owner.local(face.index)).norm();
  const double beside =
      face.separation <= kRest * size ? kEqual * size : std::max(kBeside * face.separation, 1e-15 * size);
  for (int i = 0; i < other.count; ++i) {
    const Vec2 q = other.vertex(i) - corner;
    if (face.normal.dot(q) > face.separation + 1e-15 * size) continue;
    if (tangent.dot(q) >= -beside && tangent.dot(q) <= length + beside) return true;
  }
  return false;
}

/// Two vertices, for outlines that are apart and show their distance over no face.
BestDirection between_nearest_vertices(const Figure& first, const Figure& second) {
  double least = std::numeric_limits<double>::infinity();
  Vec2 apart = Vec2::Zero();
  for (int i = 0; i < first.count; ++i) {
    for (int j = 0; j < second.count; ++j) {
      const Vec2 offset = first.vertex(i) - second.vertex(j);
      if (offset.squaredNorm() >= least) continue;
      least = offset.squaredNorm();
      apart = offset;
    }
  }
  return {apart.norm(), apart.normalized()};
}

BestDirection along_face(const Face& face, bool of_first) {
  return {face.separation, of_first ? Vec2(-face.normal) : face.normal};
}

/// The first's face, unless the second's is better by more than round-off; where the two are clearly different
/// directions along which the outlines are separated equally well, by more than that.
BestDirection best_direction(const Figure& first, const Figure& second, const Face& face_first, const Face& face_second,
                             double size) {
  const double slack = same_direction(face_first.normal, -face_second.normal) ? 1e-12 * size : kEqual * size;
  const bool prefer_first = face_first.separation + slack >= face_second.separation;
  BestDirection best = prefer_first ? along_face(face_first, true) : along_face(face_second, false);
  // Overlap is no less than it is along the better face.
  best.distance = std::max(face_first.separation, face_second.separation);
  if (best.distance <= 0.0) return best;
  const double bound = best.distance - (best.distance <= kRest * size ? 1e-12 : 1e-15) * size;
  if (face_first.separation >= bound && attained(first, second, face_first, size)) return along_face(face_first, true);
  if (face_second.separation >= bound && attained(second, first, face_second, size)) {
    return along_face(face_second, false);
  }
  const BestDirection vertices = between_nearest_vertices(first, second);
  if (!(vertices.distance > 0.0)) return best;
  const bool as_good = best.distance >= vertices.distance - kEqual * size;
  if (vertices.distance > kRest * size || !as_good) return vertices;
  best.distance = vertices.distance;
  return best;
}

/// Adds the ends of the clipped edge along the best direction, none nearer than the distance; but those that are
/// farther by more than `tie`, over a face that looks elsewhere, along the face's normal. `reference_is_first` tells
/// which of the two owns the face.
void add_clipped(const ClippedEdge& edge, const Face& face, bool reference_is_first, const BestDirection& best,
                 double tie, FigureOutput& out) {
  const Touch incident_vertex = reference_is_first ? Touch::second_vertex_on_face : Touch::first_vertex_on_face;
  const Touch reference_vertex = reference_is_first ? Touch::first_vertex_on_face : Touch::second_vertex_on_face;
  const Vec2 face_normal = reference_is_first ? Vec2(-face.normal) : face.normal;
  const double least = edge.least_gap();
  const bool along = same_direction(face_normal, best.normal);
  for (int k = 0; k < edge.count; ++k) {
    const ClippedPoint& p = edge.points[static_cast<std::size_t>(k)];
    const FeatureId feature = p.clipped ? feature_id(reference_vertex, p.vertex, edge.incident_face)
                                        : feature_id(incident_vertex, p.vertex, face.index);
    const Vec2 incident = p.on_reference + p.gap * face.normal;
    const Vec2& n = along || p.gap <= least + tie ? best.normal : face_normal;
    const double gap = std::max(p.gap - std::max(least - best.distance, 0.0), best.distance);
    out.add(reference_is_first ? Vec2(incident + gap * n) : incident, n, gap, feature);
  }
}

/// Two corners that touch have no normal of their own: each face beside them separates as well as any other. Returns
/// the normal halfway between the two faces that differ most, if they differ clearly.
std::optional<Vec2> corner_normal(const Figure& first, const Figure& second, const Face& best, bool best_is_first,
                                  double tie) {
  const Figure& owner = best_is_first ? first : second;
  const Figure& other = best_is_first ? second : first;
  const std::array<int, 2> beside{owner.previous(best.index), owner.next(best.index)};
  const std::array<int, 2> above{other.previous(best.support), best.support};
  std::array<Vec2, 5> normals{best.normal};  // all as seen from the owner
  std::size_t count = 1;
  for (std::size_t k = 0; k < 2; ++k) {
    // A segment has one face that counts; its other side is no direction to escape to.
    if (!owner.is_segment()) {
      const Face face = face_of(owner, other, beside[k]);
      if (face.separation >= best.separation - tie) normals[count++] = face.normal;
    }
    if (!other.is_segment() || above[k] == facing_side(other, owner.middle(), tie)) {
      const Face face = face_of(other, owner, above[k]);
      if (face.separation >= best.separation - tie) normals[count++] = -face.normal;
    }
  }
  double least = std::cos(kSameDirection);
  std::optional<Vec2> sum;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      const double cosine = normals[i].dot(normals[j]);
      if (cosine >= least || cosine < -0.9) continue;
      least = cosine;
      sum = (normals[i] + normals[j]).normalized();
    }
  }
  if (sum && best_is_first) sum = -*sum;
  return sum;
}

/// The outermost vertices along `towards`, measured along the best direction. They may differ across it by the tie.
void add_vertex_pair(const Figure& first, const Figure& second, const Vec2& towards, const BestDirection& along,
                     FigureOutput& out) {
  const int i = first.support(-towards);
  const int j = second.support(towards);
  out.add(second.vertex(j) + along.distance * along.normal, along.normal, along.distance,
          feature_id(Touch::vertex_vertex, i, j));
}

/// Adds the two corners that touch, if there are such: while they do to within what is left of gaps at rest, along the
/// normal halfway between their faces.
bool add_corners(const Figure& first, const Figure& second, const Face& face, bool face_is_first,
                 const BestDirection& best, double size, FigureOutput& out) {
  const auto middle = corner_normal(first, second, face, face_is_first, kTieTolerance * size);
  if (!middle) return false;
  const double along = middle->dot(first.vertex(first.support(-*middle)) - second.vertex(second.support(*middle)));
  const bool at_rest = std::abs(best.distance) <= kRest * size && along >= best.distance - kEqual * size;
  add_vertex_pair(first, second, *middle, {best.distance, at_rest ? *middle : best.normal}, out);
  return true;
}

}  // namespace

/// The points come from the first's face, or else the second's, if it looks along the best direction and is as good to
/// within the tie; corners that touch may lie at the rim of one that looks elsewhere. Otherwise, apart, two vertices
/// are nearest.
void outline_outline(const Figure& first, const Figure& second, FigureOutput& out) {
  const double size = std::min(first.size(), second.size());
  const double tie = kTieTolerance * size;
  const Face face_first = deepest_face(first, second, tie);
  if (face_first.separation >= out.margin()) return;
  const Face face_second = deepest_face(second, first, tie);
  if (face_second.separation >= out.margin()) return;

  const BestDirection best = best_direction(first, second, face_first, face_second, size);
  const bool prefer_first = face_first.separation + tie >= face_second.separation;
  const bool touching = std::abs(best.distance) <= tie;
  const Face& preferred = prefer_first ? face_first : face_second;
  if (touching && add_corners(first, second, preferred, prefer_first, best, size, out)) return;
  for (const bool use_first : {prefer_first, !prefer_first}) {
    const Face& face = use_first ? face_first : face_second;
    if (face.separation < best.distance - tie) continue;
    if (!touching && !same_direction(use_first ? Vec2(-face.normal) : face.normal, best.normal)) continue;
    const ClippedEdge edge = use_first ? clip(first, second, face, tie) : clip(second, first, face, tie);
    if (edge.least_gap() > best.distance + tie) continue;
    add_clipped(edge, face, use_first, best, tie, out);
    return;
  }
  add_vertex_pair(first, second, best.normal, best, out);
}

void outline_half_plane(const Figure& first, const Figure& second, FigureOutput& out) {
  const Vec2& n = second.normal;
  for (int i = 0; i < first.count; ++i) {
    const Vec2 vertex = first.vertex(i);
    out.add(vertex, n, n.dot(vertex - second.centre), feature_id(Touch::first_vertex_on_face, i, 0));
  }
}

}  // namespace cardhouse
