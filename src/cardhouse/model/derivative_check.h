// Compares a potential's derivatives with finite differences. For authors of potentials.
#pragma once

#include "cardhouse/model/potential.h"

namespace cardhouse {

/// Relative errors of a potential's derivatives.
struct DerivativeErrors {
  double gradient = 0.0;   ///< against central differences of the energy
  double hessian = 0.0;    ///< against central differences of the gradient
  double asymmetry = 0.0;  ///< of the Hessian
};

/// Central differences with the step `step` · max(1, |q_i|): their own error is about step² times the third derivative
/// plus round-off/step, so that the default leaves 1e-9 of relative error for functions of moderate size.
DerivativeErrors check_derivatives(const Potential& potential, const VecX& q, double step = 1e-5);

}  // namespace cardhouse
