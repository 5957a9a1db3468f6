#pragma once

#include <bit>
#include <cstdint>

#include "cardhouse/math/types.h"

namespace cardhouse {

/// Whether two numbers are the same in a file: −0 is not 0, and NaN is NaN.
inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool same_bits(const Vec3& a, const Vec3& b) {
  return same_bits(a.x(), b.x()) && same_bits(a.y(), b.y()) && same_bits(a.z(), b.z());
}

}  // namespace cardhouse
