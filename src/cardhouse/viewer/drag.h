#pragma once

#include <optional>
#include <span>

#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"
#include "cardhouse/viewer/request.h"

namespace cardhouse::viewer {

/// A hand: pulls the grabbed point towards the target like a critically damped spring.
///
/// Let x be the point's distance from the target, v its velocity and K its inverse effective mass (the acceleration of
/// the point per force, a 3×3 matrix). The force f = −K⁻¹ (w² x + 2 w v) gives the free body's point the motion
/// x″ = −w² x − 2 w v in every direction alike. Forces are evaluated at the step's start; the step then is stable for
/// w h ≤ 1/2 (roots of z² − (2 − 2a − a²) z + 1 − 2a at a = w h), to which w is limited.
class DragForce {
 public:
  /// Throws InputError when there is no such body or it can't be moved.
  void grab(const Model& model, const Drag& drag);
  void release() { drag_.reset(); }
  std::optional<int> body() const { return drag_ ? std::optional(drag_->body) : std::nullopt; }

  void set_step(double step) { step_ = step; }

  /// To be called as a ForceCallback.
  void add(const Model& model, const State& state, std::span<Wrench> wrenches) const;

 private:
  double step_ = 1e-3;  ///< s
  std::optional<Drag> drag_;
};

}  // namespace cardhouse::viewer
