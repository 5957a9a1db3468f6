#include "cardhouse/solvers/auto_solver.h"

#include <algorithm>

#include "cardhouse/solvers/admm.h"
#include "cardhouse/solvers/convex_relaxation.h"
#include "cardhouse/solvers/interior_point.h"
#include "cardhouse/solvers/newton.h"
#include "cardhouse/solvers/projected_gauss_seidel.h"
#include "cardhouse/solvers/relaxed_starts.h"
#include "cardhouse/solvers/staggered_projections.h"
#include "cardhouse/solvers/successive_relaxation.h"

namespace cardhouse {
namespace {

/// Sweeps within which easy problems end; hard ones lose little time by them.
constexpr int most_sweeps = 100;
/// Further rounds of them where the error is so close to the tolerance (−) that the end is in sight; more where a round
/// costs less than one factorisation.
constexpr int further_rounds = 2;
constexpr int more_further_rounds = 9;
constexpr double in_sight = 100.0;
/// Where thousands of sweeps cost less than one factorisation; at a coarse tolerance whatever is in sight.
constexpr int longer_sweeps = 1000;
constexpr int long_rounds = 5;
/// Groups from which on a hundred sweeps cost no more than Newton's few factorisations, which grow faster.
constexpr int fit_for_sweeps = 200;
/// Groups from which on one factorisation costs as much as hundreds of sweeps, where contacts are single.
constexpr int too_many_to_factorise = 2000;
/// Rows beyond which factorisations are counted, because hundreds of them would take minutes.
constexpr int large = 5000;
/// Rows up to which many starts in a plane take seconds.
constexpr int fit_for_starts = 1500;
/// Rows up to which what comes after them is worth its time; of successive relaxation, which ends more, up to which.
constexpr int small_plane = 300;
constexpr int larger_plane = 600;
/// Rows up to which successive relaxation takes seconds.
constexpr int fit_for_relaxation = 3000;
/// Rows beyond which its programs take so long that starts of Newton between them are fewer.
constexpr int fit_for_many_programs = 1500;
constexpr int few_programs = 40;
/// Newton's starts in a plane lie so many sweeps of scalar rows apart; those lattices of disks that end do so after a
/// few starts, a second's work for 600 contacts.
constexpr int sweeps_between_starts = 1000;
constexpr int planar_starts = 12;
/// Before that, from no impulses: the first few starts come too early to carry any load to the ground.
constexpr int sweeps_of_load = 100;
constexpr int load_starts = 14;
constexpr int first_load_start = 2;
/// The same for contacts in space, by sweeps of whole contacts.
constexpr int spatial_starts = 5;
/// A tolerance that sweeps reach from any guess where there are enough contacts for them.
constexpr double coarse = 1e-5;
/// Up to which tolerance structures at rest are solved as well as they can be.
constexpr double fine = 1e-7;

/// Each gives up soon: the next one starts from where it ended.
GaussSeidelOptions brief_sweeps() {
  GaussSeidelOptions options;
  options.aim_part = 0.1;  // what is left of the error would push the same way step after step
  return options;
}

/// The user's time limit is for all methods together.
SolverOptions within(SolverOptions options, const Deadline& deadline) {
  options.max_seconds = 0.0;
  options.within = &deadline;
  return options;
}

SolverOptions few(SolverOptions options, int iterations) {
  options.max_iterations = std::min(options.max_iterations, iterations);
  return options;
}

bool between_same_bodies(const BlockRows& j, int one, int other) {
  const auto same = [](const BlockRows::Entry& a, const BlockRows::Entry& b) { return a.block == b.block; };
  return std::ranges::equal(j.entries(one), j.entries(other), same);
}

/// Whether two bodies meet in several contacts, as boxes do and spheres don't: what one contact gains there its
/// neighbours lose, and sweeps go on for ever.
bool redundant(const ContactProblem& problem) {
  if (problem.delassus) return true;
  int repeated = 0;
  for (int g = 1; g < problem.groups(); ++g) repeated += between_same_bodies(problem.j, g - 1, g) ? 1 : 0;
  return 3 * repeated > problem.groups();
}

/// At a tolerance above `fine` speed is asked for: large piles would spend many factorisations on digits that nobody
/// wants.
NewtonOptions newton_for(double tolerance) {
  NewtonOptions options;
  if (tolerance > fine) {
    options.aim_part = 0.01;
    options.patience_within = 3;
  }
  return options;
}

NewtonOptions brief_newton(double tolerance) {
  NewtonOptions options = newton_for(tolerance);
  options.patience = 45;
  options.weighing = 15;
  return options;
}

/// With hardly any proximal term, so that its steps go far: careful ones get stuck close to the answer where many
/// contacts are about to slip.
NewtonOptions bold_newton(double tolerance) {
  NewtonOptions options = newton_for(tolerance);
  options.proximal = 1e-6;
  options.most_inner = 50;
  options.patience = 100;
  options.weighing = 50;
  return options;
}

/// Fischer & Burmeister's function, whose kinks lie elsewhere.
NewtonOptions rounded_newton(double tolerance) {
  NewtonOptions options = bold_newton(tolerance);
  options.equation = fischer_burmeister;
  options.proximal = 1e-3;
  return options;
}

/// With a shorter memory it ends some problems that it does not end with a longer one.
SuccessiveRelaxationOptions forgetful_relaxation() {
  SuccessiveRelaxationOptions options;
  options.anderson_depth = 5;
  return options;
}

StaggeredProjectionsOptions brief_projections() {
  StaggeredProjectionsOptions options;
  options.patience = 60;
  return options;
}

/// The error of the answer that a method kept.
double least(const std::vector<double>& history) {
  return history.empty() ? std::numeric_limits<double>::infinity() : *std::ranges::min_element(history);
}

void add(const SolveReport& own, SolveReport& report) {
  report.iterations += own.iterations;
  report.inner_iterations += own.inner_iterations;
  if (report.methods.empty()) {
    report.methods = own.methods;
    report.residual_history = own.residual_history;
    return;
  }
  for (const std::string& method : own.methods) {
    if (report.methods.empty() || report.methods.back() != method) report.methods.push_back(method);
  }
  report.residual_history.insert(report.residual_history.end(), own.residual_history.begin(),
                                 own.residual_history.end());
}

}  // namespace

/// What more than one stage runs: they keep their factorisations' buffers between stages.
struct AutoSolver::Methods {
  explicit Methods(const SolverOptions& options)
      : newton(std::make_shared<Newton>(options, brief_newton(options.tolerance))),
        bold(std::make_shared<Newton>(options, bold_newton(options.tolerance))),
        rounded(std::make_shared<Newton>(options, rounded_newton(options.tolerance))),
        relaxation(std::make_shared<ConvexRelaxation>(options)),
        successive(std::make_shared<SuccessiveRelaxation>(options)),
        interior_point(std::make_shared<InteriorPoint>(options)) {}

