#include "cardhouse/model/kinds/frame_equations.h"

#include <Eigen/Cholesky>

namespace cardhouse {
namespace {

using RowBlock = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, 6>;
/// At most 6 × 6, on the stack.
using SmallBlock = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

SmallBlock selected_block(const Mat6& whole, const FrameDofs& dofs) {
  SmallBlock own(dofs.count, dofs.count);
  for (int i = 0; i < dofs.count; ++i) {
    for (int k = 0; k < dofs.count; ++k) own(i, k) = whole(dofs.component[i], dofs.component[k]);
  }
  return own;
}

}  // namespace

/// Along the axes that the body does not have, a guide holds it against any force.
void FrameEquations::predict_translation(const Body& body, const BodyState& state, const Wrench& load,
                                         const StepRule& rule, Prediction& prediction) const {
  prediction.linear_drag = 1.0 + rule.h * body.linear_damping;
  prediction.angular_drag = 1.0 + rule.h * body.angular_damping;
  const Vec3 free = state.linear + rule.h / body.mass * load.force;
  const FrameDofs dofs = frame_dofs(body);
  Vec3 own = Vec3::Zero();
  for (int i = 0; i < dofs.count; ++i) {
    if (dofs.component[i] < 3) own[dofs.component[i]] = free[dofs.component[i]];
  }
  prediction.linear = own / prediction.linear_drag;
}

void FrameEquations::add_block(const Body& body, const Prediction& prediction, BodyMatrix& a, VecX& v_free,
                               int& offset) const {
  const FrameDofs dofs = frame_dofs(body);
  Mat6 inertia = Mat6::Zero();
  Mat6 inverse = Mat6::Zero();
  inertia.diagonal().head<3>().setConstant(prediction.linear_drag * body.mass);
  inverse.diagonal().head<3>().setConstant(1.0 / (prediction.linear_drag * body.mass));
  inertia.bottomRightCorner<3, 3>() = prediction.angular_drag * prediction.block_inertia;
  inverse.bottomRightCorner<3, 3>() = prediction.block_inverse / prediction.angular_drag;
  Vec6 velocity;
  velocity << prediction.linear, prediction.angular;
  for (int i = 0; i < dofs.count; ++i) v_free[offset + i] = velocity[dofs.component[i]];
  a.add(selected_block(inertia, dofs), selected_block(inverse, dofs));
  offset += dofs.count;
}

void FrameEquations::add_mass(const Body& body, const BodyState& state, BodyMatrix& a) const {
  Mat6 whole = Mat6::Zero();
  whole.diagonal().head<3>().setConstant(body.mass);
  whole.bottomRightCorner<3, 3>() = world_inertia(body, state);
  const SmallBlock own = selected_block(whole, frame_dofs(body));
  const SmallBlock inverse = own.llt().solve(SmallBlock::Identity(own.rows(), own.cols()));
  a.add(own, inverse);
}

void FrameEquations::add_rows(const Body& body, const Stencil&, const FrameRows& rows, int count, const BodyMatrix& a,
                              int first_block, BlockRows& j) const {
  const FrameDofs dofs = frame_dofs(body);
  RowBlock own(count, dofs.count);
  for (int i = 0; i < dofs.count; ++i) own.col(i) = rows.col(dofs.component[i]).head(count);
  j.add(a, first_block, own);
}

double FrameEquations::mobility(const Body& body, const Prediction& prediction, const Stencil&, const FrameRows& rows,
                                int count) const {
  const FrameDofs dofs = frame_dofs(body);
  double sum = 0.0;
  for (int row = 0; row < count; ++row) {
    Vec3 linear = Vec3::Zero();
    Vec3 angular = Vec3::Zero();
    for (int i = 0; i < dofs.count; ++i) {
      const int k = dofs.component[i];
      (k < 3 ? linear[k] : angular[k - 3]) = rows(row, k);
    }
    sum += linear.squaredNorm() / body.mass + angular.dot(prediction.inverse_inertia * angular);
  }
  return sum / count;
}

/// Along axes that the body does not have, it moves freely.
void FrameEquations::take_velocities(const Body& body, const Prediction& prediction, const VecX& v, int& offset,
                                     BodyMotion& motion) const {
  motion.linear = prediction.linear;
  motion.angular = prediction.angular;
  const FrameDofs dofs = frame_dofs(body);
  for (int k = 0; k < dofs.count; ++k) {
    const int component = dofs.component[k];
    (component < 3 ? motion.linear[component] : motion.angular[component - 3]) = v[offset + k];
  }
  offset += dofs.count;
}

void FrameEquations::advance(const Body& body, const Prediction& prediction, const BodyMotion& motion,
                             const StepRule& rule, BodyState& s) const {
  Vec3 linear = motion.linear;
  Vec3 angular = motion.angular;
  if (rule.mean_velocity) {  // Kaufman 2009, Eq. 4.68
    linear = 0.5 * (s.linear + motion.linear);
    angular = 0.5 * (s.angular + motion.angular);
  }
  s.pose.position += rule.h * linear;
  s.linear = motion.linear;
  if (!turns()) return;
  s.pose.orientation = (rotation_from_vector(rule.h * angular) * s.pose.orientation).normalized();
  s.angular = angular_velocity_after(body, prediction, motion, s.pose.orientation);
}

void FrameEquations::displace(const Body& body, std::span<const double> delta, double h, BodyState& s) const {
  const FrameDofs dofs = frame_dofs(body);
  Vec6 step = Vec6::Zero();
  for (int k = 0; k < dofs.count; ++k) step[dofs.component[k]] = delta[static_cast<std::size_t>(k)];
  s.pose.position += step.head<3>();
  if (turns()) s.pose.orientation = (rotation_from_vector(step.tail<3>()) * s.pose.orientation).normalized();
  if (h > 0.0) {
    s.linear += step.head<3>() / h;
    s.angular += step.tail<3>() / h;
  }
}

BodyState FrameEquations::extrapolate(const Body&, const BodyState& now, const BodyState& before) const {
  BodyState result = now;
  result.pose.position += (now.pose.position - before.pose.position) / 3.0;
  result.linear += (now.linear - before.linear) / 3.0;
  const Quat turned = now.pose.orientation * before.pose.orientation.conjugate();
  result.pose.orientation = rotation_from_vector(vector_from_rotation(turned) / 3.0) * now.pose.orientation;
  result.angular += (now.angular - before.angular) / 3.0;
  return result;
}

double FrameEquations::kinetic_energy(const Body& body, const BodyState& s) const {
  const double linear = 0.5 * body.mass * s.linear.squaredNorm();
  if (!turns()) return linear;
  const Vec3 w = s.pose.orientation.conjugate() * s.angular;
  return linear + 0.5 * w.dot(body.inertia * w);
}

Momentum FrameEquations::momentum(const Body& body, const BodyState& s) const {
  Momentum result;
  result.linear = body.mass * s.linear;
  result.angular = s.pose.position.cross(result.linear) + world_inertia(body, s) * s.angular;
  return result;
}

/// The spin's damping multiplies inertia and momentum alike (predict), so that L⁺ is what is left of its change.
Momentum FrameEquations::drag_impulse(const Body& body, const BodyState& start, const BodyState& end, double h) const {
  Momentum result;
  result.linear = -h * body.linear_damping * body.mass * end.linear;
  result.angular =
      start.pose.position.cross(result.linear) - h * body.angular_damping * (world_inertia(body, end) * end.angular);
  return result;
}

}  // namespace cardhouse
