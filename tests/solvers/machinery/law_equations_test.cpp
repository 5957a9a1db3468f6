#include "cardhouse/solvers/machinery/law_equations.h"

#include <gtest/gtest.h>

#include "cardhouse/contact/law_projection.h"
#include "contact/small_problems.h"

namespace cardhouse::testing {
namespace {

struct Case {
  std::string name;
  LawEquation equation;
  Law law;
  int dim;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const std::string& name, const Law& law, int dim, bool round = true) {
    all.push_back({"AlartCurnier" + name, alart_curnier, law, dim});
    if (round) all.push_back({"FischerBurmeister" + name, fischer_burmeister, law, dim});
  };
  add("Disk", coulomb(0.6), 3);
  add("Planar", coulomb(0.6), 2);
  add("Steep", coulomb(5.0), 3);
  add("Ellipse", elliptic(0.3, 0.9), 3);
  add("FlatEllipse", elliptic(0.3, 0.0), 3);
  add("Polygon", polygonal(0.6), 3, false);
  add("Frictionless", coulomb(0.0), 3);
  add("Unilateral", of_kind(Law::Kind::unilateral), 1);
  add("Equality", of_kind(Law::Kind::equality), 3);
  add("Bounded", bounded(-0.4, 0.3), 2);
  add("Rolling", dependent(0.6, 0), 2);
  add("Torsional", dependent(0.6, 0), 1);
  add("RollingPolygon", dependent(0.6, 0, FrictionShape::polygon), 2, false);
  return all;
}

class LawEquationOf : public ::testing::TestWithParam<Case> {};

/// A Newton step (dr, du, dload) with dr + theta du = step + by_load dload must shrink E in proportion to the part of
/// it that is taken, but for the kinks that lie between.
TEST_P(LawEquationOf, HasTheDerivativeThatItSays) {
  const auto& [name, equation, law, dim] = GetParam();
  Random random(7);
  int smooth = 0;
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial << ", seed 7");
    const VecX r = random.vector(dim);
    const VecX u = random.vector(dim);
    const VecX center = random.vector(dim);
    const double rho = random.uniform(0.3, 3.0);
    const double proximal = random.uniform(0.01, 0.1);
    const double load = random.uniform(0.1, 2.0);
    NewtonRows rows;
    const double squared = equation(law, dim, rho, r.data(), u.data(), load, center.data(), proximal, &rows);
    const VecX du = 0.3 * random.vector(dim);
    const double dload = random.uniform(-0.3, 0.3);
    const VecX dr = rows.step.head(dim) + dload * rows.by_load.head(dim) - rows.theta.topLeftCorner(dim, dim) * du;
    const double t = 1e-6 / (1.0 + dr.norm());
    const auto size_at = [&](double s) {
      const VecX rs = r + s * dr;
      const VecX us = u + s * du;
      return equation(law, dim, rho, rs.data(), us.data(), load + s * dload, center.data(), proximal, nullptr);
    };
    const double ahead = (size_at(t) - squared) / t;
    const double behind = (squared - size_at(-t)) / t;
    const double allowed = 1e-3 * (1.0 + squared) * (1.0 + dr.norm());  // one-sided: t times second derivatives
    if (std::abs(ahead - behind) > allowed) continue;                   // a kink
    ++smooth;
    EXPECT_NEAR(0.5 * (ahead + behind), -2.0 * squared, allowed) << name;
  }
  EXPECT_GE(smooth, 150);
}

TEST_P(LawEquationOf, HoldsWhereTheLawHoldsAndOnlyThere) {
  const auto& [name, equation, law, dim] = GetParam();
  Random random(8);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial << ", seed 8");
    const double rho = random.uniform(0.3, 3.0);
    VecX r = random.vector(dim);
    VecX u = random.vector(dim);
    const double load = random.uniform(0.1, 2.0);
    EXPECT_GT(equation(law, dim, rho, r.data(), u.data(), load, r.data(), 0.0, nullptr), 0.0);
    // A solution from any z: r = P(z), u = r − z (contact/law_projection.h).
    const VecX z = 2.0 * random.vector(dim);
    project_on_law(law, dim, z.data(), load, r.data());
    u = r - z;
    // The root of squares near zero costs half of the digits.
    EXPECT_LE(equation(law, dim, rho, r.data(), u.data(), load, r.data(), 0.0, nullptr), 1e-14) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, LawEquationOf, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace cardhouse::testing
