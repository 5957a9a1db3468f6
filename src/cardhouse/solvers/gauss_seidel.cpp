#include "cardhouse/solvers/gauss_seidel.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

/// Largest number of sweeps between two evaluations of the residual. One costs as much as several sweeps, but a
/// sequence that creeps or cycles must be noticed.
constexpr int most_unchecked_sweeps = 64;
/// Evaluations in a row without a better answer, after which the sweeps count as cycling.
constexpr int most_vain_checks = 5;
/// Rounds of plain sweeps, each more damped than the one before, before accelerated ones are tried again.
constexpr int most_plain_turns = 3;
/// Growth of the change from one accelerated sweep to the next (−) beyond which the acceleration is discarded.
constexpr double most_growth = 2.0;

}  // namespace

SolveReport GaussSeidel::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods.emplace_back("gauss-seidel");
  report.residual_history.reserve(16);
  if (!monitor_.begin(problem, solution, report)) return report;
  iterate(problem, solution, report);
  monitor_.end(problem, report);
  return report;
}

void GaussSeidel::iterate(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  const double aim = own_.aim_part * options_.tolerance;
  if (monitor_.best() <= aim) return;
  start(problem, solution.r);
  Gear gear;
  double error_per_change = 0.0;    // a sweep's change predicts the error that an evaluation would find
  double lowest = monitor_.best();  // in this gear
  int unchecked = 0;
  int most_unchecked = 1;
  int vain = 0;
  while (monitor_.best() > aim && monitor_.may_go_on(report)) {
    if (gear.accelerated && report.iterations > own_.plain_sweeps) rows_.set_impulses(next_);
    if (report.iterations == own_.plain_sweeps && own_.anderson_depth > 0) {
      gear.accelerated = true;
      anderson_.reset(problem.rows(), own_.anderson_depth);
    }
    const double change = gear.accelerated ? accelerated_sweep(gear) : sweep(gear.relaxation);
    ++unchecked;
    const bool last = report.iterations + 1 >= options_.max_iterations || monitor_.out_of_time();
    if (unchecked < most_unchecked && error_per_change * change > aim && !last) {
      ++report.iterations;
      continue;
    }
    const double error = monitor_.offer(problem, rows_.impulses(), solution, report);
    if (!std::isfinite(error)) {
      report.reason = "the impulses grow without end";
      return;
    }
    if (change == 0.0) return;  // no change at all: converged to round-off
    if (own_.hope_after > 0 && !hopeful(report.iterations, monitor_.best(), aim, problem.groups())) {
      report.reason = "the sweeps are too slow";
      return;
    }
    error_per_change = error / change;
    unchecked = 0;
    most_unchecked = std::min(2 * most_unchecked, most_unchecked_sweeps);
    vain = error < lowest ? 0 : vain + 1;
    lowest = std::min(lowest, error);
    if (vain > most_vain_checks) {
      shift(gear);
      lowest = error;
      vain = 0;
    }
  }
}

bool GaussSeidel::hopeful(int sweeps, double best, double aim, int groups) {
  checks_.emplace_back(sweeps, best);
  if (sweeps < own_.hope_after || best <= aim) return true;
  const double in_time = std::max<double>(own_.hope_after, own_.sweeps_per_group * groups);
  const auto half =
      std::find_if(checks_.rbegin(), checks_.rend(), [&](const auto& c) { return 2 * c.first <= sweeps; });
  if (half == checks_.rend() || half->second <= best) return false;
  const double rate = std::log(half->second / best) / (sweeps - half->first);
  return sweeps + std::log(best / aim) / rate <= in_time;
}

void GaussSeidel::start(const ContactProblem& problem, const VecX& r) {
  rows_.set_problem(problem);
  rows_.set_impulses(r);
  checks_.clear();
  weight_.resize(problem.rows());
  for (int g = 0; g < problem.groups(); ++g) {
    const double rho = rows_.contact(g).rho();
    weight_.segment(problem.j.group(g).row, problem.j.group(g).dim).setConstant(rho > 0.0 ? 1.0 / std::sqrt(rho) : 0.0);
  }
}

void GaussSeidel::shift(Gear& gear) {
  if (gear.accelerated) {
    gear.accelerated = false;
    gear.plain_turns = 0;
    return;
  }
  gear.relaxation = std::max(own_.calming * gear.relaxation, std::min(own_.least_relaxation, gear.relaxation));
  if (++gear.plain_turns < most_plain_turns || own_.anderson_depth == 0) return;
  gear.accelerated = true;
  gear.last_change = 0.0;
  next_ = rows_.impulses();
}

double GaussSeidel::accelerated_sweep(Gear& gear) {
  next_ = rows_.impulses();
  const double change = sweep(1.0);
  if (change > most_growth * gear.last_change) anderson_.restart();
  gear.last_change = change;
  anderson_.advance(next_, rows_.impulses(), weight_);
  return change;
}

double GaussSeidel::sweep(double relaxation) {
  double largest = 0.0;
  for (int g = 0; g < rows_.groups(); ++g) {
    const LocalContactSolver& contact = rows_.contact(g);
    const int dim = rows_.dim(g);
    const double* old = rows_.impulse(g);
    double u[3];
    double r[3];
    rows_.velocity(g, u);
    std::copy(old, old + dim, r);
    contact.solve(u, rows_.load(g), r);
    double squared = 0.0;
    for (int i = 0; i < dim; ++i) {
      const double change = r[i] - old[i];
      squared += change * change;
      if (relaxation != 1.0) r[i] = old[i] + relaxation * change;
    }
    if (squared == 0.0) continue;
    rows_.set_impulse(g, r);
    largest = std::max(largest, squared / contact.rho());
  }
  return std::sqrt(largest);
}

}  // namespace cardhouse
