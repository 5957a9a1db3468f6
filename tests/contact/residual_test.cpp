#include "cardhouse/contact/residual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "contact/analytic_problems.h"

namespace cardhouse::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Answers written down in double precision: a few round-offs of the scale.
constexpr double kResidualExact = 1e-14;
/// The tolerance of the house.
constexpr double kCertified = 1e-8;

class AnalyticSolution : public ::testing::TestWithParam<NamedProblem> {
 protected:
  ContactProblem problem = GetParam().solved.problem;
  VecX r = GetParam().solved.r;
  double residual() const { return certify(problem, r).residual; }
  bool loaded() const { return r.norm() > 0.0; }
};

TEST_P(AnalyticSolution, HasNoResidual) {
  const Certificate certificate = certify(problem, r);
  EXPECT_LE(certificate.residual, kResidualExact);
  EXPECT_TRUE(certificate.certified(kCertified));
  EXPECT_LE(certificate.approach_speed, kResidualExact);
  EXPECT_LE(certificate.complementarity, kResidualExact);
  EXPECT_LE(certificate.missing_dissipation, kResidualExact);
  EXPECT_LE(certificate.cone_excess, kResidualExact);
}

TEST_P(AnalyticSolution, IsNotCertifiedWhenAnImpulseIsOffByAMillionth) {
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const double size = r.segment(rows.row, rows.dim).norm();
    if (size == 0.0) continue;
    for (int i = 0; i < rows.dim; ++i) {
      for (double sign : {-1.0, 1.0}) {
        VecX spoilt = r;
        spoilt[rows.row + i] += sign * 1e-6 * size;
        EXPECT_GT(certify(problem, spoilt).residual, kCertified) << "row " << rows.row + i << ", sign " << sign;
      }
    }
  }
  if (!loaded()) {
    r[0] = 1e-6;  // an impulse where the contact opens
    EXPECT_GT(residual(), kCertified);
  }
}

TEST_P(AnalyticSolution, NoticesAMillionthOfFrictionWhereItSlidesAndOnlyThere) {
  VecX v;
  VecX u;
  contact_velocity(problem, r, v, u);
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const Law& law = problem.laws[g];
    const bool rolls = is_dependent(law);
    if ((law.kind != Law::Kind::coulomb && !rolls) || law.mu == 0.0) continue;
    const double load = r[problem.j.group(rolls ? law.leader : g).row];
    const int tangents = rolls ? rows.dim : rows.dim - 1;
    const bool slides = load != 0.0 && u.segment(rows.row + rows.dim - tangents, tangents).norm() > 1e-3;
    for (double factor : {1.0 - 1e-6, 1.0 + 1e-6}) {
      ContactProblem changed = problem;
      changed.laws[g].mu *= factor;
      changed.laws[g].mu_cross *= factor;
      const double residual = certify(changed, r).residual;
      EXPECT_EQ(residual > kCertified, slides) << "group " << g << ", factor " << factor << ", residual " << residual;
    }
  }
}

/// What rolling and torsional friction takes from its leader: with the leader's own law made easy, the bound alone.
TEST_P(AnalyticSolution, NoticesAMillionthOfTheLoadThatBoundsRollingFriction) {
  VecX v;
  VecX u;
  contact_velocity(problem, r, v, u);
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const Law& law = problem.laws[g];
    if (!is_dependent(law) || u.segment(rows.row, rows.dim).norm() < 1e-3) continue;
    const int normal = problem.j.group(law.leader).row;
    if (r[normal] == 0.0) continue;
    for (double factor : {1.0 - 1e-6, 1.0 + 1e-6}) {
      VecX spoilt = r;
      spoilt[normal] *= factor;
      std::vector<double> shares;
      Certifier certifier;
      certifier(problem, spoilt, &shares);
      EXPECT_GT(shares[g], kCertified) << "group " << g << ", factor " << factor;
    }
  }
}

