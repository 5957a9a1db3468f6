// Contacts between figures of the x–z plane.
//
// All work is done in plane coordinates (x, z) with the world's axes and a's origin. Every figure becomes one of four
// kinds: disk, ellipse, outline (a polygon, or a segment seen as a polygon of two vertices and two faces) and
// half-plane; a pair is handled in that order of kinds and the result is turned round where the caller's order is the
// other one. Within a pair the figures are called `first` and `second`, and n is the normal from second to first.
//
// The answer is always the direction n that maximises the separation
//
//   s(n) = min over first of n·x − max over second of n·x,
//
// the distance when the figures are apart and minus the least overlap when they are not. For a disk, an ellipse and
// a half-plane the maximiser is unique, and so is the point. Outlines may touch along an edge; then the edge of the
// one is clipped against the side lines of the face of the other, and each point is a vertex of one of the two. Which
// edges and vertices these are is decided within a tie band, so that the points keep their names; gap and normal are
// exact (ties.h).
#include "cardhouse/collision/planar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "cardhouse/base/error.h"
#include "cardhouse/collision/ellipse.h"
#include "cardhouse/collision/ties.h"

namespace cardhouse {

namespace {

/// How far a half-space's unit normal may leave the plane: round-off of a long chain of poses.
constexpr double kOutOfPlane = 1e-9;

enum class Kind { disk, ellipse, outline, half_plane };

struct Figure {
  Kind kind = Kind::disk;
  Mat2 rotation = Mat2::Identity();
  Vec2 centre = Vec2::Zero();     ///< the origin of the figure's frame
  double radius = 0.0;            ///< disk
  Vec2 semi_axes = Vec2::Zero();  ///< ellipse
  Vec2 normal = Vec2::Zero();     ///< half-plane, unit
  std::array<Vec2, 2> ends{};     ///< segment
  const Vec2* polygon = nullptr;  ///< polygon; null for a segment
  int count = 0;                  ///< vertices of the outline

  int next(int i) const { return i + 1 == count ? 0 : i + 1; }
  int previous(int i) const { return i == 0 ? count - 1 : i - 1; }
  const Vec2& local(int i) const { return polygon ? polygon[i] : ends[static_cast<std::size_t>(i)]; }
  Vec2 vertex(int i) const { return centre + rotation * local(i); }
  bool is_segment() const { return kind == Kind::outline && !polygon; }

  /// Outward normal of the face from vertex i to the next.
  Vec2 face_normal(int i) const {
    const Vec2 edge = local(next(i)) - local(i);
    return rotation * Vec2(edge[1], -edge[0]).normalized();
  }

  /// The vertex that is farthest along `direction`; the first of equals.
  int support(const Vec2& direction) const {
    const Vec2 d = rotation.transpose() * direction;
    int best = 0;
    double reach = d.dot(local(0));
    for (int i = 1; i < count; ++i) {
      const double other = d.dot(local(i));
      if (other > reach) {
        reach = other;
        best = i;
      }
    }
    return best;
  }

  /// The mean of the vertices.
  Vec2 middle() const {
    Vec2 sum = Vec2::Zero();
    for (int i = 0; i < count; ++i) sum += local(i);
    return centre + rotation * sum / count;
  }

  /// Half the diagonal of the box around the vertices.
  double size() const {
    Vec2 low = local(0);
    Vec2 high = local(0);
    for (int i = 1; i < count; ++i) {
      low = low.cwiseMin(local(i));
      high = high.cwiseMax(local(i));
    }
    return 0.5 * (high - low).norm();
  }

  PlacedEllipse as_ellipse() const { return {semi_axes, rotation, centre}; }
};

/// Writes points to the manifold in the caller's order of figures and in the world frame.
class Output {
 public:
  Output(std::vector<ManifoldPoint>& manifold, const Vec3& origin, bool swapped, double margin)
      : manifold_(manifold), origin_(origin), swapped_(swapped), margin_(margin) {}

  double margin() const { return margin_; }

