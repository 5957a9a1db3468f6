#include "cardhouse/stepping/rows/mean_rows.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

/// Part of the size (−): contacts that are closer at the start touch.
constexpr double closed_part = 1e-8;
/// (−): a normal is not tilted, and a place not moved in sizes, by more: what asks for more is no third-order error.
constexpr double largest_change = 0.1;
/// Part of the size (−): half of the finest tolerance of gaps.
constexpr double left_overlap = 5e-9;
/// rad: normals that differ by less are the same.
constexpr double same_normal = 1e-6;

Vec3 place_before(const MeanMotion& motion, int body, const Stencil& stencil) {
  return origin_of(motion.start.bodies[body], stencil);
}

/// m: the mean of where the body is at the start and at the end.
Vec3 mean_place(const MeanMotion& motion, int body, const Stencil& stencil) {
  return place_before(motion, body, stencil) + 0.5 * motion.h * motion.steps[body].linear;
}

/// m/s: of the first body against the second at a place between the means of their positions.
Vec3 mean_velocity(const Contact& contact, const MeanMotion& motion, const Vec3& place) {
  const auto of = [&](int body, const Stencil& stencil) -> Vec3 {
    return point_velocity(motion.steps[body], place - mean_place(motion, body, stencil));
  };
  return of(contact.body_a, contact.stencil_a) - of(contact.body_b, contact.stencil_b);
}

/// Whether the normal of the end is that of the start, turned with the bodies and by what they slide. If not, the same
/// features touch another way: a corner that touched the side of a flush block now lies on its top.
bool goes_on(const Contact& contact, const MeanMotion& motion) {
  constexpr double generous = 4.0;
  if (contact.carried) return false;
  const MeanStep& a = motion.steps[contact.body_a];
  const MeanStep& b = motion.steps[contact.body_b];
  const double slip = mean_velocity(contact, motion, contact.point()).norm() / contact.size;
  const double turn = motion.h * (a.angular.norm() + b.angular.norm() + slip);
  return (contact.end_normal - contact.normal()).norm() <= generous * turn + same_normal;
}

void turn_to(const Vec3& normal, Contact& contact) {
  const Vec3 now = contact.normal();
  contact.basis = Quat::FromTwoVectors(now, normal).toRotationMatrix() * contact.basis;
}

/// m: of the gap, by the row along the motion.
double row_change(const Contact& mean, const MeanMotion& motion) {
  return motion.h * mean.normal().dot(mean_velocity(mean, motion, mean.point()));
}

/// Makes the row's change of the gap that of the geometry (m); false: that is not a matter of third order.
bool make_discrete_gradient(const MeanMotion& motion, double change, Contact& mean) {
  const Vec3 slip = mean_velocity(mean, motion, mean.point());
  const Vec3 turn = mean.normal().cross(motion.steps[mean.body_a].angular - motion.steps[mean.body_b].angular);
  const double missing = (change - row_change(mean, motion)) / motion.h;
  const double squares = slip.squaredNorm() + mean.size * mean.size * turn.squaredNorm();
  if (!(missing * missing <= largest_change * largest_change * squares)) return false;
  if (squares == 0.0) return true;
  const double factor = missing / squares;
  mean.basis.col(0) += factor * slip;
  mean.on_a += factor * mean.size * mean.size * turn;
  mean.on_b = mean.on_a;
  return true;
}

/// The row where the contact ends, if its feature is there.
void meet_end(const Contact& contact, const MeanMotion& motion, Contact& mean) {
  const bool same = goes_on(contact, motion);
  turn_to(same || contact.carried ? Vec3((contact.normal() + contact.end_normal).normalized()) : contact.end_normal,
          mean);
  if (same) {
    make_discrete_gradient(motion, contact.end_gap - mean.gap, mean);
  } else if (row_change(mean, motion) > contact.end_gap) {
    // Who touched by other features gains nothing by these: their gap at the start is none, and no row asks for more
    // than a stop.
    mean.gap = 0.0;
    if (!make_discrete_gradient(motion, contact.end_gap, mean)) return;
  }
  mean.bend = contact.end_gap - mean.gap - row_change(mean, motion);
  if (std::abs(mean.bend) <= mean.gap_rounding) mean.bend = 0.0;
}

}  // namespace

