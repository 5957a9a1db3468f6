// Motions that keep their energy, or whose loss is known: bodies that rock, roll and spin on fixed ground, without
// restitution and without an overlap at the start.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "world/gate_bodies.h"
#include "world/synchronised_energy.h"

namespace cardhouse::test {

inline Scene on_level_ground(double mu, double h) {
  Scene scene = empty_scene(mu, h);
  put_fixed(scene, "ground", {shape_at(HalfSpace{})});
  return scene;
}

/// The velocity of the centre with which the body's point at `arm` (m, from the centre) is at rest.
inline Vec3 rolling_velocity(const Vec3& angular, const Vec3& arm) {
  return -angular.cross(arm);
}

/// An ellipse on the ground, tilted. Its centre is at the height √(a² sin² + b² cos²).
struct RockingEllipse {
  double long_axis = 1.0;   ///< m, semi-axis
  double short_axis = 0.2;  ///< m, semi-axis
  double tilt = 0.3;        ///< rad

  double height(double angle) const { return std::hypot(long_axis * std::sin(angle), short_axis * std::cos(angle)); }
  /// m/rad
  double slope(double angle) const { return axes_apart() * std::sin(angle) * std::cos(angle) / height(angle); }
  double axes_apart() const { return long_axis * long_axis - short_axis * short_axis; }  ///< m²
};

inline Scene rocking_ellipse(const RockingEllipse& ellipse, double h) {
  Scene scene = on_level_ground(0.0, h);
  BodyState start;
  start.pose = {Vec3(0.0, 0.0, ellipse.height(ellipse.tilt)), rotation_from_vector(Vec3(0.0, ellipse.tilt, 0.0))};
  put_solid(scene, "ellipse", {shape_at(Ellipse{ellipse.long_axis, ellipse.short_axis})}, 1.0, start);
  return scene;
}

/// s: without friction the centre moves up and down only, so the tilt is the one degree of freedom:
/// ½ (I + m z'²) θ'² = m g (z(θ0) − z(θ)). With θ = θ0 sin φ the integrand of dθ/θ' is smooth up to the turning point,
/// and the midpoint rule converges faster than any power.
inline double rocking_period(const RockingEllipse& ellipse) {
  constexpr int parts = 20000;
  const double gyration = 0.25 * (ellipse.long_axis * ellipse.long_axis + ellipse.short_axis * ellipse.short_axis);
  double quarter = 0.0;
  for (int i = 0; i < parts; ++i) {
    const double phi = 0.5 * std::numbers::pi * (i + 0.5) / parts;
    const double angle = ellipse.tilt * std::sin(phi);
    // z(θ0) − z(θ) without cancellation.
    const double from_top = 2.0 * ellipse.tilt * std::pow(std::sin(0.25 * std::numbers::pi - 0.5 * phi), 2);
    const double fallen = ellipse.axes_apart() * std::sin(from_top) * std::sin(ellipse.tilt + angle) /
                          (ellipse.height(ellipse.tilt) + ellipse.height(angle));
    const double slope = ellipse.slope(angle);
    const double rate = std::sqrt(2.0 * gate_gravity * fallen / (gyration + slope * slope));
    quarter += ellipse.tilt * std::cos(phi) / rate;
  }
  return 4.0 * quarter * 0.5 * std::numbers::pi / parts;
}

/// Sees a tilt step by step and tells the mean time between its upward passages through 0.
class PeriodWatch {
 public:
  void see(double time, double tilt) {
    if (seen_ && last_tilt_ < 0.0 && tilt >= 0.0) {
      const double passage = last_time_ + (time - last_time_) * last_tilt_ / (last_tilt_ - tilt);
      if (passages_++ == 0) first_ = passage;
      newest_ = passage;
    }
    seen_ = true;
    last_time_ = time;
    last_tilt_ = tilt;
  }
  /// s; 0: it has not rocked twice.
  double period() const { return passages_ < 2 ? 0.0 : (newest_ - first_) / (passages_ - 1); }

