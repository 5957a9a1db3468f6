// Rigid bodies in the x–z plane: v_x v_z w_y.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/model/kinds/all_kinds.h"
#include "cardhouse/model/kinds/frame_equations.h"
#include "cardhouse/model/limits.h"

namespace cardhouse {
namespace {

/// A planar body never leaves the x–z plane: whatever would take it out is a mistake.
void check_in_plane(const std::string& path, const BodyState& state) {
  constexpr double rounding = 1e-9;  // m, m/s, rad/s and (−)
  const auto require_zero = [](const std::string& what, double value, const std::string& unit) {
    if (std::abs(value) > rounding) {
      limits::refuse(what, fmt::format("{}{}", value, unit),
                     "must be 0: a planar body lies and moves in the x–z plane");
    }
  };
  require_zero(path + ".position[1]", state.pose.position.y(), " m");
  require_zero(path + ".orientation[1]", state.pose.orientation.x(), "");
  require_zero(path + ".orientation[3]", state.pose.orientation.z(), "");
  require_zero(path + ".linear_velocity[1]", state.linear.y(), " m/s");
  require_zero(path + ".angular_velocity[0]", state.angular.x(), " rad/s");
  require_zero(path + ".angular_velocity[2]", state.angular.z(), " rad/s");
}

class PlanarEquations final : public FrameEquations {
 public:
  FrameDofs frame_dofs(const Body&) const override { return {3, {0, 2, 4}}; }
  bool in_plane() const override { return true; }
  double radius_of_gyration(const Body& body) const override { return std::sqrt(body.inertia(1, 1) / body.mass); }

  void check(const std::string& path, const Body& body, const BodyState& state) const override {
    if (body.mobility == Mobility::dynamic) {
      if (!body.inertia.allFinite()) limits::refuse(path + ".inertia", "not finite", "must be finite");
      limits::check_positive(path + ".inertia", body.inertia(1, 1), limits::inertia);
    }
    check_in_plane(path, state);
  }
  void check_shape(const std::string& path, const Body&, const Shape& shape) const override {
    if (is_planar(shape.geometry) || std::holds_alternative<HalfSpace>(shape.geometry)) return;
    limits::refuse(path, std::string(shape_name(shape.geometry)),
                   "a planar body takes disk, ellipse, polygon or segment");
  }

  void predict(const Body& body, const BodyState& state, const Wrench& load, const StepRule& rule,
               Prediction& p) const override {
    predict_translation(body, state, load, rule, p);
    const double inertia = body.inertia(1, 1);
    p.inertia(1, 1) = inertia;
    p.inverse_inertia(1, 1) = 1.0 / inertia;
    p.angular.y() = (state.angular.y() + rule.h / inertia * load.torque.y()) / p.angular_drag;
    p.angular_momentum = p.inertia * p.angular;
    p.block_inertia = p.inertia;
    p.block_inverse = p.inverse_inertia;
  }
  void add_geometric_stiffness(const Mat3& stiffness, Prediction& p) const override {
    const double inertia = std::max(p.inertia(1, 1), stiffness(1, 1));
    if (inertia == p.inertia(1, 1)) return;
    p.block_inertia(1, 1) = inertia;
    p.block_inverse(1, 1) = 1.0 / inertia;
  }

 protected:
  std::pair<Mat3, Mat3> inertia_at(const Body& body, const Quat&) const override {
    std::pair<Mat3, Mat3> both{Mat3::Zero(), Mat3::Zero()};
    both.first(1, 1) = body.inertia(1, 1);
    both.second(1, 1) = 1.0 / body.inertia(1, 1);
    return both;
  }
  Mat3 world_inertia(const Body& body, const BodyState&) const override { return body.inertia; }
  Vec3 angular_velocity_after(const Body&, const Prediction&, const BodyMotion& motion, const Quat&) const override {
    return motion.angular;
  }
};

}  // namespace

const BodyEquations& planar_equations() {
  static const PlanarEquations equations;
  return equations;
}

}  // namespace cardhouse
