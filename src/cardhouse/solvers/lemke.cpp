#include "cardhouse/solvers/lemke.h"

#include <cmath>
#include <cstdio>

#include "cardhouse/contact/law_projection.h"

namespace cardhouse {
namespace {

/// Entries of a ray or a contradiction below this fraction of the largest are ignored.
constexpr double taking_part = 1e-7;

std::vector<int> rows_taking_part(const VecX& r) {
  std::vector<int> rows;
  const double least = taking_part * r.cwiseAbs().maxCoeff();
  for (int i = 0; i < r.size(); ++i) {
    if (std::abs(r[i]) > least) rows.push_back(i);
  }
  return rows;
}

bool has_friction(const ContactProblem& problem, const VecX& r) {
  const double least = taking_part * r.cwiseAbs().maxCoeff();
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    for (int i = normal_rows(problem.laws[g], rows.dim); i < rows.dim; ++i) {
      if (std::abs(r[rows.row + i]) > least) return true;
    }
  }
  return false;
}

std::string reason_of_failure(const LemkeResult& result) {
  char text[200];
  switch (result.status) {
    case LemkeStatus::lost_digits:
      if (!std::isfinite(result.residual)) return "no path ended: a basis is singular to the last digit";
      std::snprintf(text, sizeof text,
                    "no path ended: a basis is too ill conditioned (its values are off by %.0e after factorising anew)",
                    result.residual);
      return text;
    case LemkeStatus::came_back:
      return "no path ended: the last one came back to a basis, by round-off";
    default:
      return "the problem is not finite";
  }
}

/// Farkas: impulses without friction that move nothing (W r = 0, so Jᵀ r = 0) while r · q < 0. For any velocities v,
/// r · (J v + b) = r · q, but the laws need every term of r · u to be at least 0.
bool proves_infeasible(const ContactProblem& problem, const VecX& r) {
  if (!(r.cwiseAbs().maxCoeff() > 0.0) || has_friction(problem, r)) return false;
  VecX q, u, v;
  free_velocity(problem, q);
  contact_velocity(problem, r, v, u);
  const double reach = r.cwiseAbs().dot(q.cwiseAbs());
  return (u - q).cwiseAbs().dot(r.cwiseAbs()) <= taking_part * reach && r.dot(q) < -taking_part * reach;
}

}  // namespace

SolveReport Lemke::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {"lemke"};
  report.other_law = has_round_friction(problem);
  if (!monitor_.begin(problem, solution, report)) return report;
  if (!monitor_.good_enough()) {
    const std::vector<double> rho = monitor_.certifier().rho();
    const int unknowns = polygonal_lcp_size(problem, rho, own_.disk_sides);
    const bool refused = too_large(unknowns, own_.max_unknowns, "a path of so many would take hours", report);
    if (!refused) pivot(problem, rho, solution, report);
  }
  if (report.status == SolveStatus::unsupported) {
    report.seconds = monitor_.seconds();
    return report;
  }
  monitor_.end(problem, report);
  return report;
}

void Lemke::pivot(const ContactProblem& problem, const std::vector<double>& rho, ContactSolution& solution,
                  SolveReport& report) {
  const PolygonalLcp lcp = polygonal_lcp(problem, rho, own_.disk_sides);
  const int equations = static_cast<int>(lcp.mixed.free.size());
  if (too_large(equations, own_.max_equations, "equality rows are eliminated by a dense factorisation", report)) return;
  const FreeElimination elimination(lcp.mixed);
  if (elimination.contradictory()) {
    report.status = SolveStatus::infeasible;
    report.reason = "equality rows contradict each other";
    report.conflicting_rows = rows_taking_part(lcp.map * elimination.contradiction());
    return;
  }
  LemkeOptions options;
  options.max_pivots = options_.max_iterations;
  options.stop = [this] { return monitor_.out_of_time(); };
  const LemkeResult result = solve_lemke(elimination.reduced(), options);
  report.inner_iterations = result.pivots;
  if (result.status == LemkeStatus::solved) {
    monitor_.offer(problem, impulses_of(lcp, elimination.expand(result.z)), solution, report);
  }
  if (!monitor_.good_enough()) explain(problem, lcp, elimination, result, report);
}

void Lemke::explain(const ContactProblem& problem, const PolygonalLcp& lcp, const FreeElimination& elimination,
                    const LemkeResult& result, SolveReport& report) const {
  char text[200];
  switch (result.status) {
    case LemkeStatus::solved:
      if (!lcp.exact) {
        std::snprintf(text, sizeof text,
                      "solved with polygons of %d sides for round friction: error %.1e of the laws as they are",
                      own_.disk_sides, monitor_.best());
      } else {
        std::snprintf(text, sizeof text, "the final basis has lost digits: error %.1e", monitor_.best());
      }
      report.reason = text;
      return;
    case LemkeStatus::ray: {
      const VecX ray = lcp.map * elimination.expand_direction(result.ray);
      if (proves_infeasible(problem, ray)) {
        report.status = SolveStatus::infeasible;
        report.reason = "secondary ray of impulses that move nothing: the rows contradict each other";
        report.conflicting_rows = rows_taking_part(ray);
        return;
      }
      report.status = SolveStatus::failed;
      std::snprintf(text, sizeof text, "secondary ray after %d pivots: the paths run off without a solution",
                    result.pivots);
      report.reason = text;
      return;
    }
    case LemkeStatus::iteration_limit:
    case LemkeStatus::stopped:
      std::snprintf(text, sizeof text, "stopped after %d pivots on %d unknowns", result.pivots,
                    elimination.reduced().size());
      report.reason = text;
      return;
    case LemkeStatus::lost_digits:
    case LemkeStatus::came_back:
    case LemkeStatus::failed:
      report.status = SolveStatus::failed;
      report.reason = reason_of_failure(result);
      if (!elimination.equivalent()) report.reason = "W is not semidefinite: its equality rows cannot be eliminated";
      return;
  }
}

}  // namespace cardhouse
