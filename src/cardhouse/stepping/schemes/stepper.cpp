#include "cardhouse/stepping/schemes/stepper.h"

#include "cardhouse/stepping/schemes/energy_momentum.h"
#include "cardhouse/stepping/schemes/poisson.h"

namespace cardhouse {
namespace {

bool is_bdf2(const StepSettings& settings) {
  return settings.contact == ContactModel::soft && settings.soft.order == 2;
}

StepProgram program_of(const StepSettings& settings) {
  if (settings.scheme == Scheme::energy_momentum) return energy_momentum_step;
  const bool poisson = settings.contact == ContactModel::hard && settings.restitution == Restitution::poisson;
  return poisson ? poisson_step : plain_step;
}

}  // namespace

Stepper::Stepper(const Model& model, const StepSettings& settings)
    : settings_(settings),
      program_(program_of(settings)),
      adaptive_(model, settings),
      whole_(std::make_unique<TimeStepping>(model, settings)) {
  check_energy_momentum(model, settings);
  if (is_bdf2(settings)) bdf2_ = std::make_unique<Bdf2Step>(model, settings);
}

const StepReport& Stepper::step(const Model& model, State& state) {
  if (bdf2_) return bdf2_->take(model, state);
  whole_->start_clock();
  if (!keeps_previous(settings_)) state.previous.clear();
  if (settings_.adaptive != Adaptive::error) state.next_step = 0.0;
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

std::span<const ContactRecord> Stepper::contacts() const {
  if (bdf2_) return bdf2_->contacts();
  return report().parts > 1 ? split_.contacts() : whole_->contacts();
}

std::span<const JointRecord> Stepper::joints() const {
  return report().parts > 1 ? split_.joints() : last().joints();
}

double Stepper::spring_energy() const {
  if (settings_.contact != ContactModel::soft) return 0.0;
  const double h = bdf2_ ? settings_.step : report().length;
  return stored_energy(last().settings().soft, h, contacts());
}

}  // namespace cardhouse
