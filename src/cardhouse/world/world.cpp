#include "cardhouse/world/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/model/kinds/equations.h"
#include "cardhouse/model/limits.h"
#include "cardhouse/stepping/records/carried_impulses.h"
#include "cardhouse/stepping/schemes/adaptive.h"
#include "cardhouse/stepping/schemes/stepper.h"

namespace cardhouse {
namespace {

void check_soft(const StepSettings& settings) {
  const auto require = [](bool ok, const char* name, double value, const char* rule) {
    if (!ok) throw InputError(fmt::format("soft.{} = {}: {}", name, value, rule));
  };
  const SoftContact& soft = settings.soft;
  if (!has_gap_rows(settings)) {
    throw InputError("contact = soft: needs a scheme with gaps in its rows, leapfrog or stewart_trinkle");
  }
  limits::check_not_negative("soft.normal_stiffness", soft.normal_stiffness, limits::stiffness);
  limits::check_not_negative("soft.tangential_stiffness", soft.tangential_stiffness, limits::stiffness);
  limits::check_not_negative("soft.viscosity", soft.viscosity, limits::damping);
  require(soft.order == 1 || soft.order == 2, "order", soft.order, "must be 1 or 2");
}

void check_adaptive(const StepSettings& settings) {
  if (settings.contact == ContactModel::soft && settings.soft.order == 2) {
    throw InputError(
        "adaptive: cannot be used with soft contact of order 2 (BDF2), which needs equal steps; use order 1");
  }
  if (!(settings.least_step >= 0.0 && settings.least_step <= settings.step)) {
    throw InputError(
        fmt::format("least_step = {} s: must be ≥ 0 and at most the step, {} s", settings.least_step, settings.step));
  }
  if (settings.least_step > 0.0) limits::check_positive("least_step", settings.least_step, limits::adaptive_step);
  limits::check_positive("error_tolerance", settings.error_tolerance, limits::length);
}

void check_settings(const StepSettings& settings) {
  const auto require = [](bool ok, const char* name, double value, const char* rule) {
    if (!ok) throw InputError(fmt::format("{} = {}: {}", name, value, rule));
  };
  limits::check_step(settings.step);
  require(settings.tolerance > 0.0 && settings.tolerance < 1.0, "tolerance", settings.tolerance, "must be in (0, 1)");
  require(settings.max_iterations >= 1, "max_iterations", settings.max_iterations, "must be ≥ 1");
  require(settings.gamma > 0.0 && settings.gamma <= 1.0, "gamma", settings.gamma, "must be in (0, 1]");
  require(settings.max_rescues >= 0, "max_rescues", settings.max_rescues, "must be ≥ 0");
  require(settings.max_step_seconds >= 0.0, "max_step_seconds", settings.max_step_seconds, "must be ≥ 0 s");
  require(settings.threads >= 1, "threads", settings.threads, "must be ≥ 1");
  limits::check_not_negative("margin", settings.margin, limits::length);
  if (settings.contact == ContactModel::soft) check_soft(settings);
  if (settings.adaptive != Adaptive::none) check_adaptive(settings);
}

void check_overlaps(const Model& model, const std::vector<KeptOverlap>& overlaps) {
  std::size_t shapes = 0;
  for (const Body& body : model.bodies) shapes += body.shapes.size();
  const auto is_shape = [&](std::int32_t shape) { return shape >= 0 && static_cast<std::size_t>(shape) < shapes; };
  std::pair<std::int32_t, std::int32_t> last{-1, -1};
  for (const KeptOverlap& each : overlaps) {
    const std::pair pair{each.shape_a, each.shape_b};
    const bool good = is_shape(each.shape_a) && is_shape(each.shape_b) && last < pair;
    if (!good) throw InputError("the state to restore has overlaps of shapes that are none, or not in their order");
    limits::check_not_negative("the state to restore: depth of an overlap", each.depth, limits::length);
    last = pair;
  }
}

/// What a state holds beside its bodies' present poses and velocities, which check_model looks at.
void check_kept(const Model& model, const State& state) {
  const auto require = [](bool ok, const std::string& what) {
    if (!ok) throw InputError("the state to restore has " + what);
  };
  require(state.step >= 0, fmt::format("step = {}: must be ≥ 0", state.step));
  limits::check("the state to restore: time", state.time, limits::time);
  limits::check_not_negative("the state to restore: next_step", state.next_step, limits::adaptive_step);
  for (const Pose& pose : state.initial_poses) {
    const bool unit = std::abs(pose.orientation.norm() - 1.0) < 1e-6;
    require(pose.position.allFinite() && unit, "an initial pose that is not finite, or turned by no unit quaternion");
  }
  for (const BodyState& body : state.previous) {
    require(is_finite(body), "a body of the step before that is not finite");
  }
  for (const StoredImpulse& stored : state.impulses) {
    require(stored.impulse.allFinite() && stored.turning.allFinite(), "a contact's impulse that is not finite");
  }
  check_overlaps(model, state.overlaps);
  for (std::size_t j = 0; j < state.joints.size(); ++j) {
    const auto finite = [](double value) { return std::isfinite(value); };
    const JointState& joint = state.joints[j];
    require(std::all_of(joint.coordinate.begin(), joint.coordinate.end(), finite) &&
                std::all_of(joint.impulse.begin(), joint.impulse.end(), finite),
            fmt::format("a coordinate or impulse of joint \"{}\" that is not finite", model.joints[j].name));
  }
}

}  // namespace

struct World::Impl {
  Scene scene;
  State state;
  State before;  ///< the step that is being taken
  Stepper stepper;
  int dynamic = 0;
  int dofs = 0;
  bool stepped = false;  ///< the stepper's contacts are those of the state
  Separation separation;

