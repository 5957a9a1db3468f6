// A solve and what the certificate says of it, apart from the solver.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "cardhouse/contact/residual.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse::testing {

struct Outcome {
  SolveReport report;
  ContactSolution solution;
  double residual = 0.0;
};

inline Outcome solve_with(Solver& solver, const ContactProblem& problem, const VecX& guess) {
  Outcome outcome;
  outcome.solution.r = guess;
  outcome.report = solver.solve(problem, outcome.solution);
  outcome.residual = certify(problem, outcome.solution.r).residual;
  return outcome;
}

inline Outcome solve_cold(Solver& solver, const ContactProblem& problem) {
  return solve_with(solver, problem, VecX::Zero(problem.rows()));
}

}  // namespace cardhouse::testing
