// Sutherland and Hodgman 1974, with names: each corner of the clipped polygon knows which features of the two cores
// make it, and each side knows on which edge it lies, so that the names come from the geometry and not from the order
// in which the planes happened to cut.
#include "cardhouse/collision/clip.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cardhouse {
namespace {

/// Where a side crosses a plane at less than this sine, moving the plane by the tolerance moves the crossing by more
/// than ten tolerances. There the cut is made one tolerance outside, which keeps it continuous as the side tilts.
constexpr double kGrazing = 0.1;

/// The face of `incident` that looks most against `normal` among those that hold the most of its lowest vertices.
/// Ties within 1e-6 go to the lower number.
int incident_face(const Core& incident, const Vec3& normal, double tolerance) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& v : incident.vertices) least = std::min(least, normal.dot(v));
  int best = -1;
  int best_count = 0;
  double best_cosine = 0.0;
  for (int f = 0; f < incident.face_count(); ++f) {
    const double cosine = normal.dot(incident.normals[f]);
    int count = 0;
    for (int v : incident.topology->faces[f].vertices) {
      if (normal.dot(incident.vertices[v]) <= least + tolerance) ++count;
    }
    if (count < best_count || (count == best_count && !(cosine < best_cosine - 1e-6))) continue;
    best = f;
    best_count = count;
    best_cosine = cosine;
  }
  return best;
}

void start_with(const Core& incident, int face_of_incident, int face_of_reference, std::vector<ClipPoint>& polygon) {
  const Feature reference{FeatureKind::face, face_of_reference};
  const auto add = [&](int v, int edge) {
    polygon.push_back({incident.vertices[v], 0.0, reference, {FeatureKind::vertex, v}, false, edge});
  };
  polygon.clear();
  if (face_of_incident < 0) {  // a bare segment is a polygon with two corners; both its sides lie on the one edge
    for (int v = 0; v < incident.vertex_count(); ++v) add(v, 0);
    return;
  }
  const Hull::Face& face = incident.topology->faces[face_of_incident];
  for (std::size_t k = 0; k < face.vertices.size(); ++k) add(face.vertices[k], face.edges[k]);
}

/// The names of the corner where a side of the polygon crosses edge `cutting` of the reference face.
void name_crossing(const Core& reference, int cutting, int face_of_incident, const ClipPoint& side, ClipPoint& corner) {
  corner.reference = {FeatureKind::edge, cutting};
  if (!side.side_of_reference) {
    corner.incident = {FeatureKind::edge, side.side};
    return;
  }
  // Two edges of the reference face meet in one of its vertices.
  corner.incident = face_of_incident < 0 ? Feature{FeatureKind::edge, 0} : Feature{FeatureKind::face, face_of_incident};
  for (int v : reference.topology->edges[cutting].vertices) {
    const auto& other = reference.topology->edges[side.side].vertices;
    if (v == other[0] || v == other[1]) corner.reference = {FeatureKind::vertex, v};
  }
}

/// The point between `inside` and `outside` where the signed distance to the plane passes from d_in to d_out.
Vec3 crossing(const Vec3& inside, double d_in, const Vec3& outside, double d_out, double tolerance) {
  const bool grazing = d_out - d_in < kGrazing * (outside - inside).norm();
  const double level = std::max(grazing ? tolerance : 0.0, d_in);
  return inside + (level - d_in) / (d_out - d_in) * (outside - inside);
}

void cut(const Core& reference, const Vec3& on_side, const Vec3& outward, int edge, int face_of_incident,
         double tolerance, Clipper& clipper) {
  std::swap(clipper.points, clipper.previous);
  const std::vector<ClipPoint>& polygon = clipper.previous;
  clipper.points.clear();
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const ClipPoint& current = polygon[i];
    const ClipPoint& next = polygon[(i + 1) % polygon.size()];
    const double d = outward.dot(current.point - on_side);
    const double d_next = outward.dot(next.point - on_side);
    const bool inside = d <= tolerance;
    const bool next_inside = d_next <= tolerance;
    if (inside) clipper.points.push_back(current);
    if (inside == next_inside) continue;
    ClipPoint corner = current;
    corner.point = inside ? crossing(current.point, d, next.point, d_next, tolerance)
                          : crossing(next.point, d_next, current.point, d, tolerance);
    name_crossing(reference, edge, face_of_incident, current, corner);
    if (inside) {
      corner.side_of_reference = true;
      corner.side = edge;
    }
    clipper.points.push_back(corner);
  }
}

/// Of two corners in one place, incident vertices stay first, then reference vertices, then crossings.
int rank(const ClipPoint& point) {
  if (point.incident.kind == FeatureKind::vertex) return 0;
  return point.reference.kind == FeatureKind::vertex ? 1 : 2;
}

void merge_coincident(double tolerance, std::vector<ClipPoint>& points) {
  const auto before = [](const ClipPoint& p, const ClipPoint& q) {
    if (rank(p) != rank(q)) return rank(p) < rank(q);
    return feature_id(p.reference, p.incident) < feature_id(q.reference, q.incident);
  };
  std::sort(points.begin(), points.end(), before);
  std::size_t kept = 0;
  for (const ClipPoint& candidate : points) {
    bool is_new = true;
    for (std::size_t k = 0; k < kept && is_new; ++k) {
      is_new = (points[k].point - candidate.point).squaredNorm() > 4.0 * tolerance * tolerance;
    }
    if (is_new) points[kept++] = candidate;
  }
  points.erase(points.begin() + static_cast<std::ptrdiff_t>(kept), points.end());
}

}  // namespace

void clip_to_face(const Core& reference, int face, const Core& incident, double tolerance, Clipper& clipper) {
  const Vec3& normal = reference.normals[face];
  const int face_of_incident = incident_face(incident, normal, tolerance);
  start_with(incident, face_of_incident, face, clipper.points);
  const Hull::Face& sides = reference.topology->faces[face];
  for (int k = 0; k < static_cast<int>(sides.vertices.size()) && !clipper.points.empty(); ++k) {
    cut(reference, reference.vertices[sides.vertices[k]], side_normal(reference, face, k), sides.edges[k],
        face_of_incident, tolerance, clipper);
  }
  merge_coincident(tolerance, clipper.points);
  for (ClipPoint& p : clipper.points) p.gap = normal.dot(p.point) - reference.offsets[face];
}

}  // namespace cardhouse
