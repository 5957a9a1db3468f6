// The predictor of a step (Kaufman 2009, Eq. 4.63–4.65, 5.3): where velocities would go without contacts.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/model/global_forces.h"
#include "cardhouse/model/kinds/equations.h"
#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

/// How the scheme of the settings moves bodies.
inline StepRule rule_of(const StepSettings& settings) {
  return {settings.step, settings.scheme == Scheme::moreau_jean};
}

class Predictor {
 public:
  std::vector<Prediction>& predict(const Model& model, const State& state, const StepSettings& settings);
  /// Those of the last call.
  std::span<const Prediction> predicted() const { return predictions_; }
  /// For schemes whose problems are linearised elsewhere (energy_momentum.h).
  std::vector<Prediction>& changeable() { return predictions_; }
  /// Of the last call, per body: all of them.
  std::span<const Wrench> forces() const { return wrenches_; }
  /// Of the last call, per body: torques and the caller's forces, which no potential counts.
  std::span<const Wrench> outside_forces() const { return outside_; }

 private:
  std::vector<Wrench> wrenches_;
  std::vector<Wrench> outside_;
  std::vector<Prediction> predictions_;
  State midpoint_;
  GlobalField global_;
};

}  // namespace cardhouse
