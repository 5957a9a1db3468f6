#include "cardhouse/stepping/rescue/island_solve.h"

#include <algorithm>

#include "cardhouse/stepping/schemes/solver_options.h"

namespace cardhouse {
namespace {

/// Ratio of impulses to the free motion's scale (−) above which rows may contradict each other. A solver that does not
/// see the contradiction lets impulses grow without end.
constexpr double suspicious_growth = 1e3;

/// The coarsest tolerance (−) at which the error left below it matters.
constexpr double worth_polishing = 1e-7;

/// Problems up to this many rows get further attempts when the solver fails; larger ones would take minutes.
constexpr int most_rows_tried_harder = 1500;

/// Part of the tolerance (−) that islands of joints alone are solved to. The scale of a residual is its heaviest
/// body's: at the tolerance the hinges of a chain of light links with a heavy end would let it sway. Linear problems
/// cost no more for it, since the last Newton step gains all digits.
constexpr double linear_part = 1e-2;

/// Iterations of a brief solve, and the residual (−) from which on its answer says where the step ends.
constexpr int brief_iterations = 25;
constexpr double near_enough = 1e-3;

bool is_linear(const ContactProblem& problem) {
  return std::all_of(problem.laws.begin(), problem.laws.end(),
                     [](const Law& law) { return law.kind == Law::Kind::equality; });
}

}  // namespace

void Attempt::put_back(IslandSolve& s) const {
  s.problem.b = b_;
  s.guess = guess_;
  s.biases = biases_;
  s.solution = best_;
  const int iterations = s.solve_report.iterations;
  s.solve_report = report_;
  s.solve_report.iterations = iterations;
  s.certificate = s.certifier(s.problem, s.solution.r, &s.group_residuals);
}

namespace {

void solve_with(Solver& solver, const StepSettings& settings, IslandSolve& s) {
  s.solution.r = s.guess;
  s.certifier.prepare(s.problem);
  s.solve_report = solve_within_memory(solver, s.problem, s.solution);
  settings.stop.throw_if_requested();
  s.certificate = s.certifier.certificate(s.problem, s.solution.r, &s.group_residuals);
  s.solution.v = s.certifier.v();
}

/// The solver for this effort; made when it is first asked for.
Solver& solver_for(Effort effort, const StepSettings& settings, IslandSolve& s) {
  std::unique_ptr<Solver>& solver = s.solvers[static_cast<std::size_t>(effort)];
  if (!solver) {
    SolverOptions options = solver_options(settings, settings.tolerance, s.deadline, &s.certifier);
    if (effort == Effort::brief) options.max_iterations = std::min(options.max_iterations, brief_iterations);
    options.effort = effort;
    solver = make_solver(settings.solver, options);
  }
  return *solver;
}

Solver& linear_solver_for(const StepSettings& settings, IslandSolve& s) {
  if (!s.linear_solver) {
    const double tolerance = linear_part * settings.tolerance;
    s.linear_solver = make_solver(settings.solver, solver_options(settings, tolerance, s.deadline, &s.certifier));
  }
  return *s.linear_solver;
}

}  // namespace

void solve_island(const StepSettings& settings, IslandSolve& s) {
  // Large problems have no other way.
  const Effort effort = s.problem.rows() > most_rows_tried_harder ? Effort::thorough : s.effort;
  solve_with(is_linear(s.problem) ? linear_solver_for(settings, s) : solver_for(effort, settings, s), settings, s);
}

bool solve_island_briefly(const StepSettings& settings, IslandSolve& s) {
  solve_with(solver_for(Effort::brief, settings, s), settings, s);
  return s.certificate.residual <= near_enough;
}

namespace {

/// From the same guess; iterations and methods add up.
void solve_again(const StepSettings& settings, IslandSolve& s) {
  const SolveReport before = s.solve_report;
  solve_island(settings, s);
  s.solve_report.iterations += before.iterations;
  s.solve_report.methods.insert(s.solve_report.methods.begin(), before.methods.begin(), before.methods.end());
}

}  // namespace

void polish_coarse_answer(const StepSettings& settings, IslandSolve& s) {
  if (!s.solve_report.coarse || !s.guess.isZero(0.0) || settings.tolerance > worth_polishing) return;
  const Attempt coarse(s);
  solve_from_here(settings, s);
  s.guess.setZero();  // what the step began with
  if (!s.certificate.certified(settings.tolerance)) coarse.put_back(s);
}

void solve_from_here(const StepSettings& settings, IslandSolve& s) {
  s.guess = s.solution.r;
  solve_again(settings, s);
}

bool contradicts(const StepSettings& settings, const IslandSolve& s) {
  if (settings.contact == ContactModel::soft) return false;
  return s.solve_report.status == SolveStatus::infeasible || s.certifier.growth() > suspicious_growth;
}

std::optional<bool> relax_overlaps(const RescueInput& in, IslandSolve& s) {
  const StepSettings& settings = in.settings;
  const Attempt asked(s);
  s.relaxed = s.relaxer.relax(in.contacts, in.island, settings, s.biases, s.deadline, s.problem);
  const bool agree_without_friction = s.relaxed.rows == 0;
  if (!agree_without_friction) {
    solve_again(settings, s);
    if (s.certificate.certified(settings.tolerance)) return true;
  } else if (!s.relaxer.any_deep()) {
    return std::nullopt;
  }
  s.relaxed = s.relaxer.leave_all(settings, s.problem);
  solve_again(settings, s);
  const bool helped = s.certificate.certified(settings.tolerance);
  if (helped || !agree_without_friction) return helped;
  s.relaxed = {};  // not wedged, but hard
  asked.put_back(s);
  return false;
}

bool is_hard(const StepSettings& settings, const IslandSolve& s) {
  if (settings.max_rescues == 0 || settings.contact == ContactModel::soft || s.relaxed.rows > 0) return false;
  if (s.certificate.certified(settings.tolerance) || s.problem.rows() > most_rows_tried_harder) return false;
  if (s.solve_report.other_law || s.solve_report.status == SolveStatus::unsupported) return false;
  return s.solve_report.status != SolveStatus::infeasible && s.solve_report.status != SolveStatus::time_limit;
}

std::optional<bool> solve_with_unrounded_gaps(const RescueInput& in, IslandSolve& s) {
  const StepSettings& settings = in.settings;
  const Attempt asked(s);
  if (!restore_rounded_gaps(settings, in.contacts, in.island, s.biases, s.problem)) return std::nullopt;
  solve_from_here(settings, s);
  if (s.certificate.certified(settings.tolerance)) return true;
  s.problem.b = asked.b();
  s.biases = asked.biases();
  solve_from_here(settings, s);
  const bool helped = s.certificate.certified(settings.tolerance);
  if (!helped) asked.put_back(s);
  return helped;
}

std::optional<bool> solve_with_hairlines_closed(const RescueInput& in, IslandSolve& s) {
  const StepSettings& settings = in.settings;
  const Attempt asked(s);
  for (const double width : hairline_widths) {
    const HairlineGaps closed =
        close_hairlines(in.model, in.contacts, in.island, width, settings.step, s.biases, s.problem);
    if (closed.rows == 0) continue;
    s.hairlines.rows += closed.rows;
    s.hairlines.largest = std::max(s.hairlines.largest, closed.largest);
    solve_from_here(settings, s);
    if (s.certificate.certified(settings.tolerance)) return true;
  }
  if (s.hairlines.rows == 0) return std::nullopt;
  s.hairlines = {};
  asked.put_back(s);
  return false;
}

}  // namespace cardhouse
