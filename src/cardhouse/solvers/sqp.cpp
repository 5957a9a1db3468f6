#include "cardhouse/solvers/sqp.h"

#include <cstdio>

namespace cardhouse {
namespace {

/// The reason that is reported beside the residual. The gap is in units of the largest pair's energy.
std::string reason_of(const SlsqpResult& result, const PolygonalLcp& lcp, int disk_sides, double error) {
  char text[200];
  switch (result.status) {
    case SlsqpStatus::stationary:
      if (!lcp.exact && result.objective < 1e-9) {
        std::snprintf(text, sizeof text,
                      "solved with polygons of %d sides for round friction: error %.1e of the laws as they are",
                      disk_sides, error);
        return text;
      }
      std::snprintf(text, sizeof text, "stationary point: objective %.1e > 0", result.objective);
      return text;
    case SlsqpStatus::iteration_limit:
    case SlsqpStatus::stopped:
      std::snprintf(text, sizeof text, "stopped after %d evaluations: objective %.1e", result.evaluations,
                    result.objective);
      return text;
    case SlsqpStatus::failed:
      break;
  }
  return "the descent broke off: " + result.reason;
}

}  // namespace

NonlinearProgram complementarity_program(const Lcp& lcp) {
  NonlinearProgram program;
  program.lower = VecX::Zero(lcp.size());
  program.constraints = lcp.size();
  program.objective = [&lcp](const VecX& y, VecX* gradient) { return complementarity_gap(lcp, y, gradient); };
  program.constrain = [&lcp](const VecX& y, VecX& c, MatX* jacobian) {
    c = lcp.m * y + lcp.q;
    if (jacobian) *jacobian = lcp.m;
  };
  return program;
}

SolveReport Sqp::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {"sqp"};
  report.other_law = has_round_friction(problem);
  if (!monitor_.begin(problem, solution, report)) return report;
  if (!monitor_.good_enough()) {
    const std::vector<double> rho = monitor_.certifier().rho();
    const int unknowns = polygonal_lcp_size(problem, rho, own_.disk_sides);
    if (too_large(unknowns, own_.max_unknowns, "an iteration takes time with the cube of them", report)) {
      report.seconds = monitor_.seconds();
      return report;
    }
    descend(problem, rho, solution, report);
  }
  monitor_.end(problem, report);
  return report;
}

void Sqp::descend(const ContactProblem& problem, const std::vector<double>& rho, ContactSolution& solution,
                  SolveReport& report) {
  const PolygonalLcp lcp = polygonal_lcp(problem, rho, own_.disk_sides);
  const FreeElimination elimination(lcp.mixed);
  if (elimination.contradictory()) {
    report.status = SolveStatus::infeasible;
    report.reason = "equality rows contradict each other";
    return;
  }
  // In units of the largest of q, so that the tolerances mean parts of it.
  const Lcp& reduced = elimination.reduced();
  const double unit = reduced.size() > 0 ? reduced.q.cwiseAbs().maxCoeff() : 1.0;
  const double scale = unit > 0.0 ? unit : 1.0;
  const Lcp scaled{reduced.m, reduced.q / scale};
  const auto impulses = [&](const VecX& y) { return impulses_of(lcp, elimination.expand(scale * y)); };
  const VecX all = unknowns_of(problem, lcp, rho, own_.disk_sides, solution.r);
  const VecX start = elimination.restrict_to_signed(all).cwiseMax(0.0) / scale;

  SlsqpOptions options;
  options.max_evaluations = options_.max_iterations;
  options.stop = [&](const VecX& y) {
    monitor_.offer(problem, impulses(y), solution, report);
    return monitor_.good_enough() || monitor_.out_of_time();
  };
  const SlsqpResult result = minimise_slsqp(complementarity_program(scaled), start, options);
  if (monitor_.good_enough()) return;
  if (result.status == SlsqpStatus::failed) report.status = SolveStatus::failed;
  report.reason = reason_of(result, lcp, own_.disk_sides, monitor_.best());
}

}  // namespace cardhouse