TEST_P(AnalyticSolution, IsNotCertifiedWhenANormalTurnsByAMillionth) {
  for (int turned = 0; turned < problem.groups(); ++turned) {
    const BlockRows::Group& rows = problem.j.group(turned);
    if (problem.laws[turned].kind != Law::Kind::coulomb || r[rows.row] == 0.0) continue;
    // A frictionless particle that turns with its frame about the direction it slides in stays as it was.
    for (int tangent = 1; tangent < rows.dim; ++tangent) {
      ContactProblem spoilt = problem;
      spoilt.j = changed_rows(problem, [&](int g, MatX& block) {
        if (g != turned) return;
        const MatX normal = block.row(0);
        block.row(0) += 1e-6 * block.row(tangent);
        block.row(tangent) -= 1e-6 * normal;
      });
      EXPECT_GT(certify(spoilt, r).residual, kCertified) << "group " << turned << ", tangent " << tangent;
    }
  }
}

TEST_P(AnalyticSolution, HasTheSameResidualInAnyUnits) {
  Random random(17);
  VecX spoilt = r + 0.01 * (r.norm() + 1e-3) * random.vector(problem.rows());
  const Certificate before = certify(problem, spoilt);
  constexpr double mass = 1000.0;   // kg → g
  constexpr double length = 100.0;  // m → cm
  constexpr double time = 1e3;      // s → ms
  const auto angles_from = [](int size) { return size == 6 ? 3 : size == 3 ? 2 : size; };
  bool rotates = GetParam().name == "LeaningCards";
  for (const char* word : {"Box", "Ball", "Wheel"})
    rotates = rotates || GetParam().name.find(word) != std::string::npos;
  ContactProblem scaled;
  for (int i = 0; i < problem.a.blocks(); ++i) {
    MatX block = mass * MatX(problem.a.block(i));
    const int linear = rotates ? angles_from(problem.a.size(i)) : problem.a.size(i);
    const int angular = problem.a.size(i) - linear;
    block.bottomRightCorner(angular, angular) *= length * length;
    if (!problem.a.is_coupled(i)) scaled.a.add(block);
  }
  for (const BodyMatrix::Coupled& body : problem.a.coupled_bodies()) {  // the only body where there is one
    auto matrix = std::make_shared<CoupledBlocks>(*body.matrix);
    for (int n = 0; n < matrix->nodes(); ++n) matrix->diagonal(n) *= mass;
    for (const CoupledBlocks::Coupling& c : matrix->couplings()) matrix->block(c) *= mass;
    ASSERT_TRUE(matrix->factorise());
    scaled.a.add(matrix);
  }
  scaled.v_free = problem.v_free / time;
  for (int i = 0; i < problem.a.blocks(); ++i) {
    const int linear = rotates ? angles_from(problem.a.size(i)) : problem.a.size(i);
    scaled.v_free.segment(problem.a.offset(i), linear) *= length;
  }
  scaled.b = problem.b * length / time;  // 0 where rows turn
  scaled.compliance = problem.compliance / mass;
  scaled.laws = problem.laws;
  const double impulse = mass * length / time;
  for (Law& law : scaled.laws) {
    law.lower *= impulse;
    law.upper *= impulse;
    if (is_dependent(law)) {
      law.mu *= length;
      law.mu_cross *= length;
    }
  }
  scaled.j = changed_rows(problem, [&](int g, MatX& block) {
    if (is_dependent(problem.laws[g])) return;  // rad/s in all units of length
    const auto size = static_cast<int>(block.cols());
    const int linear = rotates ? angles_from(size) : size;
    block.rightCols(size - linear) *= length;
  });
  bool rolling_torsional = false;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const bool turns = is_dependent(problem.laws[g]);
    rolling_torsional = rolling_torsional || turns;
    spoilt.segment(rows.row, rows.dim) *= turns ? impulse * length : impulse;
  }
  const Certificate after = certify(scaled, spoilt);
  EXPECT_GT(before.residual, 1e-6);
  EXPECT_NEAR(after.residual, before.residual, 1e-12 * before.residual);
  // The parts do carry units.
  EXPECT_NEAR(after.approach_speed, before.approach_speed * length / time, 1e-12 * length / time);
  if (!rolling_torsional) {
    EXPECT_NEAR(after.cone_excess, before.cone_excess * impulse, 1e-12 * impulse);
  }
  const double energy = impulse * length / time;
  EXPECT_NEAR(after.complementarity, before.complementarity * energy, 1e-12 * energy);
  EXPECT_NEAR(after.missing_dissipation, before.missing_dissipation * energy, 1e-12 * energy);
}

