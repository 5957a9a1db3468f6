#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cardhouse/viewer/live_options.h"
#include "cardhouse/viewer/source.h"
#include "cardhouse/world/scene.h"

namespace cardhouse::viewer {

class LiveWorker;

/// A scene that is simulated while pages look at it, on a thread of its own that no page can hold up.
class LiveSource : public Source {
 public:
  using Options = LiveOptions;
  /// Throws InputError for what can't be simulated.
  LiveSource(Scene scene, Options options);
  /// Ends the thread after the step that it is in.
  ~LiveSource() override;

  std::vector<Message> news(Progress& progress) override;
  std::vector<Message> answer(const Request& request) override;
  void set_alarm(std::function<void()> alarm) override;
  void watched_by(std::size_t pages) override;

 private:
  Message steps(const GetSteps& request);
  Message reasons(int run);
  void check_run(int run) const;

  Options options_;
  std::unique_ptr<LiveWorker> worker_;
};

}  // namespace cardhouse::viewer
