// What users of other engines reported as wrong: bodies that creep in a grip, cubes that hover or hop while they slide,
// balls whose backspin is lost, coins that never come to rest. Each against what is known on paper.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cardhouse/scenes/building.h"
#include "scenes/run_scene.h"

namespace cardhouse {
namespace {

constexpr double gravity = 9.81;  // m/s²

/// A level floor, and on it one body of this shape with its centre at a height.
Scene on_a_floor(const Geometry& geometry, double density, double height, double mu) {
  Scene scene;
  scene.name = "one body on a floor";
  scene.model.materials[0].mu = mu;
  scenes::add(scene, scenes::still("floor", HalfSpace{}), {});
  scenes::add(scene, scenes::solid("body", geometry, density), {Vec3(0.0, 0.0, height), Quat::Identity()});
  return scene;
}

// A pinched capsule.

/// m/s: how fast a capsule of 45 g creeps between two fingers that press with 1 N each, mu 0.7, once it is lifted.
double creep_of_pinched_capsule(double h, double seconds) {
  Scene scene = make_scene("grasp", {{"object", "capsule"}, {"mass", "0.045"}, {"force", "1"}, {"shake", "0"}});
  scene.settings.step = h;
  World world(scene);
  const int capsule = scene.stands->bodies[0];
  const auto place = [&] {
    return world.state().bodies[scene.stands->relative_to].pose.apply_inverse(
        world.state().bodies[capsule].pose.position);
  };
  const auto run_until = [&](double time) {
    while (world.state().time < time - 0.5 * h) EXPECT_TRUE(world.step().certified) << world.last_report().reason;
  };
  run_until(1.6);  // closed and lifted
  EXPECT_GT(world.state().bodies[capsule].pose.position.z(), 0.2);
  const Vec3 start = place();
  run_until(1.6 + seconds);
  return (place() - start).norm() / seconds;
}

TEST(PinchedCapsule, DoesNotCreep) {
  // Asked for: 0.01 µm/s. It carries 0.44 N of the 1.4 N that friction can.
  for (const double h : {1e-3, 1e-2}) EXPECT_LT(creep_of_pinched_capsule(h, 1.0), 1e-8) << h;
}

TEST(PinchedCapsuleSlow, DoesNotCreepInTenSeconds) {
  for (const double h : {1e-3, 1e-2}) EXPECT_LT(creep_of_pinched_capsule(h, 10.0), 1e-8) << h;
}

// A sliding cube.

struct CubeSlide {
  double lift = 0.0;      ///< m, largest of the centre above its height at rest
  double gap = 0.0;       ///< m, largest at any contact
  double distance = 0.0;  ///< m
  double hover = 0.0;     ///< the largest |gap/(h mu v) − 1| while it slides, from the second step on (−)
  bool certified = true;
};

constexpr double cube_mu = 0.5;
constexpr double cube_speed = 6.0;  // m/s
const double cube_distance = cube_speed * cube_speed / (2.0 * cube_mu * gravity);

/// It starts with its lower face at this height (m).
CubeSlide slide_cube(double h, const std::string& solver, double height = 0.0) {
  const double half = 0.05;
  Scene scene = on_a_floor(Box{Vec3::Constant(half)}, 1000.0, half + height, cube_mu);
  scene.initial.bodies[1].linear = Vec3(cube_speed, 0.0, 0.0);
  scene.settings.step = h;
  scene.settings.solver = solver;
  World world(scene);
  CubeSlide slide;
  double speed = cube_speed;
  const double stop = cube_speed / (cube_mu * gravity);
  for (int i = 0; world.state().time < stop + 0.2; ++i) {
    const StepReport& report = world.step();
    slide.certified = slide.certified && report.certified;
    // Gaps are those at the start of the step: what the speed before it left.
    for (const ContactRecord& contact : world.contacts()) {
      slide.gap = std::max(slide.gap, std::abs(contact.gap));
      const bool slides = i > 0 && speed > 1.0;
      if (slides) slide.hover = std::max(slide.hover, std::abs(contact.gap / (h * cube_mu * speed) - 1.0));
    }
    slide.lift = std::max(slide.lift, world.state().bodies[1].pose.position.z() - half);
    speed = world.state().bodies[1].linear.x();
  }
  slide.distance = world.state().bodies[1].pose.position.x();
  EXPECT_LT(world.state().bodies[1].linear.norm(), 1e-6);
  return slide;
}

TEST(SlidingCube, NeitherLiftsNorHoversAndStopsWhereItShould) {
  for (const char* solver : {"auto", "newton", "interior-point", "staggered-projections", "gauss-seidel", "admm"}) {
    for (const double h : {1e-3, 1e-2}) {
      SCOPED_TRACE(::testing::Message() << solver << ", h " << h);
      const CubeSlide slide = slide_cube(h, solver);
      EXPECT_TRUE(slide.certified);
      EXPECT_LT(slide.lift, 1e-6);
      EXPECT_LT(slide.gap, 1e-9);
      EXPECT_NEAR(slide.distance, cube_distance, cube_speed * h);
    }
  }
}

TEST(SlidingCube, HoversByTheStepTimesFrictionTimesSpeedWhenTheLawIsRelaxed) {
  for (const char* solver : {"convex-relaxation", "interior-point:law=relaxed"}) {
    for (const double h : {1e-3, 1e-2}) {
      SCOPED_TRACE(::testing::Message() << solver << ", h " << h);
      // From the floor it would take off with mu v: the hovering is what a slide tends to.
      const CubeSlide slide = slide_cube(h, solver, h * cube_mu * cube_speed);
      EXPECT_FALSE(slide.certified);  // and says so
      // u_N = mu |u_T| at the end of a step, and gap/h + n · v = u_N: the gap is h mu v to the solver's digits, but for
      // the little that friction turns the cube.
      EXPECT_LT(slide.hover, 0.02);
      EXPECT_NEAR(slide.gap, h * cube_mu * cube_speed, 0.05 * h * cube_mu * cube_speed);
    }
  }
}

// A ball with backspin.

struct Roll {
  double speed = 0.0;        ///< m/s, at the end
  double return_time = 0.0;  ///< s, when it passes its start again; 0: never
  double slip = 0.0;         ///< m/s, at the contact, at the end
  double rise = 0.0;         ///< J, largest gain of energy in a step
  bool certified = true;
};

/// A ball of radius 0.1 m thrown forward with v and spinning backwards with R ω.
Roll throw_ball(double v, double spin, double mu, double h, double seconds) {
  const double radius = 0.1;
  Scene scene = on_a_floor(Sphere{radius}, 1000.0, radius, mu);
  scene.initial.bodies[1].linear = Vec3(v, 0.0, 0.0);
  scene.initial.bodies[1].angular = Vec3(0.0, -spin / radius, 0.0);
  scene.settings.step = h;
  World world(scene);
  Roll roll;
  double last = 0.0;
  double energy = world.energy().total();
  while (world.state().time < seconds - 0.5 * h) {
    roll.certified = world.step().certified && roll.certified;
    const double x = world.state().bodies[1].pose.position.x();
    if (last > 0.0 && x <= 0.0) roll.return_time = world.state().time - h * x / (x - last);
    last = x;
    const double now = world.energy().total();
    roll.rise = std::max(roll.rise, now - energy);
    energy = now;
  }
  const BodyState& ball = world.state().bodies[1];
  roll.speed = ball.linear.x();
  roll.slip = std::abs(ball.linear.x() - radius * ball.angular.y());
  return roll;
}

TEST(BackspinBall, ComesBackWhenItsSpinIsMoreThanFiveHalvesOfItsSpeed) {
  // Sliding: v' = −mu g and (R ω)' = −5/2 mu g until v + R ω = 0, at t = 2 (v + R ω)/(7 mu g); then it rolls with
  // (5 v − 2 R ω)/7.
  const double v = 1.0;
  const double mu = 0.3;
  for (const double spin : {5.0, 3.0, 2.0}) {
    for (const double h : {1e-3, 1e-2}) {
      SCOPED_TRACE(::testing::Message() << "R w " << spin << ", h " << h);
      const Roll roll = throw_ball(v, spin, mu, h, 3.0);
      const double rolls = (5.0 * v - 2.0 * spin) / 7.0;
      EXPECT_TRUE(roll.certified);
      EXPECT_NEAR(roll.speed, rolls, 1e-6);  // impulses add up to it whatever the step: only the solver's digits
      EXPECT_LT(roll.slip, 1e-6);
      EXPECT_LT(roll.rise, 1e-9);
      const double sliding = 2.0 * (v + spin) / (7.0 * mu * gravity);
      const double there = v * sliding - 0.5 * mu * gravity * sliding * sliding;
      ASSERT_GT(there, 0.0);
      if (rolls < 0.0) {
        const double back = sliding - there / rolls;
        // Positions are of first order: they are off by h v/2 at most, and so is the time by that over the speed.
        EXPECT_NEAR(roll.return_time, back, h * v / std::abs(rolls));
      } else {
        EXPECT_EQ(roll.return_time, 0.0);
      }
    }
  }
}

}  // namespace
}  // namespace cardhouse
