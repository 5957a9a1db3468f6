#include "cardhouse/reproduction/algorithm_1.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/contact/law_projection.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/scenes/library.h"
#include "cardhouse/world/world.h"

namespace cardhouse::reproduction {
namespace {

/// A small house of cards after a few steps, with octagons for friction.
StepProblem house_problem() {
  Scene scene = make_scene("card_house", {{"levels", "2"}});
  scene.model.friction.polygon = true;
  World world(std::move(scene));
  for (int i = 0; i < 3; ++i) world.step();
  return world.last_problem();
}

TEST(Algorithm1, EndsWithTheLawsOfTheProblem) {
  const StepProblem step = house_problem();
  Algorithm1 algorithm(step.problem);
  const Algorithm1::Result result =
      algorithm.solve(VecX::Zero(step.problem.rows()), {.tolerance = 1e-18, .max_iterations = 2000});
  ASSERT_TRUE(result.converged);
  // Nine digits of friction, of impulses that are as large as the scale of the residual.
  EXPECT_LE(certify(step.problem, result.r).residual, 1e-8);
}

/// Rolling and torsional friction are groups of rows without a normal, bounded by their contact's normal impulse.
TEST(Algorithm1, KnowsFrictionThatAnotherGroupBounds) {
  for (const char* name : {"rolling_ball", "spinning_top"}) {
    SCOPED_TRACE(name);
    World world(make_scene(name, {}));
    for (int i = 0; i < 3; ++i) world.step();
    const StepProblem step = world.last_problem();
    ASSERT_TRUE(std::any_of(step.problem.laws.begin(), step.problem.laws.end(), is_dependent));
    Algorithm1 algorithm(step.problem);
    const Algorithm1::Result result =
        algorithm.solve(VecX::Zero(step.problem.rows()), {.tolerance = 1e-18, .max_iterations = 2000});
    ASSERT_TRUE(result.converged);
    EXPECT_LE(certify(step.problem, result.r).residual, 1e-8);
    EXPECT_LE((result.r - step.guess).norm(), 1e-7 * step.guess.norm()) << "the last step's impulses, which stay";
    // Zero just for solutions; friction takes as much as its impulses times velocities of about 1 m/s or 20 rad/s.
    EXPECT_LE(std::abs(complementarity_objective(step.problem, result.r)), 1e-7 * result.r.norm());
    EXPECT_GT(std::abs(complementarity_objective(step.problem, 2.0 * result.r)), 1e-4 * result.r.norm());
  }
}

TEST(Algorithm1, IsSoonDoneFromTheSolution) {
  const StepProblem step = house_problem();
  Algorithm1 algorithm(step.problem);
  const Algorithm1::Result cold = algorithm.solve(VecX::Zero(step.problem.rows()), {});
  const Algorithm1::Result warm = algorithm.solve(cold.r, {});
  EXPECT_TRUE(cold.converged && warm.converged);
  EXPECT_GT(cold.iterations, 5);
  EXPECT_LE(warm.iterations, 2);
}

TEST(Algorithm1, ShowsEveryIterationAndItsErrorFalls) {
  const StepProblem step = house_problem();
  Algorithm1 algorithm(step.problem);
  std::vector<VecX> iterates;
  const Algorithm1::Result result =
      algorithm.solve(VecX::Zero(step.problem.rows()), {.tolerance = 1e-16, .max_iterations = 2000},
                      [&](const VecX& r) { iterates.push_back(r); });
  ASSERT_EQ(static_cast<int>(iterates.size()), result.iterations);
  EXPECT_LT(kinetic_distance(step.problem, iterates.back(), result.r),
            1e-5 * kinetic_distance(step.problem, iterates.front(), result.r));
  EXPECT_LT(std::abs(complementarity_objective(step.problem, iterates.back())),
            1e-5 * std::abs(complementarity_objective(step.problem, iterates.front())));
}

TEST(Algorithm1, StopsAtItsLimit) {
  const StepProblem step = house_problem();
  Algorithm1 algorithm(step.problem);
  const Algorithm1::Result result =
      algorithm.solve(VecX::Zero(step.problem.rows()), {.tolerance = 1e-20, .max_iterations = 2});
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.iterations, 2);
}

}  // namespace
}  // namespace cardhouse::reproduction