  std::shared_ptr<Solver> newton, bold, rounded, relaxation, successive, interior_point;
};

AutoSolver::AutoSolver(const SolverOptions& all)
    : tolerance_(all.tolerance),
      monitor_(all),
      sweeps_(few(within(all, monitor_.deadline()), most_sweeps), brief_sweeps()),
      long_sweeps_(few(within(all, monitor_.deadline()), longer_sweeps)) {
  const SolverOptions options = within(all, monitor_.deadline());
  const Methods methods(options);
  stages_ = {
      {.method = methods.newton, .most_rows = large},
      {.method = std::make_shared<Newton>(few(options, 100), brief_newton(options.tolerance)), .least_rows = large + 1},
  };
  add_planar_stages(options, methods);
  stages_.insert(stages_.end(),
                 {
                     {.method = methods.interior_point, .most_rows = large},
                     {.method = methods.relaxation, .kept = &relaxed_, .most_planar_rows = 0, .most_rows = large},
                     {.method = methods.newton, .from = &relaxed_, .most_planar_rows = 0, .most_rows = large},
                     {.method = methods.interior_point, .from = &nothing_, .most_rows = large},
                 });
  add_relaxed_starts(options, methods);
  add_relaxation(methods.successive, &nothing_, methods);
  add_spatial_starts(options, methods);
  add_last_steps(methods);
  add_relaxation(methods.successive, nullptr, methods);
  stages_.insert(stages_.end(),
                 {
                     {.method = std::make_shared<StaggeredProjections>(options, brief_projections()),
                      .most_planar_rows = small_plane,
                      .most_rows = large},
                     {.method = std::make_shared<Admm>(options),
                      .from = &relaxed_,
                      .most_planar_rows = small_plane,
                      .most_rows = large},
                     {.method = std::make_shared<GaussSeidel>(options, brief_sweeps()), .least_rows = large + 1},
                 });
  add_last_steps(methods);
  add_relaxation(std::make_shared<SuccessiveRelaxation>(options, forgetful_relaxation()), nullptr, methods);
}

/// First with half of each change of the openings, which creeps but is hardly ever led astray, then with all of it.
void AutoSolver::add_relaxed_starts(const SolverOptions& options, const Methods& methods) {
  for (const double damping : {0.5, 1.0}) {
    for (const bool many : {false, true}) {
      RelaxedStartsOptions own;
      own.damping = damping;
      if (many) own.most_programs = few_programs;
      const std::vector<std::shared_ptr<Solver>> started = {methods.newton, methods.bold};
      stages_.push_back({.method = std::make_shared<RelaxedStarts>(options, started, own),
                         .most_planar_rows = 0,
                         .least_rows = many ? fit_for_many_programs + 1 : 0,
                         .most_rows = many ? fit_for_relaxation : fit_for_many_programs});
    }
  }
}

/// Convex programs whose fixed point is the law's: slow, but of another kind than all the others. Piles of rocks, whose
/// gaps contradict each other in their last digits, end there, or close enough for Newton.
void AutoSolver::add_relaxation(const std::shared_ptr<Solver>& method, const VecX* from, const Methods& methods) {
  stages_.push_back({.method = method,
                     .from = from,
                     .kept = &swept_,
                     .most_planar_rows = larger_plane,
                     .most_rows = fit_for_relaxation});
  stages_.push_back(
      {.method = methods.newton, .from = &swept_, .most_planar_rows = 0, .most_rows = fit_for_relaxation});
}

/// Thousands of sweeps from no impulses, and Newton from places on their way.
void AutoSolver::add_spatial_starts(const SolverOptions& options, const Methods& methods) {
  const auto wandering = std::make_shared<GaussSeidel>(few(options, sweeps_between_starts));
  for (int start = 0; start < spatial_starts; ++start) {
    stages_.push_back({.method = wandering,
                       .from = start == 0 ? &nothing_ : &swept_,
                       .kept = &swept_,
                       .most_planar_rows = 0,
                       .most_rows = large});
    stages_.push_back({.method = methods.newton, .from = &swept_, .most_planar_rows = 0, .most_rows = large});
  }
}

/// Where the best answer is close, as in piles of rocks at rest, Newton ends what the others left: with one function or
/// the other, carefully or boldly.
void AutoSolver::add_last_steps(const Methods& methods) {
  for (const auto& method : {methods.newton, methods.bold, methods.rounded, methods.interior_point}) {
    stages_.push_back({.method = method, .most_planar_rows = 0, .most_rows = large});
  }
}

/// In a plane, where each tangent has its own bound, sweeps of scalar rows keep to Coulomb's law. From no impulses, a
/// few hundred of them carry the load through a lattice, and a bold Newton ends it; from others they wander for
/// thousands of sweeps among impulses that nearly solve the problem, and from one place or another Newton ends it.
void AutoSolver::add_planar_stages(const SolverOptions& options, const Methods& methods) {
  const auto add_stage = [&](Stage stage) {
    stage.planar = true;
    stage.most_rows = fit_for_starts;
    stages_.push_back(std::move(stage));
  };
  add_stage({.method = methods.relaxation, .kept = &relaxed_});
  add_stage({.method = methods.newton, .from = &relaxed_});
  const auto loading = std::make_shared<ProjectedGaussSeidel>(few(options, sweeps_of_load));
  for (int start = 0; start < load_starts; ++start) {
    add_stage({.method = loading, .from = start == 0 ? &nothing_ : &swept_, .kept = &swept_});
    if (start >= first_load_start) add_stage({.method = methods.bold, .from = &swept_});
  }
  const auto wandering = std::make_shared<ProjectedGaussSeidel>(few(options, sweeps_between_starts));
  for (int start = 0; start < planar_starts; ++start) {
    add_stage({.method = wandering, .from = start == 0 ? &relaxed_ : &swept_, .kept = &swept_});
    add_stage({.method = methods.newton, .from = &swept_, .kept = &swept_});
  }
}

SolveReport AutoSolver::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  monitor_.start_clock();
  // Without a guess sweeps come first and look at the residual themselves: in small problems a look costs much.
  const bool cold = solution.r.isZero(0.0);
  if (cold && sweep(problem, solution, report)) return report;
  if (!monitor_.take_guess(problem, solution, report)) {
    report.methods = {"gauss-seidel"};  // the first method, which could not start
    return report;
  }
  if (!cold && worth_sweeping(problem) && sweep(problem, solution, report)) return report;
  const bool planar = is_planar(problem);
  nothing_.setZero(problem.rows());
  for (const Stage& stage : stages_) {
    if (monitor_.out_of_time()) break;
    if (is_for(stage, problem.rows(), planar) && run(stage, problem, solution, report)) break;
  }
  monitor_.end(problem, report);
  return report;
}

