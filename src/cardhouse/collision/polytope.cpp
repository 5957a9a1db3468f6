// Contact manifolds of convex cores, in four steps:
//   1. The separating-axis test gives the separation s along every candidate direction; s > reach: no contact.
//   2. The distance d and its direction n, exact to round-off (core_direction.h).
//   3. The features that give the points, and their names: chosen within the wider tie band, so that they stay the same
//      while poses jitter. Where several clearly different face normals separate the cores equally well, as for two
//      cards that lean against each other edge on edge: the edges or vertices that meet, and while they touch the
//      normalised sum of these normals for n, the symmetric choice. Otherwise a face of a, or else of b, that looks
//      along n. Otherwise the edges or vertices that are closest.
//   4. The points: the other body's face clipped to the reference face; the ends of the overlap of two parallel edges;
//      the crossing of two edges; or the closest points. All are measured along n, and none is nearer than d.
// Where step 3 ends with edges or vertices, corners of the bodies that are about to touch get points too (speculative
// support, at gaps that are positive or within the band of 0, and each along its own exact direction), so that a body
// that lands slightly tilted meets all its corners at the next step: the corners over a face that is within 10° of the
// direction, and the ends of nearly parallel edges.
#include "cardhouse/collision/polytope.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/collision/clip.h"
#include "cardhouse/collision/core.h"
#include "cardhouse/collision/core_direction.h"
#include "cardhouse/collision/distance.h"
#include "cardhouse/collision/feature.h"
#include "cardhouse/collision/parallel_edges.h"
#include "cardhouse/collision/separation.h"
#include "cardhouse/collision/ties.h"
#include "cardhouse/math/constants.h"

namespace cardhouse {
namespace {

/// Cosine of 10°: faces this close to the direction of the contact give speculative support points.
constexpr double kSupportCosine = 0.984807753012208;

/// Beyond this many tie bands of gap or overlap, directions are clearly different in what they say: each has its own
/// features. Within, bodies touch as far as names are concerned.
constexpr double kTouching = 16.0;

struct Workspace {
  Core a;
  Core b;
  Separation separation;
  Clipper clipper;
  std::vector<Vec3> directions;
};

class ManifoldBuilder {
 public:
  ManifoldBuilder(Workspace& work, const Vec3& origin, double margin, std::vector<ManifoldPoint>& manifold)
      : a_(work.a),
        b_(work.b),
        separation_(work.separation),
        clipper_(work.clipper),
        directions_(work.directions),
        origin_(origin),
        manifold_(manifold),
        first_(manifold.size()),
        bands_(work.a, work.b),
        tolerance_(bands_.tie),
        radii_(work.a.radius + work.b.radius),
        reach_(margin + radii_) {}

  void build() {
    // Edges more nearly parallel than this add less to what the faces say.
    if (!separate(a_, b_, reach_, 0.1 * bands_.equal, separation_)) return;
    const std::optional<CoreDirection> direction = find_direction(a_, b_, separation_, bands_, reach_);
    if (!direction) return;
    distance_ = direction->distance;
    normal_ = direction->normal;
    if (touching() && add_symmetric()) return;
    if (add_face(face_for_points(true)) || add_face(face_for_points(false))) return;
    if (direction->closest) {
      add_exact(*direction->closest);
    } else if (direction->face.face < 0) {
      add_exact(overlapping_edges());
    } else {
      add_lowest_vertex(direction->face);
    }
  }

 private:
  // Clipping ---------------------------------------------------------------------------------------------------------

  void clip(const FaceChoice& choice) {
    if (choice.of_a) {
      clip_to_face(a_, choice.face, b_, tolerance_, clipper_);
    } else {
      clip_to_face(b_, choice.face, a_, tolerance_, clipper_);
    }
  }

  double least_gap() const {
    double least = infinity;
    for (const ClipPoint& p : clipper_.points) least = std::min(least, p.gap);
    return least;
  }

  // Points -----------------------------------------------------------------------------------------------------------

  /// Adds the contact between two points of the cores that differ along the normal alone.
  void add(const Vec3& on_a, const Vec3& on_b, const Vec3& normal, double core_gap, FeatureId feature) {
    const double gap = core_gap - radii_;
    manifold_.push_back(
        {origin_ + on_a - a_.radius * normal, origin_ + on_b + b_.radius * normal, normal, gap, feature});
  }

