#include "cardhouse/model/point_potential.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "cardhouse/model/springs.h"

namespace cardhouse {
namespace {

/// h² λ/m (−) up to which force and motion differ by no more than this part between start and end of the step.
constexpr double negligible = 1e-9;

double least_mass(const Model& model, const PointPotential& given) {
  double mass = std::numeric_limits<double>::infinity();
  for (const int body : {given.first, given.second}) {
    if (body >= 0 && model.bodies[body].mobility == Mobility::dynamic) mass = std::min(mass, model.bodies[body].mass);
  }
  return mass;
}

}  // namespace

LocalPotential local_potential(const PointPotential& given, const State& state) {
  const SpringEnds ends = ends_of(given, state);
  const VecX d = ends.first.point - ends.second.point;
  VecX gradient = VecX::Zero(3);
  MatX hessian = MatX::Zero(3, 3);
  given.potential->add_gradient(d, gradient);
  given.potential->add_hessian(d, hessian);
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(Mat3(0.5 * (hessian + hessian.transpose())));
  return {gradient, eigen.eigenvalues(), eigen.eigenvectors()};
}

bool is_stiff(const Model& model, const PointPotential& given, double curvature, double h) {
  return h * h * curvature > negligible * least_mass(model, given);
}

double potential_energy(const PointPotential& given, const State& state) {
  const SpringEnds ends = ends_of(given, state);
  return given.potential->energy(ends.first.point - ends.second.point);
}

void add_potential_force(const Model& model, const PointPotential& given, const State& state, double h,
                         std::span<Wrench> wrenches) {
  const LocalPotential local = local_potential(given, state);
  Vec3 force = -local.gradient;
  for (int i = 0; i < 3 && given.implicit; ++i) {
    const Vec3 axis = local.axes.col(i);
    if (is_stiff(model, given, local.curvatures[i], h)) force -= axis.dot(force) * axis;
  }
  add_force_between(given, ends_of(given, state), force, state, wrenches);
}

}  // namespace cardhouse
