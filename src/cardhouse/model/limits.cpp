#include "cardhouse/model/limits.h"

#include <fmt/format.h>

#include <array>
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

}  // namespace

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

void check_step(double length) {
  check_positive("step", length, step);
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

}  // namespace cardhouse::limits
