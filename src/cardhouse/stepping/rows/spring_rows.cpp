#include "cardhouse/stepping/rows/spring_rows.h"

#include "cardhouse/stepping/rows/point_rows.h"

namespace cardhouse {
namespace {

bool in_plane(const Model& model, int body) {
  return body >= 0 && model.bodies[body].mobility == Mobility::dynamic && equations_of(model.bodies[body]).in_plane();
}

/// Columns: along the spring, then across it; the second of those is y where the spring lies in the plane.
Mat3 directions_of(const Vec3& n, bool planar) {
  Mat3 result;
  Eigen::Index least = 0;
  n.cwiseAbs().minCoeff(&least);
  const Vec3 across = planar ? Vec3::UnitY() : Vec3(Vec3::Unit(least).cross(n).normalized());
  result << n, across.cross(n), across;
  return result;
}

}  // namespace

void add_spring_rows(const Model& model, const State& state, const StepSettings& settings,
                     std::vector<JointRows>& rows) {
  const double h = settings.step;
  // The end of the step is h times the new velocity away, or half of it and half of the old one.
  const double part = settings.scheme == Scheme::moreau_jean ? 0.5 : 1.0;
  for (const Spring& spring : model.springs) {
    const double drag = part * h * spring.stiffness + spring.damping;
    if (!spring.implicit || drag == 0.0) continue;
    const SpringEnds ends = ends_of(spring, state);
    const Vec3 between = ends.second.point - ends.first.point;
    const double length = between.norm();
    const bool planar = in_plane(model, spring.first) || in_plane(model, spring.second);
    const Vec3 n = length > 0.0 ? Vec3(between / length) : Vec3(Vec3::UnitZ());
    if (length == 0.0 && spring.rest_length > 0.0) continue;  // no direction to pull in
    const Mat3 directions = directions_of(n, planar);
    const double rate = n.dot(ends.second.velocity - ends.first.velocity);
    const double stretch = length - spring.rest_length + (1.0 - part) * h * rate;
    JointRows along = rows_between(spring, ends, directions, 1);
    along.b[0] = spring.stiffness * stretch / drag;
    along.compliance = 1.0 / (h * drag);
    along.guess[0] = -h * (spring.stiffness * stretch + spring.damping * rate);
    rows.push_back(along);
    const double across = spring.stiffness * (length > 0.0 ? 1.0 - spring.rest_length / length : 1.0);
    if (!(across > 0.0)) continue;
    Mat3 turned;
    turned << directions.col(1), directions.col(2), directions.col(0);
    JointRows turning = rows_between(spring, ends, turned, planar ? 1 : 2);
    turning.compliance = 1.0 / (part * h * h * across);
    rows.push_back(turning);
  }
}

}  // namespace cardhouse
