#include "cardhouse/solvers/solver.h"

#include "cardhouse/base/error.h"
#include "cardhouse/solvers/auto_solver.h"
#include "cardhouse/solvers/interior_point.h"
#include "cardhouse/solvers/lemke.h"
#include "cardhouse/solvers/sqp.h"
#include "cardhouse/solvers/staggered_projections.h"

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

namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Solver> (*make)(const SolverOptions&);
};

template <typename Method>
std::unique_ptr<Solver> make(const SolverOptions& options) {
  return std::make_unique<Method>(options);
}

constexpr Entry shelf[] = {
    {"auto", make<AutoSolver>},
    {"interior-point", make<InteriorPoint>},
    {"lemke", make<Lemke>},
    {"sqp", make<Sqp>},
    {"staggered-projections", make<StaggeredProjections>},
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

std::unique_ptr<Solver> make_solver(const std::string& name, const SolverOptions& options) {
  for (const Entry& entry : shelf) {
    if (name == entry.name) return entry.make(options);
  }
  std::string known;
  for (const std::string& other : solver_names()) known += (known.empty() ? "" : ", ") + other;
  throw InputError("solver = \"" + name + "\": must be one of: " + known);
}

}  // namespace cardhouse
