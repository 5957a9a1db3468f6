#include "cardhouse/viewer/live_news.h"

#include <algorithm>
#include <utility>

#include "cardhouse/viewer/scene_message.h"

namespace cardhouse::viewer {
namespace {

constexpr std::int64_t max_rows_per_message = 4096;
constexpr double frames_per_second = 60.0;  ///< that a page gets at most, but for those that it waits for

Json list_of(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

template <typename T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Message state_message(const LiveState& state, int run) {
  const StepSettings& settings = state.settings[static_cast<std::size_t>(run)];
  MessageBuilder message("state", run);
  message.set("paused", state.paused);
  message.set("solver", settings.solver);
  message.set("tolerance", settings.tolerance);
  message.set("step", settings.step);
  message.set("gravity", list_of(state.gravity));
  message.set("mu", json_or_null(state.mu));
  message.set("speed", state.speed);
  message.set("dragging", json_or_null(state.dragging));
  message.set("simulated", state.simulated);
  message.set("ratio", state.ratio);
  return message.finish();
}

Message live_scene_message(const Scene& scene, const Energy& initial, const LiveState& state,
                           const std::string& session) {
  SceneDescription description;
  description.mode = "live";
  description.session = session;
  for (const StepSettings& settings : state.settings) {
    description.runs.push_back({settings.solver, 0, 0, scene.duration});
  }
  description.step = state.settings.front().step;
  description.tolerance = state.settings.front().tolerance;
  description.frames_per_second = frames_per_second;
  description.diagnosed = state.settings.front().diagnose;
  description.initial = initial;
  return scene_message(scene, description);
}

void take_run(const LiveRun& run, int index, Progress::Run& progress, News& news) {
  if (run.frame && run.frame->first > progress.frame) {
    progress.frame = run.frame->first;
    news.frames.push_back(run.frame);
  }
  const StepHistory& history = run.history;
  progress.next_row = std::clamp(progress.next_row, history.first(), history.end());
  const std::int64_t count = std::min(history.end() - progress.next_row, max_rows_per_message);
  if (count == 0) return;
  news.steps.push_back({index, progress.next_row, 1, history.columns(progress.next_row, count)});
  progress.next_row += count;
}

}  // namespace

News take_news(const Published& published, Progress& progress) {
  News news;
  if (progress.scene != published.scene_version) {
    progress = Progress{.scene = published.scene_version, .state = 0, .error = progress.error, .runs = {}};
    news.scene = published.scene;
    news.initial = published.initial;
  }
  news.tell_state = progress.state != published.state_version;
  news.state = published.state;
  progress.state = published.state_version;
  if (progress.error != published.error_version) news.error = published.error;
  progress.error = published.error_version;
  for (std::size_t i = 0; i < published.runs.size(); ++i) {
    take_run(published.runs[i], static_cast<int>(i), progress.runs[i], news);
  }
  return news;
}

std::vector<Message> messages_of(const News& news, const std::string& session) {
  std::vector<Message> messages;
  if (news.scene) {
    messages.push_back(live_scene_message(*news.scene, news.initial, news.state, session));
  }
  if (news.tell_state) {
    for (std::size_t i = 0; i < news.state.settings.size(); ++i) {
      messages.push_back(state_message(news.state, static_cast<int>(i)));
    }
  }
  for (const auto& frame : news.frames) messages.push_back(frames_message(*frame));
  for (const StepTableSlice& slice : news.steps) messages.push_back(steps_message(slice));
  if (!news.error.empty()) messages.push_back(error_message(news.error));
  return messages;
}

}  // namespace cardhouse::viewer
