#include "cardhouse/stepping/schemes/stepper.h"

#include <Eigen/LU>

#include "cardhouse/base/error.h"
#include "cardhouse/stepping/records/carried_impulses.h"
#include "cardhouse/stepping/schemes/poisson.h"

namespace cardhouse {
namespace {

constexpr double part = 2.0 / 3.0;  // of BDF2's step

bool is_bdf2(const StepSettings& settings) {
  return settings.contact == ContactModel::soft && settings.soft.order == 2;
}

Vec3 angular_momentum(const Body& body, const BodyState& s) {
  return s.pose.orientation * (body.inertia * (s.pose.orientation.conjugate() * s.angular));
}

/// (4 x − x₋)/3 in each of its parts.
BodyState extrapolate(const Body& body, const BodyState& now, const BodyState& before) {
  BodyState result = now;
  result.pose.position += (now.pose.position - before.pose.position) / 3.0;
  result.linear += (now.linear - before.linear) / 3.0;
  const Quat turned = now.pose.orientation * before.pose.orientation.conjugate();
  result.pose.orientation = rotation_from_vector(vector_from_rotation(turned) / 3.0) * now.pose.orientation;
  if (body.kind == BodyKind::spatial && body.mobility == Mobility::dynamic) {
    const Vec3 momentum = angular_momentum(body, now);
    const Vec3 next = momentum + (momentum - angular_momentum(body, before)) / 3.0;
    const Quat& r = result.pose.orientation;
    result.angular = r * (body.inertia.inverse() * (r.conjugate() * next));
  } else {
    result.angular += (now.angular - before.angular) / 3.0;
  }
  return result;
}

Twist movement(const Pose& from, const Pose& to) {
  return {to.position - from.position, vector_from_rotation(to.orientation * from.orientation.conjugate())};
}

const StepReport& ordinary_step(TimeStepping& verbs, const Model& model, State& state) {
  return verbs.step(model, state);
}

StepProgram program_of(const StepSettings& settings) {
  const bool poisson = settings.contact == ContactModel::hard && settings.restitution == Restitution::poisson;
  return poisson ? poisson_step : ordinary_step;
}

}  // namespace

Stepper::Stepper(const Model& model, const StepSettings& settings)
    : settings_(settings),
      program_(program_of(settings)),
      adaptive_(model, settings),
      whole_(std::make_unique<TimeStepping>(model, settings)),
      last_(whole_.get()) {
  if (!is_bdf2(settings)) return;
  if (!model.joints.empty()) throw InputError("soft contact of order 2 (BDF2) cannot be had with joints; order 1 can");
  two_thirds_ = std::make_unique<TimeStepping>(model, settings);
}

const StepReport& Stepper::step(const Model& model, State& state) {
  if (two_thirds_) return step_bdf2(model, state);
  if (!keeps_previous(settings_)) state.previous.clear();
  if (settings_.adaptive != Adaptive::error) state.next_step = 0.0;
  last_ = whole_.get();
  may_split_ = false;
  switch (settings_.adaptive) {
    case Adaptive::none:
      break;
    case Adaptive::collision:
      return adaptive_.to_collision(program_, *whole_, model, state);
    case Adaptive::error:
      return adaptive_.by_error(program_, *whole_, model, state);
  }
  may_split_ = true;
  return split_.take(program_, *whole_, model, state);
}

const StepReport& Stepper::step_bdf2(const Model& model, State& state) {
  base_ = state;
  if (state.previous.empty()) {
    last_ = whole_.get();
    whole_->step(model, base_);
  } else {
    moved_.resize(state.bodies.size());
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
      base_.bodies[i] = extrapolate(model.bodies[i], state.bodies[i], state.previous[i]);
      moved_[i] = movement(state.bodies[i].pose, base_.bodies[i].pose);
    }
    two_thirds_->set_moved(moved_);
    base_.time += (1.0 - part) * settings_.step;  // so that motions end where the step does
    last_ = two_thirds_.get();
    step_of_length(part * settings_.step, settings_.step, ordinary_step, *two_thirds_, model, base_);
    scaled_.assign(two_thirds_->contacts().begin(), two_thirds_->contacts().end());
    scale_impulses(scaled_, {}, 1.0 / part);
    two_thirds_->scale_work(1.0 / part);
  }
  state.previous.swap(state.bodies);
  state.bodies.swap(base_.bodies);
  state.impulses.swap(base_.impulses);
  state.step = base_.step;
  state.time += settings_.step;
  return last_->report();
}

std::span<const ContactRecord> Stepper::contacts() const {
  if (two_thirds_ && last_ == two_thirds_.get()) return scaled_;
  return report().parts > 1 ? split_.contacts() : last_->contacts();
}

std::span<const JointRecord> Stepper::joints() const {
  return report().parts > 1 ? split_.joints() : last_->joints();
}

double Stepper::spring_energy() const {
  if (settings_.contact != ContactModel::soft) return 0.0;
  const double h = two_thirds_ ? settings_.step : report().length;
  return stored_energy(last_->settings().soft, h, contacts());
}

}  // namespace cardhouse