bool AutoSolver::is_for(const Stage& stage, int rows, bool planar) {
  if (stage.planar && !planar) return false;
  if (planar && rows <= fit_for_starts && rows > stage.most_planar_rows) return false;
  return rows >= stage.least_rows && rows <= stage.most_rows;
}

bool AutoSolver::worth_sweeping(const ContactProblem& problem) const {
  if (problem.groups() < fit_for_sweeps || redundant(problem)) return false;
  return tolerance_ >= coarse || (!monitor_.good_enough() && monitor_.best() < in_sight * tolerance_);
}

bool AutoSolver::sweep(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  const bool many = problem.groups() >= fit_for_sweeps;
  const bool too_many = problem.groups() >= too_many_to_factorise && !redundant(problem);
  const int further = too_many ? long_rounds : (many ? more_further_rounds : further_rounds);
  candidate_ = solution;
  for (int round = 0; round <= further; ++round) {
    SolveReport own = (too_many && round > 0 ? long_sweeps_ : sweeps_).solve(problem, candidate_);
    add(own, report);
    if (own.status == SolveStatus::converged) {
      solution = candidate_;
      report.status = own.status;
      report.seconds = monitor_.seconds();
      report.coarse = true;
      return true;
    }
    if (own.status != SolveStatus::iteration_limit || monitor_.out_of_time()) return false;
    const bool any_error = too_many && tolerance_ >= coarse;
    if (!any_error && least(own.residual_history) >= in_sight * tolerance_) return false;
  }
  return false;
}

bool AutoSolver::run(const Stage& stage, const ContactProblem& problem, ContactSolution& solution,
                     SolveReport& report) {
  candidate_ = solution;
  if (stage.from) candidate_.r = *stage.from;
  const SolveReport own = stage.method->solve(problem, candidate_);
  add(own, report);
  if (stage.kept) *stage.kept = candidate_.r;
  const bool has_answer = own.status != SolveStatus::unsupported && own.status != SolveStatus::failed;
  if (has_answer && monitor_.improves(monitor_.error(problem, candidate_.r))) solution = candidate_;
  if (own.status != SolveStatus::infeasible) return monitor_.good_enough();
  report.status = own.status;
  report.reason = own.reason;
  report.conflicting_rows = own.conflicting_rows;
  return true;
}

}  // namespace cardhouse
