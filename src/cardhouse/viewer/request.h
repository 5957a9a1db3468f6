// What a page may ask or command (docs/wire-format.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "cardhouse/math/types.h"

namespace cardhouse::viewer {

struct GetFrames {
  int run = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool contacts = true;
};
struct GetSteps {
  int run = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;  ///< steps, before the stride
  std::int64_t stride = 1;
};
struct GetTrack {
  int run = 0;
  int body = 0;
  std::int64_t stride = 1;
};
struct GetReasons {
  int run = 0;
};

enum class Control { pause, resume, step, reset };

/// What is not given stays.
struct Set {
  std::optional<int> run;  ///< for the solver; all runs when left out
  std::optional<std::string> solver;
  std::optional<double> tolerance;
  std::optional<double> step;  ///< s
  std::optional<Vec3> gravity;
  std::optional<std::optional<double>> mu;  ///< an empty one: the scene's own
  std::optional<double> speed;              ///< simulated seconds per second; 0: as fast as it can
};

struct Drag {
  int body = 0;
  Vec3 point = Vec3::Zero();   ///< m, body frame; of a body with nodes it does not count
  Vec3 target = Vec3::Zero();  ///< m, world
  int number = 0;              ///< the page's; frames tell the last one that was obeyed
  int node = -1;               ///< of a body with nodes: the one that is pulled
};
struct Release {};

struct Shoot {
  Vec3 position = Vec3::Zero();  ///< m
  Vec3 velocity = Vec3::Zero();  ///< m/s
  double size = 0.0;             ///< m, edge
};

/// What changes a live run.
using Command = std::variant<Control, Set, Drag, Release, Shoot>;
using Request = std::variant<GetFrames, GetSteps, GetTrack, GetReasons, Command>;

/// The longest message that is read.
inline constexpr std::size_t max_request_bytes = 64 * 1024;

/// Throws InputError for what is malformed: no JSON, an unknown type, a field that is missing or of a wrong kind. How
/// large the numbers of a command may be is another matter (command_check.h).
Request parse_request(const std::string& text);

}  // namespace cardhouse::viewer
