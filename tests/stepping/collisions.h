// Bodies that collide, for the tests of restitution and of adaptive steps.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "cardhouse/model/energy.h"
#include "cardhouse/stepping/schemes/stepper.h"
#include "stepping/bodies.h"

namespace cardhouse::test {

inline constexpr double gravity = 9.81;
inline constexpr double ball_radius = 0.01;
inline constexpr std::array<Restitution, 4> all_laws{Restitution::newton, Restitution::lagged, Restitution::poisson,
                                                     Restitution::impact};

/// A ball of 1 kg that does not turn, its lowest point `gap` above the floor z = 0; body 1.
inline SmallModel ball_over_floor(double gap, double restitution, double mu = 0.0) {
  SmallModel setup;
  setup.model.materials[0].mu = mu;
  setup.model.materials[0].restitution = restitution;
  setup.add_floor();
  Body body;
  body.name = "ball";
  body.kind = BodyKind::particle;
  body.mass = 1.0;
  body.shapes.push_back({Sphere{ball_radius}, Pose{}, 0});
  BodyState s;
  s.pose.position.z() = ball_radius + gap;
  setup.add(body, s);
  return setup;
}

inline double height(const State& state) {
  return state.bodies[1].pose.position.z() - ball_radius;
}

/// A rod of 1 kg and length 2 in the x–z plane, its lower end at the origin and `gap` above the floor, its middle to
/// the right of it, `angle` above the floor; body 1. It has the velocity (slide, −1) and no spin.
inline SmallModel rod_over_floor(double angle, double slide, double restitution, double mu, double gap = 1e-5) {
  SmallModel setup;
  setup.model.gravity.setZero();
  setup.model.materials[0].mu = mu;
  setup.model.materials[0].restitution = restitution;
  setup.add_floor();
  Body rod;
  rod.name = "rod";
  rod.kind = BodyKind::planar;
  rod.mass = 1.0;
  rod.inertia(1, 1) = 1.0 / 3.0;
  rod.shapes.push_back({Segment{Vec2(0.0, -1.0), Vec2(0.0, 1.0)}, Pose{}, 0});
  BodyState s;
  s.pose.position = Vec3(std::cos(angle), 0.0, std::sin(angle) + gap);
  s.pose.orientation = rotation_from_vector(Vec3(0.0, 0.5 * std::numbers::pi - angle, 0.0));
  s.linear = Vec3(slide, 0.0, -1.0);
  setup.add(rod, s);
  return setup;
}

/// What the rod's lower end gives way to impulses there, by the formulas of a rigid body.
struct RodMobility {
  explicit RodMobility(double angle)
      : nn(1.0 + 3.0 * std::cos(angle) * std::cos(angle)),
        tt(1.0 + 3.0 * std::sin(angle) * std::sin(angle)),
        nt(-3.0 * std::sin(angle) * std::cos(angle)) {}
  double nn, tt, nt;  ///< 1/kg
};

/// m/s, of the rod's lower end.
inline Vec3 end_velocity(const State& state) {
  const BodyState& s = state.bodies[1];
  const Vec3 arm = s.pose.orientation * Vec3(0.0, 0.0, -1.0);
  return s.linear + s.angular.cross(arm);
}

inline StepSettings settings_of(Restitution law, double h) {
  StepSettings settings;
  settings.step = h;
  settings.restitution = law;
  return settings;
}

/// Every step must be certified.
inline void run(SmallModel& setup, const StepSettings& settings, int steps) {
  Stepper stepper(setup.model, settings);
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = stepper.step(setup.model, setup.state);
    ASSERT_TRUE(report.certified) << "step " << i << ": " << report.reason;
  }
}

/// The start height, then the largest height between collisions with the floor, `count` of them.
inline std::vector<double> apexes(SmallModel setup, const StepSettings& settings, int count) {
  std::vector<double> found{height(setup.state)};
  Stepper stepper(setup.model, settings);
  double highest = 0.0;
  bool rising = false;
  while (static_cast<int>(found.size()) <= count) {
    const StepReport& report = stepper.step(setup.model, setup.state);
    EXPECT_TRUE(report.certified) << report.reason;
    const double speed = setup.state.bodies[1].linear.z();
    if (speed > 0.0) {
      rising = true;
      highest = std::max(highest, height(setup.state));
    } else if (rising) {
      found.push_back(std::max(highest, height(setup.state)));
      rising = false;
      highest = 0.0;
    }
    if (setup.state.time > 60.0) break;  // it came to rest
  }
  return found;
}

}  // namespace cardhouse::test
