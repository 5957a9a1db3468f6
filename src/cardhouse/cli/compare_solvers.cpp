#include "cardhouse/cli/compare_solvers.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "cardhouse/base/error.h"
#include "cardhouse/base/stopwatch.h"
#include "cardhouse/cli/signals.h"
#include "cardhouse/cli/stepping_to.h"
#include "cardhouse/contact/natural_map.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/report/statistics.h"
#include "cardhouse/solvers/auto_stages.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/world/divergence.h"
#include "cardhouse/world/world.h"

namespace cardhouse::cli {
namespace {

struct TimedSolve {
  SolveReport report;
  VecX r;
  double seconds = 0.0;
  double natural_map = 0.0;

  /// Judged by the measured error, not by the solver's own status.
  bool reached(double tolerance) const { return is_answer() && natural_map <= tolerance; }
  bool is_answer() const { return report.status != SolveStatus::unsupported && report.status != SolveStatus::failed; }
};

/// The fastest of the repetitions, each with a new solver; the answers are the same.
TimedSolve solve(const ContactProblem& problem, const std::string& name, double tolerance,
                 const CompareLimits& limits) {
  SolverOptions options;
  options.measure = SolverOptions::Measure::natural_map;
  options.tolerance = tolerance;
  options.max_seconds = limits.max_seconds;
  options.stop = interrupt_token();
  TimedSolve best;
  for (int i = 0; i < limits.repeat && !(i > 0 && interrupted()); ++i) {
    const std::unique_ptr<Solver> solver = make_solver(name, options);
    ContactSolution solution;
    solution.r.setZero(problem.rows());
    solution.v = problem.v_free;
    const Stopwatch watch;
    SolveReport report = solve_within_memory(*solver, problem, solution);
    const double seconds = watch.seconds();
    if (i > 0 && seconds >= best.seconds) continue;
    best = {std::move(report), std::move(solution.r), seconds, 0.0};
  }
  best.natural_map = natural_map_error(problem, best.r).scaled;
  return best;
}

void count_stages(const SolveReport& report, std::vector<ComparedStage>& counts) {
  const bool ended = report.status == SolveStatus::converged || report.status == SolveStatus::infeasible;
  for (const StageReport& stage : report.stages) {
    auto row = std::find_if(counts.begin(), counts.end(), [&](const auto& count) { return count.name == stage.name; });
    if (row == counts.end()) row = counts.insert(counts.end(), {std::string(stage.name)});
    ++row->runs;
    row->seconds += stage.seconds;
    row->ends += ended && &stage == &report.stages.back() ? 1 : 0;
  }
}

/// In the order of the table, whichever came first.
void sort_stages(std::vector<ComparedStage>& counts) {
  const auto place = [](const ComparedStage& count) {
    const auto stages = auto_stages();
    return std::find_if(stages.begin(), stages.end(), [&](const AutoStage& s) { return s.name == count.name; });
  };
  std::sort(counts.begin(), counts.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

std::string status_of(const RunSummary& summary, SolveStatus worst, bool out_of_time) {
  if (summary.end == RunEnd::diverged) return "diverged";
  if (summary.end == RunEnd::stopped) return "stopped";
  if (out_of_time) return "time_limit";
  return std::string(status_name(summary.uncertified_steps > 0 ? worst : SolveStatus::converged));
}

/// Why the run is not complete or not certified, in words.
std::string reason_of(const RunSummary& summary, bool out_of_time) {
  if (summary.end == RunEnd::stopped || summary.end == RunEnd::diverged) return summary.stop_reason;
  std::string words;
  if (out_of_time) words = "the time was up at " + std::to_string(summary.time) + " s of simulated time";
  if (!summary.worst_uncertified || summary.worst_uncertified->reason.empty()) return words;
  if (!words.empty()) words += "; ";
  return words + "worst step " + std::to_string(summary.worst_uncertified->step) + ": " +
         summary.worst_uncertified->reason;
}

std::optional<MeasuredRun> run_once(const Scene& scene, const CompareLimits& limits) {
  World world(scene);
  const std::int64_t last = steps_left(scene, world.state().time);
  RunStatistics statistics(scene, world.state(), world.energy());
  DivergenceWatch watch_divergence(scene, world.state(), world.energy());
  MeasuredRun result;
  RunEnd end = RunEnd::done;
  SolveStatus worst = SolveStatus::converged;
  bool out_of_time = false;
  SolverOptions options;
  options.tolerance = scene.settings.tolerance;
  options.max_seconds = limits.max_seconds;
  options.stop = interrupt_token();
  const std::unique_ptr<Solver> again = limits.stages ? make_solver(scene.settings.solver, options) : nullptr;
  const Stopwatch watch;
  while (!is_over(world, last) && end == RunEnd::done) {
    if (interrupted()) return std::nullopt;
    out_of_time = limits.max_seconds > 0.0 && watch.seconds() > limits.max_seconds;
    if (out_of_time) break;
    try {
      world.step();
    } catch (const InputError& error) {
      statistics.set_stop_reason(error.what());
      end = RunEnd::stopped;
      break;
    } catch (const Cancelled&) {
      return std::nullopt;
    }
    const StepReport& report = world.last_report();
    statistics.add_step(world.state(), report, world.energy());
    result.residuals.push_back(report.certificate.residual);
    result.row.iterations += report.iterations;
    if (again) {
      const StepProblem step = world.last_problem();
      ContactSolution solution{step.guess, step.problem.v_free};
      if (step.problem.rows() > 0) count_stages(solve_within_memory(*again, step.problem, solution), result.row.stages);
    }
    if (!report.certified) worst = std::max(worst, report.status);
    if (report.status == SolveStatus::unsupported) end = RunEnd::uncertified;
    if (const auto divergence = watch_divergence.see(world.model(), world.state(), report, world.energy())) {
      statistics.set_stop_reason(divergence->reason);
      end = RunEnd::diverged;
    }
  }
  if (out_of_time) end = RunEnd::interrupted;
  const RunSummary summary = statistics.summary(end, world.state());
  ComparisonRow& row = result.row;
  row.status = status_of(summary, worst, out_of_time);
  row.reason = reason_of(summary, out_of_time);
  row.seconds = summary.seconds.total;
  row.residual = summary.residual.max;
  sort_stages(row.stages);
  row.run = ComparedRun{summary.steps, summary.uncertified_steps, verdict(summary)};
  return result;
}

}  // namespace

ComparisonRow measure_file(const ContactProblem& problem, const std::string& solver, const CompareLimits& limits) {
  const TimedSolve main = solve(problem, solver, limits.tolerance, limits);
  ComparisonRow row;
  row.status = status_name(main.report.status);
  row.reason = main.report.reason;
  row.iterations = main.report.iterations;
  row.seconds = main.seconds;
  if (limits.stages) count_stages(main.report, row.stages);
  if (!main.is_answer()) return row;
  row.residual = certify(problem, main.r).residual;
  row.natural_map = main.natural_map;
  bool hope = true;
  for (std::size_t i = 0; i < compared_tolerances.size() && hope && !interrupted(); ++i) {
    const double tolerance = compared_tolerances[i];
    if (tolerance == limits.tolerance) {
      if (main.reached(tolerance)) row.seconds_to[i] = main.seconds;
      continue;
    }
    // An attempt at a stricter tolerance never reached this one, so another attempt would not either.
    if (tolerance > limits.tolerance && !main.reached(tolerance)) continue;
    const TimedSolve timed = solve(problem, solver, tolerance, limits);
    if (timed.reached(tolerance)) row.seconds_to[i] = timed.seconds;
    hope = timed.reached(tolerance);
  }
  return row;
}

std::optional<MeasuredRun> measure_scene(const Scene& scene, const std::string& solver, const CompareLimits& limits) {
  Scene chosen = scene;
  chosen.settings.solver = solver;
  chosen.settings.tolerance = limits.tolerance;
  // A single step must not take longer than all are allowed to.
  chosen.settings.max_step_seconds = limits.max_seconds;
  chosen.settings.stop = interrupt_token();
  std::optional<MeasuredRun> best;
  for (int i = 0; i < limits.repeat; ++i) {
    std::optional<MeasuredRun> run = run_once(chosen, limits);
    if (!run) return best;
    if (!best || run->row.seconds < best->row.seconds) best = std::move(run);
  }
  return best;
}

}  // namespace cardhouse::cli
