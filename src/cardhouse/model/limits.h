// Checks of given numbers by the bounds in base/limits.h. Each throws InputError with the thing, its value, the allowed
// range and the reason: "gravity[2] = 1e+308 m/s²: must be at most 1e+13 m/s² in size (above a neutron star's
// gravity)".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cardhouse/base/limits.h"
#include "cardhouse/math/types.h"
#include "cardhouse/model/motion.h"

namespace cardhouse::limits {

/// Throws InputError: "path = value: rule".
[[noreturn]] void refuse(const std::string& path, const std::string& value, const std::string& rule);

/// That of a unit; of "m or rad" and its like that of the first. Empty for numbers without one.
std::optional<Bound> bound_of_unit(std::string_view unit);

/// The rule that a value breaks, in words; empty when it keeps to the bound. NaN and infinity break it.
std::string broken_rule(const Bound& bound, double value);
/// The same for what must be above zero.
std::string broken_positive_rule(const Bound& bound, double value);

void check(const std::string& what, double value, const Bound& bound);
void check(const std::string& what, const Vec3& value, const Bound& bound);
void check_not_negative(const std::string& what, double value, const Bound& bound);
void check_positive(const std::string& what, double value, const Bound& bound);

// What may be changed while a world runs. `what` names the thing in messages.
void check_gravity(const Vec3& gravity);                             ///< m/s²
void check_step(double step);                                        ///< s
void check_position(const std::string& what, const Vec3& position);  ///< m: of a body, or where it is dragged to
void check_velocity(const std::string& what, const Vec3& velocity);  ///< m/s
void check_angular_velocity(const std::string& what, const Vec3& velocity);  ///< rad/s

/// Of a kinematic body.
void check_motion(const std::string& path, const Motion& motion);

}  // namespace cardhouse::limits
