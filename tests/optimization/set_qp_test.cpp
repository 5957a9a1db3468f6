#include "cardhouse/optimization/set_qp.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "optimization/set_qp_cases.h"

namespace cardhouse::testing {
namespace {

using QpForm = SetQpOptions::Form;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kUnbounded = std::numeric_limits<double>::infinity();
/// Masses and impulses near 1: root energies near 1, of which nine digits are asked for.
constexpr double kQpTolerance = 1e-9;

SetQpOptions options_of(QpForm form) {
  SetQpOptions options;
  options.tolerance = kQpTolerance;
  options.form = form;
  return options;
}

struct Answer {
  SetQpReport report;
  VecX r, v;
};

Answer solve(const SetQpCase& qp, QpForm form, const VecX& guess) {
  SetQp solver;
  solver.set_matrices(qp.a, qp.j, qp.compliance);
  Answer answer{{}, guess, {}};
  answer.report = solver.solve(qp.v0, qp.b, qp.sets, options_of(form), answer.r, answer.v);
  return answer;
}

Answer solve(const SetQpCase& qp, QpForm form = QpForm::automatic) {
  return solve(qp, form, VecX::Zero(qp.j.rows()));
}

/// One particle on one axis with rows n · v + b in the half-line's law.
SetQpCase particle(const std::vector<double>& directions, const std::vector<double>& b) {
  SetQpCase qp;
  qp.a.add(MatX::Identity(1, 1));
  qp.b = Eigen::Map<const VecX>(b.data(), static_cast<Eigen::Index>(b.size()));
  for (double n : directions) {
    qp.j.begin_group(1);
    qp.j.add(qp.a, 0, MatX::Constant(1, 1, n));
    qp.sets.push_back(ConvexSet::half_line());
  }
  qp.compliance = VecX::Zero(qp.j.rows());
  qp.v0 = VecX::Zero(1);
  return qp;
}

struct Kind {
  const char* name;
  QpForm form;
  bool given_w = false;
};
void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.name;
}

/// With W and q = J v_0 + b in the place of the bodies, if the kind says so.
Answer solve(const SetQpCase& qp, const Kind& kind, const VecX& guess) {
  if (!kind.given_w) return solve(qp, kind.form, guess);
  MatX dense_w = qp.dense_j() * qp.inverse_a() * qp.dense_j().transpose();
  dense_w.diagonal() += qp.compliance;
  const SparseRows w = dense_w.sparseView();
  SetQp solver;
  solver.set_matrix(w, qp.j);
  Answer answer{{}, guess, {}};
  const VecX none = VecX::Zero(guess.size());
  const VecX q = qp.dense_j() * qp.v0 + qp.b;
  answer.report = solver.solve(none, q, qp.sets, options_of(kind.form), answer.r, answer.v);
  answer.v = qp.velocity(answer.r);
  return answer;
}

Answer solve(const SetQpCase& qp, const Kind& kind) {
  return solve(qp, kind, VecX::Zero(qp.j.rows()));
}

class SetQpForms : public ::testing::TestWithParam<std::tuple<Kind, unsigned>> {
 protected:
  SetQpForms() : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << seed()) {}
  const Kind& kind() const { return std::get<0>(GetParam()); }
  unsigned seed() const { return std::get<1>(GetParam()); }

 private:
  ::testing::ScopedTrace trace_;
};

TEST_P(SetQpForms, FindTheKnownAnswerOfStrictlyConvexPrograms) {
  const SetQpCase qp = strictly_convex_case(seed());
  ASSERT_LE(kkt_error(qp, qp.r), 1e-12) << "the case itself";
  const Answer answer = solve(qp, kind());
  EXPECT_EQ(answer.report.status, SetQpStatus::solved);
  EXPECT_EQ(answer.report.dual, kind().form == QpForm::dual);
  EXPECT_LE(kkt_error(qp, answer.r), kQpTolerance + 1e-13);
  EXPECT_NEAR(answer.report.error, kkt_error(qp, answer.r), 1e-13);
  EXPECT_LE((answer.v - qp.velocity(answer.r)).norm(), 1e-13 * (1.0 + answer.v.norm()));
  // The error bound: ‖r − r*‖ ≤ error · cond(W), and random W reach condition numbers of 1e4.
  EXPECT_LE((answer.v - qp.v).norm(), 1e-5);
  EXPECT_LE((answer.r - qp.r).norm(), 1e-5);
}

