#include "cardhouse/world/world.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/stepping/carried_impulses.h"
#include "cardhouse/stepping/stepper.h"

namespace cardhouse {
namespace {

void check_soft(const StepSettings& settings) {
  const auto require = [](bool ok, const char* name, double value, const char* rule) {
    if (!ok) throw InputError(fmt::format("soft.{} = {}: {}", name, value, rule));
  };
  const auto allowed = [](double value) { return value >= 0.0 && std::isfinite(value); };
  const SoftContact& soft = settings.soft;
  if (settings.scheme != Scheme::gap_over_h) {
    throw InputError("contact = soft: needs the scheme gap_over_h, whose gaps are those of the step's end");
  }
  require(allowed(soft.normal_stiffness), "normal_stiffness", soft.normal_stiffness, "must be ≥ 0 N/m and finite");
  require(allowed(soft.tangential_stiffness), "tangential_stiffness", soft.tangential_stiffness,
          "must be ≥ 0 N/m and finite");
  require(allowed(soft.viscosity), "viscosity", soft.viscosity, "must be ≥ 0 N s/m and finite");
  require(soft.order == 1 || soft.order == 2, "order", soft.order, "must be 1 or 2");
}

void check_adaptive(const StepSettings& settings) {
  if (settings.contact == ContactModel::soft && settings.soft.order == 2) {
    throw InputError(
        "adaptive: not with soft contact of order 2 (BDF2), whose formula is that of equal steps; use order 1");
  }
  if (!(settings.least_step >= 0.0 && settings.least_step <= settings.step)) {
    throw InputError(
        fmt::format("least_step = {} s: must be ≥ 0 and at most the step, {} s", settings.least_step, settings.step));
  }
  if (!(settings.error_tolerance > 0.0 && std::isfinite(settings.error_tolerance))) {
    throw InputError(fmt::format("error_tolerance = {} m: must be > 0 and finite", settings.error_tolerance));
  }
}

void check_settings(const StepSettings& settings) {
  const auto require = [](bool ok, const char* name, double value, const char* rule) {
    if (!ok) throw InputError(fmt::format("{} = {}: {}", name, value, rule));
  };
  require(settings.step > 0.0 && std::isfinite(settings.step), "step", settings.step, "must be > 0 s and finite");
  require(settings.tolerance > 0.0 && settings.tolerance < 1.0, "tolerance", settings.tolerance, "must be in (0, 1)");
  require(settings.max_iterations >= 1, "max_iterations", settings.max_iterations, "must be ≥ 1");
  require(settings.gamma > 0.0 && settings.gamma <= 1.0, "gamma", settings.gamma, "must be in (0, 1]");
  require(settings.max_seconds >= 0.0, "max_seconds", settings.max_seconds, "must be ≥ 0 s");
  require(settings.threads >= 1, "threads", settings.threads, "must be ≥ 1");
  require(settings.margin >= 0.0 && std::isfinite(settings.margin), "margin", settings.margin,
          "must be ≥ 0 m and finite");
  if (settings.contact == ContactModel::soft) check_soft(settings);
  if (settings.adaptive != Adaptive::none) check_adaptive(settings);
}

}  // namespace

struct World::Impl {
  Scene scene;
  State state;
  State before;  ///< the step that is being taken
  Stepper stepper;
  int moving = 0;
  int dofs = 0;
  bool stepped = false;  ///< the stepper's contacts are those of the state

  explicit Impl(Scene s) : scene(std::move(s)), state(scene.initial), stepper(scene.model, scene.settings) {
    if (state.initial_poses.empty()) {
      for (const BodyState& body : state.bodies) state.initial_poses.push_back(body.pose);
    }
    update_joints(scene.model, state);
    for (const Body& body : scene.model.bodies) {
      const int count = dofs_of(body).count;
      moving += count > 0 ? 1 : 0;
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

const StepReport& World::step() {
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
JointViolation World::project_joints() {
  JointProjector projector(impl_->scene.model);
  const JointViolation left = projector.project(impl_->scene.model, impl_->state);
  update_joints(impl_->scene.model, impl_->state);
  return left;
}
StepProblem World::last_problem() const {
  return impl_->stepper.last_problem();
}
int World::moving_bodies() const {
  return impl_->moving;
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
    throw InputError("the state to restore belongs to another scene: it has not one initial pose per body");
  }
  if (!state.previous.empty() && state.previous.size() != state.bodies.size()) {
    throw InputError("the state to restore has not one body of the step before per body");
  }
  if (!(state.next_step >= 0.0)) {
    throw InputError(fmt::format("the state to restore has next_step = {} s: must be ≥ 0", state.next_step));
  }
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
  if (!gravity.allFinite()) {
    throw InputError(fmt::format("gravity = [{}, {}, {}] m/s²: must be finite", gravity.x(), gravity.y(), gravity.z()));
  }
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

void World::add_force(ForceCallback callback) {
  impl_->scene.model.callbacks.push_back(std::move(callback));
}

}  // namespace cardhouse
