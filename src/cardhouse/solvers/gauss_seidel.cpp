#include "cardhouse/solvers/gauss_seidel.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

/// Sweeps between two judgements at most: one costs as much as several sweeps, and a sequence that creeps must still be
/// seen to.
constexpr int most_unjudged_sweeps = 64;

}  // namespace

double GaussSeidel::sweep(bool forward) {
  const int groups = rows_.groups();
  double largest = 0.0;
  for (int k = 0; k < groups; ++k) {
    const int g = forward ? k : groups - 1 - k;
    const int dim = rows_.dim(g);
    double u[3];
    double r[3];
    rows_.velocity(g, u);
    const double* old = rows_.impulse(g);
    std::copy(old, old + dim, r);
    const OneContact& contact = rows_.contact(g);
    contact.solve(u, r);
    double squared = 0.0;
    for (int i = 0; i < dim; ++i) squared += (r[i] - old[i]) * (r[i] - old[i]);
    if (squared == 0.0) continue;
    rows_.set_impulse(g, r);
    largest = std::max(largest, squared / contact.rho());
  }
  return std::sqrt(largest);
}

SolveReport GaussSeidel::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {"gauss-seidel"};
  if (!judge_.begin(problem, solution, report)) return report;
  const double aim = own_.aim_part * options_.tolerance;
  if (judge_.best() > aim) {
    rows_.set_problem(problem);
    rows_.set_impulses(solution.r);
  }
  double error_per_change = 0.0;  // a sweep's change foretells the error that a judgement would find
  int unjudged = 0;
  int most_unjudged = 1;
  while (judge_.best() > aim && judge_.may_go_on(report)) {
    const double change = sweep(report.iterations % 2 == 0);
    ++unjudged;
    const bool last = report.iterations + 1 >= options_.max_iterations || judge_.out_of_time();
    if (unjudged < most_unjudged && error_per_change * change > aim && !last) {
      ++report.iterations;
      continue;
    }
    const double error = judge_.offer(problem, rows_.impulses(), solution, report);
    if (!std::isfinite(error)) {
      report.reason = "the impulses grow without end";
      break;
    }
    if (change == 0.0) break;  // at rest, as far as numbers go
    error_per_change = error / change;
    unjudged = 0;
    most_unjudged = std::min(2 * most_unjudged, most_unjudged_sweeps);
  }
  judge_.end(report);
  return report;
}

}  // namespace cardhouse
