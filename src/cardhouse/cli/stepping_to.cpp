#include "cardhouse/cli/stepping_to.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/base/error.h"
#include "cardhouse/cli/signals.h"
#include "cardhouse/io/recording.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/stepping/adaptive.h"

namespace cardhouse::cli {

std::int64_t steps_left(const Scene& scene, double time) {
  const bool adaptive = scene.settings.adaptive != Adaptive::none;
  const double shortest = adaptive ? least_step(scene.settings) : scene.settings.step;
  const double steps = std::ceil((scene.duration - time) / shortest - 1e-6);
  constexpr double most = 1e15;
  if (!(steps <= most)) {
    throw InputError(
        fmt::format("duration {} s at a step of {} s makes more than {:.0e} steps", scene.duration, shortest, most));
  }
  return std::max(static_cast<std::int64_t>(steps), std::int64_t{0});
}

bool is_over(const World& world, std::int64_t last_step) {
  const StepSettings& settings = world.settings();
  if (settings.adaptive == Adaptive::none) return world.state().step >= last_step;
  return world.state().time >= world.scene().duration - 1e-6 * least_step(settings);
}

void go_to(World& world, const RecordingStep& from) {
  // The steps since the checkpoint are those of the recorded run, whatever this one is to change.
  const StepSettings wanted = world.settings();
  StepSettings recorded = parse_scene(read_recording_info(from.recording).scene_text, from.recording).settings;
  recorded.threads = wanted.threads;
  recorded.stop = wanted.stop;
  world.change_settings(recorded);
  world.restore(read_checkpoint(from.recording, from.step));
  try {
    while (world.state().step < from.step && !interrupted()) world.step();
  } catch (const Stopped&) {  // as far as it got: whoever asked looks at interrupted() too
  }
  world.change_settings(wanted);
}

}  // namespace cardhouse::cli
