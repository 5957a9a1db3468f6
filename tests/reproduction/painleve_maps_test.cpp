#include "cardhouse/reproduction/painleve_maps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cardhouse/contact/residual.h"
#include "cardhouse/reproduction/algorithm_1.h"

namespace cardhouse::reproduction {
namespace {

/// The same problem as the library states it: a particle in the plane with a skew friction direction.
ContactProblem problem_of(const PainleveCase& c, const Vec2& x) {
  ContactProblem problem;
  problem.a.add(Mat2::Identity());
  problem.v_free = -x;
  MatX rows(2, 2);
  rows << 0.0, 1.0, std::sin(c.theta), std::cos(c.theta);
  problem.j.begin_group(2);
  problem.j.add(problem.a, 0, rows);
  problem.b.setZero(2);
  problem.compliance.setZero(2);
  Law law;
  law.mu = law.mu_cross = c.mu;
  problem.laws = {law};
  return problem;
}

constexpr double theta = std::numbers::pi / 5.0;

TEST(PainleveMaps, SolveTheContactProblem) {
  for (const double mu : {0.3, 0.8, 1.1}) {
    for (const Vec2& x : {Vec2(0.3, 0.7), Vec2(-0.9, 0.1), Vec2(0.8, 0.4), Vec2(0.5, -0.5)}) {
      const PainleveCase c{theta, mu};
      const PainleveSolve solve = staggered_solve(c, x, 1e-28, 10000);
      ASSERT_TRUE(solve.converged);
      // A relative change of 1e-14 from one iteration to the next, of a sequence that contracts by 0.9.
      EXPECT_LE(certify(problem_of(c, x), Vec2(solve.alpha, solve.friction)).residual, 1e-12);
      EXPECT_NEAR(solve.objective, 0.0, 1e-12);
    }
  }
}

/// The general algorithm on the same problem takes the same iterations.
TEST(PainleveMaps, CountAsAlgorithm1Does) {
  for (const double mu : {0.3, 0.8, 1.1}) {
    for (const Vec2& x : {Vec2(0.3, 0.7), Vec2(-0.9, 0.1), Vec2(0.8, 0.4), Vec2(0.5, -0.5)}) {
      const PainleveCase c{theta, mu};
      const ContactProblem problem = problem_of(c, x);
      Algorithm1 algorithm(problem);
      const Algorithm1::Result result = algorithm.solve(Vec2::Zero(), {.tolerance = 1e-8, .max_iterations = 1000});
      const PainleveSolve solve = staggered_solve(c, x, 1e-8, 1000);
      EXPECT_EQ(result.iterations, solve.iterations);
      EXPECT_NEAR(result.r[0], solve.alpha, 1e-9);  // the projections of the general one are solved to 1e-11
      EXPECT_NEAR(result.r[1], solve.friction, 1e-9);
      EXPECT_NEAR(complementarity_objective(problem, result.r), solve.objective, 1e-9);
    }
  }
}

TEST(PainleveMaps, DoNotConvergeWhereSlidingExpands) {
  const double limit = 1.0 / std::cos(theta);
  const Vec2 x(1.0, 0.2);
  EXPECT_FALSE(in_friction_cone({theta, 1.2 * limit}, x));
  EXPECT_TRUE(staggered_solve({theta, 0.9 * limit}, x, 1e-14, 2000).converged);
  EXPECT_FALSE(staggered_solve({theta, 1.2 * limit}, x, 1e-14, 2000).converged);
}

TEST(PainleveMaps, StickInTheFrictionCone) {
  const PainleveCase c{theta, 0.8};
  const Vec2 t(std::sin(theta), std::cos(theta));
  const Vec2 edge = Vec2(0.0, 1.0) + 0.8 * t;
  EXPECT_TRUE(in_friction_cone(c, edge - 1e-9 * t));
  EXPECT_FALSE(in_friction_cone(c, edge + 1e-9 * t));
  EXPECT_FALSE(in_friction_cone(c, -edge));
}

}  // namespace
}  // namespace cardhouse::reproduction
