#include "cardhouse/viewer/command_check.h"

#include <fmt/format.h>

#include "cardhouse/model/limits.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse::viewer {
namespace {

constexpr double smallest_shot = 1e-4;   ///< m
constexpr double largest_shot = 100.0;   ///< m
constexpr double fastest_shot = 1000.0;  ///< m/s
constexpr double largest_speed = 1000.0;
constexpr double largest_step = 1.0;  ///< s: what is longer throws bodies out of the world at once

/// Runs a check; what it refuses is refused for this field.
template <typename Check>
void of_field(const char* field, Check&& check) {
  try {
    check();
  } catch (const InputError& error) {
    throw RefusedValue(field, error.what());
  }
}

void require(bool allowed, const char* field, const std::string& message) {
  if (!allowed) throw RefusedValue(field, message);
}

void check(const Set& set, std::size_t runs) {
  if (set.run) {
    require(*set.run < static_cast<int>(runs), "run", fmt::format("run {}: there are {}", *set.run, runs));
  }
  if (set.solver) of_field("solver", [&] { make_solver(*set.solver, {}); });
  if (set.tolerance) {
    require(*set.tolerance > 0.0 && *set.tolerance < 1.0, "tolerance",
            fmt::format("tolerance = {}: must be in (0, 1)", *set.tolerance));
  }
  if (set.step) {
    of_field("step", [&] { limits::check_step(*set.step); });
    require(*set.step <= largest_step, "step",
            fmt::format("step = {} s: must be at most {} s", *set.step, largest_step));
  }
  if (set.gravity) of_field("gravity", [&] { limits::check_gravity(*set.gravity); });
  if (set.mu && *set.mu) of_field("mu", [&] { limits::check_not_negative("mu", **set.mu, limits::friction); });
  if (set.speed) {
    require(*set.speed >= 0.0 && *set.speed <= largest_speed, "speed",
            fmt::format("speed = {}: must be in 0 … {}", *set.speed, largest_speed));
  }
}

void check(const Drag& drag, std::size_t) {
  of_field("point", [&] { limits::check_position("point", drag.point); });
  of_field("target", [&] { limits::check_position("target", drag.target); });
}

void check(const Shoot& shoot, std::size_t) {
  require(shoot.size >= smallest_shot && shoot.size <= largest_shot, "size",
          fmt::format("size = {} m: must be in {} … {} m", shoot.size, smallest_shot, largest_shot));
  of_field("position", [&] { limits::check_position("position", shoot.position); });
  of_field("velocity", [&] { limits::check_velocity("velocity", shoot.velocity); });
  const double speed = shoot.velocity.norm();
  require(speed <= fastest_shot, "velocity",
          fmt::format("velocity = {} m/s: must be at most {} m/s", speed, fastest_shot));
}

void check(Control, std::size_t) {}
void check(const Release&, std::size_t) {}

}  // namespace

void check_command(const Command& command, std::size_t runs) {
  std::visit([runs](const auto& c) { check(c, runs); }, command);
}

}  // namespace cardhouse::viewer
