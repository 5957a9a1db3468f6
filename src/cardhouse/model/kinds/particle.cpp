// Particles: v along the body's axes, no rotation.
#include <fmt/format.h>

#include "cardhouse/model/kinds/all_kinds.h"
#include "cardhouse/model/kinds/frame_equations.h"
#include "cardhouse/model/limits.h"

namespace cardhouse {
namespace {

class ParticleEquations final : public FrameEquations {
 public:
  FrameDofs frame_dofs(const Body& body) const override {
    FrameDofs result;
    for (int axis = 0; axis < 3; ++axis) {
      if (body.axes[axis]) result.component[result.count++] = axis;
    }
    return result;
  }
  bool turns() const override { return false; }
  double radius_of_gyration(const Body&) const override { return 0.0; }

  /// Velocities that a particle cannot have would be energy without effect.
  void check(const std::string& path, const Body& body, const BodyState& state) const override {
    if (body.mobility != Mobility::dynamic) return;
    if (frame_dofs(body).count == 0) limits::refuse(path + ".axes", "[]", "a particle needs at least one axis");
    for (int axis = 0; axis < 3; ++axis) {
      if (!body.axes[axis] && state.linear[axis] != 0.0) {
        limits::refuse(fmt::format("{}.linear_velocity[{}]", path, axis), fmt::format("{} m/s", state.linear[axis]),
                       "must be 0: the particle does not move along this axis");
      }
      if (state.angular[axis] != 0.0) {
        limits::refuse(fmt::format("{}.angular_velocity[{}]", path, axis), fmt::format("{} rad/s", state.angular[axis]),
                       "must be 0: a particle does not turn");
      }
    }
  }
  void check_shape(const std::string&, const Body&, const Shape&) const override {}

  void predict(const Body& body, const BodyState& state, const Wrench& load, const StepRule& rule,
               Prediction& prediction) const override {
    predict_translation(body, state, load, rule, prediction);
  }

 protected:
  std::pair<Mat3, Mat3> inertia_at(const Body&, const Quat&) const override { return {Mat3::Zero(), Mat3::Zero()}; }
  Mat3 world_inertia(const Body& body, const BodyState&) const override { return body.inertia; }
  Vec3 angular_velocity_after(const Body&, const Prediction&, const BodyMotion& motion, const Quat&) const override {
    return motion.angular;
  }
};

}  // namespace

const BodyEquations& particle_equations() {
  static const ParticleEquations equations;
  return equations;
}

}  // namespace cardhouse
