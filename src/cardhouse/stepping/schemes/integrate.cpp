#include "cardhouse/stepping/schemes/integrate.h"

#include <Eigen/LU>

namespace cardhouse {
namespace {

/// The angular velocity at the new orientation: the contacts' impulse I(w⁺ − w*) adds to the momentum, which the
/// rotation of the body leaves alone.
Vec3 angular_velocity_after(const Body& body, const Prediction& prediction, const Twist& twist, const Quat& after) {
  if (body.kind != BodyKind::spatial) return twist.angular;
  const Vec3 momentum = prediction.angular_momentum + prediction.inertia * (twist.angular - prediction.angular);
  return after * (body.inertia.inverse() * (after.conjugate() * momentum));
}

}  // namespace

Twist solved_twist(const Body& body, const Prediction& prediction, const VecX& v, int& offset) {
  Twist twist{prediction.linear, prediction.angular};
  const DofSelection dofs = dofs_of(body);
  for (int k = 0; k < dofs.count; ++k) {
    const int component = dofs.component[k];
    (component < 3 ? twist.linear[component] : twist.angular[component - 3]) = v[offset + k];
  }
  offset += dofs.count;
  return twist;
}

BodyState moved_body(const Body& body, const Prediction& prediction, const Twist& twist, const StepSettings& settings,
                     BodyState s) {
  const double h = settings.step;
  Vec3 linear = twist.linear;
  Vec3 angular = twist.angular;
  if (settings.scheme == Scheme::moreau_jean) {  // Eq. 4.68
    linear = 0.5 * (s.linear + twist.linear);
    angular = 0.5 * (s.angular + twist.angular);
  }
  s.pose.position += h * linear;
  s.linear = twist.linear;
  if (body.kind == BodyKind::particle) return s;
  s.pose.orientation = (rotation_from_vector(h * angular) * s.pose.orientation).normalized();
  s.angular = angular_velocity_after(body, prediction, twist, s.pose.orientation);
  return s;
}

void integrate(const Model& model, std::span<const Prediction> predictions, std::span<const Twist> twists,
               const StepSettings& settings, State& state) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    BodyState& s = state.bodies[i];
    if (body.mobility == Mobility::dynamic) {
      s = moved_body(body, predictions[i], twists[i], settings, s);
    } else if (body.mobility == Mobility::kinematic) {
      s = {predictions[i].kinematic_pose, predictions[i].linear, predictions[i].angular};
    }
  }
  ++state.step;
  state.time += settings.step;
}

}  // namespace cardhouse
