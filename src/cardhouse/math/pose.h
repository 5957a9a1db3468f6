#pragma once

#include "cardhouse/math/types.h"

namespace cardhouse {

/// A rigid placement: x_world = position + orientation · x_local.
struct Pose {
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();

  Vec3 apply(const Vec3& local) const { return position + orientation * local; }
  Vec3 apply_inverse(const Vec3& world) const { return orientation.conjugate() * (world - position); }
};

/// First `inner`, then `outer`: (outer * inner).apply(x) = outer.apply(inner.apply(x)).
inline Pose operator*(const Pose& outer, const Pose& inner) {
  return {outer.apply(inner.position), outer.orientation * inner.orientation};
}

/// The rotation by the vector `rotation` (axis times angle, rad), exact to round-off for small angles too.
Quat rotation_from_vector(const Vec3& rotation);

/// The inverse of rotation_from_vector, with an angle in [0, pi].
Vec3 vector_from_rotation(const Quat& rotation);

/// The matrix of x ↦ a × x.
Mat3 cross_matrix(const Vec3& a);

}  // namespace cardhouse
