#include "cardhouse/contact/matrix_diagnosis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cardhouse/contact/diagnosis.h"
#include "contact/small_problems.h"

namespace cardhouse::testing {
namespace {

/// One contact with this W.
ContactProblem given(const MatX& w, double mu = 0.5) {
  ContactProblem problem;
  problem.j.begin_group(static_cast<int>(w.rows()));
  problem.laws.push_back(coulomb(mu));
  problem.delassus = ExplicitDelassus{w.sparseView(), VecX::Zero(w.rows())};
  return problem;
}

MatX diagonal(double a, double b, double c) {
  return Vec3(a, b, c).asDiagonal();
}

TEST(MatrixDiagnosis, OfAParticleIsThatOfItsInverseMass) {
  const MatrixDiagnosis found = diagnose_matrix(particle_with(coulomb(0.5), Vec3(1, 0, 0), Vec3::Zero(), 4.0).problem);
  EXPECT_EQ(found.rank, 3);
  EXPECT_NEAR(found.largest, 0.25, 1e-15);
  EXPECT_NEAR(found.least, 0.25, 1e-15);
  EXPECT_NEAR(found.condition(), 1.0, 1e-14);
  EXPECT_EQ(found.definiteness, Definiteness::definite);
}

TEST(MatrixDiagnosis, OfBodiesIsThatOfTheirW) {
  for (const SolvedProblem& solved : {box_stack(3), box_stack(2, 100.0), leaning_cards(0.3, 0.8)}) {
    const MatrixDiagnosis bodies = diagnose_matrix(solved.problem);
    const MatrixDiagnosis matrix = diagnose_matrix(with_explicit_delassus(solved.problem));
    EXPECT_EQ(bodies.rank, matrix.rank);
    EXPECT_EQ(bodies.definiteness, matrix.definiteness);
    EXPECT_NEAR(bodies.largest / matrix.largest, 1.0, 1e-12);
    // Eigenvalues of W are good to 1e-16 of the largest one, here at most 1e5 times the least.
    EXPECT_NEAR(bodies.condition() / matrix.condition(), 1.0, 1e-9);
  }
}

TEST(MatrixDiagnosis, OfCompliantRowsHasFullRank) {
  ProblemBuilder builder;
  builder.body(MatX::Identity(1, 1), VecX::Zero(1));
  for (int i = 0; i < 2; ++i) {
    builder.rows(of_kind(Law::Kind::unilateral), {{0, MatX::Ones(1, 1)}}, VecX::Zero(1), 0.5);
  }
  // W = [1.5 1; 1 1.5].
  const MatrixDiagnosis found = diagnose_matrix(builder.problem);
  EXPECT_EQ(found.rank, 2);
  EXPECT_NEAR(found.condition(), 5.0, 1e-12);
  builder.problem.compliance.setZero();
  EXPECT_EQ(diagnose_matrix(builder.problem).rank, 1);
}

TEST(MatrixDiagnosis, TellsKindsOfDefinitenessApart) {
  EXPECT_EQ(diagnose_matrix(given(diagonal(1, 2, 1e-6))).definiteness, Definiteness::definite);
  EXPECT_EQ(diagnose_matrix(given(diagonal(1, 2, 0))).definiteness, Definiteness::semidefinite);
  EXPECT_EQ(diagnose_matrix(given(diagonal(1, 2, -1e-15))).definiteness, Definiteness::semidefinite);
  EXPECT_EQ(diagnose_matrix(given(diagonal(1, 2, -1e-7))).definiteness, Definiteness::rounded);
  EXPECT_EQ(diagnose_matrix(given(diagonal(1, 2, -1e-3))).definiteness, Definiteness::indefinite);
}

TEST(MatrixDiagnosis, TakesSmallEigenvaluesForNoiseWhereNegativeOnesShowThatMuch) {
  EXPECT_EQ(diagnose_matrix(given(diagonal(1, 1e-7, 0))).rank, 2);
  EXPECT_EQ(diagnose_matrix(given(diagonal(1, 1e-7, -1e-7))).rank, 1);
  EXPECT_NEAR(diagnose_matrix(given(diagonal(1, 1e-7, 0))).condition(), 1e7, 1.0);
}

TEST(MatrixDiagnosis, OfNoRowsIsHarmless) {
  const MatrixDiagnosis found = diagnose_matrix(ContactProblem());
  EXPECT_EQ(found.rank, 0);
  EXPECT_EQ(found.condition(), 1.0);
}

TEST(Asymmetry, IsThePartOfWThatItsTransposeLacks) {
  MatX w = diagonal(3, 0, 4);
  EXPECT_EQ(asymmetry(given(w)), 0.0);
  w(0, 1) = 1e-3;
  EXPECT_NEAR(asymmetry(given(w)), std::sqrt(2.0) * 1e-3 / 5.0, 1e-9);
  EXPECT_EQ(asymmetry(box_stack(2).problem), 0.0);
}

TEST(KineticFactor, GivesW) {
  const SolvedProblem stack = box_stack(2, 10.0);
  const ContactProblem matrix = with_explicit_delassus(stack.problem);
  const MatX w(matrix.delassus->w);
  for (const ContactProblem& problem : {stack.problem, matrix}) {
    const MatX k = kinetic_factor(problem);
    EXPECT_LT((k.transpose() * k - w).norm(), 1e-11 * w.norm());
  }
}

TEST(KineticFactor, IsNoTallerThanTheProblemHasRows) {
  ProblemBuilder builder;
  for (int i = 0; i < 5; ++i) builder.rigid(1.0 + i, 0.2, Vec3::Zero());
  builder.rows(coulomb(0.5),
               {{1, ProblemBuilder::rigid_rows(Mat3::Identity(), Vec3(1, 2, 3))},
                {3, -ProblemBuilder::rigid_rows(Mat3::Identity(), Vec3(-1, 0, 2))}},
               VecX::Zero(3));
  const MatX k = kinetic_factor(builder.problem);
  const MatX w(with_explicit_delassus(builder.problem).delassus->w);
  EXPECT_EQ(k.rows(), 3);
  EXPECT_LT((k.transpose() * k - w).norm(), 1e-14 * w.norm());
}

TEST(Diagnosis, OfAGivenWIsThatOfItsBodies) {
  // A wedge that jams, cards that lean, a stack with redundant contacts.
  ProblemBuilder wedge;
  wedge.body(planar_mass(1.0, 0.2), Vec3::Zero());
  for (double side : {-1.0, 1.0}) {
    const Vec2 normal(-side * std::cos(0.3), std::sin(0.3));
    wedge.rows(coulomb(0.5), {{0, planar_rows(normal, Vec2(side, 0.3))}}, VecX::Zero(2));
  }
  for (const ContactProblem& problem : {wedge.problem, leaning_cards(0.3, 0.8).problem, box_stack(2).problem}) {
    const Diagnosis bodies = diagnose(problem);
    const Diagnosis matrix = diagnose(with_explicit_delassus(problem));
    EXPECT_EQ(bodies.rank, matrix.rank);
    EXPECT_EQ(bodies.pointed, matrix.pointed);
    // The factor of a given W keeps half of its digits.
    EXPECT_NEAR(bodies.subspace_angle, matrix.subspace_angle, 1e-6);
    EXPECT_NEAR(bodies.painleve_ratio, matrix.painleve_ratio, 1e-12);
  }
}

TEST(Diagnosis, OfContactsAloneHasTheirPainleveRatios) {
  const SolvedProblem cards = leaning_cards(0.3, 0.8);
  const Diagnosis whole = diagnose(cards.problem);
  const Diagnosis contacts = diagnose_contacts(cards.problem);
  EXPECT_GT(whole.painleve_ratio, 0.0);
  EXPECT_EQ(contacts.painleve_ratios, whole.painleve_ratios);
  EXPECT_EQ(contacts.painleve_contact, whole.painleve_contact);
}

}  // namespace
}  // namespace cardhouse::testing