 private:
  bool seen_ = false;
  double last_time_ = 0.0;
  double last_tilt_ = 0.0;
  double first_ = 0.0;
  double newest_ = 0.0;
  int passages_ = 0;
};

/// rad, of a planar body.
inline double planar_angle(const BodyState& s) {
  return vector_from_rotation(s.pose.orientation).y();
}

struct RockingFigures {
  double kept = 0.0;          ///< (−): the part of the swing's energy at the end
  double period_error = 0.0;  ///< (−), of the true period
  EnergyCourse course;
};

inline RockingFigures rock(const Scene& scene, const RockingEllipse& ellipse, double seconds) {
  RockingFigures figures;
  PeriodWatch watch;
  figures.course = follow_energy(scene, seconds, [&](const World& world) {
    watch.see(world.state().time, planar_angle(world.state().bodies.back()));
    return true;
  });
  const double rest = scene.model.bodies.back().mass * gate_gravity * ellipse.short_axis;
  figures.kept = (figures.course.energies.back() - rest) / (figures.course.energies.front() - rest);
  figures.period_error = watch.period() / rocking_period(ellipse) - 1.0;
  return figures;
}

/// An ellipse of semi-axes 4 and 2 m that rolls on and on: at 2.5 rad/s it passes over its ends, is pressed on the
/// ground by half its weight or more, and needs a friction of 0.21 at most.
inline Scene rolling_ellipse(double h) {
  Scene scene = on_level_ground(0.5, h);
  BodyState start;
  start.pose.position.z() = 2.0;
  start.angular.y() = 2.5;
  start.linear = rolling_velocity(start.angular, Vec3(0.0, 0.0, -2.0));
  put_solid(scene, "ellipse", {shape_at(Ellipse{4.0, 2.0})}, 1.0, start);
  return scene;
}

/// A hook of 70 cm whose bar rolls on a round peg. Its friction suffices for slopes of 45°; the bar slants by 25° at
/// most.
inline Scene hook_on_peg(double h) {
  constexpr double peg_radius = 0.03;
  Scene scene = empty_scene(1.0, h);
  put_fixed(scene, "peg", {shape_at(Disk{peg_radius})});
  const int hook = put_solid(
      scene, "hook",
      {shape_at(rectangle(0.1, 0.01), Vec3(0.0, 0.0, 0.01)), shape_at(rectangle(0.01, 0.25), Vec3(0.09, 0.0, -0.25)),
       shape_at(rectangle(0.1, 0.1), Vec3(0.1, 0.0, -0.6))},
      1.0, {});
  // The centre of mass hangs beside the peg, so that the hook swings about a slanting bar. Where the peg is, the hook
  // does not touch it with its stem.
  constexpr double aside = 0.07;  // m
  const double bar_side = scene.model.bodies[hook].shapes[0].pose.position.z() - 0.01;
  BodyState& s = scene.initial.bodies[hook];
  s.pose.position = Vec3(aside, 0.0, peg_radius - bar_side);
  s.angular.y() = 1.0;
  s.linear = rolling_velocity(s.angular, Vec3(-aside, 0.0, bar_side));
  scene.initial.initial_poses[hook] = s.pose;
  return scene;
}

/// A ball of 10 cm radius whose centre of mass is 3.6 cm off its centre. It spins about the vertical through its centre
/// of mass; with friction its lowest point is at rest at the start, so that it rolls.
inline Scene off_centre_ball(double mu, double h) {
  const Vec3 centre(0.02, 0.0, 0.03);  // of the ball, from the centre of mass
  constexpr double radius = 0.1;
  Scene scene = on_level_ground(mu, h);
  Body ball;
  ball.name = "ball";
  ball.mass = 1.0;
  ball.inertia = 0.004 * Mat3::Identity();
  ball.shapes = {shape_at(Sphere{radius}, centre)};
  BodyState start;
  start.pose.position.z() = radius - centre.z();
  start.angular.z() = 10.0;
  if (mu > 0.0) start.linear = rolling_velocity(start.angular, centre - Vec3(0.0, 0.0, radius));
  put(scene, ball, start);
  return scene;
}

/// A disk that stands on its rim, its plane leaning from the vertical.
struct Leaning {
  double radius = 0.0;          ///< m
  double half_thickness = 0.0;  ///< m
  double lean = 0.0;            ///< rad, of its plane from the vertical

