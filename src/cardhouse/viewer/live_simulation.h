#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cardhouse/viewer/drag.h"
#include "cardhouse/viewer/request.h"
#include "cardhouse/world/divergence.h"
#include "cardhouse/world/world.h"

namespace cardhouse::viewer {

/// One scene that is run by one or two solvers in lockstep, and that commands can change between steps. Knows no
/// threads, clocks or pages.
class LiveSimulation {
 public:
  /// One run per solver. Throws InputError for what can't be simulated.
  LiveSimulation(Scene scene, std::vector<std::string> solvers, CancellationToken stop = {});

  /// Throws InputError, with nothing changed, for what can't be done.
  void apply(const Command& command);
  /// One step of every run. Throws Cancelled when the token was set meanwhile, and InputError when a run can't be
  /// stepped or has diverged by it; all runs are then as they were.
  void step();

  std::size_t runs() const { return worlds_.size(); }
  const World& run(std::size_t index) const { return worlds_[index]; }
  /// The scene as it began, shot bodies at the places where they were let go.
  const Scene& scene() const { return scene_; }
  bool paused() const { return paused_; }
  double speed() const { return speed_; }
  std::optional<double> mu() const { return mu_; }
  std::optional<int> dragged() const { return drag_->body(); }

  /// Grows when pages must discard what they know: after a reset or a new body.
  std::uint64_t generation() const { return generation_; }
  /// How often it was reset: steps then count from the start again.
  std::uint64_t resets() const { return resets_; }
  /// Stops at what a step threw: going on would only repeat it.
  void pause() { paused_ = true; }

 private:
  void carry_out(Control control);
  void carry_out(const Set& set);
  void carry_out(const Drag& drag) { drag_->grab(scene_.model, drag); }
  void carry_out(const Release&) { drag_->release(); }
  void carry_out(const Shoot& shoot);
  void reset();
  World make_world(Scene scene) const;
  void step_all();
  /// From here on runs are measured by what they are now.
  void watch_anew();

  const Scene original_;
  Scene scene_;
  std::shared_ptr<DragForce> drag_ = std::make_shared<DragForce>();  ///< the worlds' force callbacks share it
  std::vector<World> worlds_;
  std::vector<DivergenceWatch> watches_;  ///< one per run
  std::vector<State> before_;             ///< of the runs, before the step
  bool paused_ = false;
  double speed_ = 1.0;
  std::optional<double> mu_;
  int shots_ = 0;
  std::uint64_t generation_ = 1;
  std::uint64_t resets_ = 0;
};

/// Mass over volume of all dynamic bodies (kg/m³, or kg/m² in a planar scene); 1000 when they have no volume.
double mean_density(const Model& model);

}  // namespace cardhouse::viewer