TEST_P(AnalyticSolution, HasTheSameCertificateInTheSecondForm) {
  Random random(18);
  const ContactProblem second = with_explicit_delassus(problem);
  EXPECT_LE(certify(second, r).residual, kResidualExact * 10.0);
  const VecX spoilt = r + 0.01 * (r.norm() + 1e-3) * random.vector(problem.rows());
  const Certificate one = certify(problem, spoilt);
  const Certificate two = certify(second, spoilt);
  EXPECT_NEAR(two.residual, one.residual, 1e-12);
  EXPECT_EQ(two.worst_group, one.worst_group);
  EXPECT_NEAR(two.approach_speed, one.approach_speed, 1e-12);
  EXPECT_NEAR(two.missing_dissipation, one.missing_dissipation, 1e-12);
}

TEST_P(AnalyticSolution, DoesNotHideBehindAHeavyBodyElsewhere) {
  VecX spoilt = r;
  spoilt[0] += 1e-6 * (loaded() ? r.norm() : 1.0);
  const double alone = certify(problem, spoilt).residual;
  ASSERT_GT(alone, kCertified);
  for (double mass : {1e-9, 1e9}) {
    const SolvedProblem other = particle_with(coulomb(0.5), mass * Vec3(1, 0, 0), Vec3::Zero(), mass);
    const SolvedProblem both = side_by_side({problem, spoilt}, other);
    EXPECT_EQ(certify(both.problem, both.r).residual, alone) << "mass " << mass;
  }
}

INSTANTIATE_TEST_SUITE_P(Certificate, AnalyticSolution, ::testing::ValuesIn(analytic_problems()),
                         [](const auto& test) { return test.param.name; });

TEST(Certificate, OfAnOpenContactWithAGapNeedsNoImpulse) {
  SolvedProblem falling = particle_with(coulomb(0.5), Vec3::Zero(), Vec3(-1, 2, 0));
  falling.problem.b[0] = 1.5;  // gap/h
  EXPECT_EQ(certify(falling.problem, falling.r).residual, 0.0);
  falling.problem.b[0] = 0.5;
  EXPECT_GT(certify(falling.problem, falling.r).residual, 0.01);
}

TEST(Certificate, OfNoContactsIsClean) {
  const Certificate none = certify(ContactProblem(), VecX());
  EXPECT_EQ(none.residual, 0.0);
  EXPECT_EQ(none.worst_group, -1);
  EXPECT_TRUE(none.certified(0.0));
  ProblemBuilder builder;
  builder.rigid(1.0, 1.0, Vec3(1, 2, 3));
  EXPECT_EQ(certify(builder.problem, VecX()).residual, 0.0);
}