  double tilt() const { return 0.5 * std::numbers::pi - lean; }  ///< rad, of its axis from the vertical
  double height() const { return radius * std::sin(tilt()) + half_thickness * std::cos(tilt()); }
};

inline Scene leaning_disk(const Leaning& disk, double mu, double h) {
  constexpr double brass = 8000.0;  // kg/m³
  Scene scene = on_level_ground(mu, h);
  BodyState start;
  start.pose = {Vec3(0.0, 0.0, disk.height()), rotation_from_vector(Vec3(0.0, disk.tilt(), 0.0))};
  put_solid(scene, "disk", {shape_at(Cylinder{disk.radius, disk.half_thickness})}, brass, start);
  return scene;
}

/// Euler's disk of 75 mm that leans by 30° and rolls around with its centre at rest. Its contact point stays at rest,
/// so that friction takes nothing.
inline Scene eulers_disk(double h) {
  const Leaning disk{.radius = 0.0375, .half_thickness = 5e-4, .lean = std::numbers::pi / 3.0};
  Scene scene = leaning_disk(disk, 1.0, h);
  const Body& body = scene.model.bodies.back();
  BodyState& s = scene.initial.bodies.back();
  const Vec3 axis = s.pose.orientation * Vec3::UnitZ();
  const Vec3 up_the_face = (Vec3::UnitZ() - axis.z() * axis).normalized();
  const Vec3 arm = -disk.radius * up_the_face - disk.half_thickness * axis;  // to the lowest point of the rim
  // Centre and contact are at rest, so the disk turns about the line through both: w = spin · arm. All vectors lie in
  // the plane y = 0, their products along y. The axis goes round the vertical at Ω: Ω ẑ × axis = w × axis. The momentum
  // goes round with it, by the torque of the weight: Ω ẑ × I w = arm × m g ẑ.
  const Mat3 rotation = s.pose.orientation.toRotationMatrix();
  const Vec3 momentum = rotation * (body.inertia * (rotation.transpose() * arm));  // over the spin
  const double precession = arm.cross(axis).y() / Vec3::UnitZ().cross(axis).y();   // over the spin
  const double change = precession * Vec3::UnitZ().cross(momentum).y();            // over its square
  const double torque = body.mass * gate_gravity * arm.cross(Vec3::UnitZ()).y();
  const double spin = std::sqrt(torque / change);
  s.angular = spin * arm;
  return scene;
}

/// The library's coin of 24 mm, as benchmarks/acceptance.cpp spins and flicks it.
inline Scene spinning_coin(double spin, double lean_degrees, double mu, double h) {
  const Leaning coin{.radius = 0.012, .half_thickness = 0.001, .lean = lean_degrees * std::numbers::pi / 180.0};
  Scene scene = leaning_disk(coin, mu, h);
  scene.initial.bodies.back().angular.z() = spin;
  return scene;
}

/// A motion that loses nothing.
struct LosslessMotion {
  const char* name;
  Scene (*make)(double h);
  double size;  ///< m, half the diagonal of the smaller body's box
};

inline std::vector<LosslessMotion> lossless_motions() {
  return {{"an ellipse that rolls", rolling_ellipse, std::hypot(4.0, 2.0)},
          {"a hook that swings on a peg", hook_on_peg, 0.03 * std::sqrt(2.0)},
          {"a ball off its centre that rolls", [](double h) { return off_centre_ball(1.0, h); }, 0.1 * std::sqrt(3.0)},
          {"a ball off its centre on ice", [](double h) { return off_centre_ball(0.0, h); }, 0.1 * std::sqrt(3.0)}};
}

inline constexpr double eulers_disk_size = 0.05;  ///< m
inline constexpr double coin_size = 0.017;        ///< m

inline Scene coin_at_40(double h) {
  return spinning_coin(40.0, 10.0, 0.3, h);
}
inline Scene coin_flicked(double h) {
  return spinning_coin(100.0, 5.0, 0.2, h);
}

}  // namespace cardhouse::test