  /// The gap of one of several points, the least of which is `least`, such that the least is the distance. The band
  /// within which features tie, and corners of the clipped polygon are one, would show here otherwise.
  double levelled(double gap, double least) const {
    return std::max(gap - std::max(least - distance_, 0.0), distance_);
  }

  /// Adds two points that differ across the normal too, by no more than the tie band: both move to the middle.
  void add_between(const Vec3& on_a, const Vec3& on_b, const Vec3& normal, double core_gap, FeatureId feature) {
    if (core_gap > reach_) return;
    const Vec3 middle = 0.5 * (on_a + on_b);
    add(middle + 0.5 * core_gap * normal, middle - 0.5 * core_gap * normal, normal, core_gap, feature);
  }

  /// The lowest feature that a point lies on to within four bands: at a vertex, the edges and faces around it would
  /// take turns otherwise.
  Feature settled(const Core& core, const Vec3& point, const Feature& found) const {
    const double near = 4.0 * tolerance_;
    for (int v = 0; v < core.vertex_count(); ++v) {
      if ((core.vertices[v] - point).squaredNorm() <= near * near) return {FeatureKind::vertex, v};
    }
    for (int e = 0; e < core.edge_count(); ++e) {
      const Vec3 along = core.along(e);
      const Vec3 arm = point - core.start(e);
      const double t = std::clamp(along.dot(arm) / along.squaredNorm(), 0.0, 1.0);
      if ((arm - t * along).squaredNorm() <= near * near) return {FeatureKind::edge, e};
    }
    return found;
  }

  FeatureId name_of(const ClosestPoints& closest) const {
    return feature_id(settled(a_, closest.on_a, closest.feature_a), settled(b_, closest.on_b, closest.feature_b));
  }

  void add_clipped(const ClipPoint& p, bool of_a, const Vec3& normal, double gap) {
    if (of_a) {
      add(p.point + gap * normal, p.point, normal, gap, feature_id(p.reference, p.incident));
    } else {
      add(p.point, p.point - gap * normal, normal, gap, feature_id(p.incident, p.reference));
    }
  }

  /// Whether a point is in the manifold already, by its name or by its place.
  bool known(const Vec3& point, FeatureId feature) const {
    return std::any_of(manifold_.begin() + static_cast<std::ptrdiff_t>(first_), manifold_.end(),
                       [&](const ManifoldPoint& p) {
                         return p.feature == feature || (p.on_a - point).norm() <= 4.0 * tolerance_ ||
                                (p.on_b - point).norm() <= 4.0 * tolerance_;
                       });
  }

  // A face against whatever lies over it ----------------------------------------------------------------------------

  bool touching() const { return std::abs(distance_) <= kTouching * tolerance_; }

  /// The face of a, or of b, that gives the points: the best that looks along the direction. Where cores touch the
  /// direction may belong to an edge or a corner at the rim of a face that is as good.
  FaceChoice face_for_points(bool of_a) const {
    const std::vector<double>& separations = of_a ? separation_.faces_a : separation_.faces_b;
    if (touching()) return best_face(separations, of_a, tolerance_);
    FaceChoice best{of_a, -1, -infinity};
    for (int f = 0; f < static_cast<int>(separations.size()); ++f) {
      const FaceChoice choice{of_a, f, separations[f]};
      if (choice.separation > best.separation && same_direction(normal_of(choice, a_, b_), normal_)) best = choice;
    }
    return best;
  }

  /// Adds the clipped points if this face is as good as the exact distance to within the band: along the exact
  /// direction, but for those that are clearly farther over a face that looks elsewhere.
  bool add_face(const FaceChoice& choice) {
    if (choice.face < 0 || choice.separation < distance_ - tolerance_) return false;
    clip(choice);
    const double least = least_gap();
    if (!(least <= distance_ + tolerance_)) return false;
    const bool along = same_direction(normal_of(choice, a_, b_), normal_);
    for (const ClipPoint& p : clipper_.points) {
      const double gap = levelled(p.gap, least);
      if (gap > reach_) continue;
      add_clipped(p, choice.of_a, along || p.gap <= least + tolerance_ ? normal_ : normal_of(choice, a_, b_), gap);
    }
    return true;
  }

