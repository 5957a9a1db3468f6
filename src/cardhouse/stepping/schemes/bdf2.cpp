#include "cardhouse/stepping/schemes/bdf2.h"

#include "cardhouse/base/error.h"
#include "cardhouse/stepping/records/carried_impulses.h"

namespace cardhouse {
namespace {

constexpr double part = 2.0 / 3.0;  // of the step

BodyMotion movement(const BodyState& from, const BodyState& to) {
  return {to.pose.position - from.pose.position,
          vector_from_rotation(to.pose.orientation * from.pose.orientation.conjugate()), to.nodes - from.nodes};
}

}  // namespace

Bdf2Step::Bdf2Step(const Model& model, const StepSettings& settings)
    : first_(model, settings), two_thirds_(model, settings), last_(&first_) {
  if (!model.joints.empty()) throw InputError("soft contact of order 2 (BDF2) cannot be had with joints; order 1 can");
}

const StepReport& Bdf2Step::take(const Model& model, State& state) {
  const double h = first_.settings().step;
  base_ = state;
  if (state.previous.empty()) {
    last_ = &first_;
    first_.start_clock();
    first_.step(model, base_);
  } else {
    moved_.resize(state.bodies.size());
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
      base_.bodies[i] = equations_of(model.bodies[i]).extrapolate(model.bodies[i], state.bodies[i], state.previous[i]);
      moved_[i] = movement(state.bodies[i], base_.bodies[i]);
    }
    two_thirds_.set_moved(moved_);
    base_.time += (1.0 - part) * h;  // so that motions end where the step does
    last_ = &two_thirds_;
    two_thirds_.start_clock();
    step_of_length(part * h, h, plain_step, two_thirds_, model, base_);
    scaled_.assign(two_thirds_.contacts().begin(), two_thirds_.contacts().end());
    scale_impulses(scaled_, {}, 1.0 / part);
    two_thirds_.scale_work(1.0 / part);
  }
  state.previous.swap(state.bodies);
  state.bodies.swap(base_.bodies);
  state.impulses.swap(base_.impulses);
  state.step = base_.step;
  state.time += h;
  return last_->report();
}

std::span<const ContactRecord> Bdf2Step::contacts() const {
  return last_ == &two_thirds_ ? std::span<const ContactRecord>(scaled_) : first_.contacts();
}

}  // namespace cardhouse