  /// The point on the second figure is on_first − gap · normal.
  void add(const Vec2& on_first, const Vec2& normal, double gap, std::uint32_t feature) {
    if (!(gap < margin_)) return;
    const Vec3 n(normal[0], 0.0, normal[1]);
    const Vec3 first = origin_ + Vec3(on_first[0], 0.0, on_first[1]);
    const Vec3 second = first - gap * n;
    manifold_.push_back(swapped_ ? ManifoldPoint{second, first, -n, gap, feature}
                                 : ManifoldPoint{first, second, n, gap, feature});
  }

 private:
  std::vector<ManifoldPoint>& manifold_;
  Vec3 origin_;
  bool swapped_;
  double margin_;
};

/// A pair that touches in one point at all times needs no finer name for it.
constexpr std::uint32_t kOnlyPoint = 0;

enum class Touch : std::uint32_t { vertex_vertex = 1, first_vertex_on_face = 2, second_vertex_on_face = 3 };

std::uint32_t feature_id(Touch touch, int vertex, int other) {
  constexpr std::uint32_t kMask = (1u << 15) - 1;
  return (static_cast<std::uint32_t>(touch) << 30) | ((static_cast<std::uint32_t>(vertex) & kMask) << 15) |
         (static_cast<std::uint32_t>(other) & kMask);
}

// ---- disk -----------------------------------------------------------------------------------------------------------

void disk_disk(const Figure& first, const Figure& second, Output& out) {
  const Vec2 apart = first.centre - second.centre;
  const double distance = apart.norm();
  const Vec2 n = distance > 0.0 ? Vec2(apart / distance) : Vec2::UnitY();
  out.add(first.centre - first.radius * n, n, distance - first.radius - second.radius, kOnlyPoint);
}

void disk_ellipse(const Figure& first, const Figure& second, Output& out) {
  const EllipseFoot foot = closest_on_ellipse(second.as_ellipse(), first.centre);
  out.add(first.centre - first.radius * foot.normal, foot.normal, foot.distance - first.radius, kOnlyPoint);
}

struct Foot {
  Vec2 normal = Vec2::Zero();  ///< unit, from the outline to the point
  double distance = 0.0;       ///< negative inside
};

/// Outside: the nearest of all edges and vertices. Inside (polygons only): the face with the least depth.
Foot foot_on_outline(const Figure& outline, const Vec2& p) {
  Foot nearest{Vec2::Zero(), std::numeric_limits<double>::infinity()};
  Foot shallowest{Vec2::Zero(), -std::numeric_limits<double>::infinity()};
  for (int i = 0; i < outline.count; ++i) {
    const Vec2 start = outline.vertex(i);
    const Vec2 edge = outline.rotation * (outline.local(outline.next(i)) - outline.local(i));
    const double length = edge.norm();
    const Vec2 n(edge[1] / length, -edge[0] / length);
    const Vec2 from_start = p - start;
    const double along = from_start.dot(edge) / length;
    const double height = n.dot(from_start);
    if (height > shallowest.distance) shallowest = {n, height};
    if (height < 0.0) continue;
    if (along >= 0.0 && along <= length) {
      if (height < nearest.distance) nearest = {n, height};
    } else if (along < 0.0) {  // the end of an edge is the start of the next
      const double distance = from_start.norm();
      if (distance < nearest.distance) nearest = {from_start / distance, distance};
    } else {
      const Vec2 from_end = from_start - edge;
      const double distance = from_end.norm();
      if (distance < nearest.distance) nearest = {from_end / distance, distance};
    }
  }
  return shallowest.distance < 0.0 ? shallowest : nearest;
}

void disk_outline(const Figure& first, const Figure& second, Output& out) {
  const Foot foot = foot_on_outline(second, first.centre);
  out.add(first.centre - first.radius * foot.normal, foot.normal, foot.distance - first.radius, kOnlyPoint);
}

void disk_half_plane(const Figure& first, const Figure& second, Output& out) {
  const Vec2& n = second.normal;
  out.add(first.centre - first.radius * n, n, n.dot(first.centre - second.centre) - first.radius, kOnlyPoint);
}

// ---- ellipse --------------------------------------------------------------------------------------------------------

void ellipse_ellipse(const Figure& first, const Figure& second, Output& out) {
  const PlacedEllipse ellipse = first.as_ellipse();
  const EllipseSeparation s = separate_ellipses(ellipse, second.as_ellipse());
  out.add(ellipse.support(-s.normal), s.normal, s.gap, kOnlyPoint);
}

/// Which of a segment's two faces looks at `p`; face 0 when p is on the line.
int facing_side(const Figure& segment, const Vec2& p, double tie) {
  return segment.face_normal(0).dot(p - segment.vertex(0)) >= -tie ? 0 : 1;
}

/// s(n) has its maximum at a face normal, or at the ellipse's normal below a vertex when that normal lies in the
/// vertex's cone. Each candidate is a value of s, so the largest one is right.
void ellipse_outline(const Figure& first, const Figure& second, Output& out) {
  const PlacedEllipse ellipse = first.as_ellipse();
  const double tie = kTieTolerance * std::min(second.size(), ellipse.semi_axes.norm());
  const int side = second.is_segment() ? facing_side(second, first.centre, tie) : -1;
  double gap = -std::numeric_limits<double>::infinity();
  Vec2 n = Vec2::Zero();
  for (int i = 0; i < second.count; ++i) {
    const Vec2 vertex = second.vertex(i);
    if (side < 0 || side == i) {
      const Vec2 face = second.face_normal(i);
      const double s = face.dot(ellipse.centre - vertex) - ellipse.reach(face);
      if (s > gap) {
        gap = s;
        n = face;
      }
    }
    const EllipseFoot foot = closest_on_ellipse(ellipse, vertex);
    const bool in_cone = foot.normal.dot(second.vertex(second.next(i)) - vertex) >= 0.0 &&
                         foot.normal.dot(second.vertex(second.previous(i)) - vertex) >= 0.0;
    if (in_cone && foot.distance > gap) {
      gap = foot.distance;
      n = -foot.normal;
    }
  }
  out.add(ellipse.support(-n), n, gap, kOnlyPoint);
}

void ellipse_half_plane(const Figure& first, const Figure& second, Output& out) {
  const Vec2& n = second.normal;
  const PlacedEllipse ellipse = first.as_ellipse();
  out.add(ellipse.support(-n), n, n.dot(ellipse.centre - second.centre) - ellipse.reach(n), kOnlyPoint);
}

// ---- outline --------------------------------------------------------------------------------------------------------

void outline_half_plane(const Figure& first, const Figure& second, Output& out) {
  const Vec2& n = second.normal;
  for (int i = 0; i < first.count; ++i) {
    const Vec2 vertex = first.vertex(i);
    out.add(vertex, n, n.dot(vertex - second.centre), feature_id(Touch::first_vertex_on_face, i, 0));
  }
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

Face best_face(const Figure& owner, const Figure& other, double tie) {
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

bool same_direction(const Vec2& one, const Vec2& other) {
  return (one - other).squaredNorm() < kSameDirection * kSameDirection;
}

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
                 double tie, Output& out) {
  const Touch incident_vertex = reference_is_first ? Touch::second_vertex_on_face : Touch::first_vertex_on_face;
  const Touch reference_vertex = reference_is_first ? Touch::first_vertex_on_face : Touch::second_vertex_on_face;
  const Vec2 face_normal = reference_is_first ? Vec2(-face.normal) : face.normal;
  const double least = edge.least_gap();
  const bool along = same_direction(face_normal, best.normal);
  for (int k = 0; k < edge.count; ++k) {
    const ClippedPoint& p = edge.points[static_cast<std::size_t>(k)];
    const std::uint32_t feature = p.clipped ? feature_id(reference_vertex, p.vertex, edge.incident_face)
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
                     Output& out) {
  const int i = first.support(-towards);
  const int j = second.support(towards);
  out.add(second.vertex(j) + along.distance * along.normal, along.normal, along.distance,
          feature_id(Touch::vertex_vertex, i, j));
}

/// Adds the two corners that touch, if there are such: while they do to within what is left of gaps at rest, along the
/// normal halfway between their faces.
bool add_corners(const Figure& first, const Figure& second, const Face& face, bool face_is_first,
                 const BestDirection& best, double size, Output& out) {
  const auto middle = corner_normal(first, second, face, face_is_first, kTieTolerance * size);
  if (!middle) return false;
  const double along = middle->dot(first.vertex(first.support(-*middle)) - second.vertex(second.support(*middle)));
  const bool at_rest = std::abs(best.distance) <= kRest * size && along >= best.distance - kEqual * size;
  add_vertex_pair(first, second, *middle, {best.distance, at_rest ? *middle : best.normal}, out);
  return true;
}

/// The points come from the first's face, or else the second's, if it looks along the best direction and is as good to
/// within the tie; corners that touch may lie at the rim of one that looks elsewhere. Otherwise, apart, two vertices
/// are nearest.
void outline_outline(const Figure& first, const Figure& second, Output& out) {
  const double size = std::min(first.size(), second.size());
  const double tie = kTieTolerance * size;
  const Face face_first = best_face(first, second, tie);
  if (face_first.separation >= out.margin()) return;
  const Face face_second = best_face(second, first, tie);
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

// ---- dispatch -------------------------------------------------------------------------------------------------------

Vec2 half_plane_normal(const HalfSpace& half_space, const Pose& pose) {
  const Vec3 n = (pose.orientation * half_space.normal).normalized();
  if (std::abs(n.y()) > kOutOfPlane) {
    throw InputError("half_space: world normal = (" + std::to_string(n.x()) + ", " + std::to_string(n.y()) + ", " +
                     std::to_string(n.z()) + "): must lie in the x-z plane (y = 0) to touch planar figures");
  }
  return Vec2(n.x(), n.z()).normalized();
}

Figure make_figure(const Geometry& geometry, const Pose& pose, const Vec3& origin) {
  Figure figure;
  const Mat3 r = pose.orientation.toRotationMatrix();
  figure.rotation << r(0, 0), r(0, 2), r(2, 0), r(2, 2);
  const Vec3 centre = pose.position - origin;
  figure.centre = Vec2(centre.x(), centre.z());
  if (const auto* disk = std::get_if<Disk>(&geometry)) {
    figure.kind = Kind::disk;
    figure.radius = disk->radius;
  } else if (const auto* ellipse = std::get_if<Ellipse>(&geometry)) {
    figure.kind = Kind::ellipse;
    figure.semi_axes = Vec2(ellipse->semi_axis_x, ellipse->semi_axis_z);
  } else if (const auto* polygon = std::get_if<Polygon>(&geometry)) {
    figure.kind = Kind::outline;
    figure.polygon = polygon->vertices.data();
    figure.count = static_cast<int>(polygon->vertices.size());
  } else if (const auto* segment = std::get_if<Segment>(&geometry)) {
    figure.kind = Kind::outline;
    figure.ends = {segment->start, segment->end};
    figure.count = 2;
  } else if (const auto* half_space = std::get_if<HalfSpace>(&geometry)) {
    figure.kind = Kind::half_plane;
    figure.normal = half_plane_normal(*half_space, pose);
  } else {
    throw InputError(std::string(shape_name(geometry)) +
                     ": touches no planar figure; allowed are disk, ellipse, polygon, segment and half_space");
  }
  return figure;
}

using PairFunction = void (*)(const Figure&, const Figure&, Output&);

/// By kind of the first and of the second; only the upper triangle is ever asked for.
constexpr PairFunction kPairs[4][4] = {
    {disk_disk, disk_ellipse, disk_outline, disk_half_plane},
    {nullptr, ellipse_ellipse, ellipse_outline, ellipse_half_plane},
    {nullptr, nullptr, outline_outline, outline_half_plane},
    {nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

void collide_planar(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                    std::vector<ManifoldPoint>& manifold) {
  // A half-space may be placed at any y; the plane of the contact is that of the figure.
  Vec3 origin = pose_a.position;
  if (std::holds_alternative<HalfSpace>(a)) origin.y() = pose_b.position.y();
  const Figure figure_a = make_figure(a, pose_a, origin);
  const Figure figure_b = make_figure(b, pose_b, origin);
  const bool swapped = figure_a.kind > figure_b.kind;
  const Figure& first = swapped ? figure_b : figure_a;
  const Figure& second = swapped ? figure_a : figure_b;
  Output out(manifold, origin, swapped, margin);
  const PairFunction pair = kPairs[static_cast<int>(first.kind)][static_cast<int>(second.kind)];
  if (pair) pair(first, second, out);
}

}  // namespace cardhouse