TEST(Certificate, HasThePartsThatPencilAndPaperGive) {
  // Mass 2, v_free = (−1 normal, 3 tangential), mu = 0.5.
  ProblemBuilder builder;
  builder.body(2.0 * MatX::Identity(3, 3), Vec3(-1, 3, 0));
  builder.rows(coulomb(0.5), {{0, MatX::Identity(3, 3)}}, VecX::Zero(3));

  const Certificate nothing = certify(builder.problem, Vec3::Zero());
  EXPECT_NEAR(nothing.approach_speed, 1.0, 1e-15);
  EXPECT_NEAR(nothing.complementarity, 0.0, 1e-15);
  EXPECT_NEAR(nothing.missing_dissipation, 0.0, 1e-15);  // no load, no friction
  EXPECT_NEAR(nothing.cone_excess, 0.0, 1e-15);
  // rho = 2, z = (2, −6, 0), P = (2, −1, 0): ‖e‖ = √5, scale = √2 √10.
  EXPECT_NEAR(nothing.residual, std::sqrt(5.0) / std::sqrt(2.0) / std::sqrt(20.0), 1e-15);
  EXPECT_EQ(nothing.worst_group, 0);

  const Certificate half = certify(builder.problem, Vec3(1, 0, 0));  // u = (−0.5, 3, 0)
  EXPECT_NEAR(half.approach_speed, 0.5, 1e-15);
  EXPECT_NEAR(half.complementarity, 0.5, 1e-15);
  EXPECT_NEAR(half.missing_dissipation, 1.5, 1e-15);  // mu r_N ‖u_T‖
  EXPECT_NEAR(half.cone_excess, 0.0, 1e-15);

  const Certificate beyond = certify(builder.problem, Vec3(2, -1.3, 0));  // u = (0, 2.35, 0)
  EXPECT_NEAR(beyond.approach_speed, 0.0, 1e-15);
  EXPECT_NEAR(beyond.cone_excess, 0.3, 1e-15);
  EXPECT_NEAR(beyond.missing_dissipation, 0.0, 1e-15);  // it takes more than it may

  const Certificate pulling = certify(builder.problem, Vec3(-0.2, 0, 0));  // u = (−1.1, 3, 0)
  EXPECT_NEAR(pulling.cone_excess, 0.2, 1e-15);
  EXPECT_NEAR(pulling.approach_speed, 1.1, 1e-15);
  EXPECT_NEAR(pulling.complementarity, 0.22, 1e-15);

  const Certificate right = certify(builder.problem, Vec3(2, -1, 0));
  EXPECT_NEAR(right.residual, 0.0, 1e-15);
}

TEST(Certificate, IsNotGivenToImpulsesThatGrowUntilAnyVelocityLooksSmall) {
  // Two plates close on a particle: no velocity satisfies both, and the impulses that say so may be as large as they
  // like.
  ProblemBuilder builder;
  builder.body(MatX::Identity(1, 1), VecX::Zero(1));
  for (const double side : {1.0, -1.0}) {
    builder.rows(of_kind(Law::Kind::unilateral), {{0, MatX::Constant(1, 1, side)}}, VecX::Constant(1, -1.0));
  }
  for (double impulse = 1.0; impulse < 1e30; impulse *= 10.0) {
    EXPECT_GE(certify(builder.problem, Vec2(impulse, impulse)).residual, 1e-5) << impulse;
  }
}

TEST(Certificate, DoesNotMeasureByASlidingThatNoFrictionFeels) {
  SolvedProblem pressed = particle_with(coulomb(0.0), Vec3(1, 0, 0), Vec3(0, 5, -7));
  const Vec3 wrong(1.0 + 1e-3, 0.0, 0.0);
  const double slow = certify(pressed.problem, wrong).residual;
  pressed.problem.v_free[1] = 1e6;
  EXPECT_EQ(certify(pressed.problem, wrong).residual, slow);
}

TEST(Certificate, CountsBrokenJointsAsApproachAndBrokenBoundsAsExcess) {
  const SolvedProblem joint = particle_with(of_kind(Law::Kind::equality), Vec3::Zero(), Vec3(3, 0, -4));
  EXPECT_NEAR(certify(joint.problem, joint.r).approach_speed, 5.0, 1e-15);
  const SolvedProblem motor = particle_with(bounded(-1, 2), VecX::Constant(1, 2.5), VecX::Zero(1));
  EXPECT_EQ(certify(motor.problem, motor.r).cone_excess, 0.5);
  EXPECT_GT(certify(motor.problem, motor.r).residual, 0.1);
}

