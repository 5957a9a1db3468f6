#include "cardhouse/solvers/solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>

#include "cardhouse/base/error.h"
#include "contact/small_problems.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

TEST(MakeSolver, KnowsEachNameThatItLists) {
  EXPECT_FALSE(solver_names().empty());
  for (const std::string& name : solver_names()) {
    const std::unique_ptr<Solver> solver = make_solver(name, {});
    ASSERT_NE(solver, nullptr) << name;
    const SolvedProblem particle = particle_with(coulomb(0.5), Vec3(1, 0, 0), Vec3::Zero());
    ContactSolution solution{VecX::Zero(3), VecX()};
    const SolveReport report = solver->solve(particle.problem, solution);
    // The report names the methods that were used; "auto" is none itself.
    ASSERT_FALSE(report.methods.empty()) << name;
    for (const std::string& method : report.methods) EXPECT_TRUE(name == "auto" ? method != "auto" : method == name);
  }
}

TEST(MakeSolver, OfAnUnknownNameThrowsAnErrorThatListsTheKnownOnes) {
  for (const std::string wrong : {"stagered-projections", "", "Staggered-Projections"}) {
    try {
      make_solver(wrong, {});
      ADD_FAILURE() << "\"" << wrong << "\" was accepted";
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("\"" + wrong + "\""), std::string::npos) << message;
      for (const std::string& name : solver_names()) EXPECT_NE(message.find(name), std::string::npos) << message;
    }
  }
}

/// Tolerance 1e-300 is never reached, so that without the token all of a solver's iterations would be spent.
TEST(EverySolver, EndsSoonWhenItIsCancelled) {
  const ContactProblem problem = random_pile(7, 12, coulomb(0.4));
  const std::atomic<bool> flag = true;
  SolverOptions options;
  options.tolerance = 1e-300;
  options.max_iterations = 100000;
  options.stop = CancellationToken(flag);
  for (const std::string& name : solver_names()) {
    ContactSolution solution{VecX::Zero(problem.rows()), VecX()};
    const SolveReport report = make_solver(name, options)->solve(problem, solution);
    EXPECT_LE(report.iterations, 2) << name;
    EXPECT_LE(report.inner_iterations, 2) << name;
    EXPECT_TRUE(report.status == SolveStatus::time_limit || report.status == SolveStatus::unsupported)
        << name << ": " << status_name(report.status) << ", " << report.reason;
    EXPECT_TRUE(solution.r.allFinite()) << name;
  }
}

/// A solver that works for another one ends with it.
TEST(EverySolver, EndsWithTheTimeOfTheOneThatItWorksFor) {
  const ContactProblem problem = random_pile(7, 12, coulomb(0.4));
  const Deadline over(1e-300);
  SolverOptions options;
  options.tolerance = 1e-300;
  options.max_iterations = 100000;
  options.within = &over;
  for (const std::string& name : solver_names()) {
    ContactSolution solution{VecX::Zero(problem.rows()), VecX()};
    const SolveReport report = make_solver(name, options)->solve(problem, solution);
    EXPECT_LE(report.iterations, 2) << name;
    EXPECT_TRUE(report.status == SolveStatus::time_limit || report.status == SolveStatus::unsupported)
        << name << ": " << status_name(report.status) << ", " << report.reason;
  }
}

TEST(StatusName, IsDifferentForEachStatus) {
  std::set<std::string_view> names;
  for (SolveStatus status : {SolveStatus::converged, SolveStatus::iteration_limit, SolveStatus::time_limit,
                             SolveStatus::infeasible, SolveStatus::unsupported, SolveStatus::failed}) {
    names.insert(status_name(status));
  }
  EXPECT_EQ(names.size(), 6u);
  EXPECT_EQ(names.count("unknown"), 0u);
  EXPECT_EQ(status_name(SolveStatus::iteration_limit), "iteration_limit");
}

}  // namespace
}  // namespace cardhouse::testing
