#include "cardhouse/stepping/rows/potential_rows.h"

#include "cardhouse/model/point_potential.h"
#include "cardhouse/stepping/rows/point_rows.h"

namespace cardhouse {
int add_potential_rows(const Model& model, const State& state, const StepSettings& settings,
                       std::vector<JointRows>& rows) {
  const double h = settings.step;
  const double part = settings.scheme == Scheme::moreau_jean ? 0.5 : 1.0;  // of h times the new velocity
  int indefinite = 0;
  for (const PointPotential& given : model.potentials) {
    if (!given.implicit) continue;
    const LocalPotential local = local_potential(given, state);
    const SpringEnds ends = ends_of(given, state);
    if (local.curvatures[0] < 0.0) ++indefinite;
    for (int i = 0; i < 3; ++i) {
      const double curvature = local.curvatures[i];
      if (!is_stiff(model, given, curvature, h)) continue;
      const Vec3 axis = local.axes.col(i);
      Mat3 directions = Mat3::Zero();
      directions.col(0) = -axis;  // d is the first point from the second
      JointRows row = rows_between(given, ends, directions, 1);
      row.b[0] = axis.dot(local.gradient) / (part * h * curvature);
      row.compliance = 1.0 / (part * h * h * curvature);
      row.guess[0] = -h * axis.dot(local.gradient);
      rows.push_back(row);
    }
  }
  return indefinite;
}

}  // namespace cardhouse
