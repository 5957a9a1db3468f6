#include "cardhouse/solvers/judge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cardhouse/contact/law_projection.h"
#include "cardhouse/contact/natural_map.h"

namespace cardhouse {
namespace {

/// Impulses of rows that nothing moves don't matter, and a law may not hold with them: they are none.
void clear_unmoved_rows(const ContactProblem& problem, const std::vector<double>& rho, VecX& r) {
  for (int g = 0; g < problem.groups(); ++g) {
    if (!(rho[g] > 0.0)) r.segment(problem.j.group(g).row, problem.j.group(g).dim).setZero();
  }
}

}  // namespace

double Judge::error(const ContactProblem& problem, const VecX& r) {
  const double residual = certifier_(problem, r).residual;
  return options_.measure == SolverOptions::Measure::common ? residual : natural_map_error(problem, r).scaled;
}

bool Judge::begin(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  restart();
  report.status = SolveStatus::iteration_limit;
  project_on_laws(problem, solution.r, projected_);
  solution.r = projected_;
  best_ = error(problem, solution.r);
  if (!std::isfinite(best_)) {
    clear_unmoved_rows(problem, certifier_.rho(), solution.r);
    best_ = error(problem, solution.r);
  }
  if (!std::isfinite(best_)) {  // a guess from a time of far larger impulses
    solution.r.setZero();
    best_ = error(problem, solution.r);
  }
  solution.v = certifier_.v();
  if (std::isfinite(best_) && std::isfinite(certifier_.scale())) return true;
  report.status = SolveStatus::failed;
  report.reason = "the residual is not finite (data not finite, or rows that nothing moves are violated)";
  report.seconds = seconds();
  return false;
}

double Judge::offer(const ContactProblem& problem, const VecX& r, ContactSolution& solution, SolveReport& report) {
  project_on_laws(problem, r, projected_);
  const double now = error(problem, projected_);
  ++report.iterations;
  report.residual_history.push_back(now);
  if (now < best_) {
    best_ = now;
    solution.r = projected_;
    solution.v = certifier_.v();
  }
  return now;
}

double Judge::replace(const ContactProblem& problem, const VecX& r, ContactSolution& solution, SolveReport& report) {
  const double now = error(problem, r);
  ++report.iterations;
  report.residual_history.push_back(now);
  if (std::isfinite(now)) {
    best_ = now;
    solution.r = r;
    solution.v = certifier_.v();
  }
  return now;
}

bool Judge::improves(double error) {
  if (!(error < best_)) return false;
  best_ = error;
  return true;
}

void Judge::end(SolveReport& report) const {
  report.seconds = seconds();
  if (report.status == SolveStatus::failed || report.status == SolveStatus::infeasible) return;
  if (good_enough()) {
    report.status = SolveStatus::converged;
    report.reason.clear();
    return;
  }
  report.status = out_of_time() ? SolveStatus::time_limit : SolveStatus::iteration_limit;
  if (!report.reason.empty()) return;
  char text[160];
  std::snprintf(text, sizeof text, "error %.1e after %d iterations, above the tolerance of %.1e", best_,
                report.iterations, options_.tolerance);
  report.reason = text;
}

void project_on_laws(const ContactProblem& problem, const VecX& r, VecX& p) {
  p.resize(r.size());
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    project_on_law(problem.laws[g], rows.dim, r.data() + rows.row, p.data() + rows.row);
  }
}

}  // namespace cardhouse
