// Pendulum, chain, linkages and grippers of the library against what is known of them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scenes/run_scene.h"

namespace cardhouse {
namespace {

/// Half of a run.
struct Half {
  double violation = 0.0;  ///< m, largest
  double speed = 0.0;      ///< m/s, largest
};

struct Figures {
  int uncertified = 0;
  double period = 0.0;     ///< s, mean over whole swings to the left
  double violation = 0.0;  ///< m, largest
  double speed = 0.0;      ///< m/s, largest of any body's centre or end
  Half early, late;
  double force = 0.0;        ///< N, largest of any joint
  double energy_band = 0.0;  ///< J, largest change of the total energy
  State end;

  /// What the late half is off by over the early one, each against the h² v²/L of its own speeds: a chain is chaotic,
  /// and faster in one half than in the other.
  double growth() const {
    return late.violation / (late.speed * late.speed) / (early.violation / (early.speed * early.speed));
  }
};

/// `half_length` is that of the links, for the speed of their ends.
Figures swing(const Scene& scene, double seconds, double half_length = 0.0) {
  World world(scene);
  Figures f;
  const double h = scene.settings.step;
  const double energy = world.energy().total();
  double last = 0.0;
  double first_turn = -1.0;
  double last_turn = -1.0;
  int swings = 0;
  const int steps = static_cast<int>(std::lround(seconds / h));
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = world.step();
    f.uncertified += report.certified ? 0 : 1;
    Half& half = 2 * i < steps ? f.early : f.late;
    half.violation = std::max(half.violation, report.joint_violation.length);
    for (const BodyState& body : world.state().bodies) {
      half.speed = std::max(half.speed, body.linear.norm() + half_length * body.angular.norm());
    }
    for (const JointRecord& joint : world.joints()) f.force = std::max(f.force, joint.impulse.norm() / h);
    f.energy_band = std::max(f.energy_band, std::abs(world.energy().total() - energy));
    const double speed = world.state().bodies[1].linear.x();
    if (last < 0.0 && speed >= 0.0) {  // turns at the left
      last_turn = world.state().time - h * speed / (speed - last);
      if (first_turn < 0.0) {
        first_turn = last_turn;
      } else {
        ++swings;
      }
    }
    last = speed;
  }
  f.violation = std::max(f.early.violation, f.late.violation);
  f.speed = std::max(f.early.speed, f.late.speed);
  if (swings > 0) f.period = (last_turn - first_turn) / swings;
  f.end = world.state();
  return f;
}

Scene scene_of(const std::string& name, const std::map<std::string, std::string>& parameters, double step = 1e-3,
               Stabilisation stabilisation = Stabilisation::gamma) {
  Scene scene = make_scene(name, parameters);
  scene.settings.step = step;
  scene.settings.stabilisation = stabilisation;
  return scene;
}

/// The period of a pendulum with the small-swing period `small`: by the arithmetic-geometric mean of 1 and
/// cos(amplitude/2), which is the complete elliptic integral.
double exact_period(double small, double amplitude) {
  double a = 1.0;
  double b = std::cos(0.5 * amplitude);
  while (std::abs(a - b) > 1e-15) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return small / a;
}

constexpr double pi = std::numbers::pi;
const double rod_period =
    exact_period(2.0 * pi * std::sqrt(((1.0 + 0.05 * 0.05) / 12.0 + 0.25) / (0.5 * 9.81)), pi / 3.0);

TEST(Pendulum, HasTheExactPeriodToSecondOrderWhateverItHangsFrom) {
  for (const char* joint : {"hinge", "ball", "revolute", "distance"}) {
    const double exact =
        std::string(joint) == "distance" ? exact_period(2.0 * pi / std::sqrt(9.81), pi / 3.0) : rod_period;
    const Figures fine = swing(scene_of("pendulum", {{"joint", joint}}), 5.0);
    const Figures coarse = swing(scene_of("pendulum", {{"joint", joint}}, 4e-3), 5.0);
    EXPECT_EQ(fine.uncertified + coarse.uncertified, 0);
    // Measured 2.3e-6 of the period at h = 1 ms. The scheme is first order, but symmetric to it in the angle.
    EXPECT_NEAR(fine.period / exact, 1.0, 1e-5) << joint;
    EXPECT_NEAR(coarse.period / exact, 1.0, 1.6e-4) << joint;
    // Theta = h² v²/(2 L) at speed v: the linearisation's error, which does not add up.
    EXPECT_LT(fine.violation, 1e-6 * fine.speed * fine.speed) << joint;
    EXPECT_LT(fine.growth(), 1.01) << joint;
  }
}

TEST(Pendulum, PullsAtItsPivotWithWeightAndCentripetalForce) {
  for (const Stabilisation s : {Stabilisation::gamma, Stabilisation::projection}) {
    const Figures f = swing(scene_of("pendulum", {}, 1e-3, s), 2.0);
    // At the lowest point m g + m w² L/2, with I w²/2 = m g (L/2)(1 − cos 60°); first order in h.
    const double mass = 2.5;
    const double squared_spin = 2.0 * 9.81 * 0.25 / ((1.0 + 0.05 * 0.05) / 12.0 + 0.25);
    EXPECT_NEAR(f.force, mass * (9.81 + 0.5 * squared_spin), 0.05);
  }
}

TEST(Stabilisation, DriftsWithoutAndHoldsWithItAndTheProjectionsHoldBest) {
  const Figures plain = swing(scene_of("pendulum", {}, 1e-3, Stabilisation::none), 10.0);
  EXPECT_GT(plain.growth(), 1.5);
  const double drift = plain.violation;
  const double gamma = swing(scene_of("pendulum", {}), 10.0).violation;
  const double sqp = swing(scene_of("pendulum", {}, 1e-3, Stabilisation::sqp), 10.0).violation;
  const double projection = swing(scene_of("pendulum", {}, 1e-3, Stabilisation::projection), 10.0).violation;
  EXPECT_GT(drift, 1e3 * gamma);  // Anitescu's slides: a ratio of about 10³
  EXPECT_LT(sqp, 1e-3 * gamma);
  EXPECT_LT(projection, 1e-12);
}

TEST(StabilisationSlow, KeepsTheEnergyWithinABandWhereItStabilises) {
  for (const Stabilisation s : {Stabilisation::gamma, Stabilisation::projection, Stabilisation::sqp}) {
    const Figures brief = swing(scene_of("pendulum", {}, 1e-3, s), 2.0);
    const Figures longer = swing(scene_of("pendulum", {}, 1e-3, s), 20.0);
    EXPECT_LT(longer.energy_band, 1.01 * brief.energy_band);
    EXPECT_LT(longer.energy_band, 0.012);  // of 6.1 J: first order in h
  }
}

TEST(ChainSlow, DriftStaysBelowTheLinearisationsErrorAndProjectionClosesIt) {
  const Figures gamma = swing(scene_of("chain", {{"angle", "30"}}), 4.0, 0.05);
  EXPECT_EQ(gamma.uncertified, 0);
  EXPECT_LT(gamma.violation, 1e-6 * gamma.speed * gamma.speed / 0.1);
  EXPECT_LT(gamma.energy_band, 2e-4);
  const Figures projected = swing(scene_of("chain", {{"angle", "30"}}, 1e-3, Stabilisation::projection), 4.0);
  EXPECT_EQ(projected.uncertified, 0);
  EXPECT_LT(projected.violation, 1e-9);
  EXPECT_LT(projected.energy_band, 2e-4);
}

TEST(Chain, WithAHeavyEndHangsStill) {
  for (const char* ratio : {"100", "1000"}) {
    const test::RunFigures f = test::run_scene("chain", {{"angle", "0"}, {"ratio", ratio}}, 1.0);
    EXPECT_EQ(f.uncertified, 0);
    EXPECT_LT(f.displacement, 1e-9);
  }
}

TEST(ParallelogramSlow, SwingsOnARedundantCrankThatDoesNotQuiteFit) {
  // Cranks and coupler as one pendulum: sum of crank inertias about their pivots and the coupler's mass at their end.
  const double inertia = 3.0 * ((1.0 + 0.05 * 0.05) / 12.0 + 0.25) * 2.5 + 5.0;
  const double moment = 9.81 * (3.0 * 2.5 * 0.5 + 5.0);
  const double exact = exact_period(2.0 * pi * std::sqrt(inertia / moment), pi / 6.0);
  for (const char* kind : {"planar", "spatial"}) {
    const Figures fitting = swing(scene_of("parallelogram", {{"kind", kind}, {"cranks", "3"}, {"offset", "0"}}), 6.0);
    const Figures off = swing(scene_of("parallelogram", {{"kind", kind}}), 6.0);
    EXPECT_EQ(off.uncertified, 0);
    EXPECT_NEAR(off.period / exact, 1.0, 1e-4) << kind;
    EXPECT_LT(off.force, 2.0 * fitting.force) << kind;
    EXPECT_LT(off.energy_band, 0.03) << kind;  // of the 11.5 J that swing
  }
}

TEST(ParallelogramSlow, SwingsForAMinuteWithForcesNearTheExactOnes) {
  const Figures exact = swing(scene_of("parallelogram", {{"cranks", "2"}, {"offset", "0"}}), 4.0);
  const Figures fitting = swing(scene_of("parallelogram", {{"offset", "0"}}), 4.0);
  const Figures off = swing(scene_of("parallelogram", {}), 60.0);
  EXPECT_EQ(off.uncertified, 0);
  EXPECT_NEAR(off.period / fitting.period, 1.0, 1e-3);
  EXPECT_LT(off.force, 10.0 * exact.force);
}

TEST(ChainSlow, DoesNotDriftInAMinute) {
  const Figures gamma = swing(scene_of("chain", {{"angle", "30"}}), 60.0, 0.05);
  EXPECT_EQ(gamma.uncertified, 0);
  EXPECT_LT(gamma.violation, 1e-6 * gamma.speed * gamma.speed / 0.1);
  EXPECT_LT(gamma.growth(), 1.5);  // where nothing holds it, a drift over twice the time is twice as large or more
  const Figures projected = swing(scene_of("chain", {{"angle", "30"}}, 1e-3, Stabilisation::projection), 60.0);
  EXPECT_EQ(projected.uncertified, 0);
  EXPECT_LT(projected.violation, 1e-9);
}

TEST(Parallelogram, WithTwoCranksIsAFourBarLinkage) {
  const Figures f = swing(scene_of("parallelogram", {{"cranks", "2"}, {"offset", "0"}}), 3.0);
  EXPECT_EQ(f.uncertified, 0);
  EXPECT_LT(f.violation, 1e-5);
  const Vec3 level = f.end.bodies[1].pose.orientation * Vec3::UnitZ();  // the coupler's length
  EXPECT_NEAR(std::abs(level.x()), 1.0, 1e-9);
}

constexpr double finger_mass = 2000.0 * 0.01 * 0.04 * 0.04;  // kg; two that share a side of a box have less
using GraspParameters = std::map<std::string, std::string>;

/// How an object fares against the palm after it was gripped.
struct Grip {
  double slipped = 0.0;  ///< m: the farthest
  double sunk = 0.0;     ///< m: downwards, at the end
};

/// m: the object's lower half and a finger's make 8 cm at most, so that what has sunk by this is out of the fingers.
constexpr double out_of_the_fingers = 0.1;

/// Until the time (s), or until the object has been dropped. Every step must be certified.
Grip grip_until(double time, const GraspParameters& parameters) {
  const Scene scene = make_scene("grasp", parameters);
  World world(scene);
  const int object_body = scene.stands->bodies[0];
  const auto place = [&] {
    return world.state().bodies[scene.stands->relative_to].pose.apply_inverse(
        world.state().bodies[object_body].pose.position);
  };
  Vec3 gripped = Vec3::Zero();
  Grip grip;
  while (world.state().time < time && grip.sunk < out_of_the_fingers) {
    EXPECT_TRUE(world.step().certified) << world.last_report().reason;
    if (world.state().time < scene.stands->after + 0.5 * scene.settings.step) gripped = place();
    const Vec3 moved = place() - gripped;
    grip = {std::max(grip.slipped, moved.norm()), -moved.z()};
    if (world.state().time < scene.stands->after) grip = {};
  }
  return grip;
}

/// Closed, lifted and shaken twice, nothing creeps: velocities at a contact are within the tolerance of the force of a
/// finger over a step on the lightest body that it moves, in two seconds, and those of twelve contacts may add up.
bool holds(const GraspParameters& parameters) {
  constexpr double tolerance = 1e-8;
  constexpr double force = 4.0;                                           // N
  constexpr double h = 1e-3;                                              // s
  const double creep = 12.0 * 2.0 * tolerance * force * h / finger_mass;  // 30 nm
  return grip_until(2.5, parameters).slipped < creep;
}

/// Whether it falls out of the fingers: what slips at every peak of the shaking needs some of them.
bool drops(const GraspParameters& parameters) {
  return grip_until(20.0, parameters).sunk >= out_of_the_fingers;
}

constexpr double object_mass = 0.2;   // kg
constexpr double finger_force = 4.0;  // N

/// m/s²: of the shaking at 2 Hz, at its peak.
double peak_acceleration(double amplitude) {
  return amplitude * std::pow(2.0 * pi * 2.0, 2);
}

/// Up and down, at this part of the analytic coefficient of friction.
GraspParameters shaken(const std::string& fingers, const std::string& object, double part) {
  const double forces = (fingers == "3" && object != "box" ? 3.0 : 2.0) * finger_force;
  const double mu = part * object_mass * (9.81 + peak_acceleration(0.01)) / forces;
  return {{"fingers", fingers}, {"object", object}, {"mu", std::to_string(mu)}};
}

TEST(Grasp, OfTwoFingersHoldsAboveTheAnalyticFrictionAndDropsBelowIt) {
  for (const char* object : {"box", "capsule", "ball"}) {
    EXPECT_TRUE(holds(shaken("2", object, 1.1))) << object;
    EXPECT_TRUE(drops(shaken("2", object, 0.9))) << object;
  }
}

TEST(GraspSlow, OfThreeFingersHoldsAboveTheAnalyticFrictionAndDropsBelowIt) {
  for (const char* object : {"box", "capsule", "ball"}) {
    EXPECT_TRUE(holds(shaken("3", object, 1.1))) << object;
    EXPECT_TRUE(drops(shaken("3", object, 0.9))) << object;
  }
}

GraspParameters shaken_sideways(const std::string& fingers, const std::string& object, double mu) {
  return {{"fingers", fingers},
          {"object", object},
          {"mu", std::to_string(mu)},
          {"direction", "sideways"},
          {"shake", "0.05"}};
}

/// m/s²: the largest of the shaking of 0.05 m at 2 Hz; 8.87, since it is 12 % more than the steady 7.9 while it grows.
double sideways_acceleration() {
  const Scene scene = make_scene("grasp", shaken_sideways("2", "ball", 1.0));
  const Motion& motion = *scene.model.bodies[scene.stands->relative_to].motion;
  const auto y = [&](double t) { return pose_at(motion, Pose{}, t).position.y(); };
  double largest = 0.0;
  const double e = 1e-4;
  for (double t = 1.5 + e; t < 2.5; t += e) {
    largest = std::max(largest, std::abs(y(t + e) - 2.0 * y(t) + y(t - e)) / (e * e));
  }
  return largest;
}

// docs/scenes.md derives what follows.

TEST(GraspSlow, OfOpposedFingersShakenSidewaysHoldsAboveTheAnalyticFrictionAndDropsBelowIt) {
  const double analytic = object_mass * std::hypot(9.81, sideways_acceleration()) / (2.0 * finger_force);
  for (const auto& [fingers, object] :
       {std::pair{"2", "box"}, std::pair{"2", "capsule"}, std::pair{"2", "ball"}, std::pair{"3", "box"}}) {
    SCOPED_TRACE(::testing::Message() << fingers << " " << object);
    EXPECT_TRUE(holds(shaken_sideways(fingers, object, 1.1 * analytic)));
    EXPECT_TRUE(drops(shaken_sideways(fingers, object, 0.9 * analytic)));
  }
}

/// N: friction along the horizontal tangent of the finger that carries most of it, at an acceleration (m/s²).
double across(double acceleration) {
  return 2.0 / 3.0 * (object_mass + 1.5 * finger_mass) * acceleration;
}

constexpr double weight = object_mass * 9.81;  // N

TEST(GraspSlow, OfThreeFingersAroundAnObjectShakenSidewaysHoldsAboveTheAnalyticFriction) {
  const double analytic = std::hypot(across(sideways_acceleration()), weight / 3.0) / finger_force;
  for (const char* object : {"ball", "capsule"}) {
    SCOPED_TRACE(object);
    EXPECT_TRUE(holds(shaken_sideways("3", object, 1.1 * analytic)));
    EXPECT_FALSE(holds(shaken_sideways("3", object, 0.9 * analytic)));
  }
}

/// At the peaks of the shaking as it goes on.
TEST(GraspSlow, OfThreeFingersAroundAnObjectShakenSidewaysDropsItBelowTheAnalyticFriction) {
  const double acceleration = peak_acceleration(0.05);
  // Points carry no moment: the ball's weight stays shared, and when a finger slips it takes the weight's part along.
  const double ball = std::hypot(across(acceleration), weight / 3.0) / finger_force;
  EXPECT_TRUE(drops(shaken_sideways("3", "ball", 0.9 * ball)));
  // Lines along the capsule do: the two fingers that don't slip take all of its weight, with half as much across.
  const double capsule = std::hypot(0.5 * across(acceleration), 0.5 * weight) / finger_force;
  EXPECT_TRUE(drops(shaken_sideways("3", "capsule", 0.9 * capsule)));
  const Grip between = grip_until(6.0, shaken_sideways("3", "capsule", 0.5 * (capsule + ball)));
  EXPECT_GT(between.slipped, 1e-4);
  EXPECT_LT(std::abs(between.sunk), 1e-6) << "slips across, but does not sink";
}

TEST(JointedScenes, GiveTheSameBitsOnAnyNumberOfThreads) {
  std::uint64_t hash[2] = {};
  for (int i = 0; i < 2; ++i) {
    Scene scene = make_scene("grasp", {{"fingers", "3"}});
    scene.settings.threads = i + 1;
    World world(scene);
    for (int step = 0; step < 400; ++step) world.step();
    hash[i] = state_hash(world.state());
  }
  EXPECT_EQ(hash[0], hash[1]);
}

}  // namespace
}  // namespace cardhouse