TEST(Certificate, NamesTheWorstGroup) {
  SolvedProblem stack = box_stack(3);
  stack.r[3 * 6] *= 1.5;
  std::vector<double> shares;
  Certifier certifier;
  const Certificate certificate = certifier(stack.problem, stack.r, &shares);
  EXPECT_EQ(certificate.worst_group, 6);
  ASSERT_EQ(shares.size(), 12u);
  EXPECT_EQ(shares[6], certificate.residual);
  for (double share : shares) EXPECT_LE(share, certificate.residual);
}

TEST(Certificate, IsTheSameWhenTheCertifierHasSeenOtherProblems) {
  Random random(19);
  const ContactProblem problem = random_problem(random, 4, 10);
  const VecX r = random.vector(problem.rows());
  const Certificate fresh = certify(problem, r);
  Certifier used;
  const SolvedProblem other = box_stack(6);
  used(other.problem, other.r);
  EXPECT_EQ(used(problem, r).residual, fresh.residual);
  VecX v;
  VecX u;
  contact_velocity(problem, r, v, u);
  EXPECT_EQ(used.u(), u);
  EXPECT_EQ(used.v(), v);
}

TEST(Certificate, HasTheSameResidualWhenAskedForNothingElse) {
  Random random(20);
  Certifier certifier;
  for (const auto& [bodies, groups] : {std::pair{4, 10}, {9, 5}, {1, 1}}) {
    const ContactProblem problem = random_problem(random, bodies, groups);
    certifier.prepare(problem);
    for (const double size : {0.0, 1.0, 100.0}) {
      const VecX r = size * random.vector(problem.rows());
      EXPECT_EQ(certifier.residual(problem, r), certify(problem, r).residual);
      VecX q;
      free_velocity(problem, q);
      EXPECT_EQ(certifier.q(), q);
    }
  }
}

TEST(Certificate, IsNeverGivenToNaN) {
  const SolvedProblem sound = side_by_side(box_stack(2), sliding_box(0.6));
  const auto residual_with = [&](auto&& spoil) {
    SolvedProblem spoilt = sound;
    spoil(spoilt);
    return certify(spoilt.problem, spoilt.r);
  };
  EXPECT_TRUE(residual_with([](SolvedProblem&) {}).certified(kCertified));
  for (double bad : {kNaN, kInfinity, -kInfinity}) {
    SCOPED_TRACE(bad);
    for (int row = 0; row < sound.problem.rows(); ++row) {
      EXPECT_FALSE(residual_with([&](SolvedProblem& s) { s.r[row] = bad; }).certified(1.0)) << "r, row " << row;
      EXPECT_FALSE(residual_with([&](SolvedProblem& s) { s.problem.b[row] = bad; }).certified(1.0)) << "b, row " << row;
    }
    EXPECT_FALSE(residual_with([&](SolvedProblem& s) { s.problem.v_free[3] = bad; }).certified(1.0)) << "v_free";
    EXPECT_FALSE(residual_with([&](SolvedProblem& s) {
                   s.problem.j = changed_rows(s.problem, [&](int g, MatX& block) {
                     if (g == 1) block(0, 0) = bad;
                   });
                 }).certified(1.0))
        << "J";
  }
  EXPECT_FALSE(residual_with([](SolvedProblem& s) { s.problem.laws[2].mu = kNaN; }).certified(1.0)) << "mu";
  EXPECT_FALSE(residual_with([](SolvedProblem& s) {
                 MatX mass = MatX::Identity(6, 6);
                 mass(1, 1) = kNaN;
                 BodyMatrix a;
                 a.add(mass, mass);
                 for (int i = 1; i < s.problem.a.blocks(); ++i) a.add(s.problem.a.block(i));
                 s.problem.a = a;
               }).certified(1.0))
      << "A";
  Certificate nan;
  nan.residual = kNaN;
  EXPECT_FALSE(nan.certified(1e300));
}

