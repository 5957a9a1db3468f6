#include "cardhouse/model/potential.h"

#include <fmt/format.h>

#include <cmath>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

void check_coordinates(const char* name, const Coordinates& c) {
  if (c.first < 0) throw InputError(fmt::format("spring: {}.first = {}: must be ≥ 0", name, c.first));
  if (c.count < 1 || c.count > 3)
    throw InputError(fmt::format("spring: {}.count = {}: must be 1, 2 or 3", name, c.count));
}

void check_not_negative(const char* name, double value, const char* unit) {
  if (!(value >= 0.0) || !std::isfinite(value)) {
    throw InputError(fmt::format("spring: {} = {} {}: must be ≥ 0 and finite", name, value, unit));
  }
}

}  // namespace

LinearSpring::LinearSpring(Coordinates particle, VecX anchor, double stiffness, double rest_length)
    : first_(particle), stiffness_(stiffness), rest_length_(rest_length) {
  check_coordinates("particle", particle);
  if (anchor.size() != particle.count) {
    throw InputError(
        fmt::format("spring: an anchor of {} numbers for a particle with {} axes", anchor.size(), particle.count));
  }
  anchor_ = anchor;
  check_not_negative("stiffness", stiffness, "N/m");
  check_not_negative("rest_length", rest_length, "m");
}

LinearSpring::LinearSpring(Coordinates first, Coordinates second, double stiffness, double rest_length)
    : first_(first), second_(second), stiffness_(stiffness), rest_length_(rest_length) {
  check_coordinates("first", first);
  check_coordinates("second", second);
  if (first.count != second.count) {
    throw InputError(
        fmt::format("spring: between particles with {} and {} axes: must be as many", first.count, second.count));
  }
  check_not_negative("stiffness", stiffness, "N/m");
  check_not_negative("rest_length", rest_length, "m");
}

LinearSpring::Point LinearSpring::between(const VecX& q) const {
  if (second_.count > 0) return q.segment(first_.first, first_.count) - q.segment(second_.first, second_.count);
  return q.segment(first_.first, first_.count) - anchor_;
}

double LinearSpring::energy(const VecX& q) const {
  const double stretch = between(q).norm() - rest_length_;
  return 0.5 * stiffness_ * stretch * stretch;
}

void LinearSpring::add_gradient(const VecX& q, VecX& gradient) const {
  Point d = between(q);
  const double length = d.norm();
  // At length 0 a spring with a rest length pushes in no direction; one without pulls by d itself.
  d *= length > 0.0 ? stiffness_ * (1.0 - rest_length_ / length) : 0.0;
  gradient.segment(first_.first, first_.count) += d;
  if (second_.count > 0) gradient.segment(second_.first, second_.count) -= d;
}

void LinearSpring::add_hessian(const VecX& q, MatX& hessian) const {
  // k (I − L/‖d‖ (I − d dᵀ/‖d‖²))
  const Point d = between(q);
  const double length = d.norm();
  const double slack = length > 0.0 ? rest_length_ / length : 0.0;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, 3>;
  const Eigen::Index n = first_.count;
  Small block = Small::Identity(n, n) * (stiffness_ * (1.0 - slack));
  if (length > 0.0) block += stiffness_ * slack / (length * length) * (d * d.transpose());
  hessian.block(first_.first, first_.first, n, n) += block;
  if (second_.count == 0) return;
  hessian.block(second_.first, second_.first, n, n) += block;
  hessian.block(first_.first, second_.first, n, n) -= block;
  hessian.block(second_.first, first_.first, n, n) -= block;
}

// With s = ‖q‖²: V = s (s − 1)², dV/ds = (s − 1)(3 s − 1), d²V/ds² = 6 s − 4, ds/dq = 2 q.

double DoubleWell::energy(const VecX& q) const {
  const double s = q.squaredNorm();
  return s * (s - 1.0) * (s - 1.0);
}

void DoubleWell::add_gradient(const VecX& q, VecX& gradient) const {
  const double s = q.squaredNorm();
  gradient += (2.0 * (s - 1.0) * (3.0 * s - 1.0)) * q;
}

void DoubleWell::add_hessian(const VecX& q, MatX& hessian) const {
  const double s = q.squaredNorm();
  hessian.diagonal().array() += 2.0 * (s - 1.0) * (3.0 * s - 1.0);
  hessian.noalias() += (4.0 * (6.0 * s - 4.0)) * q * q.transpose();
}

UserPotential::UserPotential(Energy energy, Gradient gradient, Hessian hessian)
    : energy_(std::move(energy)), gradient_(std::move(gradient)), hessian_(std::move(hessian)) {
  if (!energy_ || !gradient_ || !hessian_) {
    throw InputError("user potential: needs all of energy, gradient and Hessian; one of them is empty");
  }
}

double PotentialSum::energy(const VecX& q) const {
  double sum = 0.0;
  for (const auto& term : terms_) sum += term->energy(q);
  return sum;
}

void PotentialSum::add_gradient(const VecX& q, VecX& gradient) const {
  for (const auto& term : terms_) term->add_gradient(q, gradient);
}

void PotentialSum::add_hessian(const VecX& q, MatX& hessian) const {
  for (const auto& term : terms_) term->add_hessian(q, hessian);
}

}  // namespace cardhouse
