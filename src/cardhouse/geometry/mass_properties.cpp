// Mass, centre and inertia at density 1, in closed form. For polyhedra the second moments are integrated exactly over
// tetrahedra (Tonon 2004; Blow and Binstock 2004): with S = ∫ x xᵀ dV, the inertia is trace(S) 1 − S.
#include "cardhouse/geometry/mass_properties.h"

#include <fmt/format.h>

#include <numbers>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

using std::numbers::pi;

MassProperties centred(double volume, const Vec3& inertia) {
  return {volume, Vec3::Zero(), inertia.asDiagonal()};
}

/// A planar figure resists turning about y alone.
MassProperties planar(double area, double polar_inertia) {
  return centred(area, Vec3(0.0, polar_inertia, 0.0));
}

MassProperties of(const Sphere& s) {
  const double volume = 4.0 / 3.0 * pi * s.radius * s.radius * s.radius;
  return centred(volume, Vec3::Constant(0.4 * volume * s.radius * s.radius));
}

MassProperties of(const Box& box) {
  const Vec3 squares = box.half_extents.array().square();
  const double volume = 8.0 * box.half_extents.prod();
  return centred(volume, volume / 3.0 * (squares.sum() - squares.array()));
}

MassProperties of(const Cylinder& c) {
  const double r2 = c.radius * c.radius;
  const double volume = 2.0 * pi * r2 * c.half_length;
  const double across = volume * (r2 / 4.0 + c.half_length * c.half_length / 3.0);
  return centred(volume, {across, across, 0.5 * volume * r2});
}

MassProperties of(const Capsule& c) {
  const MassProperties middle = of(Cylinder{c.radius, c.half_length});
  const double r2 = c.radius * c.radius;
  const double ends = 4.0 / 3.0 * pi * r2 * c.radius;
  // Both half-balls: centre of mass 3r/8 from the flat side, second moment 2/5 r² about the ball's centre, so moving
  // each out by h adds h² + 2·h·3r/8.
  const double h = c.half_length;
  const double across = ends * (0.4 * r2 + h * h + 0.75 * h * c.radius);
  return centred(middle.volume + ends, middle.inertia.diagonal() + Vec3(across, across, 0.4 * ends * r2));
}

MassProperties of(const Polytope& polytope) {
  const Hull& hull = *polytope.hull;
  Vec3 origin = Vec3::Zero();
  for (const Vec3& v : hull.vertices) origin += v / static_cast<double>(hull.vertices.size());
  const Mat3 canonical = (Mat3::Ones() + Mat3::Identity()) / 120.0;  // ∫ x xᵀ over the unit tetrahedron

  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Hull::Face& face : hull.faces) {
    for (std::size_t k = 1; k + 1 < face.vertices.size(); ++k) {
      Mat3 tetrahedron;
      tetrahedron.col(0) = hull.vertices[face.vertices[0]] - origin;
      tetrahedron.col(1) = hull.vertices[face.vertices[k]] - origin;
      tetrahedron.col(2) = hull.vertices[face.vertices[k + 1]] - origin;
      const double det = tetrahedron.determinant();
      volume += det / 6.0;
      first += det / 24.0 * tetrahedron.rowwise().sum();
      second += det * tetrahedron * canonical * tetrahedron.transpose();
    }
  }
  const Vec3 centre = first / volume;
  const Mat3 about_centre = second - volume * centre * centre.transpose();
  return {volume, origin + centre, about_centre.trace() * Mat3::Identity() - about_centre};
}

MassProperties of(const HalfSpace&) {
  throw InputError("half_space: has no mass: use it on a fixed or kinematic body, or give the mass and inertia");
}

MassProperties of(const Segment&) {
  throw InputError("segment: has no area and so no mass: use it on a fixed body, or give the mass and inertia");
}

MassProperties of(const Disk& disk) {
  const double area = pi * disk.radius * disk.radius;
  return planar(area, 0.5 * area * disk.radius * disk.radius);
}

MassProperties of(const Ellipse& e) {
  const double area = pi * e.semi_axis_x * e.semi_axis_z;
  return planar(area, 0.25 * area * (e.semi_axis_x * e.semi_axis_x + e.semi_axis_z * e.semi_axis_z));
}

MassProperties of(const Polygon& polygon) {
  const auto& v = polygon.vertices;
  const Vec2 origin = v[0];
  double area = 0.0;
  double polar = 0.0;
  Vec2 first = Vec2::Zero();
  for (std::size_t k = 1; k + 1 < v.size(); ++k) {
    const Vec2 p = v[k] - origin;
    const Vec2 q = v[k + 1] - origin;
    const double det = p.x() * q.y() - p.y() * q.x();
    area += det / 2.0;
    first += det / 6.0 * (p + q);
    polar += det / 12.0 * (p.dot(p) + p.dot(q) + q.dot(q));
  }
  const Vec2 centre = first / area;
  MassProperties result = planar(area, polar - area * centre.squaredNorm());
  result.centre = Vec3(origin.x() + centre.x(), 0.0, origin.y() + centre.y());
  return result;
}

/// Inertia of a point mass at `arm` from the point of reference (the parallel-axis theorem).
Mat3 point_inertia(double mass, const Vec3& arm) {
  return mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
}

MassProperties placed(const MassProperties& piece, const Pose& pose) {
  const Mat3 rotation = pose.orientation.toRotationMatrix();
  return {piece.volume, pose.apply(piece.centre), rotation * piece.inertia * rotation.transpose()};
}

}  // namespace

MassProperties mass_properties(std::span<const Shape> shapes) {
  MassProperties total;
  for (const Shape& shape : shapes) {
    if (is_planar(shape.geometry) != is_planar(shapes[0].geometry)) {
      throw InputError(fmt::format("compound: {} and {} in one body: must be all planar or all spatial",
                                   shape_name(shapes[0].geometry), shape_name(shape.geometry)));
    }
    const MassProperties piece =
        placed(std::visit([](const auto& geometry) { return of(geometry); }, shape.geometry), shape.pose);
    const double volume = total.volume + piece.volume;
    const Vec3 centre = (total.volume * total.centre + piece.volume * piece.centre) / volume;
    total.inertia += piece.inertia + point_inertia(total.volume, total.centre - centre) +
                     point_inertia(piece.volume, piece.centre - centre);
    total.centre = centre;
    total.volume = volume;
  }
  if (!shapes.empty() && is_planar(shapes[0].geometry)) {
    total.inertia = Vec3(0.0, total.inertia(1, 1), 0.0).asDiagonal();
  }
  // Symmetric to the last bit: files keep six numbers.
  total.inertia = (0.5 * (total.inertia + total.inertia.transpose())).eval();
  return total;
}

}  // namespace cardhouse
