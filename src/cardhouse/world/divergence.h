// When a run has lost itself. Its steps may all be certified, each being an exact answer to the state before it; what
// they say of the scene is nothing. A run has diverged when, at the end of a step,
//
//   - a position or velocity is not finite, or
//   - the centre of a dynamic body is farther than 1e9 L from where the scene was, or
//   - the total energy E exceeds its bound:   E > max(1e6 (E₀ + ∑|W| + ∑ m g L), ½ ∑ m (L/h)²)
//
// with E₀ = kinetic + |potential| energy at the start, W the work done from outside in each step, both over dynamic
// bodies, and h the (longest) step. The last term is the energy at which all bodies cross the scene within a step: what
// starts with overlaps may get so much without gravity and motion.
//
// L is the size of the scene: the diagonal of the box around all centres and all shapes but half-spaces at the start,
// with the points of springs and joints in the world; 1 m where that is nothing. The distance counts from the centre of
// that box.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cardhouse/geometry/aabb.h"
#include "cardhouse/model/energy.h"
#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/world/scene.h"

namespace cardhouse {

/// The box that the size of a scene is the diagonal of; a point where there is nothing in it.
Aabb scene_box(const Model& model, const State& state);
/// m, > 0: L above.
double scene_size(const Model& model, const State& state);

struct Divergence {
  std::int64_t step = 0;  ///< at whose end it was seen
  int body = -1;          ///< the farthest or fastest; −1: none in particular
  std::string reason;     ///< in words, with the body's name
};

/// Looks at a run step by step; needs memory for a few numbers only.
class DivergenceWatch {
 public:
  /// `start` is the state before the first step: the scene's initial one, or a restored one.
  DivergenceWatch(const Scene& scene, const State& start, const Energy& energy);

  /// After each step; empty while all is well.
  std::optional<Divergence> see(const Model& model, const State& state, const StepReport& report, const Energy& energy);

 private:
  double energy_bound() const;

  Vec3 centre_ = Vec3::Zero();
  double size_ = 1.0;             ///< m
  double given_energy_ = 0.0;     ///< J: at the start, and done from outside since
  double weights_energy_ = 0.0;   ///< J: ∑ m g L
  double crossing_energy_ = 0.0;  ///< J: ½ ∑ m (L/h)²
};

}  // namespace cardhouse
