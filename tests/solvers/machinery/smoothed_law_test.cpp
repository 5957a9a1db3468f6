#include "cardhouse/solvers/machinery/smoothed_law.h"

#include <gtest/gtest.h>

#include "cardhouse/contact/law_projection.h"
#include "contact/small_problems.h"

namespace cardhouse::testing::smoothed_law_test {
namespace {

struct Case {
  const char* name;
  Law law;
  int dim;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class SmoothedLawOf : public ::testing::TestWithParam<Case> {};

/// A Newton step (dr, du, dload) with dr + theta du = step + by_load dload must halve E to first order when half of it
/// is taken.
TEST_P(SmoothedLawOf, HasTheDerivativeThatItSays) {
  const auto& [name, law, dim] = GetParam();
  Random random(7);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial);
    const VecX r = random.vector(dim);
    const VecX u = random.vector(dim);
    const VecX center = random.vector(dim);
    const double rho = random.uniform(0.3, 3.0);
    Smoothing smoothing{random.uniform(0.05, 0.5), random.uniform(0.01, 0.5), random.uniform(0.0, 0.1)};
    smoothing.relaxed = trial % 2 == 1;
    NewtonRows rows;
    const double load = random.uniform(0.1, 2.0);
    const double squared = smoothed_law(law, dim, rho, r.data(), u.data(), load, center.data(), smoothing, &rows);
    const VecX du = 0.3 * random.vector(dim);
    const double dload = random.uniform(-0.3, 0.3);
    const VecX dr = rows.step.head(dim) + dload * rows.by_load.head(dim) - rows.theta.topLeftCorner(dim, dim) * du;
    // ‖E(t)‖² = (1 − t)² ‖E(0)‖² + O(t³): its slope at 0 is −2 ‖E‖².
    const double t = 1e-5 / (1.0 + dr.norm());
    const auto size_at = [&](double s) {
      const VecX rs = r + s * dr;
      const VecX us = u + s * du;
      return smoothed_law(law, dim, rho, rs.data(), us.data(), load + s * dload, center.data(), smoothing, nullptr);
    };
    const double slope = (size_at(t) - size_at(-t)) / (2.0 * t);
    // Central differences: t² times third derivatives, which grow like (‖step‖/ε)²; and round-off of 1e-16/t.
    EXPECT_NEAR(slope, -2.0 * squared, 1e-5 * (1.0 + squared) * (1.0 + dr.norm())) << name;
  }
}

/// At ε = 0 a root of E is a solution of the law, and the other way round.
TEST_P(SmoothedLawOf, WithoutSmoothingIsTheLawItself) {
  const auto& [name, law, dim] = GetParam();
  Random random(8);
  const Smoothing none{};
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial);
    const double rho = random.uniform(0.3, 3.0);
    VecX r = random.vector(dim);
    VecX u = random.vector(dim);
    NewtonRows rows;
    const double load = random.uniform(0.1, 2.0);
    EXPECT_GT(smoothed_law(law, dim, rho, r.data(), u.data(), load, r.data(), none, nullptr), 0.0) << name;
    // A solution from any z: r = P(z), u = r − z; for friction the normal and tangential parts are projected one after
    // the other, which is the law (contact/law_projection.h).
    const VecX z = 2.0 * random.vector(dim);
    project_on_law(law, dim, z.data(), load, r.data());
    u = r - z;
    EXPECT_LE(smoothed_law(law, dim, rho, r.data(), u.data(), load, r.data(), none, nullptr), 1e-28) << name;
  }
}

/// The cone program's conditions: r in the cone, u in its dual, perpendicular; r and r − z for the projection r of any
/// z.
TEST_P(SmoothedLawOf, RelaxedAndWithoutSmoothingIsTheConeProgram) {
  const auto& [name, law, dim] = GetParam();
  Random random(9);
  Smoothing none{};
  none.relaxed = true;
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial);
    const double rho = random.uniform(0.3, 3.0);
    const double load = random.uniform(0.1, 2.0);
    const VecX z = 2.0 * random.vector(dim);
    VecX r(dim);
    project(impulse_set(law, dim, load), dim, z.data(), r.data());
    const VecX u = r - z;
    EXPECT_LE(smoothed_law(law, dim, rho, r.data(), u.data(), load, r.data(), none, nullptr), 1e-28) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Laws, SmoothedLawOf,
    ::testing::Values(Case{"disk", coulomb(0.6), 3}, Case{"planar", coulomb(0.6), 2}, Case{"steep", coulomb(5.0), 3},
                      Case{"ellipse", elliptic(0.3, 0.9), 3}, Case{"flatEllipse", elliptic(0.3, 0.0), 3},
                      Case{"polygon", polygonal(0.6), 3}, Case{"pyramid", polygonal(1.5, 4), 3},
                      Case{"planarPolygon", polygonal(0.6), 2},
                      Case{"rollingOnPolygon", dependent(0.6, 0, FrictionShape::polygon), 2},
                      Case{"frictionless", coulomb(0.0), 3}, Case{"unilateral", of_kind(Law::Kind::unilateral), 1},
                      Case{"equality", of_kind(Law::Kind::equality), 3}, Case{"bounded", bounded(-0.4, 0.3), 2},
                      Case{"rolling", dependent(0.6, 0), 2}, Case{"torsional", dependent(0.6, 0), 1}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace cardhouse::testing::smoothed_law_test