  explicit Impl(Scene s) : scene(std::move(s)), state(scene.initial), stepper(scene.model, scene.settings) {
    if (scene.settings.initial_overlaps == InitialOverlaps::separate && state.step == 0) {
      separation = separate_overlaps(scene.model, scene.settings, state);
    }
    if (state.initial_poses.empty()) {
      for (const BodyState& body : state.bodies) state.initial_poses.push_back(body.pose);
    }
    update_joints(scene.model, state);
    for (const Body& body : scene.model.bodies) {
      const int count = dofs_of(body);
      dynamic += count > 0 ? 1 : 0;
      dofs += count;
    }
  }
};

namespace {

Scene checked(Scene scene) {
  check_model(scene.model, scene.initial);
  check_settings(scene.settings);
  return scene;
}

}  // namespace

World::World(Scene scene) : impl_(std::make_unique<Impl>(checked(std::move(scene)))) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

namespace {

/// A step that is less than the clock's last digit would be taken again and again.
void check_clock(double time, const StepSettings& settings) {
  const double shortest = settings.adaptive == Adaptive::none ? settings.step : least_step(settings);
  if (time + shortest > time) return;
  throw InputError(fmt::format("step = {} s: too short at t = {} s, where the clock would not move: use a longer step",
                               shortest, time));
}

}  // namespace

const StepReport& World::step() {
  check_clock(impl_->state.time, impl_->stepper.settings());
  impl_->before = impl_->state;
  try {
    const StepReport& report = impl_->stepper.step(impl_->scene.model, impl_->state);
    impl_->stepped = true;
    return report;
  } catch (...) {
    std::swap(impl_->state, impl_->before);
    impl_->stepped = false;
    throw;
  }
}

const Scene& World::scene() const {
  return impl_->scene;
}
const Model& World::model() const {
  return impl_->scene.model;
}
const StepSettings& World::settings() const {
  return impl_->stepper.settings();
}
const State& World::state() const {
  return impl_->state;
}
const StepReport& World::last_report() const {
  return impl_->stepper.report();
}
std::span<const ContactRecord> World::contacts() const {
  if (!impl_->stepped) return {};
  return impl_->stepper.contacts();
}
std::span<const JointRecord> World::joints() const {
  if (!impl_->stepped) return {};
  return impl_->stepper.joints();
}
WorstJointViolation World::joint_violation() const {
  return worst_joint_violation(impl_->scene.model, impl_->state);
}
const Separation& World::separation() const {
  return impl_->separation;
}
JointViolation World::project_joints() {
  JointProjector projector(impl_->scene.model);
  const JointViolation left = projector.project(impl_->scene.model, impl_->state);
  update_joints(impl_->scene.model, impl_->state);
  return left;
}
StepProblem World::last_problem() const {
  return impl_->stepper.last_problem();
}
int World::dynamic_bodies() const {
  return impl_->dynamic;
}
int World::dofs() const {
  return impl_->dofs;
}
Energy World::energy() const {
  Energy energy = energy_of(impl_->scene.model, impl_->state);
  if (impl_->stepped) energy.potential += impl_->stepper.spring_energy();
  return energy;
}

void World::restore(const State& state) {
  check_model(impl_->scene.model, state);
  if (state.initial_poses.size() != impl_->state.initial_poses.size()) {
    throw InputError("the state to restore belongs to another scene: it does not have one initial pose per body");
  }
  if (!state.previous.empty() && state.previous.size() != state.bodies.size()) {
    throw InputError("the state to restore does not have one body of the step before per body");
  }
  for (std::size_t i = 0; i < state.previous.size(); ++i) {
    if (state.previous[i].nodes.size() == state.bodies[i].nodes.size()) continue;
    throw InputError("the state to restore has a body of the step before with another number of nodes");
  }
  check_kept(impl_->scene.model, state);
  impl_->state = state;
  impl_->stepped = false;
  update_joints(impl_->scene.model, impl_->state);
}

void World::change_settings(const StepSettings& settings) {
  check_settings(settings);
  Stepper stepper(impl_->scene.model, settings);  // throws for what it can't do, before anything has changed
  const double old_step = impl_->stepper.settings().step;
  if (settings.step != old_step) {
    scale_impulses(impl_->state, settings.step / old_step);
    if (settings.contact == ContactModel::soft) impl_->state.previous.clear();  // BDF2 begins anew
  }
  impl_->scene.settings = settings;
  impl_->stepper = std::move(stepper);
  impl_->stepped = false;
}

void World::change_gravity(const Vec3& gravity) {
  limits::check_gravity(gravity);
  impl_->scene.model.gravity = gravity;
}

void World::change_materials(const std::vector<Material>& materials, const std::vector<MaterialPair>& pairs) {
  Model changed = impl_->scene.model;
  if (materials.size() != changed.materials.size()) {
    throw InputError(fmt::format("materials: {} given, the scene has {}", materials.size(), changed.materials.size()));
  }
  changed.materials = materials;
  changed.material_pairs = pairs;
  check_model(changed, impl_->state);
  impl_->scene.model.materials = materials;
  impl_->scene.model.material_pairs = pairs;
}

void World::add_potential(const PointPotential& potential) {
  Model changed = impl_->scene.model;
  changed.potentials.push_back(potential);
  check_model(changed, impl_->state);
  impl_->scene.model = std::move(changed);
}

void World::add_force(ForceCallback callback) {
  impl_->scene.model.callbacks.push_back(std::move(callback));
}

}  // namespace cardhouse