TEST_P(SetQpForms, FindTheVelocityOfProgramsWithRedundantRows) {
  const SetQpCase qp = redundant_case(seed());
  ASSERT_LE(kkt_error(qp, qp.r), 1e-12) << "the case itself";
  const Answer answer = solve(qp, kind());
  EXPECT_EQ(answer.report.status, SetQpStatus::solved);
  EXPECT_LE(kkt_error(qp, answer.r), kQpTolerance + 1e-13);
  EXPECT_LE((answer.v - qp.v).norm(), 1e-5);
}

TEST_P(SetQpForms, FindTheKnownAnswerWithCompliance) {
  for (double compliance : {1e-6, 1.0, 1e4}) {
    const SetQpCase qp = strictly_convex_case(seed(), compliance);
    const Answer answer = solve(qp, kind());
    EXPECT_EQ(answer.report.status, SetQpStatus::solved) << "compliance " << compliance;
    EXPECT_LE(kkt_error(qp, answer.r), kQpTolerance + 1e-13 * (1.0 + compliance)) << "compliance " << compliance;
    EXPECT_LE((answer.r - qp.r).norm(), 1e-5) << "compliance " << compliance;
  }
}

TEST_P(SetQpForms, AcceptTheSolutionAsItIs) {
  const SetQpCase qp = strictly_convex_case(seed());
  const Answer first = solve(qp, kind());
  const Answer again = solve(qp, kind(), first.r);
  EXPECT_EQ(again.report.newton_iterations, 0);
  EXPECT_EQ(again.report.factorisations, 0);
  // Projected onto the sets once more. The first time points as far as u/σ = 1e6 were, whose round-off a cone keeps.
  EXPECT_LE((again.r - first.r).norm(), 1e-10);
}

TEST_P(SetQpForms, AreQuickerFromANearbyGuess) {
  const SetQpCase qp = strictly_convex_case(seed());
  const Answer cold = solve(qp, kind());
  Random random(seed());
  const Answer warm = solve(qp, kind(), cold.r + 1e-7 * random.vector(qp.j.rows()));
  EXPECT_EQ(warm.report.status, SetQpStatus::solved);
  EXPECT_LE(warm.report.newton_iterations, cold.report.newton_iterations);
}

