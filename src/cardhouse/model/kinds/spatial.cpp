// Rigid bodies in space: v_x v_y v_z w_x w_y w_z.
//
// Rotation: with the angular momentum L = I(R) w after the torques' impulse, the free angular velocity w* of the step
// is the one of the midpoint, w* = I(exp(h/2 w*) R)⁻¹ L, or of five midpoint steps where the body turns fast. The step
// R ← exp(h w*) R is then symmetric in time, so that the energy of a free body does not drift, and L is kept exactly.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "cardhouse/model/kinds/all_kinds.h"
#include "cardhouse/model/kinds/frame_equations.h"
#include "cardhouse/model/kinds/least_addition.h"
#include "cardhouse/model/limits.h"

namespace cardhouse {
namespace {

/// No mass distribution has a principal moment above the sum of the other two; flat ones have just that.
void check_moments(const std::string& path, const Mat3& inertia) {
  constexpr double rounding = 1e-9;  // part of the moments: what a file with ten digits may be off
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  limits::check_positive(path + "'s least principal moment", moments[0], limits::inertia);
  limits::check_positive(path + "'s largest principal moment", moments[2], limits::inertia);
  if (moments[2] <= (1.0 + rounding) * (moments[0] + moments[1])) return;
  limits::refuse(path,
                 fmt::format("principal moments [{:.6g}, {:.6g}, {:.6g}] kg m²", moments[0], moments[1], moments[2]),
                 "the largest must not exceed the sum of the other two: no rigid body has such moments");
}

/// w with w = I(exp(h/2 w) R)⁻¹ L, from a start. The iteration contracts by about h‖w‖/2; false when it does not end.
bool find_midpoint_velocity(const Mat3& body_inverse, const Quat& orientation, const Vec3& momentum, double h,
                            Vec3& w) {
  double change = 0.0;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const Quat halfway = rotation_from_vector(0.5 * h * w) * orientation;
    const Vec3 next = halfway * (body_inverse * (halfway.conjugate() * momentum));
    change = (next - w).norm();
    w = next;
    if (change <= 1e-16 * w.norm()) return true;
  }
  return change <= 1e-9 * w.norm();  // slow, or in a cycle of round-off: good enough
}

/// rad in a step: from the first on, the free rotation uses a method of higher order; up to the second, the mean
/// velocity of such a step is well defined.
constexpr double slow_turn = 1e-4;
constexpr double fast_turn = 1.0;

/// The mean angular velocity of the free rotation over the step. For fast bodies it is composed of five midpoint steps
/// (Suzuki 1990), which is symmetric in time and of fourth order. The midpoint rule alone lets the energy of a free
/// body swing by the square of the step's angle, this one by its fourth power.
bool find_free_velocity(const Mat3& body_inverse, const Quat& orientation, const Vec3& momentum, double h, Vec3& w) {
  const double turn = h * w.norm();
  if (turn < slow_turn || turn > fast_turn) return find_midpoint_velocity(body_inverse, orientation, momentum, h, w);
  const double outer = 1.0 / (4.0 - std::cbrt(4.0));
  Quat place = orientation;
  for (const double part : {outer, outer, 1.0 - 4.0 * outer, outer, outer}) {
    if (!find_midpoint_velocity(body_inverse, place, momentum, part * h, w)) return false;
    place = (rotation_from_vector(part * h * w) * place).normalized();
  }
  w = vector_from_rotation(place * orientation.conjugate()) / h;
  return true;
}

class SpatialEquations final : public FrameEquations {
 public:
  FrameDofs frame_dofs(const Body&) const override { return {6, {0, 1, 2, 3, 4, 5}}; }
  double radius_of_gyration(const Body& body) const override {
    return std::sqrt(0.5 * body.inertia.trace() / body.mass);
  }