  /// The deepest vertex alone, for overlaps so degenerate that round-off hides the other features.
  void add_lowest_vertex(const FaceChoice& face) {
    const Core& incident = face.of_a ? b_ : a_;
    const Vec3& outward = (face.of_a ? a_ : b_).normals[face.face];
    int lowest = 0;
    for (int v = 1; v < incident.vertex_count(); ++v) {
      if (outward.dot(incident.vertices[v]) < outward.dot(incident.vertices[lowest])) lowest = v;
    }
    ClipPoint point{};
    point.point = incident.vertices[lowest];
    point.reference = {FeatureKind::face, face.face};
    point.incident = {FeatureKind::vertex, lowest};
    add_clipped(point, face.of_a, normal_, distance_);
  }

  /// Whether a point beside the closest ones is about to touch. One that claims to be nearer than these is not over the
  /// face, but beside it within the band.
  bool ahead(double core_gap) const {
    return core_gap >= std::max(radii_ - tolerance_, distance_) && core_gap <= reach_;
  }

  /// Adds the corners over the face that is best aligned with the normal, at positive gaps, if it is within 10°.
  void add_support(const Vec3& normal) {
    FaceChoice best{true, -1, kSupportCosine};
    for (int f = 0; f < a_.face_count(); ++f) {
      const double cosine = -normal.dot(a_.normals[f]);
      if (cosine > best.separation) best = {true, f, cosine};
    }
    for (int f = 0; f < b_.face_count(); ++f) {
      const double cosine = normal.dot(b_.normals[f]);
      if (cosine > best.separation + kTieTolerance) best = {false, f, cosine};
    }
    if (best.face < 0) return;
    clip(best);
    for (const ClipPoint& p : clipper_.points) {
      const FeatureId feature = best.of_a ? feature_id(p.reference, p.incident) : feature_id(p.incident, p.reference);
      if (ahead(p.gap) && !known(origin_ + p.point, feature)) add_clipped(p, best.of_a, normal_of(best, a_, b_), p.gap);
    }
  }

  // The symmetric choice ---------------------------------------------------------------------------------------------

  void collect_directions(const std::vector<double>& separations, const std::vector<Vec3>& normals, double sign,
                          double threshold) {
    for (std::size_t f = 0; f < separations.size(); ++f) {
      if (separations[f] < threshold) continue;
      const Vec3 direction = sign * normals[f];
      const bool is_new = std::none_of(directions_.begin(), directions_.end(),
                                       [&](const Vec3& other) { return same_direction(other, direction); });
      if (is_new) directions_.push_back(direction);
    }
  }

  /// Where different face normals tie: the features that meet along the normalised sum of them, if that separates as
  /// well as each. While the bodies touch it is the direction, too.
  bool add_symmetric() {
    directions_.clear();
    collect_directions(separation_.faces_a, a_.normals, -1.0, distance_ - tolerance_);
    collect_directions(separation_.faces_b, b_.normals, 1.0, distance_ - tolerance_);
    if (directions_.size() < 2) return false;
    Vec3 sum = Vec3::Zero();
    for (const Vec3& direction : directions_) sum += direction;
    if (sum.norm() < kSameDirection) return false;
    const Vec3 middle = sum.normalized();
    const double along = separation_along(a_, b_, middle);
    if (along < distance_ - tolerance_) return false;
    const bool at_rest = std::abs(distance_) <= bands_.rest && along >= distance_ - bands_.equal;
    const Vec3 normal = at_rest ? middle : normal_;
    if (add_parallel_edges(middle, normal)) return true;
    // The features that meet are the closest ones, whether they are just apart or just overlap.
    separation_.best = along;
    separation_.best_normal = middle;
    const std::optional<ClosestPoints> closest =
        closest_points(a_, b_, separation_, along + 4.0 * kTouching * tolerance_);
    if (!closest || middle.dot(closest->on_a - closest->on_b) > distance_ + tolerance_) return false;
    add_between(closest->on_a, closest->on_b, normal, distance_, name_of(*closest));
    return true;
  }

  // Edges and vertices -----------------------------------------------------------------------------------------------

  bool beside(const EdgeEnd& end, const Vec3& normal) const {
    const Vec3 offset = end.on_a - end.on_b;
    return (offset - normal.dot(offset) * normal).norm() > 4.0 * tolerance_;
  }

