#include "cardhouse/stepping/schemes/integrate.h"

namespace cardhouse {

void integrate(const Model& model, std::span<const Prediction> predictions, std::span<const BodyMotion> motions,
               const StepSettings& settings, State& state) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.mobility == Mobility::dynamic) {
      equations_of(body).advance(body, predictions[i], motions[i], rule_of(settings), state.bodies[i]);
    } else if (body.mobility == Mobility::kinematic) {
      state.bodies[i] = predictions[i].end;
    }
  }
  ++state.step;
  state.time += settings.step;
}

}  // namespace cardhouse
