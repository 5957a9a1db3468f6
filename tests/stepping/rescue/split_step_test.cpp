#include "cardhouse/stepping/rescue/split_step.h"

#include <algorithm>

#include "cardhouse/stepping/schemes/poisson.h"
#include "stepping/collisions.h"

namespace cardhouse {
namespace {

using namespace test;

constexpr double split_h = 0.01;

/// The integrator whose longer steps count as too hard, and the longest that do not.
StepProgram integrator = plain_step;
double longest_certified = 0.0;
bool only_hard = true;
int steps_taken = 0;
StepReport told;
std::vector<double> residuals;  ///< of the steps that were certified

const StepReport& certified_when_short(TimeStepping& verbs, const Model& model, State& state) {
  ++steps_taken;
  told = integrator(verbs, model, state);
  told.iterations = 1;
  EXPECT_TRUE(told.certified) << "none of these is hard: " << told.reason;
  told.certified = verbs.settings().step <= longest_certified;
  told.hard = !told.certified && only_hard;
  if (!told.certified) told.reason = "too long";
  if (told.certified) residuals.push_back(told.certificate.residual);
  return told;
}

/// A ball that falls from 1 mm onto the floor within the step.
struct Fall {
  explicit Fall(double longest) : setup(ball_over_floor(1e-3, 0.0)), state(setup.state) {
    longest_certified = longest;
    steps_taken = 0;
    state.bodies[1].linear.z() = -0.2;
    start = state;
    report = split.take(certified_when_short, verbs, setup.model, state);
  }

  SmallModel setup;
  TimeStepping verbs{setup.model, settings_of_length(split_h)};
  SplitStep split;
  State state, start;
  StepReport report;

