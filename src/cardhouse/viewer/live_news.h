// What a live run publishes, and what a page has not received yet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cardhouse/viewer/frame_table.h"
#include "cardhouse/viewer/source.h"
#include "cardhouse/viewer/step_history.h"
#include "cardhouse/viewer/step_rows.h"
#include "cardhouse/world/scene.h"
#include "cardhouse/world/world.h"

namespace cardhouse::viewer {

/// What pages are told of the simulation's settings.
struct LiveState {
  bool paused = false;
  std::vector<StepSettings> settings;  ///< one per run
  Vec3 gravity = Vec3::Zero();
  std::optional<double> mu;
  double speed = 1.0;
  std::optional<int> dragging;
  double simulated = 0.0;  ///< s
  double ratio = 0.0;      ///< simulated seconds per second
};

struct LiveRun {
  std::shared_ptr<const FrameTable> frame;  ///< the newest
  StepHistory history;
};

/// What the simulation's thread has published, and the server's thread tells pages.
struct Published {
  std::uint64_t scene_version = 0;
  std::shared_ptr<const Scene> scene;
  Energy initial;
  std::uint64_t state_version = 0;
  LiveState state;
  std::uint64_t error_version = 0;
  std::string error;
  std::vector<LiveRun> runs;
};

/// What a page has not seen, copied while the lock is held and encoded after.
struct News {
  std::shared_ptr<const Scene> scene;
  Energy initial;
  bool tell_state = false;
  LiveState state;
  std::string error;
  std::vector<std::shared_ptr<const FrameTable>> frames;
  std::vector<StepTableSlice> steps;
};

/// Takes note in `progress` of what is taken.
News take_news(const Published& published, Progress& progress);

/// News as messages, in the order in which a page needs them.
std::vector<Message> messages_of(const News& news, const std::string& session);

}  // namespace cardhouse::viewer
