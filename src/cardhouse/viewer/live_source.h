#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cardhouse/viewer/source.h"
#include "cardhouse/world/scene.h"

namespace cardhouse::viewer {

/// A scene that is simulated while pages look at it, on a thread of its own that no page can hold up.
class LiveSource : public Source {
 public:
  struct Options {
    std::vector<std::string> solvers;  ///< one run each; one or two
    std::string session;               ///< changes from one start of the program to the next
    bool paused = false;               ///< at the start
    /// A run that no page has looked at for so long rests until one comes. Zero or less: it never rests.
    std::chrono::duration<double> rest_after{0.0};
  };
  /// Throws InputError for what can't be simulated.
  LiveSource(Scene scene, Options options);
  /// Ends the thread after the step that it is in.
  ~LiveSource() override;

  std::vector<Message> news(Progress& progress) override;
  std::vector<Message> answer(const Request& request) override;
  void set_alarm(std::function<void()> alarm) override;
  void watched_by(std::size_t pages) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cardhouse::viewer
