#include "cardhouse/cli/stepping_to.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/base/error.h"
#include "cardhouse/io/recording.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/stepping/schemes/adaptive.h"
#include "cardhouse/world/divergence.h"

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

namespace {

/// Steps under a wall-time limit depend on the machine and cannot be repeated.
void refuse_steps_by_the_clock(const RecordingStep& from, const RecordingInfo& info, std::int64_t checkpoint) {
  if (checkpoint == from.step || info.max_step_seconds == 0.0) return;
  throw InputError(fmt::format(
      "{}@{}: that run had a time limit ({:g} s), so its steps cannot be repeated bit for bit; use a checkpoint: the "
      "nearest one before is step {}",
      from.recording.string(), from.step, info.max_step_seconds, checkpoint));
}

[[noreturn]] void refuse_diverged(const RecordingStep& from, std::int64_t checkpoint, const Divergence& found) {
  throw InputError(
      fmt::format("{}@{}: taken again from the checkpoint of step {}, the run diverges in step {}: {}: the recorded "
                  "state is damaged",
                  from.recording.string(), from.step, checkpoint, found.step, found.reason));
}

}  // namespace

void go_to(World& world, const RecordingStep& from) {
  const RecordingInfo info = read_recording_info(from.recording);
  const State checkpoint = read_checkpoint(from.recording, from.step);
  refuse_steps_by_the_clock(from, info, checkpoint.step);
  // The steps since the checkpoint use the recorded run's settings, whatever this run changes.
  const StepSettings wanted = world.settings();
  StepSettings recorded = parse_scene(info.scene_text, from.recording).settings;
  recorded.threads = wanted.threads;
  recorded.stop = wanted.stop;
  world.change_settings(recorded);
  world.restore(checkpoint);
  DivergenceWatch divergence(world.scene(), world.state(), world.energy());
  while (world.state().step < from.step) {
    wanted.stop.throw_if_requested();  // a step without contacts does not check it
    world.step();
    const auto found = divergence.see(world.model(), world.state(), world.last_report(), world.energy());
    if (found) refuse_diverged(from, checkpoint.step, *found);
  }
  world.change_settings(wanted);
}

}  // namespace cardhouse::cli