  static StepSettings settings_of_length(double length) {
    StepSettings settings;
    settings.step = length;
    return settings;
  }
};

TEST(SplitStep, TakesAStepWholeWhereThatIsCertified) {
  Fall fall(split_h);
  EXPECT_EQ(steps_taken, 1);
  EXPECT_EQ(fall.report.parts, 1);
  EXPECT_TRUE(fall.report.certified);
  EXPECT_TRUE(fall.report.warning.empty());
}

TEST(SplitStep, CountsThatPartsHelped) {
  const Fall in_vain(0.0);
  EXPECT_EQ(in_vain.report.rescues.of(Rescue::parts).tried, 1);
  EXPECT_EQ(in_vain.report.rescues.of(Rescue::parts).helped, 0);
  const Fall helped(split_h / 4.0);
  EXPECT_EQ(helped.report.rescues.of(Rescue::parts).tried, 1);
  EXPECT_EQ(helped.report.rescues.of(Rescue::parts).helped, 1);
}

TEST(SplitStep, HalvesPartsUntilTheyAreCertified) {
  Fall fall(split_h / 4.0);
  EXPECT_EQ(fall.report.parts, 4);
  EXPECT_TRUE(fall.report.certified);
  EXPECT_EQ(steps_taken, 1 + 1 + 4 + 1) << "whole, half, four quarters, and after two of them half again";
  EXPECT_EQ(fall.report.iterations, steps_taken) << "what was tried in vain costs too";
  EXPECT_EQ(fall.report.length, split_h);
  EXPECT_NE(fall.report.warning.find("in 4 parts"), std::string::npos) << fall.report.warning;
  EXPECT_EQ(fall.verbs.settings().step, split_h) << "the next step is whole again";

  TimeStepping short_steps(fall.setup.model, Fall::settings_of_length(split_h / 4.0));
  State expected = fall.start;
  for (int part = 0; part < 4; ++part) short_steps.step(fall.setup.model, expected);
  EXPECT_EQ(fall.state.bodies[1].pose.position, expected.bodies[1].pose.position);
  EXPECT_EQ(fall.state.bodies[1].linear, expected.bodies[1].linear);
  EXPECT_EQ(fall.state.step, fall.start.step + 1);
  EXPECT_EQ(fall.state.time, fall.start.time + split_h);
}

TEST(SplitStep, TellsImpulsesOfAllParts) {
  Fall fall(split_h / 8.0);
  ASSERT_EQ(fall.report.parts, 8);
  ASSERT_EQ(fall.split.contacts().size(), 1u);
  // They took the ball of 1 kg from 0.2 m/s to rest, against its weight.
  EXPECT_NEAR(fall.split.contacts()[0].impulse.z(), -(0.2 + gravity * split_h), 1e-12);
  ASSERT_EQ(fall.state.impulses.size(), 1u);
  // In the last part its weight pushed the floor.
  EXPECT_NEAR(fall.state.impulses[0].impulse.z(), -gravity * split_h, 1e-12) << "the next step's guess";
}

int stopped_at = 0;

const StepReport& stopped(TimeStepping& verbs, const Model& model, State& state) {
  if (steps_taken + 1 == stopped_at) {
    state.bodies[1].linear.setConstant(7.0);  // half of a step is done
    throw Cancelled();
  }
  return certified_when_short(verbs, model, state);
}

TEST(SplitStep, StoppedInWhicheverPartLeavesStateAndLengthAsTheyWere) {
  Fall fall(split_h / 4.0);
  for (stopped_at = 2; stopped_at <= 7; ++stopped_at) {  // the whole step, a half, four quarters and a half
    State state = fall.start;
    steps_taken = 0;
    EXPECT_THROW(fall.split.take(stopped, fall.verbs, fall.setup.model, state), Cancelled) << stopped_at;
    EXPECT_EQ(steps_taken, stopped_at - 1);
    EXPECT_EQ(state.bodies[1].linear, fall.start.bodies[1].linear) << stopped_at;
    EXPECT_EQ(state.bodies[1].pose.position, fall.start.bodies[1].pose.position) << stopped_at;
    EXPECT_EQ(state.impulses.size(), fall.start.impulses.size()) << stopped_at;
    EXPECT_EQ(state.time, fall.start.time);
    EXPECT_EQ(fall.verbs.settings().step, split_h) << stopped_at;
  }
}

TEST(SplitStep, WhatIsNeverCertifiedStaysWhole) {
  Fall fall(0.0);
  EXPECT_FALSE(fall.report.certified);
  EXPECT_EQ(fall.report.parts, 1);
  EXPECT_EQ(fall.report.reason, "too long");
  EXPECT_EQ(steps_taken, 1 + 5 + 1) << "whole, halved down to a 32nd, whole with hairlines closed";
  TimeStepping whole(fall.setup.model, Fall::settings_of_length(split_h));
  State expected = fall.start;
  whole.step(fall.setup.model, expected);
  EXPECT_EQ(fall.state.bodies[1].pose.position, expected.bodies[1].pose.position);
  EXPECT_EQ(fall.state.time, expected.time);
}

TEST(SplitStep, WhatIsNotOnlyHardStaysWhole) {
  only_hard = false;
  Fall fall(split_h / 4.0);
  only_hard = true;
  EXPECT_EQ(steps_taken, 1) << "shorter steps make no infeasible problem feasible, and cost time that has run out";
  EXPECT_FALSE(fall.report.certified);
}

TEST(SplitStep, ASpinTooFastForTheStepIsNoHardProblem) {
  SmallModel setup = ball_over_floor(1.0, 0.0);
  setup.add_box(Vec3(0.1, 0.2, 0.3), Vec3(0.0, 0.0, 5.0));
  setup.state.bodies[2].angular = Vec3(1500.0, 1000.0, 1000.0);
  Stepper stepper(setup.model, Fall::settings_of_length(split_h));
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_FALSE(report.certified);
  EXPECT_FALSE(report.hard);
  EXPECT_EQ(report.parts, 1);
}

TEST(SplitStep, OfAnotherSolverThanAutoStepsStayWhole) {
  SmallModel setup = ball_over_floor(1e-3, 0.0);
  StepSettings settings = Fall::settings_of_length(split_h);
  settings.solver = "gauss-seidel";
  settings.max_iterations = 0;  // so that it gives up
  setup.state.bodies[1].linear.z() = -0.2;
  Stepper stepper(setup.model, settings);
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_FALSE(report.certified);
  EXPECT_EQ(report.parts, 1);
}

/// Steps in four parts beside steps of a quarter of the length.
class InQuarters {
 public:
  InQuarters(const SmallModel& setup, const StepSettings& settings, StepProgram program = plain_step)
      : model(setup.model),
        state(setup.state),
        expected(setup.state),
        verbs_(model, settings),
        short_(model, settings),
        program_(program) {
    short_.set_step(0.25 * settings.step);
  }

