#include "cardhouse/model/kinds/frame_equations.h"

#include <Eigen/Cholesky>
#include <tuple>

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

/// The rotation cay(r) = (1 − r×/2)⁻¹ (1 + r×/2).
Quat cayley(const Vec3& r) {
  return Quat(1.0, 0.5 * r.x(), 0.5 * r.y(), 0.5 * r.z()).normalized();
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

MeanStep FrameEquations::mean_step(const Body& body, const BodyState& start, const Prediction& free, const Push& push,
                                   double h) const {
  MeanStep step;
  step.end = start;
  step.end.linear = free.linear;
  const FrameDofs dofs = frame_dofs(body);
  for (int k = 0; k < dofs.count; ++k) {
    const int c = dofs.component[k];
    if (c < 3) step.end.linear[c] += push.linear[c] / (free.linear_drag * body.mass);
  }
  step.linear = 0.5 * (start.linear + step.end.linear);
  step.end.pose.position = start.pose.position + h * step.linear;
  if (turns()) turn_by_mean(body, start, free.angular_momentum + push.angular / free.angular_drag, h, step);
  return step;
}

/// By W = cay's axis both ends' velocities are the same seen from the body, so that the mean may be taken there.
void FrameEquations::turn_by_mean(const Body& body, const BodyState& start, const Vec3& momentum, double h,
                                  MeanStep& step) const {
  constexpr int most_iterations = 100;
  const Quat& from = start.pose.orientation;
  const Vec3 own_start = from.conjugate() * start.angular;
  Vec3 w = start.angular;
  double change = 0.0;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    step.end.pose.orientation = (cayley(h * w) * from).normalized();
    step.end.angular = inertia_at(body, step.end.pose.orientation).second * momentum;
    const Vec3 next = from * (0.5 * (own_start + step.end.pose.orientation.conjugate() * step.end.angular));
    change = (next - w).norm();
    w = next;
    if (change <= 1e-16 * w.norm()) break;
  }
  step.angular = w;
  step.converged = change <= 1e-13 * w.norm();  // in a cycle of round-off: good enough
}

/// A (V − V_free) = p with twice the inertia, because V changes by half of what the end's velocity changes by.
Prediction FrameEquations::predict_mean(const Body& body, const BodyState& start, const Prediction& free,
                                        const MeanStep& step, const Push& push) const {
  Prediction mean = free;
  mean.linear = 0.5 * (start.linear + free.linear);
  mean.linear_drag = 2.0 * free.linear_drag;
  mean.angular_drag = 2.0 * free.angular_drag;
  if (!turns()) return mean;
  const Quat halfway = start.pose.orientation.slerp(0.5, step.end.pose.orientation);
  std::tie(mean.inertia, mean.inverse_inertia) = inertia_at(body, halfway);
  mean.block_inertia = mean.inertia;
  mean.block_inverse = mean.inverse_inertia;
  mean.angular = step.angular - mean.inverse_inertia * push.angular / mean.angular_drag;
  return mean;
}

Push FrameEquations::push_of(const Body& body, const Prediction& mean, const BodyMotion& solved) const {
  Push push;
  push.linear = mean.linear_drag * body.mass * (solved.linear - mean.linear);
  if (turns()) push.angular = mean.angular_drag * (mean.block_inertia * (solved.angular - mean.angular));
  return push;
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
