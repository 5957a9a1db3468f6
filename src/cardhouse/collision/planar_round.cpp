#include "cardhouse/collision/planar_round.h"

#include <algorithm>
#include <limits>

#include "cardhouse/collision/ties.h"

namespace cardhouse {
namespace {

/// A pair that touches in one point at all times needs no finer name for it.
constexpr FeatureId kOnlyPoint = 0;

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

}  // namespace

void disk_disk(const Figure& first, const Figure& second, FigureOutput& out) {
  const Vec2 apart = first.centre - second.centre;
  const double distance = apart.norm();
  const Vec2 n = distance > 0.0 ? Vec2(apart / distance) : Vec2::UnitY();
  out.add(first.centre - first.radius * n, n, distance - first.radius - second.radius, kOnlyPoint);
}

void disk_ellipse(const Figure& first, const Figure& second, FigureOutput& out) {
  const EllipseFoot foot = closest_on_ellipse(second.as_ellipse(), first.centre);
  out.add(first.centre - first.radius * foot.normal, foot.normal, foot.distance - first.radius, kOnlyPoint);
}

void disk_outline(const Figure& first, const Figure& second, FigureOutput& out) {
  const Foot foot = foot_on_outline(second, first.centre);
  out.add(first.centre - first.radius * foot.normal, foot.normal, foot.distance - first.radius, kOnlyPoint);
}

void disk_half_plane(const Figure& first, const Figure& second, FigureOutput& out) {
  const Vec2& n = second.normal;
  out.add(first.centre - first.radius * n, n, n.dot(first.centre - second.centre) - first.radius, kOnlyPoint);
}

void ellipse_ellipse(const Figure& first, const Figure& second, FigureOutput& out) {
  const PlacedEllipse ellipse = first.as_ellipse();
  const EllipseSeparation s = separate_ellipses(ellipse, second.as_ellipse());
  out.add(ellipse.support(-s.normal), s.normal, s.gap, kOnlyPoint);
}

/// s(n) has its maximum at a face normal, or at the ellipse's normal below a vertex when that normal lies in the
/// vertex's cone. Each candidate is a value of s, so the largest one is right.
void ellipse_outline(const Figure& first, const Figure& second, FigureOutput& out) {
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

void ellipse_half_plane(const Figure& first, const Figure& second, FigureOutput& out) {
  const Vec2& n = second.normal;
  const PlacedEllipse ellipse = first.as_ellipse();
  out.add(ellipse.support(-n), n, n.dot(ellipse.centre - second.centre) - ellipse.reach(n), kOnlyPoint);
}

}  // namespace cardhouse