  void step() {
    integrator = program_;
    longest_certified = 0.25 * verbs_.settings().step;
    steps_taken = 0;
    residuals.clear();
    const State start = state;
    report = split.take(certified_when_short, verbs_, model, state);
    integrator = plain_step;
    EXPECT_EQ(report.parts, 4);
    EXPECT_TRUE(report.certified);
    EXPECT_EQ(report.certificate.residual, *std::max_element(residuals.begin(), residuals.end()));
    EXPECT_LE(report.certificate.residual, verbs_.settings().tolerance);
    EXPECT_EQ(state.step, start.step + 1);
    EXPECT_EQ(state.time, start.time + verbs_.settings().step);
    for (int part = 0; part < 4; ++part) {
      program_(short_, model, expected);
      add_joints(short_.joints(), part == 0);
    }
    expected.time = state.time;  // sums of parts round otherwise
  }

  /// All that the next part would read, in every bit; impulses are of a step that is four times as long.
  void expect_same() const {
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
      EXPECT_EQ(state.bodies[i].pose.position, expected.bodies[i].pose.position) << i;
      EXPECT_EQ(state.bodies[i].pose.orientation.coeffs(), expected.bodies[i].pose.orientation.coeffs()) << i;
      EXPECT_EQ(state.bodies[i].linear, expected.bodies[i].linear) << i;
      EXPECT_EQ(state.bodies[i].angular, expected.bodies[i].angular) << i;
    }
    ASSERT_EQ(state.previous.size(), expected.previous.size());
    for (std::size_t i = 0; i < state.previous.size(); ++i) {
      EXPECT_EQ(state.previous[i].linear, expected.previous[i].linear) << i;
    }
    ASSERT_EQ(state.impulses.size(), expected.impulses.size());
    for (std::size_t i = 0; i < state.impulses.size(); ++i) {
      EXPECT_EQ(state.impulses[i].impulse, 4.0 * expected.impulses[i].impulse) << i;
    }
    for (std::size_t j = 0; j < state.joints.size(); ++j) {
      for (int n = 0; n < JointState::slots; ++n) {
        EXPECT_EQ(state.joints[j].impulse[n], 4.0 * expected.joints[j].impulse[n]) << j << " " << n;
      }
    }
  }

  /// Of the four short steps: their last places, and the sums of their impulses.
  std::span<const JointRecord> expected_joints() const { return joints_; }

  Model model;
  State state, expected;
  SplitStep split;
  StepReport report;

 private:
  void add_joints(std::span<const JointRecord> of_part, bool first) {
    const std::vector<JointRecord> before = joints_;
    joints_.assign(of_part.begin(), of_part.end());
    if (first) return;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      joints_[j].impulse += before[j].impulse;
      joints_[j].torque += before[j].torque;
      joints_[j].drive[0] += before[j].drive[0];
    }
  }

  TimeStepping verbs_, short_;
  StepProgram program_;
  std::vector<JointRecord> joints_;
};

TEST(SplitStep, FreeFlightInPartsIsThatOfTheWholeStep) {
  SmallModel setup;
  setup.model.gravity.setZero();
  const int body = setup.add_box(Vec3(0.1, 0.2, 0.3), Vec3(0.0, 0.0, 1.0));
  setup.state.bodies[body].linear = Vec3(1.0, -2.0, 3.0);
  setup.state.bodies[body].angular = Vec3(2.0, 1.0, -1.0);
  const auto momentum = [&](const State& state) -> Vec3 {
    const BodyState& s = state.bodies[body];
    return s.pose.orientation * (setup.model.bodies[body].inertia * (s.pose.orientation.conjugate() * s.angular));
  };
  InQuarters parts(setup, Fall::settings_of_length(split_h));
  TimeStepping whole(setup.model, Fall::settings_of_length(split_h));
  for (int i = 0; i < 20; ++i) {
    parts.step();
    whole.step(setup.model, setup.state);
  }
  parts.expect_same();
  const BodyState& s = parts.state.bodies[body];
  EXPECT_EQ(s.linear, Vec3(1.0, -2.0, 3.0));
  EXPECT_LT((s.pose.position - setup.state.bodies[body].pose.position).norm(), 1e-14);
  EXPECT_LT((momentum(parts.state) - momentum(parts.expected)).norm(), 1e-14);
  EXPECT_LT((momentum(parts.state) - momentum(setup.state)).norm(), 1e-12);  // the fixed point of free rotation: 1e-14
  // The midpoint rule turns a body by an angle that is off by O(h² w³) of the time.
  EXPECT_LT(s.pose.orientation.angularDistance(setup.state.bodies[body].pose.orientation),
            20 * split_h * split_h * split_h * 20.0);
  EXPECT_EQ(parts.state.time, setup.state.time);
}

