#include "cardhouse/optimization/slsqp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cardhouse::testing {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

/// min x₁x₄(x₁ + x₂ + x₃) + x₃ over x₁x₂x₃x₄ ≥ 25, 40 − ‖x‖² ≥ 0, x ≥ 1: problem 71 of Hock & Schittkowski (1981) with
/// its equation as the side that binds.
NonlinearProgram hock_schittkowski_71() {
  NonlinearProgram program;
  program.lower = VecX::Ones(4);
  program.constraints = 2;
  program.objective = [](const VecX& x, VecX* gradient) {
    const double sum = x[0] + x[1] + x[2];
    if (gradient) *gradient << x[3] * (sum + x[0]), x[0] * x[3], x[0] * x[3] + 1.0, x[0] * sum;
    return x[0] * x[3] * sum + x[2];
  };
  program.constrain = [](const VecX& x, VecX& c, MatX* jacobian) {
    c << x.prod() - 25.0, 40.0 - x.squaredNorm();
    if (!jacobian) return;
    jacobian->row(0) = (x.prod() / x.array()).matrix().transpose();
    jacobian->row(1) = -2.0 * x.transpose();
  };
  return program;
}

TEST(Slsqp, SolvesAProblemWithAKnownAnswer) {
  const NonlinearProgram program = hock_schittkowski_71();
  VecX start(4);
  start << 1, 5, 5, 1;
  const SlsqpResult result = minimise_slsqp(program, start);
  EXPECT_EQ(result.status, SlsqpStatus::stationary) << result.reason;
  EXPECT_NEAR(result.objective, 17.0140173, 1e-6);  // as published
  EXPECT_GT(result.evaluations, 1);
}

/// min −x² + x³/3 on 0 ≤ x: from 0 there is no slope; the minimum is at 2.
TEST(Slsqp, StaysAtAStationaryPointThatIsNoMinimum) {
  NonlinearProgram program;
  program.lower = VecX::Zero(1);
  program.constraints = 1;
  program.objective = [](const VecX& x, VecX* gradient) {
    if (gradient) (*gradient)[0] = x[0] * x[0] - 2.0 * x[0];
    return x[0] * x[0] * (x[0] / 3.0 - 1.0);
  };
  program.constrain = [](const VecX& x, VecX& c, MatX* jacobian) {
    c[0] = 10.0 - x[0];
    if (jacobian) (*jacobian)(0, 0) = -1.0;
  };
  const SlsqpResult stuck = minimise_slsqp(program, VecX::Zero(1));
  EXPECT_EQ(stuck.status, SlsqpStatus::stationary);
  EXPECT_EQ(stuck.x[0], 0.0);
  const SlsqpResult free = minimise_slsqp(program, VecX::Constant(1, 0.1));
  EXPECT_NEAR(free.x[0], 2.0, 1e-5);  // steps of 1e-12 would do, but the objective is flat: √ of round-off, and room
}

TEST(Slsqp, StopsAtItsLimits) {
  const NonlinearProgram program = hock_schittkowski_71();
  VecX start(4);
  start << 1, 5, 5, 1;
  SlsqpOptions options;
  options.max_evaluations = 2;
  EXPECT_EQ(minimise_slsqp(program, start, options).status, SlsqpStatus::iteration_limit);
  options = {};
  int seen = 0;
  options.stop = [&](const VecX& x) { return x.size() == 4 && ++seen == 3; };
  const SlsqpResult stopped = minimise_slsqp(program, start, options);
  EXPECT_EQ(stopped.status, SlsqpStatus::stopped);
  EXPECT_EQ(seen, 3);
}

TEST(Slsqp, FailsOnValuesThatAreNotFinite) {
  NonlinearProgram program = hock_schittkowski_71();
  program.objective = [](const VecX&, VecX* gradient) {
    if (gradient) gradient->setZero();
    return kNoBound;
  };
  const SlsqpResult result = minimise_slsqp(program, VecX::Constant(4, 2.0));
  EXPECT_EQ(result.status, SlsqpStatus::failed);
  EXPECT_FALSE(result.reason.empty());
}

}  // namespace
}  // namespace cardhouse::testing
