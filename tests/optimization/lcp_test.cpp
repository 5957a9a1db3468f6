#include "cardhouse/optimization/lcp.h"

#include <gtest/gtest.h>

#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

Lcp random_lcp(Random& random, int size) {
  return {random.matrix(size, size), random.vector(size)};
}

TEST(LcpError, IsTheLargestViolationOfSignOrComplementarity) {
  const Lcp lcp{MatX::Identity(2, 2), Vec2(-1.0, 2.0)};
  EXPECT_EQ(lcp_error(lcp, Vec2(1.0, 0.0)), 0.0);
  EXPECT_EQ(lcp_error(lcp, Vec2(1.0, 0.5)), 0.5);    // w and z positive
  EXPECT_EQ(lcp_error(lcp, Vec2(0.75, 0.0)), 0.25);  // w negative
  EXPECT_EQ(lcp_error(lcp, Vec2(1.0, -3.0)), 3.0);   // z negative
}

TEST(ComplementarityGap, HasTheGradientThatDifferencesGive) {
  Random random(1);
  const Lcp lcp = random_lcp(random, 6);
  const VecX z = random.vector(6);
  VecX gradient;
  complementarity_gap(lcp, z, &gradient);
  constexpr double step = 1e-4;  // central differences of a quadratic are exact but for round-off / step
  for (int i = 0; i < 6; ++i) {
    const VecX change = step * VecX::Unit(6, i);
    const double slope = (complementarity_gap(lcp, z + change) - complementarity_gap(lcp, z - change)) / (2.0 * step);
    EXPECT_NEAR(gradient[i], slope, 1e-9);
  }
}

TEST(FreeElimination, KeepsTheEquationsAndTheOtherRows) {
  Random random(2);
  const MatX m = random.matrix(7, 7) + 4.0 * MatX::Identity(7, 7);
  const MixedLcp mixed{{m, random.vector(7)}, {1, 4, 5}};
  const FreeElimination elimination(mixed);
  ASSERT_EQ(elimination.reduced().size(), 4);
  EXPECT_TRUE(elimination.equivalent());
  EXPECT_FALSE(elimination.contradictory());
  const VecX z = random.vector(4);
  const VecX all = elimination.expand(z);
  const VecX w = mixed.lcp.m * all + mixed.lcp.q;
  const VecX reduced_w = elimination.reduced().m * z + elimination.reduced().q;
  for (int i : mixed.free) EXPECT_NEAR(w[i], 0.0, 1e-13);
  EXPECT_LE((elimination.restrict_to_signed(w) - reduced_w).norm(), 1e-13);
  EXPECT_EQ(elimination.restrict_to_signed(all), z);
  // A direction is what two points differ by.
  const VecX other = random.vector(4);
  EXPECT_LE((elimination.expand(z + other) - all - elimination.expand_direction(other)).norm(), 1e-13);
}

TEST(FreeElimination, TakesEquationsThatRepeatEachOther) {
  // Semidefinite of rank 3 with five unknowns, the first three of them free: rows 0 and 1 say the same.
  Random random(3);
  MatX j = random.matrix(5, 3);
  j.row(1) = 2.0 * j.row(0);
  MixedLcp mixed{{j * j.transpose(), j * random.vector(3)}, {0, 1, 2}};
  const FreeElimination elimination(mixed);
  EXPECT_TRUE(elimination.equivalent());
  EXPECT_FALSE(elimination.contradictory());
  const VecX w = mixed.lcp.m * elimination.expand(Vec2(0.3, 0.7)) + mixed.lcp.q;
  EXPECT_LE(w.head(3).norm(), 1e-12);
  mixed.lcp.q[1] += 1.0;
  const FreeElimination contradictory(mixed);
  EXPECT_TRUE(contradictory.contradictory());
  EXPECT_NE(contradictory.contradiction()[0], 0.0);
  EXPECT_NE(contradictory.contradiction()[1], 0.0);
  EXPECT_EQ(contradictory.contradiction().tail(3), VecX::Zero(3)) << "the other rows take no part";
}

TEST(FreeElimination, SaysWhenFreeUnknownsCannotMeetTheirEquations) {
  // The free row depends on the other unknown alone.
  MixedLcp mixed{{(MatX(2, 2) << 0, 1, 1, 1).finished(), Vec2(0.0, 0.0)}, {0}};
  EXPECT_FALSE(FreeElimination(mixed).equivalent());
}

}  // namespace
}  // namespace cardhouse::testing
