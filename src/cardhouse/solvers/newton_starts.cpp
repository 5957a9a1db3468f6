#include "cardhouse/solvers/newton_starts.h"

#include <algorithm>

namespace cardhouse {
namespace {

/// Part of the present error (−) to which programs are solved. Ten times more loses a third of the problems.
constexpr double program_part = 0.01;
/// Times that openings may be too much to ask for, and are halved.
constexpr int most_infeasible = 5;

}  // namespace

bool SweepWalk::begin(const ContactProblem& problem, SolveReport& report) {
  relaxed_ = false;
  return relaxation_.begin(problem, report);
}

bool SweepWalk::go(const ContactProblem& problem, double error, ConvergenceMonitor& monitor, VecX& r) {
  if (!relaxed_ && !relaxation_.go(problem, error, monitor, r)) return false;
  relaxed_ = true;
  place_.r = r;
  const SolveStatus status = sweeps_->solve(problem, place_).status;
  r = place_.r;
  return status != SolveStatus::unsupported && status != SolveStatus::failed && r.allFinite();
}

bool RelaxedWalk::begin(const ContactProblem& problem, SolveReport& report) {
  if (refuse_uneven_compliance(problem, report)) return false;
  relaxed_.set_problem(problem);
  held_.setZero(problem.groups());
  legs_ = infeasible_ = 0;
  return true;
}

bool RelaxedWalk::go(const ContactProblem&, double error, ConvergenceMonitor& monitor, VecX& r) {
  if (legs_++ > 0) {
    relaxed_.hold(r, monitor.certifier().u(), held_next_);
    held_ += damping_ * (held_next_ - held_);
  }
  relaxed_.end_when([&] { return monitor.out_of_time(); });
  const double wanted = program_part * std::clamp(error, 0.01 * tolerance_, 0.01);
  for (; infeasible_ <= most_infeasible; ++infeasible_) {
    const SetQpStatus status = relaxed_.solve(held_, wanted * monitor.certifier().scale(), r).status;
    if (status == SetQpStatus::failed || !r.allFinite()) return false;
    if (status != SetQpStatus::infeasible) return true;
    held_ *= 0.5;
    r.setZero();
  }
  return false;
}

SolveReport NewtonStarts::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {walk_->method()};
  if (!walk_->begin(problem, report) || !monitor_.begin(problem, solution, report)) return report;
  r_ = solution.r;
  double error = monitor_.error(problem, r_);
  std::size_t starts = 0;
  const int most = std::min(own_.legs, options_.max_iterations);
  for (int leg = 1; leg <= most && !monitor_.good_enough() && !monitor_.out_of_time(); ++leg) {
    if (!walk_->go(problem, error, monitor_, r_)) break;
    error = monitor_.offer(problem, r_, solution, report);
    const bool is_start = leg <= own_.first_starts || leg % own_.every == 0;
    if (!is_start || monitor_.good_enough()) continue;
    start(*started_[starts++ % started_.size()], problem, solution, report);
    monitor_.error(problem, r_);  // the walk goes on with the velocities of its own place
  }
  monitor_.end(problem, report);
  return report;
}

void NewtonStarts::start(Solver& method, const ContactProblem& problem, ContactSolution& solution,
                         SolveReport& report) {
  candidate_.r = r_;
  const SolveReport own = method.solve(problem, candidate_);
  add_methods(own.methods, report.methods);
  report.iterations += own.iterations;
  report.residual_history.insert(report.residual_history.end(), own.residual_history.begin(),
                                 own.residual_history.end());
  if (own.status == SolveStatus::unsupported || own.status == SolveStatus::failed) return;
  if (monitor_.improves(monitor_.error(problem, candidate_.r))) solution = candidate_;
}

}  // namespace cardhouse
