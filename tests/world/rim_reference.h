// A disk on its rim by the smooth equations of motion, for what a step must converge to: Runge and Kutta's method of
// fourth order, and a friction that rises from 0 to Coulomb's within a slip speed far below the motion's.
#pragma once

#include <Eigen/LU>
#include <cmath>

#include "cardhouse/model/model.h"

namespace cardhouse::test {

struct RimDisk {
  double mass = 0.0;            ///< kg
  double axial = 0.0;           ///< kg m²
  double diametral = 0.0;       ///< kg m²
  double radius = 0.0;          ///< m
  double half_thickness = 0.0;  ///< m
  double mu = 0.0;
  double gravity = 9.81;  ///< m/s²
  double slip = 1e-5;     ///< m/s: from some of these on friction is Coulomb's
};

/// The lowest point stays on the ground, so height and vertical velocity follow from the axis.
struct RimState {
  Vec3 velocity = Vec3::Zero();  ///< m/s, its vertical part unused
  Vec3 axis = Vec3::UnitX();
  Vec3 angular = Vec3::Zero();  ///< rad/s
};

/// The height of the centre as a function of the axis's z, and its derivatives.
struct RimHeight {
  RimHeight(const RimDisk& disk, double z) {
    const double across = std::sqrt(1.0 - z * z);
    const double side = z < 0.0 ? -1.0 : 1.0;
    value = disk.radius * across + side * disk.half_thickness * z;
    first = -disk.radius * z / across + side * disk.half_thickness;
    second = -disk.radius / (across * across * across);
  }
  double value, first, second;
};

inline Vec3 rim_velocity(const RimDisk& disk, const RimState& s) {
  const double rise = RimHeight(disk, s.axis.z()).first * s.angular.cross(s.axis).z();
  return {s.velocity.x(), s.velocity.y(), rise};
}

inline Vec3 rim_arm(const RimDisk& disk, const Vec3& axis) {
  const Vec3 up_the_face = (Vec3::UnitZ() - axis.z() * axis).normalized();
  return -disk.radius * up_the_face - (axis.z() < 0.0 ? -1.0 : 1.0) * disk.half_thickness * axis;
}

/// Time derivatives; `normal` is the force that keeps the lowest point on the ground (N).
inline RimState rim_rates(const RimDisk& disk, const RimState& s, double& normal) {
  const Vec3& a = s.axis;
  const auto over_inertia = [&](const Vec3& torque) -> Vec3 {
    return (torque - torque.dot(a) * a) / disk.diametral + torque.dot(a) / disk.axial * a;
  };
  const Vec3 arm = rim_arm(disk, a);
  Vec3 slip = rim_velocity(disk, s) + s.angular.cross(arm);
  slip.z() = 0.0;
  // All forces are per newton of the normal force; the angular acceleration is free + normal · pushed.
  const Vec3 force = Vec3::UnitZ() - disk.mu / std::sqrt(slip.squaredNorm() + disk.slip * disk.slip) * slip;
  const Vec3 momentum = disk.diametral * s.angular + (disk.axial - disk.diametral) * s.angular.dot(a) * a;
  const Vec3 free = over_inertia(-s.angular.cross(momentum));
  const Vec3 pushed = over_inertia(arm.cross(force));
  const Vec3 turn = s.angular.cross(a);
  const RimHeight height(disk, a.z());
  const double without =
      height.first * (free.cross(a) + s.angular.cross(turn)).z() + height.second * turn.z() * turn.z();
  normal = (disk.gravity + without) / (1.0 / disk.mass - height.first * pushed.cross(a).z());
  return {.velocity = normal / disk.mass * force, .axis = turn, .angular = free + normal * pushed};
}

inline double rim_energy(const RimDisk& disk, const RimState& s) {
  const double about_axis = s.angular.dot(s.axis);
  return 0.5 * disk.mass * rim_velocity(disk, s).squaredNorm() + 0.5 * disk.diametral * s.angular.squaredNorm() +
         0.5 * (disk.axial - disk.diametral) * about_axis * about_axis +
         disk.mass * disk.gravity * RimHeight(disk, s.axis.z()).value;
}

struct RimCourse {
  double left = 0.0;          ///< (−): the energy at the end over that at the start
  bool keeps_contact = true;  ///< on one rim, and pushed by the ground all the time: else the equations do not hold
};

inline RimState rim_moved(const RimState& s, const RimState& rates, double dt) {
  return {.velocity = s.velocity + dt * rates.velocity,
          .axis = (s.axis + dt * rates.axis).normalized(),
          .angular = s.angular + dt * rates.angular};
}

inline RimCourse follow_rim(const RimDisk& disk, RimState s, double seconds, double dt) {
  RimCourse course;
  const double start = rim_energy(disk, s);
  const auto steps = static_cast<long>(seconds / dt + 0.5);
  const bool up = s.axis.z() > 0.0;
  for (long k = 0; k < steps; ++k) {
    double normal = 0.0;
    double unused = 0.0;
    const RimState first = rim_rates(disk, s, normal);
    const RimState second = rim_rates(disk, rim_moved(s, first, 0.5 * dt), unused);
    const RimState third = rim_rates(disk, rim_moved(s, second, 0.5 * dt), unused);
    const RimState fourth = rim_rates(disk, rim_moved(s, third, dt), unused);
    const auto mean = [](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) -> Vec3 {
      return (a + 2.0 * b + 2.0 * c + d) / 6.0;
    };
    s = rim_moved(s,
                  {.velocity = mean(first.velocity, second.velocity, third.velocity, fourth.velocity),
                   .axis = mean(first.axis, second.axis, third.axis, fourth.axis),
                   .angular = mean(first.angular, second.angular, third.angular, fourth.angular)},
                  dt);
    course.keeps_contact = course.keeps_contact && normal > 0.0 && (s.axis.z() > 0.0) == up;
  }
  course.left = rim_energy(disk, s) / start;
  return course;
}

/// Of a cylinder that stands on its rim at the start of a scene.
inline RimDisk rim_disk_of(const Body& body, double mu) {
  const Cylinder& cylinder = std::get<Cylinder>(body.shapes.front().geometry);
  return {.mass = body.mass,
          .axial = body.inertia(2, 2),
          .diametral = body.inertia(0, 0),
          .radius = cylinder.radius,
          .half_thickness = cylinder.half_length,
          .mu = mu};
}

}  // namespace cardhouse::test
