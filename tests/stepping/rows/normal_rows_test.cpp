// gap/h and the laws of restitution that are rows of one solve, against what is known on paper.
#include "cardhouse/stepping/rows/normal_rows.h"

#include "stepping/collisions.h"

namespace cardhouse {
namespace {

using namespace test;

Contact with_gap(double gap, double rounding = 0.0) {
  Contact contact;
  contact.gap = gap;
  contact.gap_rounding = rounding;
  return contact;
}

TEST(NormalRows, AnOpenGapCountsInFullAndAnOverlapByGamma) {
  StepSettings settings;
  settings.step = 1e-2;
  settings.gamma = 0.2;
  EXPECT_DOUBLE_EQ(gap_bias(with_gap(3e-3), settings), 0.3);
  EXPECT_DOUBLE_EQ(gap_bias(with_gap(-3e-3), settings), -0.06);
  settings.stabilisation = Stabilisation::none;
  EXPECT_DOUBLE_EQ(gap_bias(with_gap(3e-3), settings), 0.3);
  EXPECT_EQ(gap_bias(with_gap(-3e-3), settings), 0.0);
}

TEST(NormalRows, AGapWithinTheRoundingIsNone) {
  StepSettings settings;
  settings.step = 1e-2;
  const double rounding = 1e-4;
  for (const double gap : {rounding, 0.3 * rounding, 0.0, -0.3 * rounding, -rounding}) {
    EXPECT_EQ(gap_bias(with_gap(gap, rounding), settings), 0.0) << gap;
  }
  // Beyond it the row goes on without a jump.
  EXPECT_NEAR(gap_bias(with_gap(3e-4, rounding), settings), 2e-2, 1e-15);
  EXPECT_NEAR(gap_bias(with_gap(-3e-4, rounding), settings), -2e-2, 1e-15);
  // A spring that gives way by less still pushes.
  settings.contact = ContactModel::soft;
  EXPECT_NEAR(gap_bias(with_gap(-0.5 * rounding, rounding), settings), -5e-3, 1e-15);
}

TEST(NormalRows, BodiesThatTouchStayWhereTheyAre) {
  const double rounding = 1e-9 * std::sqrt(0.6) * ball_radius;  // ½ trace of 0.4 m r² about three axes
  const auto rests_at = [](double gap) {
    SmallModel setup = ball_over_floor(gap, 0.0);
    Body& ball = setup.model.bodies[1];
    ball.kind = BodyKind::spatial;
    ball.inertia = 0.4 * ball.mass * ball_radius * ball_radius * Mat3::Identity();
    StepSettings settings;
    settings.initial_overlaps = InitialOverlaps::push;
    run(setup, settings, 10);
    return height(setup.state);
  };
  const double round_off = 1e-14 * ball_radius;
  for (const double part : {-0.5, 0.5}) EXPECT_NEAR(rests_at(part * rounding), part * rounding, round_off);
  EXPECT_NEAR(rests_at(1e-6), rounding, round_off);
  EXPECT_NEAR(rests_at(-1e-6), -rounding, round_off);
}

TEST(NormalRows, AStepUndoesThePartGammaOfAnOverlap) {
  for (const double gamma : {0.2, 0.5, 1.0}) {
    SmallModel setup = ball_over_floor(-1e-3, 0.0);
    StepSettings settings;
    settings.gamma = gamma;
    settings.initial_overlaps = InitialOverlaps::push;
    run(setup, settings, 1);
    EXPECT_NEAR(height(setup.state), -(1.0 - gamma) * 1e-3, 1e-12) << gamma;
  }
}

TEST(NormalRows, ABodyArrivesAtTheSurfaceInOneStepFromWhereverItIs) {
  // The active set holds all that a body can reach in the step, whatever the margin; nothing is taken back.
  for (const double margin : {0.0, 1e-6, 0.1}) {
    for (const double gap : {1e-9, 1e-4, 9e-3, 0.0999}) {
      SmallModel setup = ball_over_floor(gap, 0.0);
      setup.state.bodies[1].linear.z() = -100.0;
      StepSettings settings;
      settings.margin = margin;
      run(setup, settings, 1);
      EXPECT_NEAR(height(setup.state), 0.0, 1e-12) << margin << " " << gap;
    }
    SmallModel setup = ball_over_floor(0.102, 0.0);  // farther than 100 m/s · 1 ms and what gravity adds
    setup.state.bodies[1].linear.z() = -100.0;
    StepSettings settings;
    settings.margin = margin;
    run(setup, settings, 1);
    EXPECT_GT(height(setup.state), 1e-3);
  }
}

TEST(Restitution, EveryLawGivesAnObliqueImpactItsAnalyticOutcome) {
  // A ball that slides throughout: r_N = (1 + e) m v, r_T = mu r_N.
  const double e = 0.6;
  const double mu = 0.2;
  for (const Restitution law : all_laws) {
    for (const double gap : {0.0, 3e-4, 1.9e-3}) {
      SmallModel setup = ball_over_floor(gap, e, mu);
      setup.model.gravity.setZero();
      setup.state.bodies[1].linear = Vec3(1.0, 0.5, -2.0);
      run(setup, settings_of(law, 1e-3), 5);
      const Vec3 v = setup.state.bodies[1].linear;
      EXPECT_NEAR(v.z(), e * 2.0, 1e-7) << static_cast<int>(law);
      const double sliding = std::hypot(1.0, 0.5);
      const double left = sliding - mu * (1.0 + e) * 2.0;
      EXPECT_NEAR(v.x(), 1.0 * left / sliding, 1e-7) << static_cast<int>(law);
      EXPECT_NEAR(v.y(), 0.5 * left / sliding, 1e-7) << static_cast<int>(law);
    }
  }
}

TEST(Restitution, ReboundsThatForcesEndWithinTheStepAreNone) {
  // A ball that arrives with v leaves with e v, which gravity takes back in e v/g.
  const double e = 0.5;
  const double h = 1e-3;
  for (const double part : {0.9, 1.1}) {  // of e v = g h
    SmallModel setup = ball_over_floor(0.0, e);
    setup.state.bodies[1].linear.z() = -part * gravity * h / e;
    Contact contact;
    contact.body_a = 1;
    contact.body_b = 0;
    contact.restitution = e;
    contact.basis.col(0) = Vec3::UnitZ();
    const StepSettings settings = settings_of(Restitution::lagged, h);
    Predictor predictor;
    const NormalRowsInput input{setup.state, predictor.predict(setup.model, setup.state, settings), {}, {}, settings};
    EXPECT_EQ(rebounds(contact, input, setup.state.bodies[1].linear.z()), part > 1.0) << part;
    EXPECT_FALSE(rebounds(contact, input, 1.0)) << "parts";
  }
}

TEST(Restitution, TheImpactLawGivesBackNothingThatForcesEndWithinTheStep) {
  const double e = 0.5;
  const double h = 1e-3;
  for (const double part : {0.9, 1.1}) {  // of e v = g h
    SmallModel setup = ball_over_floor(0.0, e);
    const double speed = part * gravity * h / e;
    setup.state.bodies[1].linear.z() = -speed;
    run(setup, settings_of(Restitution::impact, h), 1);
    EXPECT_NEAR(setup.state.bodies[1].linear.z(), part > 1.0 ? e * speed : 0.0, 1e-9 * speed) << part;
  }
}

TEST(Restitution, WithLaggedVelocitiesApexHeightsGiveTheCoefficient) {
  for (const double e : {0.5, 0.8, 1.0}) {
    for (const double h : {1e-3, 3e-4}) {
      for (const double start : {0.3, 0.3017, 1.0}) {
        const std::vector<double> found =
            apexes(ball_over_floor(start, e), settings_of(Restitution::lagged, h), e == 0.5 ? 4 : 8);
        for (std::size_t k = 0; k + 1 < found.size(); ++k) {
          const double speed = std::sqrt(2.0 * gravity * found[k]);
          if (speed <= 20.0 * gravity * h) break;
          // Either height is off by about v h/2, see docs/restitution.md.
          EXPECT_NEAR(std::sqrt(found[k + 1] / found[k]), e, 2.0 * gravity * h / speed)
              << "e " << e << ", h " << h << ", bounce " << k;
        }
      }
    }
  }
}

TEST(Restitution, TheSpeedAfterTheArrivalTellsNothingOfTheCollision) {
  // The odd results of Newton's law with linearised gaps (Anitescu 2003): a body arrives with gap/h, which is any part
  // of the speed that it came with. A law that gives back e times that has no coefficient at all.
  double least = 1.0;
  double most = 0.0;
  for (int i = 0; i < 20; ++i) {
    SmallModel setup = ball_over_floor(0.5 + 1.5e-4 * i, 0.0);
    Stepper stepper(setup.model, settings_of(Restitution::newton, 1e-3));
    double before = 0.0;
    double after = 0.0;
    while (std::abs(height(setup.state)) > 1e-12) {
      before = setup.state.bodies[1].linear.z();
      stepper.step(setup.model, setup.state);
      after = setup.state.bodies[1].linear.z();
    }
    least = std::min(least, after / before);
    most = std::max(most, after / before);
  }
  EXPECT_LT(least, 0.1);
  EXPECT_GT(most, 0.9);
}

TEST(Restitution, TheImpactLawKeepsElasticBouncesForEver) {
  // v⁺ = −v⁻ turns the motion round exactly: the way up has the places of the way down.
  for (const double start : {0.1, 0.1003, 0.25}) {
    const std::vector<double> found = apexes(ball_over_floor(start, 1.0), settings_of(Restitution::impact, 1e-3), 30);
    ASSERT_EQ(found.size(), 31U);
    EXPECT_NEAR(found.back(), start, 1e-9);  // round-off of 10⁴ steps
  }
}

TEST(Restitution, NoLawLetsARestingBodyBounce) {
  for (const Restitution law : all_laws) {
    for (const Scheme scheme : {Scheme::stewart_trinkle, Scheme::moreau_jean}) {
      SmallModel setup = ball_over_floor(0.0, 0.9);
      StepSettings settings = settings_of(law, 1e-3);
      settings.scheme = scheme;
      run(setup, settings, 50);
      EXPECT_NEAR(height(setup.state), 0.0, 1e-5) << static_cast<int>(law);  // Moreau–Jean: g h²/2
      EXPECT_LT(setup.state.bodies[1].linear.norm(), scheme == Scheme::moreau_jean ? 2e-2 : 1e-9);
    }
  }
}

TEST(Restitution, ABouncingBallComesToRestUnderEveryLaw) {
  for (const Restitution law : all_laws) {
    SmallModel setup = ball_over_floor(0.05, 0.5);
    run(setup, settings_of(law, 1e-3), 1500);  // bounces end after 3 √(2 H/g) = 0.3 s
    EXPECT_NEAR(height(setup.state), 0.0, 1e-9) << static_cast<int>(law);
    EXPECT_LT(setup.state.bodies[1].linear.norm(), 1e-9) << static_cast<int>(law);
  }
}

TEST(Restitution, NewtonsLawGainsEnergyWhenFrictionTurnsTheSlideRound) {
  // Stick at the end of the impact: u⁺ = (e, 0). The normal impulse turns the slide round, and friction then pushes the
  // way that the rod slid before: the work (u⁻ + u⁺)·r/2 of both impulses together is positive.
  const double angle = 0.25 * std::numbers::pi;
  const double e = 0.9;
  const double slide = 0.8;
  const RodMobility w(angle);
  const double det = w.nn * w.tt - w.nt * w.nt;
  const double r_n = ((1.0 + e) * w.tt + slide * w.nt) / det;
  const double r_t = (-slide * w.nn - (1.0 + e) * w.nt) / det;
  const double gain = 0.5 * ((e - 1.0) * r_n + slide * r_t);
  ASSERT_GT(gain, 0.04);  // J, of 0.82
  ASSERT_LT(std::abs(r_t), r_n);
  for (const Restitution law : {Restitution::newton, Restitution::lagged, Restitution::impact}) {
    SmallModel setup = rod_over_floor(angle, slide, e, 1.0);
    const double before = energy_of(setup.model, setup.state).kinetic;
    run(setup, settings_of(law, 1e-4), 4);
    EXPECT_NEAR(energy_of(setup.model, setup.state).kinetic - before, gain, 2e-3) << static_cast<int>(law);
    EXPECT_NEAR(end_velocity(setup.state).z(), e, 2e-3);  // the rod turns by h w in the step
  }
  SmallModel setup = rod_over_floor(angle, slide, e, 1.0);
  const double before = energy_of(setup.model, setup.state).kinetic;
  run(setup, settings_of(Restitution::poisson, 1e-4), 4);
  EXPECT_LT(energy_of(setup.model, setup.state).kinetic, before);
}

TEST(Restitution, AStackThatIsHitGainsNoEnergyUnderAnyLaw) {
  // Central impacts without friction: e ≤ 1 takes energy or keeps it.
  for (const Restitution law : all_laws) {
    for (const double e : {0.3, 1.0}) {
      SmallModel setup;
      setup.model.gravity.setZero();
      setup.model.materials[0].mu = 0.0;
      setup.model.materials[0].restitution = e;
      for (int i = 0; i < 4; ++i) setup.add_box(Vec3::Constant(0.05), Vec3(0.0, 0.0, 0.1 * i));
      const int hammer = setup.add_box(Vec3::Constant(0.05), Vec3(0.01, 0.0, 0.4 + 0.0013));
      setup.state.bodies[hammer].linear.z() = -2.0;
      Stepper stepper(setup.model, settings_of(law, 1e-3));
      const double start = energy_of(setup.model, setup.state).kinetic;
      for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(stepper.step(setup.model, setup.state).certified) << stepper.report().reason;
        const double now = energy_of(setup.model, setup.state).kinetic;
        // Rebounds act along the normals of the step's start, and the boxes turn a little within it.
        EXPECT_LE(now, start * (1.0 + 1e-3)) << static_cast<int>(law);
      }
      if (e < 1.0) {
        EXPECT_LT(energy_of(setup.model, setup.state).kinetic, 0.9 * start);
      }
    }
  }
}

}  // namespace
}  // namespace cardhouse
