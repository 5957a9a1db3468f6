// Contacts that are softer across their normal than along it, as soft contacts with different springs are.
#include <gtest/gtest.h>

#include "cardhouse/contact/residual.h"
#include "cardhouse/solvers/solver.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

ContactProblem pile_on_springs(unsigned seed, double normal, double tangential) {
  ContactProblem problem = random_pile(seed, 6, coulomb(0.4));
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    problem.compliance[rows.row] = normal;
    problem.compliance.segment(rows.row + 1, rows.dim - 1).setConstant(tangential);
  }
  return problem;
}

TEST(Compliance, OfItsOwnAcrossTheNormalIsSolvedExactly) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    for (const auto& [normal, tangential] : {std::pair{1e-3, 1e-1}, {1e-1, 1e-3}, {1.0, 10.0}}) {
      const ContactProblem problem = pile_on_springs(seed, normal, tangential);
      EXPECT_TRUE(has_uneven_compliance(problem));
      for (const char* name : {"auto", "newton", "newton:function=fischer-burmeister", "interior-point",
                               "staggered-projections", "admm", "gauss-seidel"}) {
        SCOPED_TRACE(::testing::Message() << name << ", seed " << seed << ", C " << normal << " " << tangential);
        ContactSolution solution{VecX::Zero(problem.rows()), VecX()};
        const SolveReport report = make_solver(name, {1e-8, 5000})->solve(problem, solution);
        EXPECT_EQ(report.status, SolveStatus::converged) << report.reason;
        EXPECT_LE(certify(problem, solution.r).residual, 1e-8);
      }
    }
  }
}

TEST(Compliance, OfItsOwnAcrossTheNormalIsRefusedByTheRelaxations) {
  for (const char* name : {"convex-relaxation", "successive-relaxation"}) {
    const ContactProblem uneven = pile_on_springs(1, 0.1, 0.2);
    ContactSolution solution{VecX::Zero(uneven.rows()), VecX()};
    EXPECT_EQ(make_solver(name, {})->solve(uneven, solution).status, SolveStatus::unsupported) << name;
    const ContactProblem even = pile_on_springs(1, 0.1, 0.1);
    EXPECT_FALSE(has_uneven_compliance(even));
    EXPECT_NE(make_solver(name, {})->solve(even, solution).status, SolveStatus::unsupported) << name;
  }
}

}  // namespace
}  // namespace cardhouse::testing