/// A pendulum with a motor, friction and a limit that it runs against, and a second one at its end.
SmallModel driven_pendulum() {
  SmallModel setup;
  const int upper = setup.add_box(Vec3(0.02, 0.02, 0.2), Vec3(0.0, 0.0, -0.2));
  const int lower = setup.add_box(Vec3(0.02, 0.02, 0.2), Vec3(0.0, 0.0, -0.6));
  const auto hang = [&](JointKind kind, int first, int second, double height) {
    Joint joint;
    joint.kind = kind;
    joint.first = first;
    joint.second = second;
    place_joint(joint, setup.state, Vec3(0.0, 0.0, height), Vec3::UnitY());
    setup.model.joints.push_back(joint);
  };
  hang(JointKind::hinge, upper, -1, 0.0);
  hang(JointKind::ball, lower, upper, -0.4);
  JointDrive& drive = setup.model.joints[0].drives[0];
  drive.limits = JointLimits{.upper = 0.05};
  drive.motor = JointMotor{.target = JointMotor::Target::velocity, .value = 1.0, .max_force = 5.0};
  drive.friction = 0.1;
  update_joints(setup.model, setup.state);
  return setup;
}

TEST(SplitStep, JointsMotorsAndLimitsPushInPartsAsInShorterSteps) {
  InQuarters parts(driven_pendulum(), Fall::settings_of_length(split_h));
  for (int i = 0; i < 30; ++i) {  // it arrives at its limit after 5 and swings back
    parts.step();
    parts.expect_same();
  }
  ASSERT_EQ(parts.split.joints().size(), 2u);
  for (int j = 0; j < 2; ++j) {
    const JointRecord& record = parts.split.joints()[j];
    const JointRecord& expected = parts.expected_joints()[j];
    EXPECT_EQ(record.impulse, expected.impulse) << j;
    EXPECT_EQ(record.torque, expected.torque) << j;
    EXPECT_EQ(record.drive[0], expected.drive[0]) << j;
    EXPECT_EQ(record.coordinate, expected.coordinate) << j;
    EXPECT_EQ(record.violation.length, expected.violation.length) << j;
  }
  EXPECT_LT(parts.report.joint_violation.length, 1e-4);  // h² v²/L with v ≤ 1 m/s
}

TEST(SplitStep, AKinematicBodyEndsWhereItsLawSaysAndCarriesWhatStandsOnIt) {
  SmallModel setup;
  Body table;
  table.name = "table";
  table.mobility = Mobility::kinematic;
  table.motion = Shaking{Vec3(0.02, 0.0, 0.005), 2.0, 0.5 * std::numbers::pi};  // begins at rest
  table.shapes.push_back({Box{Vec3(1.0, 1.0, 0.1)}, Pose{}, 0});
  setup.add(table, {});
  const int box = setup.add_box(Vec3::Constant(0.1), Vec3(0.0, 0.0, 0.2));
  setup.model.materials[0].mu = 1.0;  // above the table's 3.2 m/s² over what 0.8 m/s² leave of g
  InQuarters parts(setup, Fall::settings_of_length(split_h));
  for (int i = 0; i < 50; ++i) {
    parts.step();
    const Pose law = pose_at(*setup.model.bodies[0].motion, setup.state.initial_poses[0], parts.state.time);
    // A part's clock is off by rounding: 1e-16 s of 1 m/s and less.
    EXPECT_LT((parts.state.bodies[0].pose.position - law.position).norm(), 1e-15) << i;
    const Vec3 apart = parts.state.bodies[box].pose.position - parts.state.bodies[0].pose.position;
    EXPECT_LT((apart - Vec3(0.0, 0.0, 0.2)).norm(), 1e-9) << i;  // it stands, to the certificate's tolerance
  }
}

