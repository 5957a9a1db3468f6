#include "cardhouse/model/limits.h"

#include <fmt/format.h>

#include <cmath>

#include "cardhouse/base/error.h"

namespace cardhouse::limits {
namespace {

[[noreturn]] void fail(const std::string& what, double value, const Bound& bound, const std::string& rule) {
  throw InputError(fmt::format("{} = {} {}: {}", what, value, bound.unit, rule));
}

std::string most_words(const Bound& bound) {
  return fmt::format("at most {:g} {}", bound.most, bound.unit);
}

void check_numbers(const std::string& path, const ConstantVelocity& motion) {
  check_velocity(path + ".linear", motion.linear);
  check_angular_velocity(path + ".angular", motion.angular);
}

void check_numbers(const std::string& path, const Shaking& motion) {
  check(path + ".amplitude", motion.amplitude, length);
  check_not_negative(path + ".frequency", motion.frequency, frequency);
  check(path + ".phase", motion.phase, angle);
}

void check_numbers(const std::string& path, const Tilting& motion) {
  check_position(path + ".pivot", motion.pivot);
  check(path + ".rate", motion.rate, angular_speed);
  check(path + ".start", motion.start, time);
  check_not_negative(path + ".ramp", motion.ramp, time);
  check_not_negative(path + ".max_angle", motion.max_angle, angle);
}

void check_numbers(const std::string& path, const LiftAndShake& motion) {
  check(path + ".displacement", motion.displacement, length);
  check(path + ".start", motion.start, time);
  check_positive(path + ".time", motion.time, time);
  check(path + ".amplitude", motion.amplitude, length);
  check_positive(path + ".frequency", motion.frequency, frequency);
  check(path + ".shake_start", motion.shake_start, time);
}

}  // namespace

void refuse(const std::string& path, const std::string& value, const std::string& rule) {
  throw InputError(fmt::format("{} = {}: {}", path, value, rule));
}

std::optional<Bound> bound_of_unit(std::string_view unit) {
  const std::string_view first = unit.substr(0, unit.find(" or "));
  for (const Bound& bound : all) {
    if (bound.unit == first) return bound;
  }
  return std::nullopt;
}

std::string broken_rule(const Bound& bound, double value) {
  if (!std::isfinite(value)) return "must be finite";
  if (std::abs(value) <= bound.most) return {};
  return fmt::format("must be {} in size ({})", most_words(bound), bound.reason);
}

std::string broken_positive_rule(const Bound& bound, double value) {
  if (!std::isfinite(value)) return "must be > 0 and finite";
  if (!(value > 0.0)) return "must be > 0";
  if (value >= bound.least && value <= bound.most) return {};
  return fmt::format("must be at least {:g} and {} ({})", bound.least, most_words(bound), bound.reason);
}

void check(const std::string& what, double value, const Bound& bound) {
  if (const std::string rule = broken_rule(bound, value); !rule.empty()) fail(what, value, bound, rule);
}

void check(const std::string& what, const Vec3& value, const Bound& bound) {
  for (int i = 0; i < 3; ++i) check(fmt::format("{}[{}]", what, i), value[i], bound);
}

void check_not_negative(const std::string& what, double value, const Bound& bound) {
  if (!(value >= 0.0) || !std::isfinite(value)) fail(what, value, bound, "must be ≥ 0 and finite");
  check(what, value, bound);
}

void check_positive(const std::string& what, double value, const Bound& bound) {
  if (const std::string rule = broken_positive_rule(bound, value); !rule.empty()) fail(what, value, bound, rule);
}

void check_gravity(const Vec3& gravity) {
  check("gravity", gravity, acceleration);
}

void check_step(double seconds) {
  check_positive("step", seconds, step);
}

void check_position(const std::string& what, const Vec3& position) {
  check(what, position, length);
}

void check_velocity(const std::string& what, const Vec3& velocity) {
  check(what, velocity, speed);
}

void check_angular_velocity(const std::string& what, const Vec3& velocity) {
  check(what, velocity, angular_speed);
}

void check_motion(const std::string& path, const Motion& motion) {
  std::visit([&](const auto& kind) { check_numbers(path, kind); }, motion);
}

}  // namespace cardhouse::limits
