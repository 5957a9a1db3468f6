#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cardhouse::viewer {

struct LiveOptions {
  std::vector<std::string> solvers;  ///< one run each; one or two
  std::string session;               ///< changes from one start of the program to the next
  bool paused = false;               ///< at the start
  /// A run that no page has looked at for so long rests until one comes. Zero or less: it never rests.
  std::chrono::duration<double> rest_after{0.0};
};

}  // namespace cardhouse::viewer
