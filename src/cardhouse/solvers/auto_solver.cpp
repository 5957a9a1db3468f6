#include "cardhouse/solvers/auto_solver.h"

#include <algorithm>
#include <limits>

namespace cardhouse {
namespace {

/// A tolerance (−) from which on sweeps come first although there is a guess: most steps of a moving pile are done by a
/// few of them. At a finer one Newton gains more from a guess.
constexpr double coarse = 1e-5;

/// Entries of W per row up to which sweeps over bodies with coupled nodes come before Newton. An impulse on such a body
/// moves all its nodes, so that a sweep costs as many operations as W has entries, where a factorisation costs some
/// hundred per velocity.
constexpr double most_entries_per_row = 64.0;

bool has_sparse_w(const ContactProblem& problem) {
  return entries_of_w(problem) <= most_entries_per_row * (problem.rows() + problem.a.rows());
}

/// The user's time limit is for all methods together, and the problem is prepared once for all.
SolverOptions options_of_stages(SolverOptions options, const ConvergenceMonitor& monitor) {
  options.max_seconds = 0.0;
  options.within = &monitor.deadline();
  options.judge = &monitor.certifier();
  return options;
}

double least(const std::vector<double>& history) {
  return history.empty() ? std::numeric_limits<double>::infinity() : *std::ranges::min_element(history);
}

}  // namespace

AutoSolver::AutoSolver(const SolverOptions& options, std::span<const AutoStage> stages)
    : options_(options), monitor_(options), stages_(stages), methods_(stages.size()) {}

SolveReport AutoSolver::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  monitor_.restart(problem);
  // Sweeps judge the guess themselves: in small problems a look costs much.
  const bool sweeps = stages_[0].start == AutoStage::Start::guess;
  const bool quick_sweeps = !problem.a.has_coupled_bodies() || has_sparse_w(problem);
  const bool sweeps_first = quick_sweeps && (options_.tolerance >= coarse || solution.r.isZero(0.0));
  if (sweeps && sweeps_first && sweep(problem, solution, report)) return report;
  if (!monitor_.take_guess(problem, solution, report)) {
    report.methods = {"gauss-seidel"};  // the first method, which could not start
    return report;
  }
  const bool planar = is_planar(problem);
  for (std::size_t i = sweeps ? 1 : 0; i < stages_.size() && !monitor_.out_of_time(); ++i) {
    if (stages_[i].sweeps && !quick_sweeps) continue;
    if (!stages_[i].is_for(problem.rows(), planar)) continue;
    if (stages_[i].thorough && options_.effort != Effort::thorough) continue;
    if (run(i, problem, solution, report) || options_.effort == Effort::brief) break;
  }
  monitor_.end(problem, report);
  return report;
}

SolveReport AutoSolver::attempt(std::size_t index, const ContactProblem& problem, SolveReport& report) {
  std::unique_ptr<Solver>& method = methods_[index];
  if (!method) method = stages_[index].make(options_of_stages(options_, monitor_));
  SolveReport own = solve_within_memory(*method, problem, candidate_);
  report.iterations += own.iterations;
  report.inner_iterations += own.inner_iterations;
  for (const std::string& used : own.methods) {
    if (report.methods.empty() || report.methods.back() != used) report.methods.push_back(used);
  }
  report.stages.push_back({stages_[index].name, own.seconds, own.iterations, least(own.residual_history)});
  report.residual_history.insert(report.residual_history.end(), own.residual_history.begin(),
                                 own.residual_history.end());
  return own;
}

bool AutoSolver::sweep(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  candidate_ = solution;
  const SolveStatus status = attempt(0, problem, report).status;
  if (status != SolveStatus::converged) return false;
  solution = candidate_;
  report.status = status;
  report.seconds = monitor_.seconds();
  report.coarse = true;
  return true;
}

bool AutoSolver::run(std::size_t index, const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  candidate_ = solution;
  if (stages_[index].start == AutoStage::Start::zero) candidate_.r.setZero();
  const SolveReport own = attempt(index, problem, report);
  if (own.status == SolveStatus::infeasible) {
    report.status = own.status;
    report.reason = own.reason;
    report.conflicting_rows = own.conflicting_rows;
    return true;
  }
  if (own.status == SolveStatus::unsupported || own.status == SolveStatus::failed) return false;
  if (monitor_.improves(monitor_.error(problem, candidate_.r))) solution = candidate_;
  return monitor_.good_enough();
}

}  // namespace cardhouse