  void check(const std::string& path, const Body& body, const BodyState&) const override {
    if (body.mobility != Mobility::dynamic) return;
    if (!body.inertia.allFinite()) limits::refuse(path + ".inertia", "not finite", "must be finite");
    if (Eigen::LLT<Mat3>(body.inertia).info() != Eigen::Success || !(body.inertia.diagonal().minCoeff() > 0.0)) {
      const Vec3 d = body.inertia.diagonal();
      limits::refuse(path + ".inertia", fmt::format("diagonal [{}, {}, {}] kg m²", d.x(), d.y(), d.z()),
                     "must be positive definite");
    }
    check_moments(path + ".inertia", body.inertia);
  }
  void check_shape(const std::string& path, const Body& body, const Shape& shape) const override {
    if (body.mobility != Mobility::dynamic || !is_planar(shape.geometry)) return;
    limits::refuse(path, std::string(shape_name(shape.geometry)), "a planar figure needs a body of kind planar");
  }

  void predict(const Body& body, const BodyState& state, const Wrench& load, const StepRule& rule,
               Prediction& p) const override {
    predict_translation(body, state, load, rule, p);
    const Mat3 rotation = state.pose.orientation.toRotationMatrix();
    const Mat3 body_inverse = body.inertia.inverse();
    p.inertia = rotation * body.inertia * rotation.transpose();
    p.inverse_inertia = rotation * body_inverse * rotation.transpose();
    p.angular_momentum = (p.inertia * state.angular + rule.h * load.torque) / p.angular_drag;
    p.angular = p.inverse_inertia * p.angular_momentum;
    if (p.angular_momentum.squaredNorm() > 0.0) {
      p.converged = find_free_velocity(body_inverse, state.pose.orientation, p.angular_momentum, rule.h, p.angular);
    }
    p.block_inertia = p.inertia;
    p.block_inverse = p.inverse_inertia;
  }
  void add_geometric_stiffness(const Mat3& stiffness, Prediction& p) const override {
    // Frobenius' norms bound the largest of the pair's quotients: most bodies are done here.
    if (stiffness.norm() * p.inverse_inertia.norm() <= 1.0) return;
    const Mat3 addition = least_addition(p.inertia, stiffness);
    if (addition.isZero(0.0)) return;
    p.block_inertia = p.inertia + addition;
    p.block_inverse = p.block_inertia.inverse();
  }
  /// The angular momentum takes the place of the angular velocity.
  BodyState extrapolate(const Body& body, const BodyState& now, const BodyState& before) const override {
    BodyState result = FrameEquations::extrapolate(body, now, before);
    if (body.mobility != Mobility::dynamic) return result;
    const Vec3 momentum = spin_momentum(body, now);
    const Vec3 next = momentum + (momentum - spin_momentum(body, before)) / 3.0;
    const Quat& r = result.pose.orientation;
    result.angular = r * (body.inertia.inverse() * (r.conjugate() * next));
    return result;
  }

 protected:
  std::pair<Mat3, Mat3> inertia_at(const Body& body, const Quat& orientation) const override {
    const Mat3 rotation = orientation.toRotationMatrix();
    return {rotation * body.inertia * rotation.transpose(), rotation * body.inertia.inverse() * rotation.transpose()};
  }
  Mat3 world_inertia(const Body& body, const BodyState& state) const override {
    const Mat3 rotation = state.pose.orientation.toRotationMatrix();
    return rotation * body.inertia * rotation.transpose();
  }
  /// The contacts' impulse I(w⁺ − w*) adds to the momentum, which the rotation of the body leaves alone.
  Vec3 angular_velocity_after(const Body& body, const Prediction& prediction, const BodyMotion& motion,
                              const Quat& after) const override {
    const Vec3 momentum = prediction.angular_momentum + prediction.inertia * (motion.angular - prediction.angular);
    return after * (body.inertia.inverse() * (after.conjugate() * momentum));
  }

 private:
  static Vec3 spin_momentum(const Body& body, const BodyState& s) {
    return s.pose.orientation * (body.inertia * (s.pose.orientation.conjugate() * s.angular));
  }
};

}  // namespace

const BodyEquations& spatial_equations() {
  static const SpatialEquations equations;
  return equations;
}

}  // namespace cardhouse
