// Rolling, torsional, static and anisotropic friction, adhesion and damping against what pencil and paper give.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scenes/run_scene.h"
#include "scenes/scene_helpers.h"

namespace cardhouse {
namespace {

using test::run_scene;
using test::RunFigures;
using testing::index_of;

constexpr double g = 9.81;
/// Forces are constant until bodies stop, so that velocities of the step are exact: what is left is the residual of
/// every step, 1e-10 of its impulses, summed over a thousand steps.
constexpr double exact = 1e-7;

/// The velocity after a step, called `steps` times in all.
template <typename Check>
void step_through(World& world, int steps, Check check) {
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = world.step();
    ASSERT_TRUE(report.certified) << "step " << i << ": " << report.reason;
    check();
  }
}

TEST(RollingBall, BrakesAtFiveSeventhsOfTheLeverArmAndStopsWithoutCreep) {
  for (const double h : {1e-3, 1e-2}) {
    for (const double heading : {0.0, 1.1}) {
      SCOPED_TRACE(::testing::Message() << "h " << h << ", heading " << heading);
      Scene scene = make_scene("rolling_ball", {{"mu_rolling", "0.02"}});
      scene.settings.step = h;
      const int ball = index_of(scene, "ball");
      const Vec3 forward(std::cos(heading), std::sin(heading), 0.0);
      BodyState& start = scene.initial.bodies[ball];
      start.linear = 1.0 * forward;
      start.angular = Vec3::UnitZ().cross(forward) / 0.1;
      const double braking = 5.0 / 7.0 * 0.02 * g / 0.1;  // 1.40 m/s²: it stops after 0.71 s
      World world(scene);
      double energy = world.energy().total();
      step_through(world, static_cast<int>(std::lround(0.6 / h)), [&] {
        const BodyState& s = world.state().bodies[ball];
        const double speed = 1.0 - braking * world.state().time;
        EXPECT_LE((s.linear - speed * forward).norm(), exact);
        EXPECT_LE((s.angular - speed / 0.1 * Vec3::UnitZ().cross(forward)).norm(), exact / 0.1);
        EXPECT_LE(world.energy().total(), energy + 1e-12);
        energy = world.energy().total();
      });
      step_through(world, static_cast<int>(std::lround(0.2 / h)), [] {});
      const Vec3 stopped = world.state().bodies[ball].pose.position;
      EXPECT_NEAR(stopped.dot(forward), 1.0 / (2.0 * braking), 1.0 * h);
      step_through(world, static_cast<int>(std::lround(0.5 / h)), [] {});
      EXPECT_LE((world.state().bodies[ball].pose.position - stopped).norm(), 1e-12) << "creeps";
    }
  }
}

TEST(RollingBall, WithoutRollingFrictionGoesOnForEver) {
  Scene scene = make_scene("rolling_ball", {{"mu_rolling", "0"}});
  const RunFigures run = run_scene(scene, 0.5);
  EXPECT_NEAR(run.end.bodies[index_of(scene, "ball")].linear.x(), 1.0, exact);
}

/// (m R² + I) w' = −mu_rolling m g with I = ½ m R².
TEST(RollingWheel, InThePlaneBrakesAtTwoThirdsOfTheLeverArm) {
  Scene scene = make_scene("rolling_ball", {{"mu_rolling", "0.02"}});
  const int wheel = index_of(scene, "ball");
  Body& body = scene.model.bodies[wheel];
  body.kind = BodyKind::planar;
  body.shapes[0].geometry = Disk{0.1};
  body.inertia(1, 1) = 0.5 * body.mass * 0.1 * 0.1;
  World world(scene);
  const double braking = 2.0 / 3.0 * 0.02 * g / 0.1;
  step_through(world, 500, [&] {
    const double speed = 1.0 - braking * world.state().time;
    EXPECT_NEAR(world.state().bodies[wheel].linear.x(), speed, exact);
  });
  step_through(world, 500, [] {});
  EXPECT_LE(world.state().bodies[wheel].linear.norm(), 1e-12);
}

TEST(SpinningTop, SlowsDownAtTheLeverArmOverItsInertiaAndStops) {
  Scene scene = make_scene("spinning_top", {{"mu_torsional", "0.004"}});
  const int top = index_of(scene, "top");
  const double braking = 0.004 * g / (0.4 * 0.05 * 0.05);  // 39.2 rad/s²: it stops after 0.51 s
  World world(scene);
  step_through(world, 500, [&] {
    const Vec3 expected(0.0, 0.0, 20.0 - braking * world.state().time);
    EXPECT_LE((world.state().bodies[top].angular - expected).norm(), 20.0 * exact);
    EXPECT_LE(world.state().bodies[top].linear.norm(), exact);
  });
  const ContactRecord& contact = world.contacts()[0];
  const double on_top = contact.body_a == top ? contact.turning.z() : -contact.turning.z();
  EXPECT_NEAR(on_top, -0.004 * scene.model.bodies[top].mass * g * 1e-3, 1e-12);
  step_through(world, 300, [] {});
  // 1e-10 of the step's g h, seen at the radius of gyration.
  EXPECT_LE(world.state().bodies[top].angular.norm(), 1e-9);
}

TEST(SpinningTop, StandsOnItsTipAsAConeAndSlowsDownAlike) {
  Scene scene = make_scene("spinning_top", {{"mu_torsional", "0.0005"}});
  const int top = index_of(scene, "top");
  std::vector<Vec3> points = {Vec3(0.0, 0.0, -0.04)};
  for (int i = 0; i < 16; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 16.0;
    points.emplace_back(0.03 * std::cos(angle), 0.03 * std::sin(angle), 0.01);
  }
  // The hull of a tip and a ring about its axis; for the test only the places of its corners and its inertia count.
  Body& body = scene.model.bodies[top];
  body.shapes[0].geometry = Polytope{std::make_shared<const Hull>(hull_of_points(points))};
  const double across = 2e-5 * body.mass / 0.1;
  const double along = 4e-4 * body.mass;
  body.inertia = Vec3(across, across, along).asDiagonal();
  scene.initial.bodies[top].pose.position = Vec3(0.0, 0.0, 0.04);
  scene.initial.initial_poses[top] = scene.initial.bodies[top].pose;
  scene.initial.bodies[top].angular = Vec3(0.0, 0.0, 200.0);
  World world(scene);
  const double braking = 0.0005 * g / 4e-4;  // 12.3 rad/s²
  step_through(world, 1000,
               [&] { EXPECT_NEAR(world.state().bodies[top].angular.z(), 200.0 - braking * world.state().time, 1e-4); });
  const Vec3 axis = world.state().bodies[top].pose.orientation * Vec3::UnitZ();
  EXPECT_GT(axis.z(), 1.0 - 1e-6);
}

/// Every exact solver carries a rolling and spinning ball along; the others tell what they miss.
TEST(RollingBall, IsCertifiedWithEveryExactSolver) {
  for (const char* solver : {"auto", "newton", "newton:function=fischer-burmeister", "interior-point",
                             "staggered-projections", "admm", "gauss-seidel", "successive-relaxation"}) {
    SCOPED_TRACE(solver);
    Scene scene = make_scene("rolling_ball", {{"mu_rolling", "0.02"}});
    scene.model.materials[0].mu_torsional = 0.01;
    scene.settings.solver = solver;
    scene.settings.step = 5e-3;
    scene.initial.bodies[index_of(scene, "ball")].angular.z() = 5.0;
    EXPECT_EQ(run_scene(scene, 0.2).uncertified, 0);
  }
}

TEST(Turntable, LetsABlockGoBeyondTheRadiusWhereFrictionIsItsCentripetalForce) {
  const double limit = 0.5 * g / 4.0;  // mu g/w²
  for (const double h : {1e-3, 1e-2}) {
    for (const double part : {0.98, 1.02}) {
      SCOPED_TRACE(::testing::Message() << "h " << h << ", part " << part);
      Scene scene = make_scene("turntable", {{"distance", std::to_string(part * limit)}});
      scene.settings.step = h;
      World world(scene);
      world.step();  // begins with the table's velocity: nothing to do yet
      for (int i = 0; i < 5; ++i) {
        world.step();
        ASSERT_EQ(world.contacts().size(), 4U);
        for (const ContactRecord& contact : world.contacts()) {
          EXPECT_EQ(contact.mode, part < 1.0 ? ContactMode::stick : ContactMode::slip) << "step " << i;
        }
      }
    }
  }
}

/// The block's way in a step is that of the place it lies on, from its start to its end. What is left is of the square
/// of the turn in the first step, whose velocity is that of its start.
TEST(Turntable, CarriesABlockInsideThatRadiusRound) {
  Scene scene = make_scene("turntable", {{"distance", "1"}});
  const RunFigures run = run_scene(scene, 1.0);
  const Vec3 place = run.end.bodies[index_of(scene, "table")].pose.apply_inverse(
      run.end.bodies[index_of(scene, "block")].pose.position);
  EXPECT_NEAR(place.x(), 1.0, 1e-5);
  EXPECT_NEAR(place.y(), 0.0, 1e-5);
}

double pull_of(const World& world) {
  double sum = 0.0;
  for (const ContactRecord& contact : world.contacts()) sum -= contact.impulse.dot(contact.normal);
  return sum;
}

TEST(CeilingBlock, HangsBelowThePullOffForceAndTellsTheTrueOne) {
  Scene scene = make_scene("ceiling_block", {{"ratio", "1.02"}});
  const int block = index_of(scene, "block");
  const Vec3 start = scene.initial.bodies[block].pose.position;
  World world(scene);
  step_through(world, 1000, [] {});
  EXPECT_LE((world.state().bodies[block].pose.position - start).norm(), 1e-12);
  EXPECT_NEAR(pull_of(world), scene.model.bodies[block].mass * g * 1e-3, 1e-10);
}

TEST(CeilingBlock, FallsAboveIt) {
  Scene scene = make_scene("ceiling_block", {{"ratio", "0.98"}});
  const int block = index_of(scene, "block");
  World world(scene);
  const Vec3 start = world.state().bodies[block].pose.position;
  double energy = world.energy().total();
  step_through(world, 200, [&] {
    EXPECT_LE(world.energy().total(), energy + 1e-10);
    energy = world.energy().total();
  });
  // Held for one step, then free: first order in h.
  const double fallen = (start - world.state().bodies[block].pose.position).z();
  EXPECT_NEAR(fallen, 0.5 * g * 0.2 * 0.2, g * 0.2 * 1e-3);
}

TEST(CeilingBlock, SticksToAWallWhileFrictionUnderThePullCarriesIt) {
  for (const double ratio : {2.04, 1.96}) {  // mu f = 1.02 and 0.98 of the weight
    SCOPED_TRACE(ratio);
    Scene scene = make_scene("ceiling_block", {{"ratio", std::to_string(ratio)}, {"angle", "90"}});
    const int block = index_of(scene, "block");
    World world(scene);
    step_through(world, 300, [] {});
    const double speed = -world.state().bodies[block].linear.z();
    EXPECT_NEAR(speed, ratio > 2.0 ? 0.0 : 0.02 * g * 0.3, 1e-6);
    EXPECT_NEAR(pull_of(world), 0.0, 1e-9);  // nothing pushes or pulls along the normal, taken together
  }
}

TEST(SoftCeilingBlock, HangsOnSpringsToo) {
  Scene scene = make_scene("ceiling_block", {{"ratio", "1.5"}});
  scene.settings.contact = ContactModel::soft;
  const int block = index_of(scene, "block");
  World world(scene);
  step_through(world, 500, [] {});
  EXPECT_NEAR(pull_of(world), scene.model.bodies[block].mass * g * 1e-3, 1e-6);
}

/// tan(slope) = 0.46 lies between mu = 0.4 and mu_static = 0.5.
Scene slope_between(double speed, double slip_velocity) {
  Scene scene = make_scene("incline", {{"mu", "0.4"}, {"ratio", "1.15"}, {"speed", std::to_string(speed)}});
  scene.model.materials[0].mu_static = 0.5;
  scene.model.materials[0].slip_velocity = slip_velocity;
  return scene;
}

TEST(StaticFriction, HoldsABlockThatKineticFrictionWouldNot) {
  EXPECT_LE(run_scene(slope_between(0.0, 0.01), 1.0).displacement, 1e-9);
  EXPECT_GE(run_scene("incline", {{"mu", "0.4"}, {"ratio", "1.15"}}, 0.2).displacement, 1e-3);
}

TEST(StaticFriction, LetsABlockThatWasPushedSlideOnWithTheAnalyticAcceleration) {
  const Scene scene = slope_between(0.5, 0.01);
  const double angle = std::atan(0.46);
  const double acceleration = g * (std::sin(angle) - 0.4 * std::cos(angle));
  const RunFigures run = run_scene(scene, 0.5);
  EXPECT_NEAR(run.end.bodies[index_of(scene, "box")].linear.norm(), 0.5 + 0.5 * acceleration, 1e-6);
}

/// The table's velocity before the first step is not in the scene: the block must not take it for a slip. After it the
/// block has the velocity of the middle of a step: at its end the table moves past it at ½ w² r h, 2 mm/s, which is the
/// explicit law's first order in h.
TEST(StaticFriction, HoldsABlockOnATurntableFromTheFirstStepOn) {
  Scene scene = make_scene("turntable", {{"mu", "0.3"}, {"mu_static", "0.6"}, {"distance", "1"}});  // w² r/g = 0.41
  scene.initial.bodies[index_of(scene, "table")].angular.setZero();
  World world(scene);
  for (int i = 0; i < 50; ++i) {
    world.step();
    const double slip = i == 0 ? 0.0 : 0.5 * 4.0 * 1.0 * 1e-3;
    for (const ContactRecord& contact : world.contacts()) {
      EXPECT_EQ(contact.mode, ContactMode::stick) << "step " << i;
      // The corners are 2 cm nearer to the axis or farther from it than the middle.
      EXPECT_NEAR(contact.mu, 0.3 + 0.3 * std::exp(-std::pow(slip / 0.01, 2)), 5e-3) << "step " << i;
    }
  }
}

/// v' = g (sin − mu(v) cos), by Runge and Kutta's method with steps that make its own error round-off.
double slide_at_end(double speed, double slip_velocity, double seconds) {
  const double angle = std::atan(0.46);
  const auto rate = [&](double v) {
    const double part = v / slip_velocity;
    return g * (std::sin(angle) - (0.4 + 0.1 * std::exp(-part * part)) * std::cos(angle));
  };
  constexpr int steps = 10000;
  const double h = seconds / steps;
  for (int i = 0; i < steps; ++i) {
    const double a = rate(speed);
    const double b = rate(speed + 0.5 * h * a);
    const double c = rate(speed + 0.5 * h * b);
    const double d = rate(speed + h * c);
    speed += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }
  return speed;
}

TEST(StaticFriction, FollowsStribecksCurveToFirstOrderInTheStep) {
  const double expected = slide_at_end(0.02, 0.02, 0.1);
  double error[2];
  const double steps[2] = {2e-3, 1e-3};
  for (int k = 0; k < 2; ++k) {
    Scene scene = slope_between(0.02, 0.02);
    scene.settings.step = steps[k];
    const RunFigures run = run_scene(scene, 0.1);
    error[k] = std::abs(run.end.bodies[index_of(scene, "box")].linear.norm() - expected);
  }
  EXPECT_LE(error[1], 0.01 * expected);
  EXPECT_NEAR(error[0] / error[1], 2.0, 0.2);
}

/// A particle on a floor with a grain along x, mu 0.2 along and 0.4 across it.
Scene grained_floor(const Vec3& direction, const Vec3& velocity) {
  Scene scene = make_scene("particle_drop", {{"height", "0"}, {"mu", "0.2"}});
  scene.model.materials = {Material{.name = "smooth", .mu = 0.9, .anisotropy = std::nullopt},
                           Material{.name = "grained", .mu = 0.1, .anisotropy = Anisotropy{0.2, direction}}};
  // The pair has a mu of its own; across the grain it keeps the mixture's ratio, √(0.2/0.1 · 0.9/0.9) = √2.
  scene.model.material_pairs = {MaterialPair{.first = 0, .second = 1, .mu = 0.2}};
  scene.model.bodies[index_of(scene, "plane")].shapes[0].material = 1;
  scene.initial.bodies[index_of(scene, "particle")].linear = velocity;
  return scene;
}

/// v' = −g (mu_1² v_1, mu_2² v_2)/√((mu_1 v_1)² + (mu_2 v_2)²): most dissipation over the ellipse.
TEST(Grain, BendsThePathOfASlidingBodyAlsoWhereAPairOfMaterialsHasItsOwnMu) {
  const double across = 0.2 * std::sqrt(2.0);
  Vec2 v(2.0, 1.5);
  const Vec2 squares(0.2 * 0.2, across * across);
  constexpr int steps = 400000;
  for (int i = 0; i < steps; ++i) {
    const Vec2 scaled(0.2 * v.x(), across * v.y());
    v -= 0.4 / steps * g * squares.cwiseProduct(v) / scaled.norm();
  }
  Scene scene = grained_floor(Vec3::UnitX(), Vec3(2.0, 1.5, 0.0));
  const RunFigures run = run_scene(scene, 0.4);
  const Vec3 end = run.end.bodies[index_of(scene, "particle")].linear;
  EXPECT_LE((Vec2(end.x(), end.y()) - v).norm(), 1e-3);  // first order in h = 1e-3, at accelerations of about 2.5 m/s²
  EXPECT_GT(std::abs(end.y() / end.x() - 0.75), 0.1) << "isotropic friction keeps the direction";
}

TEST(Grain, AlongTheNormalIsAcrossInEveryDirection) {
  const double across = 0.2 * std::sqrt(2.0);
  for (const double heading : {0.0, 0.7, 1.6}) {
    for (const double tilt : {0.0, 1e-9, 1e-5}) {
      const Vec3 forward(std::cos(heading), std::sin(heading), 0.0);
      Scene scene = grained_floor(Vec3(tilt, 0.0, 1.0), 2.0 * forward);
      const RunFigures run = run_scene(scene, 0.4);
      const Vec3 expected = (2.0 - 0.4 * across * g) * forward;
      EXPECT_LE((run.end.bodies[index_of(scene, "particle")].linear - expected).norm(), 1e-6)
          << heading << ", " << tilt;
    }
  }
}

TEST(Damping, LeavesABodyAtRestItsWholeWeight) {
  for (const double damping : {0.0, 3.0, 1000.0}) {
    Scene scene = make_scene("box_stack", {{"count", "1"}});
    Body& cube = scene.model.bodies[index_of(scene, "cube0")];
    cube.linear_damping = damping;
    cube.angular_damping = damping;
    World world(scene);
    for (int i = 0; i < 5; ++i) world.step();
    double weight = 0.0;
    for (const ContactRecord& contact : world.contacts()) weight += contact.impulse.dot(contact.normal);
    EXPECT_NEAR(weight, cube.mass * g * 1e-3, 1e-9 * cube.mass * g * 1e-3) << damping;
  }
}

/// m v' = −mu m g − d m v, implicit: v⁺ = (v − h mu g)/(1 + h d).
TEST(Damping, AddsToTheFrictionOfASlidingBody) {
  Scene scene = make_scene("sliding_block", {{"mu", "0.3"}, {"heading", "0"}});
  const int slider = index_of(scene, "slider");
  scene.model.bodies[slider].linear_damping = 2.0;
  World world(scene);
  double speed = 3.0;
  step_through(world, 100, [&] {
    speed = (speed - 1e-3 * 0.3 * g) / (1.0 + 1e-3 * 2.0);
    EXPECT_NEAR(world.state().bodies[slider].linear.x(), speed, exact);
  });
}

/// All laws together in piles of spheres: friction against turning takes energy from every contact at every step, and
/// the whole gains none beyond what adhesion gives within its range.
TEST(FrictionLaws, NeverRaiseTheEnergyOfARandomPile) {
  for (const char* seed : {"1", "2", "3"}) {
    SCOPED_TRACE(seed);
    Scene scene = make_scene("sphere_pile", {{"count", "8"}, {"seed", seed}});
    Material& material = scene.model.materials[0];
    material.mu_static = 1.5 * material.mu;
    material.slip_velocity = 0.05;
    material.mu_rolling = 2e-3;
    material.mu_torsional = 1e-3;
    material.adhesion = 0.02;
    scene.settings.step = 5e-3;
    World world(scene);
    double energy = world.energy().total();
    const double lost_from = energy;
    int turning = 0;
    for (int i = 0; i < 120; ++i) {
      const StepReport& report = world.step();
      EXPECT_TRUE(report.certified) << "step " << i << ": " << report.reason;
      // f · range with a range of 1e-6 of a sphere's size, at some tens of contacts; the spheres weigh newtons.
      EXPECT_LE(world.energy().total(), energy + 1e-6) << "step " << i;
      energy = world.energy().total();
      for (const ContactRecord& contact : world.contacts()) {
        const Vec3 relative =
            world.state().bodies[contact.body_a].angular - world.state().bodies[contact.body_b].angular;
        EXPECT_LE(contact.turning.dot(relative), 1e-10);  // J: the tolerance times the energies of a step, up to 1e-2
        turning += contact.turning.norm() > 0.0 ? 1 : 0;
      }
    }
    EXPECT_GE(turning, 100);
    EXPECT_LT(energy, lost_from);
  }
}

}  // namespace
}  // namespace cardhouse
