#include "cardhouse/model/potential.h"

#include <gtest/gtest.h>

#include <random>

#include "cardhouse/base/error.h"
#include "cardhouse/model/derivative_check.h"

namespace cardhouse {
namespace {

/// Central differences with a step of 1e-5 leave step² · V'''/V' ≈ 1e-9 and round-off/step ≈ 1e-10 relative.
constexpr double difference_error = 1e-7;

VecX random_point(std::mt19937& generator, int n, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  VecX q(n);
  for (int i = 0; i < n; ++i) q[i] = uniform(generator);
  return q;
}

void expect_right_derivatives(const Potential& potential, int n) {
  constexpr unsigned seed = 20090401;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937 generator(seed);
  for (int trial = 0; trial < 50; ++trial) {
    const VecX q = random_point(generator, n, 3.0);
    SCOPED_TRACE(::testing::Message() << "q = " << q.transpose());
    const DerivativeErrors errors = check_derivatives(potential, q);
    EXPECT_LT(errors.gradient, difference_error);
    EXPECT_LT(errors.hessian, difference_error);
    EXPECT_LT(errors.asymmetry, 1e-14);
  }
}

TEST(Potential, EachHasTheDerivativesOfItsEnergy) {
  expect_right_derivatives(ConstantForce(Vec3(1.0, -2.0, 0.5)), 3);
  for (int n = 1; n <= 3; ++n) {
    expect_right_derivatives(DoubleWell(), n);
    expect_right_derivatives(LinearSpring(Coordinates{0, n}, VecX::Constant(n, 5.0), 30.0, 0.7), n);
  }
  expect_right_derivatives(LinearSpring(Coordinates{0, 3}, Coordinates{4, 3}, 100.0, 20.0), 7);
  expect_right_derivatives(LinearSpring(Coordinates{0, 2}, Coordinates{2, 2}, 100.0), 4);

  PotentialSum sum;
  sum.add(std::make_shared<DoubleWell>());
  sum.add(std::make_shared<ConstantForce>(Vec2(0.0, -9.81)));
  expect_right_derivatives(sum, 2);
}

TEST(Potential, TheDoubleWellHasItsWellsWhereEquation472SaysSo) {
  const DoubleWell well;
  EXPECT_EQ(well.energy(Vec2(0.0, 0.0)), 0.0);
  EXPECT_NEAR(well.energy(Vec2(0.6, 0.8)), 0.0, 1e-30);
  EXPECT_DOUBLE_EQ(well.energy(Vec2(4.0, 4.0)), 32.0 * 31.0 * 31.0);
  VecX gradient = VecX::Zero(2);
  well.add_gradient(Vec2(0.6, 0.8), gradient);
  EXPECT_LT(gradient.norm(), 1e-14);
}

TEST(Potential, AUserGivesThreeFunctionsAndTheCheckFindsAWrongOne) {
  // V = x⁴ + x y; the second Hessian forgets a factor.
  const auto energy = [](const VecX& q) { return std::pow(q[0], 4) + q[0] * q[1]; };
  const auto gradient = [](const VecX& q, VecX& g) {
    g[0] += 4.0 * std::pow(q[0], 3) + q[1];
    g[1] += q[0];
  };
  const auto hessian = [](double factor) {
    return [factor](const VecX& q, MatX& h) {
      h(0, 0) += factor * q[0] * q[0];
      h(0, 1) += 1.0;
      h(1, 0) += 1.0;
    };
  };
  const VecX q = Vec2(1.5, -0.5);
  const DerivativeErrors right = check_derivatives(UserPotential(energy, gradient, hessian(12.0)), q);
  EXPECT_LT(right.gradient, difference_error);
  EXPECT_LT(right.hessian, difference_error);
  EXPECT_GT(check_derivatives(UserPotential(energy, gradient, hessian(4.0)), q).hessian, 0.1);
  const auto half_gradient = [gradient](const VecX& at, VecX& g) {
    gradient(at, g);
    g *= 0.5;
  };
  EXPECT_GT(check_derivatives(UserPotential(energy, half_gradient, hessian(12.0)), q).gradient, 0.1);
}

TEST(Potential, RefusesWhatMakesNoSense) {
  EXPECT_THROW(LinearSpring(Coordinates{0, 2}, Vec3::Zero(), 1.0), InputError);
  EXPECT_THROW(LinearSpring(Coordinates{0, 4}, VecX::Zero(4), 1.0), InputError);
  EXPECT_THROW(LinearSpring(Coordinates{-1, 1}, VecX::Zero(1), 1.0), InputError);
  EXPECT_THROW(LinearSpring(Coordinates{0, 2}, Coordinates{2, 3}, 1.0), InputError);
  EXPECT_THROW(LinearSpring(Coordinates{0, 2}, Coordinates{2, 2}, -1.0), InputError);
  EXPECT_THROW(LinearSpring(Coordinates{0, 2}, Coordinates{2, 2}, 1.0, -1.0), InputError);
  EXPECT_THROW(UserPotential({}, {}, {}), InputError);
}

}  // namespace
}  // namespace cardhouse