TEST(Certificate, IsNeverGivenToNaNThatTheLawWouldNotLookAt) {
  // An open contact, and one without friction: the tangential rows play no part in the projections.
  SolvedProblem open = particle_with(coulomb(0.5), Vec3::Zero(), Vec3(1, 0, 0));
  open.problem.b[1] = kNaN;
  EXPECT_FALSE(certify(open.problem, open.r).certified(1.0));
  SolvedProblem slippery = particle_with(coulomb(0.0), Vec3(1, 0, 0), Vec3(0, 1, 0));
  slippery.problem.b[2] = kInfinity;
  EXPECT_FALSE(certify(slippery.problem, slippery.r).certified(1.0));
  SolvedProblem motor = particle_with(bounded(kNaN, 2), VecX::Constant(1, 1.0), VecX::Zero(1));
  EXPECT_FALSE(certify(motor.problem, motor.r).certified(1.0));
}

TEST(Certificate, IsNeverGivenToViolatedRowsThatNothingCanMove) {
  for (double offset : {-1e-12, -1.0}) {
    ProblemBuilder builder;
    builder.rigid(1.0, 1.0, Vec3::Zero());
    builder.rows(coulomb(0.5), {}, Vec3(offset, 0, 0));
    EXPECT_FALSE(certify(builder.problem, Vec3::Zero()).certified(1e300)) << offset;
    EXPECT_FALSE(certify(builder.problem, Vec3(5, 0, 0)).certified(1e300)) << "an impulse does not help";
  }
  ProblemBuilder equality;
  equality.rows(of_kind(Law::Kind::equality), {}, VecX::Constant(1, 1e-9));
  EXPECT_FALSE(certify(equality.problem, VecX::Zero(1)).certified(1e300));
}

TEST(Certificate, IsGivenToRowsThatNothingCanMoveWhenTheyHold) {
  ProblemBuilder builder;
  builder.rigid(1.0, 1.0, Vec3::Zero());
  builder.rows(coulomb(0.5), {}, Vec3(0.5, 3.0, 0));
  builder.rows(of_kind(Law::Kind::equality), {}, VecX::Zero(1));
  EXPECT_EQ(certify(builder.problem, VecX::Zero(4)).residual, 0.0);
}

TEST(Certificate, CountsComplianceAsPartOfTheVelocity) {
  // One compliant row: u = (1/m + c) r + q.
  ProblemBuilder builder;
  builder.body(MatX::Identity(1, 1), VecX::Constant(1, -3.0));
  builder.rows(of_kind(Law::Kind::unilateral), {{0, MatX::Identity(1, 1)}}, VecX::Zero(1), 0.5);
  EXPECT_LE(certify(builder.problem, VecX::Constant(1, 2.0)).residual, kResidualExact);
  EXPECT_GT(certify(builder.problem, VecX::Constant(1, 3.0)).residual, 0.1);
}

TEST(Certificate, MeasuresErrorsOfImpulsesAgainstTheSpeedOfSlidingToo) {
  // √rho ‖q‖ counts what there is to slide with: at 1 m/s, a hundred times g h, a millionth of the load is a smaller
  // share of the whole. It is seen all the same, far above the round-off of the exact solution.
  SolvedProblem fast = sliding_box(0.6, 1.0);
  EXPECT_LE(certify(fast.problem, fast.r).residual, kResidualExact);
  fast.r[0] *= 1.0 + 1e-6;
  EXPECT_GT(certify(fast.problem, fast.r).residual, 1e-10);
}

TEST(Certificate, SeesAnErrorInAFarCornerOfALargeIsland) {
  SolvedProblem stack = box_stack(30);
  ASSERT_LE(certify(stack.problem, stack.r).residual, 1e-13);
  stack.r[12 * 29] *= 1.0 + 1e-6;  // a corner under the top box
  EXPECT_GT(certify(stack.problem, stack.r).residual, kCertified);
}

TEST(Residual, AJointActsWhicheverOfItsRowsMoves) {
  // A particle that a joint holds by three rows, of which only the last has something to do.
  testing::ProblemBuilder builder;
  builder.body(2.0 * MatX::Identity(3, 3), Vec3(0.0, 0.0, -0.01));
  builder.rows(testing::of_kind(Law::Kind::equality), {{0, MatX::Identity(3, 3)}}, VecX::Zero(3));
  EXPECT_NEAR(certify(builder.problem, VecX::Zero(3)).residual, 1.0, 1e-12);
  EXPECT_LT(certify(builder.problem, Vec3(0.0, 0.0, 0.02)).residual, 1e-14);
}

