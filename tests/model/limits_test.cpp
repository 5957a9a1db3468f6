#include "cardhouse/model/limits.h"

#include <gtest/gtest.h>

#include <limits>

#include "cardhouse/base/error.h"
#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"

namespace cardhouse {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What a check says; empty when it accepts.
template <class Check>
std::string words_of(const Check& check) {
  try {
    check();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// One box of 1 m, with a change.
template <class Change>
std::string words_of_changed(const Change& change) {
  Model model;
  State state;
  Body box;
  box.name = "box";
  box.mass = 1.0;
  box.inertia = Mat3::Identity();
  box.shapes.push_back({Box{Vec3::Ones()}, {}, 0});
  model.bodies.push_back(box);
  state.bodies.resize(1);
  change(model, state);
  return words_of([&] { check_model(model, state); });
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Limits, TellTheThingItsValueTheRangeAndTheReason) {
  EXPECT_EQ(words_of([] { limits::check_gravity(Vec3(0.0, 0.0, -1e308)); }),
            "gravity[2] = -1e+308 m/s²: must be at most 1e+13 m/s² in size (above a neutron star's gravity)");
  EXPECT_EQ(
      words_of([] { limits::check_step(1e-320); }),
      "step = 1e-320 s: must be at least 1e-12 and at most 1e+06 s (a millionth of a microsecond, and eleven days)");
}

TEST(Limits, RefuseWhatIsNotFinite) {
  for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(words_of([&] { limits::check_position("drag", Vec3(bad, 0.0, 0.0)); }), "");
    EXPECT_NE(words_of([&] { limits::check_velocity("throw", Vec3(0.0, bad, 0.0)); }), "");
    EXPECT_NE(words_of([&] { limits::check_not_negative("mass", bad, limits::mass); }), "");
    EXPECT_NE(words_of([&] { limits::check_step(bad); }), "");
  }
}

TEST(Limits, AcceptZeroAndTheTinyWhereNothingMustBePositive) {
  EXPECT_EQ(words_of([] { limits::check_position("place", Vec3(0.0, 1e-300, -0.0)); }), "");
  EXPECT_EQ(words_of([] { limits::check_not_negative("damping", 0.0, limits::damping); }), "");
  EXPECT_NE(words_of([] { limits::check_positive("radius", 1e-300, limits::length); }), "");
}

TEST(Limits, AreKnownByTheUnit) {
  EXPECT_EQ(limits::bound_of_unit("m")->most, limits::length.most);
  EXPECT_EQ(limits::bound_of_unit("m or rad")->most, limits::length.most);
  EXPECT_FALSE(limits::bound_of_unit("").has_value());
}

TEST(Limits, KeepTheDeterminantOfAnInertiaWithinTheRangeOfNumbers) {
  const double largest = limits::inertia.most;
  const double least = limits::inertia.least;
  EXPECT_LT(largest * largest * largest, std::numeric_limits<double>::max());
  EXPECT_GT(least * least * least, std::numeric_limits<double>::min());
}

TEST(Limits, AModelOfOrdinaryNumbersIsAccepted) {
  EXPECT_EQ(words_of_changed([](Model&, State&) {}), "");
}

TEST(Limits, AModelIsRefusedForEveryNumberOutOfBounds) {
  EXPECT_TRUE(has(words_of_changed([](Model& m, State&) { m.gravity.z() = 1e308; }), "gravity[2]"));
  EXPECT_TRUE(has(words_of_changed([](Model& m, State&) { m.bodies[0].mass = 1e-320; }), "bodies[0].mass"));
  EXPECT_TRUE(has(words_of_changed([](Model& m, State&) { m.bodies[0].mass = 1e300; }), "bodies[0].mass"));
  EXPECT_TRUE(has(words_of_changed([](Model& m, State&) { m.bodies[0].inertia *= 1e300; }), "principal moment"));
  EXPECT_TRUE(has(words_of_changed([](Model& m, State&) { m.bodies[0].inertia *= 1e-300; }), "principal moment"));
  EXPECT_TRUE(has(words_of_changed([](Model&, State& s) { s.bodies[0].linear.x() = 1e9; }), "linear_velocity[0]"));
  EXPECT_TRUE(has(words_of_changed([](Model&, State& s) { s.bodies[0].angular.x() = 1e22; }), "angular_velocity[0]"));
  EXPECT_TRUE(has(words_of_changed([](Model&, State& s) { s.bodies[0].pose.position.x() = 1e300; }), "position[0]"));
  EXPECT_TRUE(
      has(words_of_changed([](Model& m, State&) { m.bodies[0].shapes[0].geometry = Box{Vec3::Constant(9e307)}; }),
          "half_extents[0]"));
  EXPECT_TRUE(
      has(words_of_changed([](Model& m, State&) { m.bodies[0].shapes[0].geometry = Sphere{1e-300}; }), "radius"));
  EXPECT_TRUE(has(words_of_changed([](Model& m, State&) { m.bodies[0].shapes[0].pose.position.y() = 1e200; }),
                  "shapes[0].position[1]"));
  EXPECT_TRUE(has(words_of_changed([](Model& m, State&) { m.bodies[0].force.y() = 1e200; }), "force[1]"));
  EXPECT_TRUE(has(words_of_changed([](Model& m, State&) { m.bodies[0].linear_damping = 1e200; }), "linear_damping"));
  EXPECT_TRUE(has(words_of_changed([](Model& m, State&) { m.materials[0].mu = 1e200; }), "materials[0].mu"));
  EXPECT_TRUE(has(words_of_changed([](Model& m, State&) {
                    m.materials[0].mu = 1e-300;
                    m.materials[0].mu_static = 1.0;
                  }),
                  "times mu"));
  EXPECT_TRUE(has(words_of_changed([](Model& m, State&) {
                    Spring spring;
                    spring.stiffness = 1e200;
                    m.springs.push_back(spring);
                  }),
                  "springs[0].stiffness"));
}

TEST(Limits, AMotionIsHeldToThem) {
  const auto words = [](const Motion& motion) {
    return words_of_changed([&](Model& m, State&) {
      m.bodies[0].mobility = Mobility::kinematic;
      m.bodies[0].motion = motion;
    });
  };
  EXPECT_EQ(words(Shaking{Vec3::UnitX(), 5.0, 0.0}), "");
  EXPECT_TRUE(has(words(Shaking{Vec3(1e200, 0.0, 0.0), 5.0, 0.0}), "motion.amplitude[0]"));
  EXPECT_TRUE(has(words(ConstantVelocity{Vec3(1e200, 0.0, 0.0), Vec3::Zero()}), "motion.linear[0]"));
}

TEST(Limits, HullsOfFarPointsAreRefusedBeforeTheyAreBuilt) {
  const std::vector<Vec3> points = {Vec3::Zero(), Vec3(1e308, 0.0, 0.0), Vec3(0.0, 1e308, 0.0), Vec3(0.0, 0.0, 1e308)};
  EXPECT_TRUE(has(words_of([&] { hull_of_points(points); }), "points[1]"));
}

}  // namespace
}  // namespace cardhouse
