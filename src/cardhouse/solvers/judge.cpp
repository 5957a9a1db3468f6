#include "cardhouse/solvers/judge.h"

#include <cmath>
#include <cstdio>

#include "cardhouse/contact/law_projection.h"
#include "cardhouse/contact/natural_map.h"

namespace cardhouse {

double Judge::error(const ContactProblem& problem, const VecX& r) {
  const double residual = certifier_(problem, r).residual;
  return options_.measure == SolverOptions::Measure::common ? residual : natural_map_error(problem, r).scaled;
}

void project_on_laws(const ContactProblem& problem, const VecX& r, VecX& p) {
  p.resize(r.size());
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    project_on_law(problem.laws[g], rows.dim, r.data() + rows.row, p.data() + rows.row);
  }
}

void conclude(const SolverOptions& options, double error, bool out_of_time, SolveReport& report) {
  if (report.status == SolveStatus::failed || report.status == SolveStatus::infeasible) return;
  if (error <= options.tolerance) {
    report.status = SolveStatus::converged;
    report.reason.clear();
    return;
  }
  report.status = out_of_time ? SolveStatus::time_limit : SolveStatus::iteration_limit;
  if (!report.reason.empty()) return;
  char text[160];
  std::snprintf(text, sizeof text, "error %.1e after %d iterations, above the tolerance of %.1e", error,
                report.iterations, options.tolerance);
  report.reason = text;
}

}  // namespace cardhouse
