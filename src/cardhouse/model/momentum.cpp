#include "cardhouse/model/momentum.h"

#include "cardhouse/model/kinds/equations.h"

namespace cardhouse {

Momentum momentum_of(const Model& model, const State& state) {
  Momentum sum;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.mobility == Mobility::dynamic) sum += equations_of(body).momentum(body, state.bodies[i]);
  }
  return sum;
}

}  // namespace cardhouse
