// Sequential quadratic programming by NLopt's SLSQP (Kraft 1994): min f(x) over c(x) ≥ 0 and lower ≤ x. It descends to
// a point that obeys the first-order conditions; of a nonconvex program that need be no minimum.
#pragma once

#include <functional>
#include <string>

#include "cardhouse/math/types.h"

namespace cardhouse {

struct NonlinearProgram {
  VecX lower;           ///< −∞ where there is no bound
  int constraints = 0;  ///< rows of c
  /// f and, if asked for, its gradient (of the right size already).
  std::function<double(const VecX& x, VecX* gradient)> objective;
  /// c and, if asked for, its Jacobian, constraints × unknowns.
  std::function<void(const VecX& x, VecX& c, MatX* jacobian)> constrain;
};

struct SlsqpOptions {
  int max_evaluations = 1000;           ///< of f
  double step_tolerance = 1e-12;        ///< of ‖x‖: smaller steps end the descent
  double constraint_tolerance = 1e-10;  ///< c ≥ −this counts as feasible
  /// Called with each point at which f is evaluated; true ends the descent. None: never.
  std::function<bool(const VecX& x)> stop;
};

enum class SlsqpStatus {
  stationary,       ///< no step improves any more, to the tolerance or to round-off
  iteration_limit,  ///< evaluations
  stopped,          ///< by `stop`
  failed,           ///< with the reason: inconsistent constraints, values that are not finite
};

struct SlsqpResult {
  SlsqpStatus status = SlsqpStatus::failed;
  std::string reason;
  VecX x;
  double objective = 0.0;
  int evaluations = 0;
};

SlsqpResult minimise_slsqp(const NonlinearProgram& program, const VecX& start, const SlsqpOptions& options = {});

}  // namespace cardhouse
