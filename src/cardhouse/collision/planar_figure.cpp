#include "cardhouse/collision/planar_figure.h"

#include <cmath>
#include <string>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

/// How far a half-space's unit normal may leave the plane: round-off of a long chain of poses.
constexpr double kOutOfPlane = 1e-9;

Vec2 half_plane_normal(const HalfSpace& half_space, const Pose& pose) {
  const Vec3 n = (pose.orientation * half_space.normal).normalized();
  if (std::abs(n.y()) > kOutOfPlane) {
    throw InputError("half_space: world normal = (" + std::to_string(n.x()) + ", " + std::to_string(n.y()) + ", " +
                     std::to_string(n.z()) + "): must lie in the x-z plane (y = 0) to touch planar figures");
  }
  return Vec2(n.x(), n.z()).normalized();
}

}  // namespace

int facing_side(const Figure& segment, const Vec2& p, double tie) {
  return segment.face_normal(0).dot(p - segment.vertex(0)) >= -tie ? 0 : 1;
}

Figure place_figure(const Geometry& geometry, const Pose& pose, const Vec3& origin) {
  Figure figure;
  const Mat3 r = pose.orientation.toRotationMatrix();
  figure.rotation << r(0, 0), r(0, 2), r(2, 0), r(2, 2);
  const Vec3 centre = pose.position - origin;
  figure.centre = Vec2(centre.x(), centre.z());
  if (const auto* disk = std::get_if<Disk>(&geometry)) {
    figure.kind = FigureKind::disk;
    figure.radius = disk->radius;
  } else if (const auto* ellipse = std::get_if<Ellipse>(&geometry)) {
    figure.kind = FigureKind::ellipse;
    figure.semi_axes = Vec2(ellipse->semi_axis_x, ellipse->semi_axis_z);
  } else if (const auto* polygon = std::get_if<Polygon>(&geometry)) {
    figure.kind = FigureKind::outline;
    figure.polygon = polygon->vertices.data();
    figure.count = static_cast<int>(polygon->vertices.size());
  } else if (const auto* segment = std::get_if<Segment>(&geometry)) {
    figure.kind = FigureKind::outline;
    figure.ends = {segment->start, segment->end};
    figure.count = 2;
  } else if (const auto* half_space = std::get_if<HalfSpace>(&geometry)) {
    figure.kind = FigureKind::half_plane;
    figure.normal = half_plane_normal(*half_space, pose);
  } else {
    throw InputError(std::string(shape_name(geometry)) +
                     ": touches no planar figure; allowed are disk, ellipse, polygon, segment and half_space");
  }
  return figure;
}

}  // namespace cardhouse