  /// Adds, along `normal`, the two ends of the overlap of parallel edges that meet in the direction `middle`; false
  /// where no edges are parallel to within the band, or where these are not the ones that show the distance.
  bool add_parallel_edges(const Vec3& middle, const Vec3& normal) {
    const EdgePair pair = find_parallel_edges(a_, b_, middle, tolerance_);
    if (pair.a < 0) return false;
    const EdgeEnd low = end_of(a_, b_, pair, false);
    const EdgeEnd high = end_of(a_, b_, pair, true);
    if (beside(low, middle) || beside(high, middle)) return false;
    const double gap_low = normal.dot(low.on_a - low.on_b);
    const double gap_high = normal.dot(high.on_a - high.on_b);
    const double nearest = std::min(gap_low, gap_high);
    if (nearest > distance_ + tolerance_) return false;
    add_between(low.on_a, low.on_b, normal, levelled(gap_low, nearest), low.feature);
    add_between(high.on_a, high.on_b, normal, levelled(gap_high, nearest), high.feature);
    return true;
  }

  /// Ends of nearly parallel edges that the crossing leaves apart, each with its exact distance to the other core.
  void add_edge_ends(const Vec3& normal) {
    const EdgePair pair = find_parallel_edges(a_, b_, normal, tolerance_);
    if (pair.a < 0) return;
    for (const bool at_high : {false, true}) {
      const EdgeEnd end = end_of(a_, b_, pair, at_high);
      const Vec3& vertex = end.vertex_of_a ? end.on_a : end.on_b;
      const ClosestPoints c = closest_to_point(vertex, end.vertex_of_a ? b_ : a_);
      if (!ahead(c.distance) || known(origin_ + vertex, end.feature)) continue;
      if (end.vertex_of_a) {
        add(c.on_a, c.on_b, c.normal, c.distance, end.feature);
      } else {
        add(c.on_b, c.on_a, -c.normal, c.distance, end.feature);
      }
    }
  }

  /// The exact direction: that of the closest points, or the best pair of edges of overlapping cores.
  void add_exact(const ClosestPoints& closest) {
    if (!add_parallel_edges(closest.normal, closest.normal)) {
      add_between(closest.on_a, closest.on_b, closest.normal, distance_, name_of(closest));
      add_edge_ends(closest.normal);
    }
    add_support(closest.normal);
  }

  /// The points where two edges of overlapping cores cross; the line between them is the direction of least overlap.
  ClosestPoints overlapping_edges() const {
    const int i = separation_.edge_a;
    const int j = separation_.edge_b;
    const Vec3 ea = a_.along(i);
    const Vec3 eb = b_.along(j);
    const Vec3 cross = ea.cross(eb);
    const Vec3 offset = b_.start(j) - a_.start(i);
    const double s = std::clamp(offset.cross(eb).dot(cross) / cross.squaredNorm(), 0.0, 1.0);
    ClosestPoints result;
    result.normal = separation_.edge_normal;
    result.distance = separation_.edge;
    result.on_a = a_.start(i) + s * ea;
    result.on_b = result.on_a - result.distance * result.normal;
    result.feature_a = {FeatureKind::edge, i};
    result.feature_b = {FeatureKind::edge, j};
    return result;
  }

  const Core& a_;
  const Core& b_;
  Separation& separation_;
  Clipper& clipper_;
  std::vector<Vec3>& directions_;
  const Vec3 origin_;
  std::vector<ManifoldPoint>& manifold_;
  const std::size_t first_;  ///< where this pair's points start in the manifold
  const TieBands bands_;
  const double tolerance_;  ///< the tie band (m)
  const double radii_;
  const double reach_;  ///< largest distance of the cores that makes a contact

  double distance_ = 0.0;       ///< exact, of the cores; negative: overlap
  Vec3 normal_ = Vec3::Zero();  ///< the exact direction, from b to a
};

}  // namespace

void collide_polytopes(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                       std::vector<ManifoldPoint>& manifold) {
  // Scratch memory only, so that a settled step allocates nothing; no result depends on what it holds.
  thread_local Workspace work;
  const Vec3& origin = pose_a.position;
  place_core(a, pose_a, origin, work.a);
  place_core(b, pose_b, origin, work.b);
  ManifoldBuilder(work, origin, margin, manifold).build();
}

}  // namespace cardhouse