TEST_P(SetQpForms, ReachTheSameAnswerFromAWildGuess) {
  const SetQpCase qp = strictly_convex_case(seed());
  Random random(seed() + 1000u);
  const Answer answer = solve(qp, kind(), 1e3 * random.vector(qp.j.rows()));
  EXPECT_EQ(answer.report.status, SetQpStatus::solved);
  EXPECT_LE((answer.r - qp.r).norm(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Random, SetQpForms,
                         ::testing::Combine(::testing::Values(Kind{"Primal", QpForm::primal},
                                                              Kind{"Dual", QpForm::dual},
                                                              Kind{"GivenW", QpForm::automatic, true}),
                                            ::testing::Range(1u, 26u)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + std::to_string(std::get<1>(test.param));
                         });

TEST(SetQp, EndsWithAWThatIsNotQuiteSymmetric) {
  // Files of other projects have such. W's symmetric part stays positive definite: there is just one answer, but no
  // function that it minimises, and close to it no slope to go by.
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const SetQpCase qp = strictly_convex_case(seed);
    MatX w = qp.dense_j() * qp.inverse_a() * qp.dense_j().transpose();
    const double off = 1e-3 * w.cwiseAbs().maxCoeff();
    for (int i = 0; i < w.rows(); ++i) {
      for (int k = 0; k < i; ++k) {
        const double skew = off * std::sin(1.0 + 7.0 * i + 3.0 * k + seed);
        w(i, k) += skew;
        w(k, i) -= skew;
      }
    }
    const SparseRows given = w.sparseView();
    SetQp solver;
    solver.set_matrix(given, qp.j);
    VecX r = VecX::Zero(qp.j.rows());
    VecX v;
    const VecX q = qp.dense_j() * qp.v0 + qp.b;
    const SetQpReport report = solver.solve(VecX::Zero(r.size()), q, qp.sets, options_of(QpForm::automatic), r, v);
    EXPECT_EQ(report.status, SetQpStatus::solved) << "seed " << seed << ", error " << report.error;
    EXPECT_LE(report.error, kQpTolerance) << "seed " << seed;
  }
}

TEST(SetQp, PrimalAndDualFormsAgree) {
  for (unsigned seed = 100; seed < 120; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    for (const SetQpCase& qp : {strictly_convex_case(seed), redundant_case(seed), strictly_convex_case(seed, 0.1)}) {
      const Answer primal = solve(qp, QpForm::primal);
      const Answer dual = solve(qp, QpForm::dual);
      EXPECT_FALSE(primal.report.dual);
      EXPECT_TRUE(dual.report.dual);
      EXPECT_LE((primal.v - dual.v).norm(), 2e-5);  // both within the error bound of the unique v
    }
  }
}

TEST(SetQp, ChoosesTheDualFormWhenRowsAreFew) {
  Random random(9);
  SetQpCase qp;
  qp.a = random_blocks(random, {6, 6, 6});
  qp.j.begin_group(1);
  qp.j.add(qp.a, 1, random.matrix(1, 6));
  qp.sets = {ConvexSet::half_line()};
  qp.compliance = VecX::Zero(1);
  qp.v0 = VecX::Zero(18);
  qp.b = VecX::Constant(1, -1.0);
  EXPECT_TRUE(solve(qp).report.dual);
  EXPECT_FALSE(solve(redundant_case(1)).report.dual);
}

TEST(SetQp, GivesTheSameBitsAfterAnotherProgram) {
  const SetQpCase qp = redundant_case(41);
  const SetQpCase other = strictly_convex_case(42);
  const Answer fresh = solve(qp);
  SetQp solver;
  VecX r = VecX::Zero(other.j.rows());
  VecX v;
  solver.set_matrices(other.a, other.j, other.compliance);
  solver.solve(other.v0, other.b, other.sets, options_of(QpForm::automatic), r, v);
  r = VecX::Zero(qp.j.rows());
  solver.set_matrices(qp.a, qp.j, qp.compliance);
  solver.solve(qp.v0, qp.b, qp.sets, options_of(QpForm::automatic), r, v);
  EXPECT_EQ(r, fresh.r);
  EXPECT_EQ(v, fresh.v);
}

TEST(SetQp, ReusesItsMatricesForAnotherRightHandSide) {
  SetQpCase qp = redundant_case(43);
  SetQp solver;
  solver.set_matrices(qp.a, qp.j, qp.compliance);
  Random random(44);
  for (int i = 0; i < 5; ++i) {
    give_answer(random, qp, true);
    VecX r = VecX::Zero(qp.j.rows());
    VecX v;
    const SetQpReport report = solver.solve(qp.v0, qp.b, qp.sets, options_of(QpForm::primal), r, v);
    EXPECT_EQ(report.status, SetQpStatus::solved);
    EXPECT_LE((v - qp.v).norm(), 1e-5);
  }
}

TEST(SetQp, WithoutRowsLeavesTheVelocityFree) {
  Random random(10);
  SetQpCase qp;
  qp.a = random_blocks(random, {6, 3});
  qp.v0 = random.vector(9);
  for (QpForm form : {QpForm::primal, QpForm::dual, QpForm::automatic}) {
    const Answer answer = solve(qp, form);
    EXPECT_EQ(answer.report.status, SetQpStatus::solved);
    EXPECT_EQ(answer.v, qp.v0);
    EXPECT_EQ(answer.r.size(), 0);
  }
}

TEST(SetQp, WithoutBodiesAndRowsIsSolved) {
  const Answer answer = solve(SetQpCase{});
  EXPECT_EQ(answer.report.status, SetQpStatus::solved);
}

TEST(SetQp, StopsAParticleThatFallsOnAFloor) {
  SetQpCase qp = particle({1.0}, {0.0});
  qp.v0[0] = -2.0;
  const Answer answer = solve(qp);
  EXPECT_NEAR(answer.r[0], 2.0, kQpTolerance);
  EXPECT_NEAR(answer.v[0], 0.0, kQpTolerance);
}

TEST(SetQp, ChangesNothingWhenAllRowsAreFree) {
  SetQpCase qp = particle({1.0}, {0.0});
  qp.v0[0] = 3.0;
  const Answer answer = solve(qp, QpForm::automatic, VecX::Constant(1, 5.0));
  EXPECT_EQ(answer.report.status, SetQpStatus::solved);
  EXPECT_NEAR(answer.r[0], 0.0, kQpTolerance);
  EXPECT_NEAR(answer.v[0], 3.0, kQpTolerance);
}

class SetQpInfeasible : public ::testing::TestWithParam<QpForm> {};

TEST_P(SetQpInfeasible, NamesTwoRowsThatDemandOppositeMotions) {
  const SetQpCase qp = particle({1.0, -1.0}, {-1.0, -1.0});  // v ≥ 1 and −v ≥ 1
  const Answer answer = solve(qp, GetParam());
  EXPECT_EQ(answer.report.status, SetQpStatus::infeasible);
  EXPECT_EQ(answer.report.conflicting_groups, (std::vector<int>{0, 1}));
}

TEST_P(SetQpInfeasible, NamesOnlyTheRowsInConflict) {
  Random random(51);
  SetQpCase qp;
  qp.a = random_blocks(random, {3, 3, 3});
  const Vec3 n = random.direction();
  const auto add = [&](int block, const Vec3& row, double b) {
    qp.j.begin_group(1);
    qp.j.add(qp.a, block, row.transpose());
    qp.sets.push_back(ConvexSet::half_line());
    qp.b.conservativeResize(qp.j.rows());
    qp.b[qp.j.rows() - 1] = b;
  };
  add(0, random.direction(), -1.0);
  add(1, n, -1.0);
  add(2, random.direction(), 0.5);
  add(1, -n, -1e-3);
  qp.compliance = VecX::Zero(4);
  qp.v0 = random.vector(9);
  const Answer answer = solve(qp, GetParam());
  EXPECT_EQ(answer.report.status, SetQpStatus::infeasible);
  EXPECT_EQ(answer.report.conflicting_groups, (std::vector<int>{1, 3}));
}

TEST_P(SetQpInfeasible, SeesAConflictThatRunsThroughSeveralBodies) {
  // A row of particles between walls that come together: v_0 ≥ 1, v_1 ≥ v_0, v_2 ≥ v_1, −v_2 ≥ 0.
  SetQpCase qp;
  for (int i = 0; i < 3; ++i) qp.a.add(MatX::Identity(1, 1));
  const MatX one = MatX::Ones(1, 1);
  for (int g = 0; g < 4; ++g) {
    qp.j.begin_group(1);
    if (g < 3) qp.j.add(qp.a, g, one);
    if (g > 0) qp.j.add(qp.a, g - 1, -one);
    qp.sets.push_back(ConvexSet::half_line());
  }
  qp.b = VecX::Zero(4);
  qp.b[0] = -1.0;
  qp.compliance = VecX::Zero(4);
  qp.v0 = VecX::Zero(3);
  const Answer answer = solve(qp, GetParam());
  EXPECT_EQ(answer.report.status, SetQpStatus::infeasible);
  EXPECT_EQ(answer.report.conflicting_groups, (std::vector<int>{0, 1, 2, 3}));
}

TEST_P(SetQpInfeasible, NamesEqualitiesThatContradictEachOther) {
  SetQpCase qp = particle({1.0, 1.0}, {-1.0, -2.0});  // v = 1 and v = 2
  qp.sets.assign(2, ConvexSet{});
  const Answer answer = solve(qp, GetParam());
  EXPECT_EQ(answer.report.status, SetQpStatus::infeasible);
  EXPECT_EQ(answer.report.conflicting_groups, (std::vector<int>{0, 1}));
}

TEST_P(SetQpInfeasible, NamesViolatedRowsThatNoBodyCanMove) {
  SetQpCase qp = particle({1.0}, {0.0});
  const auto add_immovable = [&](const ConvexSet& set, double b) {
    qp.j.begin_group(1);
    qp.sets.push_back(set);
    qp.b.conservativeResize(qp.j.rows());
    qp.b[qp.j.rows() - 1] = b;
    qp.compliance = VecX::Zero(qp.j.rows());
  };
  add_immovable(ConvexSet::half_line(), -1.0);
  add_immovable(ConvexSet::half_line(), 1.0);  // open: no conflict
  add_immovable(ConvexSet{}, 0.5);             // an equality that does not hold
  add_immovable(ConvexSet{}, 0.0);             // one that does
  const Answer answer = solve(qp, GetParam());
  EXPECT_EQ(answer.report.status, SetQpStatus::infeasible);
  EXPECT_EQ(answer.report.conflicting_groups, (std::vector<int>{1, 3}));
}

TEST_P(SetQpInfeasible, IsNotSaidOfARowWithBoundsThatSimplyGivesWay) {
  SetQpCase qp = particle({1.0, -1.0}, {-1.0, -1.0});
  qp.sets[1].upper = 3.0;  // a motor of limited strength against a stop
  const Answer answer = solve(qp, GetParam());
  EXPECT_EQ(answer.report.status, SetQpStatus::solved);
  EXPECT_NEAR(answer.r[1], 3.0, kQpTolerance);
  EXPECT_NEAR(answer.r[0], 4.0, kQpTolerance);
  EXPECT_NEAR(answer.v[0], 1.0, kQpTolerance);
}

TEST_P(SetQpInfeasible, IsNotSaidWhenOnlyThePrecisionIsOutOfReach) {
  // Redundant rows leave directions along which impulses drift without effect: no reason to call them contradictory.
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const SetQpCase qp = redundant_case(seed);
    SetQp solver;
    solver.set_matrices(qp.a, qp.j, qp.compliance);
    SetQpOptions options = options_of(GetParam());
    options.tolerance = 1e-15;
    VecX r = VecX::Zero(qp.j.rows());
    VecX v;
    const SetQpReport report = solver.solve(qp.v0, qp.b, qp.sets, options, r, v);
    EXPECT_NE(report.status, SetQpStatus::infeasible);
    EXPECT_LE(kkt_error(qp, r), 10.0 * kQpTolerance) << "as good as round-off of u/σ allows, all the same";
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, SetQpInfeasible, ::testing::Values(QpForm::primal, QpForm::dual),
                         [](const auto& test) { return test.param == QpForm::primal ? "Primal" : "Dual"; });

TEST(SetQp, FailsOnNaNInsteadOfAnswering) {
  const SetQpCase sound = redundant_case(61);
  const auto status_with = [&](auto&& spoil) {
    SetQpCase qp = sound;
    VecX guess = VecX::Zero(qp.j.rows());
    spoil(qp, guess);
    return solve(qp, QpForm::automatic, guess).report.status;
  };
  EXPECT_EQ(status_with([](SetQpCase&, VecX&) {}), SetQpStatus::solved);
  EXPECT_EQ(status_with([](SetQpCase& qp, VecX&) { qp.v0[2] = kNaN; }), SetQpStatus::failed);
  EXPECT_EQ(status_with([](SetQpCase& qp, VecX&) { qp.v0[2] = kUnbounded; }), SetQpStatus::failed);
  EXPECT_EQ(status_with([](SetQpCase& qp, VecX&) { qp.compliance.setConstant(kNaN); }), SetQpStatus::failed);
  EXPECT_EQ(status_with([](SetQpCase& qp, VecX&) {
              qp.sets[1] = ConvexSet();
              qp.sets[1].kind = ConvexSet::Kind::disk;
              qp.sets[1].radius = kNaN;
            }),
            SetQpStatus::failed);
  EXPECT_EQ(status_with([](SetQpCase& qp, VecX& guess) {
              qp.sets[1] = ConvexSet();
              guess[qp.j.group(1).row] = kNaN;
            }),
            SetQpStatus::failed);
  EXPECT_EQ(status_with([](SetQpCase& qp, VecX&) {
              BlockRows j;
              for (int g = 0; g < qp.j.groups(); ++g) {
                j.begin_group(qp.j.group(g).dim);
                for (const BlockRows::Entry& entry : qp.j.entries(g)) {
                  j.add(qp.a, entry.block, kNaN * qp.j.block(g, entry));
                }
              }
              qp.j = j;
            }),
            SetQpStatus::failed);
}

TEST(SetQp, SaysSoWhenItsIterationsRunOut) {
  const SetQpCase qp = strictly_convex_case(71);
  SetQp solver;
  solver.set_matrices(qp.a, qp.j, qp.compliance);
  SetQpOptions options = options_of(QpForm::primal);
  options.max_proximal_iterations = 1;
  options.max_newton_iterations = 1;
  VecX r = VecX::Zero(qp.j.rows());
  VecX v;
  const SetQpReport report = solver.solve(qp.v0, qp.b, qp.sets, options, r, v);
  EXPECT_EQ(report.status, SetQpStatus::iteration_limit);
  EXPECT_GT(kkt_error(qp, r), kQpTolerance);
  EXPECT_NEAR(report.error, kkt_error(qp, r), 1e-12 * report.error);
}

TEST(SetQp, SolvesStacksOfLightUnderHeavyBodies) {
  // A column of particles, the top one a thousand times heavier: W is badly conditioned, v is still found.
  constexpr int count = 10;
  constexpr double speed = 0.01;
  SetQpCase qp;
  for (int i = 0; i < count; ++i) qp.a.add(MatX::Constant(1, 1, i + 1 == count ? 1e3 : 1.0));
  const MatX one = MatX::Ones(1, 1);
  for (int i = 0; i < count; ++i) {
    qp.j.begin_group(1);
    qp.j.add(qp.a, i, one);
    if (i > 0) qp.j.add(qp.a, i - 1, -one);
    qp.sets.push_back(ConvexSet::half_line());
  }
  qp.b = VecX::Zero(count);
  qp.compliance = VecX::Zero(count);
  qp.v0 = VecX::Constant(count, -speed);
  for (QpForm form : {QpForm::primal, QpForm::dual}) {
    const Answer answer = solve(qp, form);
    EXPECT_EQ(answer.report.status, SetQpStatus::solved);
    // An error of 1e-9 at each of ten contacts lets the top sink at 1e-8 m/s, whose momentum is missing below.
    EXPECT_LE(answer.v.cwiseAbs().maxCoeff(), 1e-8);
    for (int i = 0; i < count; ++i) EXPECT_NEAR(answer.r[i], speed * (1e3 + (count - 1 - i)), 1e3 * 1e-8);
  }
}

}  // namespace
}  // namespace cardhouse::testing
