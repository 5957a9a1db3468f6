#include "cardhouse/math/pose.h"

#include <cmath>

namespace cardhouse {

Quat rotation_from_vector(const Vec3& rotation) {
  const double angle_squared = rotation.squaredNorm();
  // Below 1e-4 rad the series is exact to double precision: the next terms are angle⁴/1920 and angle⁴/384 < 1e-18.
  const bool small = angle_squared < 1e-8;
  const double angle = std::sqrt(angle_squared);
  const double half_sine_over_angle = small ? 0.5 - angle_squared / 48.0 : std::sin(0.5 * angle) / angle;
  const double half_cosine = small ? 1.0 - angle_squared / 8.0 : std::cos(0.5 * angle);
  const Vec3 imaginary = half_sine_over_angle * rotation;
  return Quat(half_cosine, imaginary.x(), imaginary.y(), imaginary.z()).normalized();
}

Vec3 vector_from_rotation(const Quat& rotation) {
  const double sign = rotation.w() < 0.0 ? -1.0 : 1.0;
  const Vec3 imaginary = sign * rotation.vec();
  const double sine = imaginary.norm();
  if (sine == 0.0) return Vec3::Zero();
  const double angle = 2.0 * std::atan2(sine, sign * rotation.w());
  return (angle / sine) * imaginary;
}

Mat3 cross_matrix(const Vec3& a) {
  Mat3 result;
  result << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return result;
}

}  // namespace cardhouse