TEST(Residual, TheRoundOffOfSpeedsIsNoWorkButLittleMoreIs) {
  // Two particles that fly as one at 10 m/s, but for `difference`, held by a joint or side by side.
  for (const Law& law : {of_kind(Law::Kind::equality), coulomb(0.0), coulomb(0.5)}) {
    const auto residual = [&](double difference) {
      const int dim = law.kind == Law::Kind::equality ? 1 : 3;
      ProblemBuilder builder;
      VecX first = VecX::Zero(dim);
      first[0] = 10.0;
      VecX second = first;
      second[0] += difference;
      builder.body(MatX::Identity(dim, dim), first);
      builder.body(MatX::Identity(dim, dim), second);
      builder.rows(law, {{0, MatX::Identity(dim, dim)}, {1, -MatX::Identity(dim, dim)}}, VecX::Zero(dim));
      return certify(builder.problem, VecX::Zero(dim)).residual;
    };
    EXPECT_LT(residual(2e-15), 1e-8);  // one bit of 10
    EXPECT_GT(residual(1e-12), 1e-8);
    EXPECT_NEAR(residual(1e-3), 1.0, 1e-9);
  }
}

/// Two bodies that fall side by side, touching, and a sphere on the floor elsewhere: q of the first contact is
/// round-off.
ContactProblem falling_side_by_side() {
  ProblemBuilder builder;
  const int left = builder.body(MatX::Identity(3, 3), Vec3(0.0, 0.0, -3.0));
  const int right = builder.body(MatX::Identity(3, 3), Vec3(-1e-16, 0.0, -3.0));
  const int other = builder.body(MatX::Identity(3, 3), Vec3(0.1, 0.0, -0.01));
  const MatX rows = frame_of(Vec3::UnitX());
  builder.rows(coulomb(0.5), {{right, rows}, {left, -rows}}, VecX::Zero(3));
  builder.rows(coulomb(0.5), {{other, frame_of(Vec3::UnitZ())}}, VecX::Zero(3));
  return builder.problem;
}

TEST(Residual, IsTheSameForBothFormsOfAProblem) {
  Random random(20261118);
  std::vector<ContactProblem> problems = {falling_side_by_side()};
  for (int i = 0; i < 20; ++i) problems.push_back(random_problem(random, 4, 6));
  for (int i = 0; i < 20; ++i) problems.push_back(random_problem_with_rolling(random, 3, 4));
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const VecX r = 1e-3 * random.vector(problems[p].rows());
    std::vector<double> first;
    std::vector<double> second;
    Certifier certifier;
    certifier(problems[p], r, &first);
    certifier(explicit_form(problems[p]), r, &second);
    for (std::size_t g = 0; g < first.size(); ++g) {
      // Round-off of W r against J A⁻¹ Jᵀ r.
      EXPECT_NEAR(first[g], second[g], 1e-9 * first[g] + 1e-12)
          << "problem " << p << ", group " << g << ", seed 20261118";
    }
  }
}

TEST(Residual, OfAnIslandDoesNotDependOnOthersWhereWIsGiven) {
  const ContactProblem both = explicit_form(side_by_side(box_stack(3), box_stack(2, 1e6)).problem);
  const ContactProblem one = explicit_form(box_stack(3).problem);
  const VecX r = VecX::Constant(both.rows(), 1e-3);
  std::vector<double> shares;
  Certifier certifier;
  certifier(both, r, &shares);
  std::vector<double> alone;
  certifier(one, r.head(one.rows()), &alone);
  for (std::size_t g = 0; g < alone.size(); ++g) EXPECT_DOUBLE_EQ(shares[g], alone[g]) << g;
}

}  // namespace
}  // namespace cardhouse::testing
