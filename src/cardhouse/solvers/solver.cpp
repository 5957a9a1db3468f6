#include "cardhouse/solvers/solver.h"

#include <algorithm>

#include "cardhouse/base/memory_limit.h"
#include "cardhouse/base/nearest.h"
#include "cardhouse/solvers/admm.h"
#include "cardhouse/solvers/auto_solver.h"
#include "cardhouse/solvers/convex_relaxation.h"
#include "cardhouse/solvers/gauss_seidel.h"
#include "cardhouse/solvers/interior_point.h"
#include "cardhouse/solvers/lemke.h"
#include "cardhouse/solvers/newton.h"
#include "cardhouse/solvers/own_options.h"
#include "cardhouse/solvers/projected_gauss_seidel.h"
#include "cardhouse/solvers/sqp.h"
#include "cardhouse/solvers/staggered_projections.h"
#include "cardhouse/solvers/successive_relaxation.h"

namespace cardhouse {

std::string_view status_name(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::iteration_limit:
      return "iteration_limit";
    case SolveStatus::time_limit:
      return "time_limit";
    case SolveStatus::infeasible:
      return "infeasible";
    case SolveStatus::unsupported:
      return "unsupported";
    case SolveStatus::failed:
      return "failed";
  }
  return "unknown";
}

void add_methods(const std::vector<std::string>& more, std::vector<std::string>& methods) {
  for (const std::string& method : more) {
    if (std::find(methods.begin(), methods.end(), method) == methods.end()) methods.push_back(method);
  }
}

namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Solver> (*make)(const SolverOptions&, OwnOptions&);
};

template <typename Method>
std::unique_ptr<Solver> make(const SolverOptions& options, OwnOptions&) {
  return std::make_unique<Method>(options);
}

std::unique_ptr<Solver> make_interior_point(const SolverOptions& options, OwnOptions& own) {
  InteriorPointOptions chosen;
  chosen.relaxed = own.choice("law", {"coulomb", "relaxed"}) == 1;
  return std::make_unique<InteriorPoint>(options, chosen);
}

std::unique_ptr<Solver> make_staggered_projections(const SolverOptions& options, OwnOptions& own) {
  StaggeredProjectionsOptions chosen;
  chosen.anderson_depth = own.number("anderson", 0, 30, chosen.anderson_depth);
  chosen.parallel = own.choice("form", {"sequential", "parallel"}) == 1;
  return std::make_unique<StaggeredProjections>(options, chosen);
}

std::unique_ptr<Solver> make_successive_relaxation(const SolverOptions& options, OwnOptions& own) {
  SuccessiveRelaxationOptions chosen;
  chosen.anderson_depth = own.number("anderson", 0, 30, chosen.anderson_depth);
  return std::make_unique<SuccessiveRelaxation>(options, chosen);
}

/// Of the polygon that stands for round friction: even, as friction is the same in opposite directions.
constexpr int least_sides = 4;
constexpr int most_sides = 256;

std::unique_ptr<Solver> make_lemke(const SolverOptions& options, OwnOptions& own) {
  LemkeSolverOptions chosen;
  chosen.disk_sides = own.even_number("sides", least_sides, most_sides, chosen.disk_sides);
  return std::make_unique<Lemke>(options, chosen);
}

std::unique_ptr<Solver> make_sqp(const SolverOptions& options, OwnOptions& own) {
  SqpOptions chosen;
  chosen.disk_sides = own.even_number("sides", least_sides, most_sides, chosen.disk_sides);
  return std::make_unique<Sqp>(options, chosen);
}

std::unique_ptr<Solver> make_newton(const SolverOptions& options, OwnOptions& own) {
  NewtonOptions chosen;
  const bool other = own.choice("function", {"alart-curnier", "fischer-burmeister"}) == 1;
  chosen.equation = other ? fischer_burmeister : alart_curnier;
  return std::make_unique<Newton>(options, chosen);
}

std::unique_ptr<Solver> make_regularised_gauss_seidel(const SolverOptions& options, OwnOptions&) {
  ProjectedGaussSeidelOptions own;
  own.friction = ProjectedGaussSeidelOptions::Friction::pyramid;
  return std::make_unique<ProjectedGaussSeidel>(options, own);
}

constexpr Entry shelf[] = {
    {"auto", make<AutoSolver>},
    {"newton", make_newton},
    {"interior-point", make_interior_point},
    {"staggered-projections", make_staggered_projections},
    {"admm", make<Admm>},
    {"gauss-seidel", make<GaussSeidel>},
    {"successive-relaxation", make_successive_relaxation},
    {"convex-relaxation", make<ConvexRelaxation>},
    {"lemke", make_lemke},
    {"sqp", make_sqp},
    {"projected-gauss-seidel", make<ProjectedGaussSeidel>},
    {"regularised-gauss-seidel", make_regularised_gauss_seidel},
};

}  // namespace

const std::vector<std::string>& solver_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Entry& entry : shelf) list.emplace_back(entry.name);
    return list;
  }();
  return names;
}

SolveReport solve_within_memory(Solver& solver, const ContactProblem& problem, ContactSolution& solution) {
  const VecX guess = solution.r;
  try {
    return solver.solve(problem, solution);
  } catch (const MemoryError& error) {
    SolveReport report;
    report.status = SolveStatus::unsupported;
    report.reason = error.what();
    solution.r = guess;
    return report;
  }
}

std::unique_ptr<Solver> make_solver(const std::string& name, const SolverOptions& options) {
  OwnOptions own(name);
  for (const Entry& entry : shelf) {
    if (own.solver() != entry.name) continue;
    std::unique_ptr<Solver> solver = entry.make(options, own);
    own.finish();
    return solver;
  }
  std::string known;
  for (const std::string& other : solver_names()) known += (known.empty() ? "" : ", ") + other;
  const std::vector<std::string_view> names(solver_names().begin(), solver_names().end());
  const std::string_view near = nearest(own.solver(), names);
  const std::string meant = near.empty() ? "" : "did you mean \"" + std::string(near) + "\"? It ";
  throw InputError("solver = \"" + own.solver() + "\": " + meant + "must be one of: " + known);
}

}  // namespace cardhouse
