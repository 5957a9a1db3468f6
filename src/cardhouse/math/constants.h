// Numbers with names that many files need.
#pragma once

#include <limits>
#include <numbers>

namespace cardhouse {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double epsilon = std::numeric_limits<double>::epsilon();  ///< round-off of 1
inline constexpr double pi = std::numbers::pi;

}  // namespace cardhouse
