#include "cardhouse/solvers/auto_stages.h"

#include <algorithm>
#include <vector>

#include "cardhouse/solvers/gauss_seidel.h"
#include "cardhouse/solvers/interior_point.h"
#include "cardhouse/solvers/newton.h"
#include "cardhouse/solvers/newton_starts.h"
#include "cardhouse/solvers/projected_gauss_seidel.h"

namespace cardhouse {
namespace {

using Made = std::unique_ptr<Solver>;

/// Rows up to which a thousand sweeps with Newton after them, many times, take seconds in a plane.
constexpr int fit_for_walks = 1500;
/// Rows up to which a sequence of convex programs takes seconds.
constexpr int fit_for_programs = 3000;
/// Rows beyond which hundreds of factorisations would take minutes.
constexpr int large = 5000;
/// Up to which tolerance (−) structures at rest are solved as well as they can be. Above it speed is asked for: large
/// piles would spend many factorisations on digits that nobody wants.
constexpr double fine = 1e-7;

SolverOptions few(SolverOptions options, int iterations) {
  options.max_iterations = std::min(options.max_iterations, iterations);
  return options;
}

GaussSeidelOptions brief_sweeps(double tolerance) {
  GaussSeidelOptions own;
  // What is left of the error would push a structure at rest the same way step after step.
  if (tolerance <= fine) own.aim_part = 0.1;
  return own;
}

/// Easy problems are done within 100 sweeps, which cost as much as a Newton step or two. More are worth it where they
/// are few beside a factorisation, whose time grows faster than the groups: 4 for each.
Made make_sweeps(const SolverOptions& options) {
  GaussSeidelOptions own = brief_sweeps(options.tolerance);
  own.hope_after = 100;
  own.sweeps_per_group = 4.0;
  return std::make_unique<GaussSeidel>(few(options, 5000), own);
}

Made make_last_sweeps(const SolverOptions& options) {
  return std::make_unique<GaussSeidel>(options, brief_sweeps(options.tolerance));
}

/// It gives up sooner than by itself: the next stage starts from where it ended.
NewtonOptions brief_newton(double tolerance) {
  NewtonOptions own;
  own.patience = 45;
  own.weighing = 15;
  if (tolerance <= fine) return own;
  own.aim_part = 0.01;
  own.patience_within = 3;
  return own;
}

Made make_newton(const SolverOptions& options) {
  return std::make_unique<Newton>(few(options, 100), brief_newton(options.tolerance));
}

/// With hardly any proximal term, so that its steps go far: careful ones get stuck close to the answer where many
/// contacts are about to slip.
Made make_bold_newton(const SolverOptions& options) {
  NewtonOptions own = brief_newton(options.tolerance);
  own.proximal = 1e-6;
  own.most_inner = 50;
  own.patience = 100;
  own.weighing = 50;
  return std::make_unique<Newton>(options, own);
}

Made make_interior_point(const SolverOptions& options) {
  return std::make_unique<InteriorPoint>(options);
}

/// A careful Newton and a bold one in turn: they end different problems.
Made make_starts(const SolverOptions& options, std::unique_ptr<Walk> walk, const NewtonStartsOptions& own) {
  std::vector<Made> started;
  started.push_back(make_newton(options));
  started.push_back(make_bold_newton(options));
  return std::make_unique<NewtonStarts>(options, std::move(walk), std::move(started), own);
}

/// In a plane, where each tangent has its own bound, sweeps of scalar rows keep to Coulomb's law, and wander farther
/// than those of whole contacts. Lattices of 210 disks that end do so within 40 legs.
Made make_planar_walk(const SolverOptions& options) {
  NewtonStartsOptions own;
  own.legs = 40;
  auto sweeps = std::make_unique<ProjectedGaussSeidel>(few(options, 1000));
  return make_starts(options, std::make_unique<SweepWalk>("projected-gauss-seidel", std::move(sweeps), options), own);
}

/// The first programs change most; a start of Newton costs as much as one or two of them.
Made make_relaxed_walk(const SolverOptions& options, double damping) {
  NewtonStartsOptions own;
  own.legs = 100;
  own.first_starts = 3;
  own.every = 5;
  return make_starts(options, std::make_unique<RelaxedWalk>(options, damping), own);
}

Made make_damped_walk(const SolverOptions& options) {
  return make_relaxed_walk(options, 0.5);
}

Made make_plain_walk(const SolverOptions& options) {
  return make_relaxed_walk(options, 1.0);
}

using enum AutoStage::Start;
using enum AutoStage::Where;

constexpr AutoStage table[] = {
    {.name = "sweeps",
     .purpose = "easy problems, and coarse tolerances: done before Newton has made a few steps",
     .make = make_sweeps,
     .start = guess,
     .sweeps = true},
    {.name = "newton", .purpose = "most problems in few steps, warm ones in one or two", .make = make_newton},
    {.name = "interior point",
     .purpose = "many contacts about to slip or to open: structures that give way, piles of boxes",
     .make = make_interior_point,
     .most_rows = large},
    {.name = "bold newton",
     .purpose = "an answer that is close, where careful steps got stuck",
     .make = make_bold_newton,
     .where = space,
     .most_rows = large},
    {.name = "planar walk",
     .purpose = "lattices of disks, whose forces have many ways to the ground",
     .make = make_planar_walk,
     .start = zero,
     .where = plane,
     .sweeps = true,
     .thorough = true},
    {.name = "damped walk",
     .purpose = "heaps of rocks and structures hit hard: sliding sets that balance, one after the other",
     .make = make_damped_walk,
     .start = zero,
     .thorough = true,
     .most_rows = fit_for_programs},
    {.name = "plain walk",
     .purpose = "the same by longer strides, past other sets",
     .make = make_plain_walk,
     .start = zero,
     .where = space,
     .thorough = true,
     .most_rows = fit_for_programs},
    {.name = "last sweeps",
     .purpose = "large problems, in place of all stages that would take minutes",
     .make = make_last_sweeps,
     .sweeps = true,
     .least_rows = large + 1},
};

}  // namespace

bool AutoStage::is_for(int rows, bool planar) const {
  if (rows < least_rows || rows > most_rows) return false;
  return where == anywhere || (where == plane) == (planar && rows <= fit_for_walks);
}

std::span<const AutoStage> auto_stages() {
  return table;
}

}  // namespace cardhouse
