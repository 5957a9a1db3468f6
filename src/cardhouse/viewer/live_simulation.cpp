#include "cardhouse/viewer/live_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/geometry/mass_properties.h"
#include "cardhouse/viewer/command_check.h"
#include "cardhouse/viewer/scene_message.h"

namespace cardhouse::viewer {
namespace {

constexpr int max_shots = 500;  ///< so that no page can make the scene grow without end

/// All surfaces with one coefficient, in all directions.
void set_friction(Model& model, double mu) {
  for (Material& material : model.materials) {
    material.mu = mu;
    if (material.anisotropy) material.anisotropy->mu_cross = mu;
  }
  for (MaterialPair& pair : model.material_pairs) pair.mu = mu;
}

/// A cube, or a square where the scene is planar.
Body shot_body(const Shoot& shoot, const Model& model, bool planar, int number) {
  Body body;
  body.name = fmt::format("shot {}", number);
  const double half = 0.5 * shoot.size;
  if (planar) {
    body.kind = BodyKind::planar;
    body.shapes.push_back({Polygon{{{-half, -half}, {half, -half}, {half, half}, {-half, half}}}, Pose{}, 0});
  } else {
    body.shapes.push_back({Box{Vec3::Constant(half)}, Pose{}, 0});
  }
  BodyState unmoved;  // the centre of mass is the origin already
  set_density(body, unmoved, mean_density(model));
  return body;
}

BodyState shot_state(const Shoot& shoot, bool planar) {
  BodyState state;
  state.pose.position = shoot.position;
  state.linear = shoot.velocity;
  if (planar) state.pose.position.y() = state.linear.y() = 0.0;
  return state;
}

}  // namespace

double mean_density(const Model& model) {
  double mass = 0.0;
  double volume = 0.0;
  for (const Body& body : model.bodies) {
    if (body.mobility != Mobility::dynamic) continue;
    const bool has_volume = std::none_of(body.shapes.begin(), body.shapes.end(), [](const Shape& shape) {
      return std::holds_alternative<Segment>(shape.geometry) || std::holds_alternative<HalfSpace>(shape.geometry);
    });
    if (body.shapes.empty() || !has_volume) continue;
    mass += body.mass;
    volume += mass_properties(body.shapes).volume;
  }
  return volume > 0.0 && mass > 0.0 ? mass / volume : 1000.0;
}

namespace {

Scene stopped_by(CancellationToken stop, Scene scene) {
  scene.settings.stop = stop;
  return scene;
}

}  // namespace

LiveSimulation::LiveSimulation(Scene scene, std::vector<std::string> solvers, CancellationToken stop)
    : original_(stopped_by(stop, std::move(scene))), scene_(original_) {
  for (std::string& solver : solvers) {
    Scene run = scene_;
    run.settings.solver = std::move(solver);
    worlds_.push_back(make_world(std::move(run)));
  }
  watch_anew();
}

World LiveSimulation::make_world(Scene scene) const {
  World world(std::move(scene));
  drag_->set_step(world.settings().step);
  world.add_force([drag = drag_](const Model& model, const State& state, std::span<Wrench> wrenches) {
    drag->add(model, state, wrenches);
  });
  return world;
}

void LiveSimulation::apply(const Command& command) {
  check_command(command, runs());
  std::visit([this](const auto& c) { carry_out(c); }, command);
}

void LiveSimulation::step() {
  before_.clear();
  for (const World& world : worlds_) before_.push_back(world.state());
  const std::vector<DivergenceWatch> watches = watches_;
  try {
    step_all();
  } catch (...) {
    watches_ = watches;  // what the step did is not done
    for (std::size_t i = 0; i < worlds_.size(); ++i) {
      if (worlds_[i].state().step != before_[i].step) worlds_[i].restore(before_[i]);
    }
    throw;
  }
}

void LiveSimulation::step_all() {
  for (World& world : worlds_) world.step();
  for (std::size_t i = 0; i < worlds_.size(); ++i) {
    const World& world = worlds_[i];
    const auto lost = watches_[i].see(world.model(), world.state(), world.last_report(), world.energy());
    if (lost) {
      throw InputError(
          fmt::format("the run diverges in step {}: {}. It is paused before it: take back what was set, "
                      "or reset",
                      lost->step, lost->reason));
    }
  }
}

void LiveSimulation::watch_anew() {
  watches_.clear();
  for (const World& world : worlds_) watches_.emplace_back(world.scene(), world.state(), world.energy());
}

void LiveSimulation::carry_out(Control control) {
  switch (control) {
    case Control::pause:
      paused_ = true;
      return;
    case Control::resume:
      paused_ = false;
      return;
    case Control::step:
      paused_ = true;
      step();
      return;
    case Control::reset:
      reset();
      return;
  }
}

void LiveSimulation::carry_out(const Set& set) {
  for (std::size_t i = 0; i < worlds_.size(); ++i) {
    StepSettings settings = worlds_[i].settings();
    const bool this_run = !set.run || *set.run == static_cast<int>(i);
    if (set.solver && this_run) settings.solver = *set.solver;
    settings.tolerance = set.tolerance.value_or(settings.tolerance);
    settings.step = set.step.value_or(settings.step);
    // Only when something changes: changing the settings drops the solvers' buffers.
    if ((set.solver && this_run) || set.tolerance || set.step) worlds_[i].change_settings(settings);
  }
  if (set.step) drag_->set_step(*set.step);
  if (set.gravity) {
    scene_.model.gravity = *set.gravity;
    for (World& world : worlds_) world.change_gravity(*set.gravity);
  }
  if (set.mu) {
    mu_ = *set.mu;
    scene_.model.materials = original_.model.materials;
    scene_.model.material_pairs = original_.model.material_pairs;
    if (mu_) set_friction(scene_.model, *mu_);
    for (World& world : worlds_) world.change_materials(scene_.model.materials, scene_.model.material_pairs);
  }
  speed_ = set.speed.value_or(speed_);
  if (set.step || set.gravity) watch_anew();
}

void LiveSimulation::carry_out(const Shoot& shoot) {
  if (shots_ == max_shots) throw InputError(fmt::format("{} bodies were shot: that is all; reset", max_shots));
  const bool planar = is_planar_scene(scene_.model);
  const Body body = shot_body(shoot, scene_.model, planar, shots_ + 1);
  const BodyState at = shot_state(shoot, planar);
  Scene larger = scene_;
  larger.model.bodies.push_back(body);
  larger.initial.bodies.push_back(at);
  if (!larger.initial.initial_poses.empty()) larger.initial.initial_poses.push_back(at.pose);

  // The new body is the last one, so that the others' shapes keep their numbers and their impulses fit.
  std::vector<World> worlds;
  for (const World& world : worlds_) {
    Scene scene = larger;
    scene.settings = world.settings();
    worlds.push_back(make_world(std::move(scene)));
    State state = world.state();
    state.bodies.push_back(at);
    state.initial_poses.push_back(at.pose);
    if (!state.previous.empty()) state.previous.push_back(at);
    worlds.back().restore(state);
  }
  worlds_ = std::move(worlds);
  scene_ = std::move(larger);
  watch_anew();
  ++shots_;
  ++generation_;
}

/// Settings stay; shot bodies are removed.
void LiveSimulation::reset() {
  Scene scene = original_;
  scene.model.gravity = scene_.model.gravity;
  scene.model.materials = scene_.model.materials;
  scene.model.material_pairs = scene_.model.material_pairs;
  std::vector<World> worlds;
  for (const World& world : worlds_) {
    Scene run = scene;
    run.settings = world.settings();
    worlds.push_back(make_world(std::move(run)));
  }
  worlds_ = std::move(worlds);
  scene_ = std::move(scene);
  watch_anew();
  drag_->release();
  shots_ = 0;
  ++generation_;
  ++resets_;
}

}  // namespace cardhouse::viewer
