#include "cardhouse/solvers/convergence_monitor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "cardhouse/contact/law_projection.h"
#include "cardhouse/contact/natural_map.h"
#include "cardhouse/solvers/relaxed_problem.h"

namespace cardhouse {
namespace {

/// Ratio of impulses to those of the free motion (−) above which a search for contradicting rows is made. Tall stacks
/// and heavy bodies on light ones reach it too; the search costs one quadratic program.
constexpr double suspicious_growth = 100.0;
/// Groups up to which the search for contradicting rows takes no longer than the solve before it.
constexpr int most_groups_searched = 1000;

/// Where rows contradict each other, impulses grow without end and make the natural-map error small, because it is
/// divided by them. Beyond this ratio to the free motion's scale (−) such an answer does not count. The certificate has
/// its own limit.
double growth_that_hides(const SolverOptions& options) {
  if (options.measure == SolverOptions::Measure::common) return std::numeric_limits<double>::infinity();
  return std::max(suspicious_growth, 0.01 / options.tolerance);
}

/// Impulses of rows that nothing moves have no effect but may break a law: they are set to 0.
void clear_unmoved_rows(const ContactProblem& problem, const std::vector<double>& rho, VecX& r) {
  for (int g = 0; g < problem.groups(); ++g) {
    if (!(rho[g] > 0.0)) r.segment(problem.j.group(g).row, problem.j.group(g).dim).setZero();
  }
}

}  // namespace

double ConvergenceMonitor::error(const ContactProblem& problem, const VecX& r) {
  const double residual = certifier_.residual(problem, r);
  growth_ = std::max(growth_, certifier_.growth());
  if (options_.measure == SolverOptions::Measure::common || !std::isfinite(residual)) return residual;
  return natural_map_error(problem, r, certifier_.q(), certifier_.u()).scaled;
}

void ConvergenceMonitor::prepare(const ContactProblem& problem) {
  if (options_.judge) {
    certifier_.share(*options_.judge);
  } else {
    certifier_.prepare(problem);
  }
}

bool ConvergenceMonitor::begin(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  restart(problem);
  return take_guess(problem, solution, report);
}

bool ConvergenceMonitor::take_guess(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  growth_ = 0.0;
  report.status = SolveStatus::iteration_limit;
  project_on_laws(problem, solution.r, projected_);
  solution.r = projected_;
  best_ = error(problem, solution.r);
  if (!std::isfinite(best_)) {
    clear_unmoved_rows(problem, certifier_.rho(), solution.r);
    best_ = error(problem, solution.r);
  }
  if (!std::isfinite(best_)) {  // the guess belongs to far larger impulses
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

double ConvergenceMonitor::look(const ContactProblem& problem, const VecX& r, SolveReport& report) {
  const double now = error(problem, r);
  ++report.iterations;
  report.residual_history.push_back(now);
  return now;
}

void ConvergenceMonitor::keep(double error, const VecX& r, ContactSolution& solution) {
  best_ = error;
  solution.r = r;
  solution.v = certifier_.v();
}

double ConvergenceMonitor::offer(const ContactProblem& problem, const VecX& r, ContactSolution& solution,
                                 SolveReport& report) {
  project_on_laws(problem, r, projected_);
  const double now = look(problem, projected_, report);
  if (now < best_) keep(now, projected_, solution);
  return now;
}

double ConvergenceMonitor::replace(const ContactProblem& problem, const VecX& r, ContactSolution& solution,
                                   SolveReport& report) {
  const double now = look(problem, r, report);
  if (std::isfinite(now)) keep(now, r, solution);
  return now;
}

bool ConvergenceMonitor::improves(double error) {
  if (!(error < best_)) return false;
  best_ = error;
  return true;
}

/// Without friction: all normal and joint rows together must be feasible.
void ConvergenceMonitor::look_for_conflict(const ContactProblem& problem, SolveReport& report) {
  ContactProblem frictionless = problem;
  for (Law& law : frictionless.laws) law.mu = law.mu_cross = 0.0;
  RelaxedProblem rows;
  rows.set_problem(frictionless);
  VecX r = VecX::Zero(problem.rows());
  rows.end_when([this] { return out_of_time(); });
  const SetQpReport qp = rows.solve(VecX::Zero(problem.groups()), options_.tolerance * certifier_.scale(), r);
  if (qp.status == SetQpStatus::infeasible) tell(problem, qp, report);
}

void ConvergenceMonitor::end(const ContactProblem& problem, SolveReport& report) {
  report.seconds = seconds();
  if (report.status == SolveStatus::infeasible) return;
  if (good_enough() && growth_ > growth_that_hides(options_)) look_for_conflict(problem, report);
  if (report.status == SolveStatus::infeasible) return;
  if (good_enough()) {
    report.status = SolveStatus::converged;
    report.reason.clear();
    return;
  }
  if (deadline_.cancelled()) {
    report.status = SolveStatus::time_limit;
    report.reason = "cancelled";
    return;
  }
  if (growth_ > suspicious_growth && problem.groups() <= most_groups_searched) look_for_conflict(problem, report);
  if (report.status == SolveStatus::failed || report.status == SolveStatus::infeasible) return;
  report.status = out_of_time() ? SolveStatus::time_limit : SolveStatus::iteration_limit;
  if (!report.reason.empty()) return;
  char text[160];
  std::snprintf(text, sizeof text, "error %.1e after %d iterations, above the tolerance of %.1e", best_,
                report.iterations, options_.tolerance);
  report.reason = text;
}

bool too_large(int unknowns, int most, const std::string& why, SolveReport& report) {
  if (unknowns <= most) return false;
  report.status = SolveStatus::unsupported;
  report.reason = std::to_string(unknowns) + " unknowns, at most " + std::to_string(most) + ": " + why;
  return true;
}

void project_on_laws(const ContactProblem& problem, const VecX& r, VecX& p) {
  p.resize(r.size());
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    if (!is_dependent(problem.laws[g])) {
      project_on_law(problem.laws[g], rows.dim, r.data() + rows.row, 0.0, p.data() + rows.row);
    }
  }
  // Their bounds are projected by now.
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    if (is_dependent(problem.laws[g])) {
      project_on_law(problem.laws[g], rows.dim, r.data() + rows.row, load_on(problem, g, p), p.data() + rows.row);
    }
  }
}

}  // namespace cardhouse
