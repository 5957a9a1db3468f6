#include "cardhouse/stepping/rows/potential_rows.h"

#include "cardhouse/model/point_potential.h"

namespace cardhouse {
namespace {

Vec3 arm_of(int body, const Stencil& stencil, const Vec3& local, const State& state) {
  if (body < 0) return Vec3::Zero();
  return frame_at(state.bodies[body], stencil).orientation * local;
}

/// A row for the rate of d along an axis.
JointRows row_along(const PointPotential& given, const State& state, const Vec3& axis) {
  const Vec3 arm_first = arm_of(given.first, given.stencil_first, given.point_first, state);
  const Vec3 arm_second = arm_of(given.second, given.stencil_second, given.point_second, state);
  JointRows row;
  row.joint = -1;
  row.first = given.first;
  row.second = given.second;
  row.stencil_first = given.stencil_first;
  row.stencil_second = given.stencil_second;
  row.rows = 1;
  row.law.kind = Law::Kind::equality;
  row.on_first.row(0) << axis.transpose(), arm_first.cross(axis).transpose();
  row.on_second.row(0) << -axis.transpose(), -arm_second.cross(axis).transpose();
  return row;
}

}  // namespace

int add_potential_rows(const Model& model, const State& state, const StepSettings& settings,
                       std::vector<JointRows>& rows) {
  const double h = settings.step;
  const double part = settings.scheme == Scheme::moreau_jean ? 0.5 : 1.0;  // of h times the new velocity
  int indefinite = 0;
  for (const PointPotential& given : model.potentials) {
    if (!given.implicit) continue;
    const LocalPotential local = local_potential(given, state);
    if (local.curvatures[0] < 0.0) ++indefinite;
    for (int i = 0; i < 3; ++i) {
      const double curvature = local.curvatures[i];
      if (!is_stiff(model, given, curvature, h)) continue;
      const Vec3 axis = local.axes.col(i);
      JointRows row = row_along(given, state, axis);
      row.b[0] = axis.dot(local.gradient) / (part * h * curvature);
      row.compliance = 1.0 / (part * h * h * curvature);
      row.guess[0] = -h * axis.dot(local.gradient);
      rows.push_back(row);
    }
  }
  return indefinite;
}

}  // namespace cardhouse
