#include "cardhouse/geometry/shape.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cardhouse/base/error.h"
#include "cardhouse/base/limits.h"
#include "cardhouse/geometry/aabb.h"

namespace cardhouse {
namespace {

constexpr std::array<std::string_view, 10> kNames{"sphere",     "box",  "capsule", "cylinder", "polytope",
                                                  "half_space", "disk", "ellipse", "polygon",  "segment"};
static_assert(kNames.size() == std::variant_size_v<Geometry>);

[[noreturn]] void reject_length(std::string_view what, double value, std::string_view range) {
  throw InputError(fmt::format("{} = {} m: must be {}", what, value, range));
}

void require_positive(std::string_view what, double value) {
  if (!std::isfinite(value)) reject_length(what, value, "finite and > 0");
  if (!(value > 0.0)) reject_length(what, value, "> 0");
  constexpr limits::Bound bound = limits::length;
  if (value >= bound.least && value <= bound.most) return;
  reject_length(what, value, fmt::format("from {:g} m to {:g} m ({})", bound.least, bound.most, bound.reason));
}

/// What a point that is too far away breaks, in words; else empty.
template <class Point>
std::string broken_rule(const Point& point) {
  if (!point.allFinite()) return "must be finite";
  if (point.cwiseAbs().maxCoeff() <= limits::length.most) return {};
  return fmt::format("must be within {:g} m ({})", limits::length.most, limits::length.reason);
}

void require_near(std::string_view what, const Vec2& point) {
  const std::string rule = broken_rule(point);
  if (!rule.empty()) throw InputError(fmt::format("{} = ({}, {}) m: {}", what, point.x(), point.y(), rule));
}

double cross(const Vec2& a, const Vec2& b) {
  return a.x() * b.y() - a.y() * b.x();
}

void check(const Sphere& sphere) {
  require_positive("sphere: radius", sphere.radius);
}

void check(const Box& box) {
  for (int k = 0; k < 3; ++k) require_positive(fmt::format("box: half_extents[{}]", k), box.half_extents[k]);
}

void check(const Capsule& capsule) {
  require_positive("capsule: radius", capsule.radius);
  require_positive("capsule: half_length", capsule.half_length);
}

void check(const Cylinder& cylinder) {
  require_positive("cylinder: radius", cylinder.radius);
  require_positive("cylinder: half_length", cylinder.half_length);
}

void check(const Polytope& polytope) {
  if (!polytope.hull) throw InputError("polytope: hull is missing: make one with hull_of_points");
  if (polytope.hull->vertices.size() < 4 || polytope.hull->faces.size() < 4) {
    throw InputError(fmt::format("polytope: hull has {} vertices and {} faces: must have at least 4 of each",
                                 polytope.hull->vertices.size(), polytope.hull->faces.size()));
  }
  for (std::size_t i = 0; i < polytope.hull->vertices.size(); ++i) {
    const Vec3& v = polytope.hull->vertices[i];
    const std::string rule = broken_rule(v);
    if (rule.empty()) continue;
    throw InputError(fmt::format("polytope: hull vertices[{}] = ({}, {}, {}) m: {}", i, v.x(), v.y(), v.z(), rule));
  }
}

void check(const HalfSpace& half_space) {
  const Vec3& n = half_space.normal;
  if (n.allFinite() && std::isnormal(n.squaredNorm())) return;
  throw InputError(fmt::format("half_space: normal = ({}, {}, {}): must be finite and not zero", n.x(), n.y(), n.z()));
}

void check(const Disk& disk) {
  require_positive("disk: radius", disk.radius);
}

void check(const Ellipse& ellipse) {
  require_positive("ellipse: semi_axis_x", ellipse.semi_axis_x);
  require_positive("ellipse: semi_axis_z", ellipse.semi_axis_z);
}

void check(const Polygon& polygon) {
  const auto& v = polygon.vertices;
  const std::size_t count = v.size();
  if (count < 3) throw InputError(fmt::format("polygon: {} vertices: must be at least 3", count));
  for (std::size_t i = 0; i < count; ++i) require_near(fmt::format("polygon: vertices[{}]", i), v[i]);
  double doubled_area = 0.0;
  double total_turn = 0.0;
  for (std::size_t i = 0; i < count; ++i) doubled_area += cross(v[i] - v[0], v[(i + 1) % count] - v[0]);
  if (doubled_area < 0.0) {
    throw InputError(fmt::format(
        "polygon: area = {} m²: the vertices must go counter-clockwise (x right, z up); reverse their order",
        0.5 * doubled_area));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Vec2 before = v[i] - v[(i + count - 1) % count];
    const Vec2 after = v[(i + 1) % count] - v[i];
    const double lengths = before.norm() * after.norm();
    if (!(lengths > 0.0)) {
      throw InputError(fmt::format("polygon: vertices[{}] = ({}, {}) m: equals a neighbour; remove one of them", i,
                                   v[i].x(), v[i].y()));
    }
    // A sine of 1e-9 is far above the round-off of coordinates, and no corner that anybody draws is flatter.
    if (!(cross(before, after) > 1e-9 * lengths)) {
      throw InputError(fmt::format(
          "polygon: vertices[{}] = ({}, {}) m: the outline must turn left there (convex, no three points on a line)", i,
          v[i].x(), v[i].y()));
    }
    total_turn += std::atan2(cross(before, after), before.dot(after));
  }
  // An outline that turns left everywhere but goes round twice (a pentagram) crosses itself.
  if (total_turn > 7.0) {
    throw InputError(fmt::format("polygon: the outline goes round {:.0f} times: must be once", total_turn / 6.28));
  }
}

void check(const Segment& segment) {
  require_near("segment: start", segment.start);
  require_near("segment: end", segment.end);
  const double length = (segment.end - segment.start).norm();
  if (!(length > 0.0)) reject_length("segment: length", length, "> 0; move start or end");
}

}  // namespace

std::string_view shape_name(const Geometry& geometry) {
  return kNames[geometry.index()];
}

bool is_planar(const Geometry& geometry) {
  return std::holds_alternative<Disk>(geometry) || std::holds_alternative<Ellipse>(geometry) ||
         std::holds_alternative<Polygon>(geometry) || std::holds_alternative<Segment>(geometry);
}

void check_geometry(const Geometry& geometry) {
  std::visit([](const auto& shape) { check(shape); }, geometry);
  const double size = characteristic_size(geometry);
  if (std::holds_alternative<HalfSpace>(geometry) || size >= limits::length.least) return;
  throw InputError(fmt::format("{}: half its diagonal = {} m: must be at least {:g} m ({})", shape_name(geometry), size,
                               limits::length.least, limits::length.reason));
}

}  // namespace cardhouse
