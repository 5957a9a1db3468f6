#include "cardhouse/model/derivative_check.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

double relative(double difference, double size) {
  return size > 0.0 ? difference / size : difference;
}

}  // namespace

DerivativeErrors check_derivatives(const Potential& potential, const VecX& q, double step) {
  const Eigen::Index n = q.size();
  VecX gradient = VecX::Zero(n);
  MatX hessian = MatX::Zero(n, n);
  potential.add_gradient(q, gradient);
  potential.add_hessian(q, hessian);

  VecX gradient_by_differences(n);
  MatX hessian_by_differences(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double e = step * std::max(1.0, std::abs(q[i]));
    VecX above = q;
    VecX below = q;
    above[i] += e;
    below[i] -= e;
    const double width = above[i] - below[i];  // what is left of 2 e after rounding
    gradient_by_differences[i] = (potential.energy(above) - potential.energy(below)) / width;
    VecX gradient_above = VecX::Zero(n);
    VecX gradient_below = VecX::Zero(n);
    potential.add_gradient(above, gradient_above);
    potential.add_gradient(below, gradient_below);
    hessian_by_differences.col(i) = (gradient_above - gradient_below) / width;
  }

  DerivativeErrors errors;
  errors.gradient =
      relative((gradient - gradient_by_differences).norm(), std::max(gradient.norm(), gradient_by_differences.norm()));
  // Where curvature passes through 0 its size says nothing; the gradient's over the distance does.
  const double usual_curvature = gradient.norm() / std::max(1.0, q.norm());
  errors.hessian = relative((hessian - hessian_by_differences).norm(),
                            std::max({hessian.norm(), hessian_by_differences.norm(), usual_curvature}));
  errors.asymmetry = relative((hessian - hessian.transpose()).norm(), hessian.norm());
  return errors;
}

}  // namespace cardhouse
