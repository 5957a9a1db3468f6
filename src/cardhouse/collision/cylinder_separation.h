#pragma once

#include <cmath>
#include <span>

#include "cardhouse/geometry/shape.h"

namespace cardhouse {

/// A direction m (unit, in the frame of a cylinder, pointing from it to the other solid) with the separation along it:
/// s = min over the other of m·x − max over the cylinder of m·x.
struct CylinderSeparation {
  Vec3 direction = Vec3::UnitZ();
  double value = -1e300;  ///< m; −1e300 stands for "none yet"
};

/// How far the cylinder reaches from its centre along the unit vector m (m).
inline double cylinder_reach(const Cylinder& cylinder, const Vec3& m) {
  return cylinder.radius * std::hypot(m.x(), m.y()) + cylinder.half_length * std::abs(m.z());
}

/// A point against the solid cylinder, outside or inside; closed form.
CylinderSeparation separate_cylinder_point(const Cylinder& cylinder, const Vec3& p);

/// The best separation m·p − reach(m) among the directions m that are perpendicular to the unit vector `edge` and lie
/// on the arc from `from` to `to` (both unit and perpendicular to `edge`, less than half a turn apart).
CylinderSeparation separate_cylinder_edge(const Cylinder& cylinder, const Vec3& p, const Vec3& edge, const Vec3& from,
                                          const Vec3& to);

/// The same over the whole circle of directions perpendicular to `line`.
CylinderSeparation separate_cylinder_line(const Cylinder& cylinder, const Vec3& p, const Vec3& line);

/// The direction between two cylinders that are apart, to some 1e-2; when they overlap, a guess.
Vec3 rough_direction(const Cylinder& a, const Cylinder& b, const Vec3& centre, const Vec3& axis);

/// Where the rims of two cylinders separate best: b has its centre at `centre` and its axis along `axis` in a's frame.
/// Climbs from each of the `starts`. The value is the true separation of the two solids along the direction.
CylinderSeparation separate_rims(const Cylinder& a, const Cylinder& b, const Vec3& centre, const Vec3& axis,
                                 std::span<const Vec3> starts);

}  // namespace cardhouse
