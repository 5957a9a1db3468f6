#include "cardhouse/optimization/slsqp.h"

#include <nlopt.h>

#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>

namespace cardhouse {
namespace {

/// The last quadratic program meets linear constraints to round-off, nonlinear ones to the square of its step.
double end_tolerance(const SlsqpOptions& options) {
  return 1e3 * options.constraint_tolerance;
}

/// SLSQP's line search often fails on its own approximation of the Hessian and reports round-off. It is restarted
/// without the approximation until that gains less than this fraction of the objective.
constexpr double least_improvement = 1e-10;

/// What NLopt's callbacks need, with their buffers.
struct Context {
  const NonlinearProgram& program;
  const SlsqpOptions& options;
  nlopt_opt optimizer = nullptr;
  int evaluations = 0;
  bool finite = true;
  VecX x{}, gradient{}, c{};
  MatX jacobian{};

  void set_point(unsigned size, const double* values) { x = Eigen::Map<const VecX>(values, size); }
  void end_unless(bool going_on) {
    if (!going_on) nlopt_force_stop(optimizer);
  }
};

double objective(unsigned size, const double* values, double* gradient, void* data) {
  Context& context = *static_cast<Context*>(data);
  context.set_point(size, values);
  ++context.evaluations;
  const double value = context.program.objective(context.x, gradient ? &context.gradient : nullptr);
  if (gradient) Eigen::Map<VecX>(gradient, size) = context.gradient;
  context.finite = context.finite && std::isfinite(value) && context.x.allFinite();
  context.end_unless(context.finite && !(context.options.stop && context.options.stop(context.x)));
  return value;
}

/// NLopt wants constraints as −c ≤ 0 and Jacobians by rows.
void constraints(unsigned count, double* result, unsigned size, const double* values, double* gradient, void* data) {
  Context& context = *static_cast<Context*>(data);
  context.set_point(size, values);
  context.program.constrain(context.x, context.c, gradient ? &context.jacobian : nullptr);
  Eigen::Map<VecX>(result, count) = -context.c;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  if (gradient) Eigen::Map<RowMajor>(gradient, count, size) = -context.jacobian;
}

void describe(nlopt_result code, const Context& context, SlsqpResult& result) {
  switch (code) {
    case NLOPT_SUCCESS:
    case NLOPT_STOPVAL_REACHED:
    case NLOPT_FTOL_REACHED:
    case NLOPT_XTOL_REACHED:
    case NLOPT_ROUNDOFF_LIMITED:
      result.status = SlsqpStatus::stationary;
      return;
    case NLOPT_MAXEVAL_REACHED:
    case NLOPT_MAXTIME_REACHED:
      result.status = SlsqpStatus::iteration_limit;
      return;
    case NLOPT_FORCED_STOP:
      result.status = context.finite ? SlsqpStatus::stopped : SlsqpStatus::failed;
      if (!context.finite) result.reason = "values that are not finite";
      return;
    default:
      result.status = SlsqpStatus::failed;
      result.reason = nlopt_result_to_string(code);
      return;
  }
}

/// SLSQP also calls it round-off when its quadratic programs break down on the way.
void refuse_infeasible(const NonlinearProgram& program, const SlsqpOptions& options, SlsqpResult& result) {
  if (result.status != SlsqpStatus::stationary || program.constraints == 0) return;
  VecX c(program.constraints);
  program.constrain(result.x, c, nullptr);
  if (c.minCoeff() >= -end_tolerance(options)) return;
  result.status = SlsqpStatus::failed;
  result.reason = "the end is not feasible";
}

/// One run of SLSQP from result.x, with the evaluations that are left.
void descend(Context& context, SlsqpResult& result) {
  const SlsqpOptions& options = context.options;
  const int evaluations_left = options.max_evaluations - context.evaluations;
  if (evaluations_left <= 0) {
    result.status = SlsqpStatus::iteration_limit;
    return;
  }
  using Optimizer = std::unique_ptr<std::remove_pointer_t<nlopt_opt>, decltype(&nlopt_destroy)>;
  const Optimizer optimizer(nlopt_create(NLOPT_LD_SLSQP, static_cast<unsigned>(result.x.size())), &nlopt_destroy);
  context.optimizer = optimizer.get();
  nlopt_set_min_objective(optimizer.get(), objective, &context);
  nlopt_set_lower_bounds(optimizer.get(), context.program.lower.data());
  const VecX tolerance = VecX::Constant(context.program.constraints, options.constraint_tolerance);
  nlopt_add_inequality_mconstraint(optimizer.get(), static_cast<unsigned>(context.program.constraints), constraints,
                                   &context, tolerance.data());
  nlopt_set_maxeval(optimizer.get(), evaluations_left);
  nlopt_set_xtol_rel(optimizer.get(), options.step_tolerance);
  double value = result.objective;
  const nlopt_result code = nlopt_optimize(optimizer.get(), result.x.data(), &value);
  result.objective = value;
  describe(code, context, result);
}

}  // namespace

SlsqpResult minimise_slsqp(const NonlinearProgram& program, const VecX& start, const SlsqpOptions& options) {
  SlsqpResult result;
  result.x = start;
  const auto size = static_cast<unsigned>(start.size());
  if (size == 0) {
    result.objective = program.objective(start, nullptr);
    result.evaluations = 1;
    result.status = options.stop && options.stop(start) ? SlsqpStatus::stopped : SlsqpStatus::stationary;
    return result;
  }
  Context context{program, options};
  context.gradient.resize(size);
  context.c.resize(program.constraints);
  context.jacobian.resize(program.constraints, size);
  result.objective = std::numeric_limits<double>::infinity();
  for (bool improved = true; improved;) {
    const double before = result.objective;
    const VecX last = result.x;
    descend(context, result);
    result.evaluations = context.evaluations;
    if (result.status != SlsqpStatus::stationary) return result;
    improved = result.objective < before - least_improvement * (1.0 + std::abs(result.objective));
    if (improved || result.objective <= before) continue;
    result.x = last;
    result.objective = before;
  }
  refuse_infeasible(program, options, result);
  return result;
}

}  // namespace cardhouse