/// A ball that comes down at 2 m/s and arrives in the given quarter of its first step.
SmallModel ball_arriving_in(int quarter, double restitution) {
  SmallModel setup = ball_over_floor(2.0 * split_h * (quarter - 0.5) / 4.0, restitution, 0.2);
  setup.state.bodies[1].linear = Vec3(0.5, 0.0, -2.0);
  return setup;
}

TEST(SplitStep, EveryLawOfRestitutionBouncesInWhicheverPartTheBodyArrives) {
  const double e = 0.5;
  for (const Restitution law : all_laws) {
    for (int quarter = 1; quarter <= 4; ++quarter) {
      SCOPED_TRACE(::testing::Message() << "law " << static_cast<int>(law) << ", quarter " << quarter);
      StepSettings settings = settings_of(law, split_h);
      InQuarters parts(ball_arriving_in(quarter, e), settings, law == Restitution::poisson ? poisson_step : plain_step);
      parts.step();
      parts.expect_same();
      parts.step();  // the lagged law bounces a part after the arrival: here at the latest
      parts.expect_same();
      EXPECT_NEAR(parts.state.bodies[1].linear.z(), e * 2.0, 3.0 * gravity * split_h);  // forces of two steps
    }
  }
}

/// What is left behind by parts must be what a whole step reads: the velocities of the arrival and that it was hit.
TEST(SplitStep, TheLaggedLawBouncesInTheWholeStepAfterAnArrivalInTheLastPart) {
  const double e = 0.5;
  const StepSettings settings = settings_of(Restitution::lagged, split_h);
  InQuarters parts(ball_arriving_in(4, e), settings);
  parts.step();
  EXPECT_LT(parts.state.bodies[1].linear.z(), 0.0) << "it has arrived";
  EXPECT_NEAR(height(parts.state), 0.0, 1e-9);
  TimeStepping whole(parts.model, settings);
  EXPECT_TRUE(whole.step(parts.model, parts.state).certified);
  EXPECT_NEAR(parts.state.bodies[1].linear.z(), e * 2.0, 2.0 * gravity * split_h);
}

TEST(SplitStep, PoissonsLawTellsTheImpulseOfThePartThatItBouncesIn) {
  const double e = 0.5;
  SmallModel setup = ball_arriving_in(4, e);
  setup.model.gravity.setZero();
  InQuarters parts(setup, settings_of(Restitution::poisson, split_h), poisson_step);
  parts.step();
  ASSERT_EQ(parts.split.contacts().size(), 1u);
  EXPECT_NEAR(std::abs(parts.split.contacts()[0].impulse.z()), (1.0 + e) * 2.0, 1e-6);
}

/// Of a soft contact the anchor's stretch is its impulse: parts must not stretch it.
TEST(SplitStep, AnchorsOfSoftContactsHoldInParts) {
  SmallModel setup;
  setup.add_floor();
  const int box = setup.add_box(Vec3::Constant(0.1), Vec3(0.0, 0.0, 0.1));
  setup.model.gravity = Vec3(2.0, 0.0, -gravity);
  StepSettings settings = Fall::settings_of_length(split_h);
  settings.contact = ContactModel::soft;
  TimeStepping whole(setup.model, settings);
  for (int i = 0; i < 500; ++i) whole.step(setup.model, setup.state);  // comes to rest
  const Vec3 place = setup.state.bodies[box].pose.position;
  ASSERT_GT(place.x(), 1e-7) << "stretched";
  InQuarters parts(setup, settings);
  for (int i = 0; i < 100; ++i) parts.step();
  EXPECT_LT((parts.state.bodies[box].pose.position - place).norm(), 1e-3 * place.x());
}

}  // namespace
}  // namespace cardhouse
