#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cardhouse/model/energy.h"
#include "cardhouse/viewer/message.h"
#include "cardhouse/world/scene.h"

namespace cardhouse::viewer {

struct RunDescription {
  std::string solver;
  std::int64_t frames = 0;  ///< 0 in a live run
  std::int64_t steps = 0;
  double duration = 0.0;  ///< s
};

/// What a page is told of a scene and its runs, beside the scene itself.
struct SceneDescription {
  std::string_view mode;  ///< recording, live or report
  std::string session;
  std::vector<RunDescription> runs;
  double step = 0.0;  ///< s
  double tolerance = 0.0;
  double frames_per_second = 0.0;
  bool diagnosed = false;
  Energy initial;
};

Message scene_message(const Scene& scene, const SceneDescription& description);

/// Whether there are dynamic bodies and all of them are planar.
bool is_planar_scene(const Model& model);

}  // namespace cardhouse::viewer
