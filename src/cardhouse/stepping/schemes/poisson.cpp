#include "cardhouse/stepping/schemes/poisson.h"

#include <utility>

namespace cardhouse {

const StepReport& poisson_step(TimeStepping& verbs, const Model& model, State& state) {
  verbs.begin(state);
  verbs.predict(model, state);
  verbs.detect(model, state);
  if (!verbs.any_collision(state)) {
    verbs.solve(model, state);
    return verbs.finish(model, state);
  }
  std::vector<RestitutedImpulse> restituted;
  State struck = state;  // the state itself must not change if a search finds bodies that can't touch
  verbs.compress(model, struck, restituted);
  verbs.predict(model, struck);
  verbs.solve(model, struck, restituted);
  verbs.add_impulses(restituted, struck);
  const StepReport& report = verbs.finish(model, struck);
  std::swap(state, struck);
  return report;
}

}  // namespace cardhouse
