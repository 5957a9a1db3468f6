// Running scenes the way the entries need it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cardhouse/reproduction/entry.h"
#include "cardhouse/world/world.h"

namespace cardhouse::reproduction {

inline constexpr double gravity = 9.81;  ///< m/s²
/// m: the height that point masses are dropped from, chosen; they land with 3.1 m/s.
inline constexpr double drop = 0.5;

/// Where in an entry's progress a run lies.
struct Share {
  const Progress& progress;
  std::string words;
  double from = 0.0;
  double to = 1.0;
};

/// What is told of every run.
struct RunOutcome {
  int steps = 0;
  int uncertified = 0;
  int split = 0;                  ///< steps taken in parts
  int hairlines = 0;              ///< steps with hairline gaps closed
  double seconds = 0.0;           ///< wall, of the solves
  double largest_residual = 0.0;  ///< (−)
  double deepest = 0.0;           ///< m: the deepest overlap
  double energy_rise = 0.0;       ///< J: the largest of the total energy above any earlier value
  double iterations = 0.0;        ///< outer, the mean over the steps
  bool out_of_time = false;       ///< ended by the wall-time limit
};

/// A world whose steps are dropped when the entry is cancelled. Overlaps are removed in full, as in all published
/// methods.
World make_world(Scene scene, const Progress& progress);

/// Steps the world to the time (s) and sees every step.
RunOutcome run_to(World& world, double time, const Share& share, const std::function<void()>& see = {},
                  double max_wall_seconds = 0.0);

/// The fastest point of a body's frame: ‖v‖ + size ‖ω‖ (m/s); the largest over some bodies, or all dynamic ones.
double largest_speed(const World& world, double size, std::span<const int> bodies);
double largest_speed(const World& world, double size);
std::vector<int> dynamic_bodies(const World& world);

}  // namespace cardhouse::reproduction