bool begins_to_touch(const Contact& contact, const MeanMotion& motion) {
  const double touching = closed_part * contact.size;
  const auto velocity = [&](int body, const Stencil& stencil) -> Vec3 {
    const Vec3 arm = contact.point() - place_before(motion, body, stencil);
    return point_velocity(motion.start.bodies[body], stencil, arm);
  };
  const double approach =
      contact.normal().dot(velocity(contact.body_b, contact.stencil_b) - velocity(contact.body_a, contact.stencil_a));
  return contact.gap > touching || motion.h * approach > touching;
}

Contact mean_contact(const Contact& contact, const MeanMotion& motion) {
  Contact mean = contact;
  mean.restitution = 0.0;
  mean.bend = 0.0;
  mean.slip.setZero();
  const Vec3 moved = 0.25 * motion.h * (motion.steps[contact.body_a].linear + motion.steps[contact.body_b].linear);
  mean.on_a = mean.on_b = contact.ends ? Vec3(0.5 * (contact.point() + contact.end_point)) : contact.point() + moved;
  if (contact.ends) meet_end(contact, motion, mean);
  // To push out what a pass left would gain energy. It may stay while it is well within the tolerance of gaps.
  if (mean.gap < 0.0) mean.gap_rounding = std::max(mean.gap_rounding, left_overlap * mean.size);
  if (begins_to_touch(contact, motion)) mean.law.mu = mean.law.mu_cross = mean.mu_rolling = mean.mu_torsional = 0.0;
  return mean;
}

namespace {

/// Cosine of half the turn: by so much the mean of a point's arms is shorter than the arm halfway.
double cosine_of_half_turn(const MeanMotion& motion, int body) {
  return 1.0 / std::sqrt(1.0 + 0.25 * motion.h * motion.h * motion.steps[body].angular.squaredNorm());
}

/// Of one body's side: arms of points become the means of those at the start and the end. Turns alone have none.
void take_mean_arms(const MeanMotion& motion, int body, FrameRows& rows) {
  if (rows.leftCols<3>().isZero(0.0)) return;
  rows.rightCols<3>() *= cosine_of_half_turn(motion, body);
}

Vec3 rate_of(const MeanMotion& motion, int body, const FrameRows& rows) {
  if (body < 0) return Vec3::Zero();
  const MeanStep& step = motion.steps[body];
  return rows.leftCols<3>() * step.linear + rows.rightCols<3>() * step.angular;
}

bool is_compliant(const Joint& joint) {
  return joint.compliance.value_or(0.0) > 0.0 || joint.angular_compliance.value_or(0.0) > 0.0;
}

}  // namespace

void meet_joints_at_end(const Model& model, const MeanMotion& motion, const StepSettings& settings,
                        std::vector<JointRows>& rows) {
  State end = motion.start;
  for (std::size_t i = 0; i < end.bodies.size(); ++i) end.bodies[i] = motion.steps[i].end;
  const double left = settings.stabilisation == Stabilisation::none ? 1.0 : 1.0 - settings.gamma;
  for (JointRows& group : rows) {
    if (group.joint < 0 || group.law.kind != Law::Kind::equality) continue;
    const Joint& joint = model.joints[group.joint];
    const auto which = static_cast<std::size_t>(group.slot == 0 ? 0 : 1);
    const Vec3 before = joint_geometry(joint, motion.start).constraints[which].violation;
    const Vec3 after = joint_geometry(joint, end).constraints[which].violation;
    take_mean_arms(motion, group.first, group.on_first);
    if (group.second >= 0) take_mean_arms(motion, group.second, group.on_second);
    group.b = (after - left * before) / motion.h - rate_of(motion, group.first, group.on_first) -
              rate_of(motion, group.second, group.on_second);
  }
}

void rest_joints_at_end(const Model& model, std::span<const JointState> pushed, std::vector<JointRows>& rows) {
  std::erase_if(rows, [&](const JointRows& group) {
    if (group.joint < 0) return true;
    if (group.law.kind == Law::Kind::equality) return is_compliant(model.joints[group.joint]);
    const bool open = group.law.kind == Law::Kind::unilateral && !(pushed[group.joint].impulse[group.slot] > 0.0);
    return open || (group.law.kind == Law::Kind::bounded && group.compliance > 0.0);
  });
  for (JointRows& group : rows) {
    if (group.law.kind == Law::Kind::equality) group.b.setZero();
    if (group.law.kind == Law::Kind::equality) continue;
    const double used = pushed[group.joint].impulse[group.slot];
    if (group.law.kind == Law::Kind::unilateral) {
      group.law.kind = Law::Kind::bounded;
      group.law.lower = 0.0;
      group.b.setZero();
    }
    group.law.lower -= used;
    group.law.upper -= used;
  }
}

}  // namespace cardhouse
