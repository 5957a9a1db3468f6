#include "cardhouse/solvers/machinery/local_contact_solver.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cardhouse/contact/law_projection.h"
#include "cardhouse/math/constants.h"
#include "cardhouse/math/decompositions.h"

namespace cardhouse {
namespace {

/// Of the size of its factors: a determinant below this has lost its digits, and the matrix counts as singular.
constexpr double least_determinant = 1e-12;
/// What round-off leaves of an equation that holds, of the size of its terms.
constexpr double local_round_off = 1e-11;
/// Newton and bisection steps for λ: bisection alone needs about a hundred from the widest bracket.
constexpr int most_slip_steps = 120;

Mat3 padded(const Mat3& w, int dim) {
  Mat3 result = Mat3::Identity();
  result.topLeftCorner(dim, dim) = w.topLeftCorner(dim, dim);
  return result;
}

/// The inverse of the dim × dim part, or the pseudo-inverse where that is singular.
Mat3 inverse_of(const Mat3& w, int dim) {
  const double size = w.topLeftCorner(dim, dim).cwiseAbs().maxCoeff();
  Mat3 inverse = Mat3::Zero();
  const Mat3 full = padded(w / size, dim);
  if (std::abs(full.determinant()) > least_determinant) {
    inverse.topLeftCorner(dim, dim) = full.inverse().topLeftCorner(dim, dim) / size;
    return inverse;
  }
  Mat3 part = Mat3::Zero();
  part.topLeftCorner(dim, dim) = full.topLeftCorner(dim, dim);
  return pseudo_inverse(part, least_determinant) / size;
}

/// x turned by the angle whose cosine and sine are given.
Vec2 turned(const Vec2& turn, const Vec2& x) {
  return {turn.x() * x.x() - turn.y() * x.y(), turn.y() * x.x() + turn.x() * x.y()};
}

}  // namespace

void LocalContactSolver::set(const Law& law, int dim, const Mat3& w) {
  dependent_ = is_dependent(law);
  const int first = dependent_ ? 1 : 0;
  dim_ = first + dim;
  w_.setZero();
  w_.block(first, first, dim, dim) = w.topLeftCorner(dim, dim);
  const double trace = w_.trace();
  rho_ = trace > 0.0 ? dim / trace : 0.0;
  if (dependent_) w_(0, 0) = 1.0;
  method_ = Method::immovable;
  if (!(rho_ > 0.0) || !w_.allFinite()) return;
  const ConvexSet bounds = normal_set(law);
  lower_ = bounds.lower;
  upper_ = bounds.upper;
  switch (law.kind) {
    case Law::Kind::equality:
      method_ = Method::free;
      inverse_ = inverse_of(w_, dim_);
      break;
    case Law::Kind::unilateral:
    case Law::Kind::bounded:
      method_ = dim == 1 ? Method::row : Method::rows;
      break;
    case Law::Kind::coulomb:
    case Law::Kind::dependent:
      set_friction(law);
      break;
  }
}

void LocalContactSolver::set_friction(const Law& law) {
  a_ = w_(0, 0);
  const bool is_ellipse = dim_ == 3 && law.friction == FrictionShape::ellipse;
  axes_ = Vec2(std::max(law.mu, 0.0), std::max(is_ellipse ? law.mu_cross : law.mu, 0.0));
  if (dim_ < 3) axes_.y() = 0.0;
  if (dim_ == 1 || axes_.isZero(0.0)) {
    method_ = Method::frictionless;
  } else if (axes_.x() == 0.0 || axes_.y() == 0.0) {  // the plane, or an ellipse that is flat
    method_ = Method::line;
    tangent_ = axes_.y() == 0.0 ? 1 : 2;
    mu_ = axes_[tangent_ - 1];
  } else {
    method_ = law.friction == FrictionShape::polygon ? Method::polygon : Method::round;
    sides_ = law.sides;
    set_scaled();
  }
}

void LocalContactSolver::set_scaled() {
  b_ = axes_.cwiseProduct(w_.block<2, 1>(1, 0));
  c_ = axes_.cwiseProduct(w_.block<1, 2>(0, 1).transpose());
  m_ = axes_.asDiagonal() * w_.block<2, 2>(1, 1) * axes_.asDiagonal();
  const Mat2 s = m_ - b_ * c_.transpose() / a_;
  adjugate_ << s(1, 1), -s(0, 1), -s(1, 0), s(0, 0);
  trace_ = s.trace();
  determinant_ = s(0, 0) * s(1, 1) - s(0, 1) * s(1, 0);
  regular_ = std::abs(determinant_) > least_determinant * s.squaredNorm();
  if (regular_) {
    inverse_s_ = adjugate_ / determinant_;
  } else {  // of rank 1 or 0
    determinant_ = 0.0;
    inverse_s_ = s.isZero(0.0) ? Mat2(Mat2::Zero()) : Mat2(s.transpose() / s.squaredNorm());
  }
}

bool LocalContactSolver::solve(const double* u, double load, double* r) const {
  if (!dependent_) return solve_rows_with_normal(u, r);
  const double normal = std::max(load, 0.0);
  double all_u[3] = {0.0, 0.0, 0.0};
  double all_r[3] = {normal, 0.0, 0.0};
  std::copy(u, u + dim_ - 1, all_u + 1);
  std::copy(r, r + dim_ - 1, all_r + 1);
  const bool solved = solve_rows_with_normal(all_u, all_r);
  std::copy(all_r + 1, all_r + dim_, r);
  return solved;
}

bool LocalContactSolver::solve_rows_with_normal(const double* u, double* r) const {
  Vec3 q = Vec3::Zero();
  if (method_ == Method::free) return solve_free(u, r);
  if (method_ == Method::row) return solve_row(u, r);
  for (int i = 0; i < dim_; ++i) {
    q[i] = u[i];
    for (int k = 0; k < dim_; ++k) q[i] -= w_(i, k) * r[k];
  }
  if (method_ == Method::rows) return solve_rows(q, r);
  if (method_ == Method::immovable) return false;
  if (q[0] >= 0.0) {  // take-off
    std::fill(r, r + dim_, 0.0);
    return true;
  }
  if (!(a_ > 0.0)) {
    std::fill(r, r + dim_, 0.0);
    return false;
  }
  if (method_ == Method::frictionless) return solve_frictionless(q, r);
  if (method_ == Method::line) return solve_line(q, r);
  return method_ == Method::round ? solve_round(q, u, r) : solve_polygon(q, r);
}

bool LocalContactSolver::solve_free(const double* u, double* r) const {
  for (int i = 0; i < dim_; ++i) {
    for (int k = 0; k < dim_; ++k) r[i] -= inverse_(i, k) * u[k];
  }
  return true;
}

bool LocalContactSolver::solve_row(const double* u, double* r) const {
  r[0] = std::clamp(r[0] - u[0] * rho_, lower_, upper_);
  return true;
}

/// Each row is at its lower bound, at its upper one or free: of the at most 27 cases the one that violates least.
bool LocalContactSolver::solve_rows(const Vec3& q, double* r) const {
  const double bounds[2] = {lower_, upper_};
  const int cases = dim_ == 2 ? 9 : 27;
  double least = infinity;
  Vec3 best = Vec3::Zero();
  for (int index = 0; index < cases; ++index) {
    int state[3] = {index % 3, index / 3 % 3, index / 9};  // 0 free, 1 lower, 2 upper
    Mat3 system = padded(w_, dim_);
    Vec3 right = -q;
    bool possible = true;
    for (int i = 0; i < dim_; ++i) {
      if (state[i] == 0) continue;
      system.row(i) = Mat3::Identity().row(i);
      right[i] = bounds[state[i] - 1];
      possible = possible && std::isfinite(right[i]);
    }
    if (!possible) continue;
    const Vec3 x = solve_pivoted(system, right);
    const Vec3 u = w_ * x + q;
    double violation = 0.0;
    for (int i = 0; i < dim_; ++i) {
      const double wrong = state[i] == 0 ? std::abs(u[i]) : (state[i] == 1 ? -u[i] : u[i]);
      violation = std::max({violation, rho_ * wrong, x[i] - upper_, lower_ - x[i]});
    }
    if (violation < least) {
      least = violation;
      best = x;
    }
  }
  for (int i = 0; i < dim_; ++i) r[i] = std::clamp(best[i], lower_, upper_);
  return least <= local_round_off * (best.norm() + rho_ * q.norm());
}

bool LocalContactSolver::solve_frictionless(const Vec3& q, double* r) const {
  std::fill(r, r + dim_, 0.0);
  r[0] = -q[0] / a_;
  return true;
}

/// As above with one tangent: (S + λ) s = −p gives s the sign of −p, so that slip knows its direction.
bool LocalContactSolver::solve_line(const Vec3& q, double* r) const {
  const int t = tangent_;
  const double p = q[t] - w_(t, 0) * q[0] / a_;
  const double s = w_(t, t) - w_(t, 0) * w_(0, t) / a_;
  const bool moves = s > least_determinant * w_(t, t);
  const double sticking = moves ? -p / s : 0.0;  // where no friction moves the tangent, none is as good as any
  std::fill(r, r + dim_, 0.0);
  r[0] = -(q[0] + w_(0, t) * sticking) / a_;
  r[t] = sticking;
  if (std::abs(sticking) <= mu_ * r[0] && (moves || std::abs(p) <= local_round_off * q.norm())) return true;
  const double slope = p > 0.0 ? -mu_ : mu_;
  const double pushing = a_ + w_(0, t) * slope;
  if (!(pushing > 0.0)) {
    r[0] = r[t] = 0.0;
    return false;
  }
  r[0] = -q[0] / pushing;
  r[t] = slope * r[0];
  return true;
}

bool LocalContactSolver::stick(double q_normal, const Vec2& p, double& normal, Vec2& s) const {
  s.noalias() = -(inverse_s_ * p);
  normal = -(q_normal + c_.dot(s)) / a_;
  return regular_ || (adjugate_ * p).norm() <= local_round_off * adjugate_.norm() * p.norm();
}

bool LocalContactSolver::find_slip(double q_normal, const Vec2& p, const Vec2& e, double guess, double& lambda) const {
  const auto psi = [&](double x, double& slope) {
    const Vec2 f = e + x * p;
    const double length = f.norm();
    slope = (length > 0.0 ? p.dot(f) / length : 0.0) + (q_normal * (2.0 * x + trace_) - c_.dot(p)) / a_;
    return length + (q_normal * (x * (x + trace_) + determinant_) - c_.dot(f)) / a_;
  };
  double slope = 0.0;
  // Below the largest root of D the matrix S + λ is not positive: that root is 0 or less unless W_ii is not either.
  const double discriminant = 0.25 * trace_ * trace_ - determinant_;
  double low = std::max(0.0, discriminant > 0.0 ? -0.5 * trace_ + std::sqrt(discriminant) : 0.0);
  if (low > 0.0 && determinant_ >= 0.0 && trace_ >= 0.0) low = 0.0;
  // λ² ≥ k(‖e‖ + λ‖p‖) makes ψ < 0 where D ≥ λ².
  const double k = (a_ + c_.norm()) / -q_normal;
  double high = low + k * p.norm() + std::sqrt(k * e.norm());
  for (int i = 0; i < 60 && psi(high, slope) > 0.0; ++i) high = 2.0 * high + low;
  if (psi(low, slope) < 0.0 || psi(high, slope) > 0.0) return false;
  lambda = guess > low && guess < high ? guess : 0.5 * (low + high);
  for (int i = 0; i < most_slip_steps; ++i) {
    const double value = psi(lambda, slope);
    if (value == 0.0) return true;
    (value > 0.0 ? low : high) = lambda;
    double next = lambda - value / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double moved = std::abs(next - lambda);
    lambda = next;
    if (moved <= 4.0 * std::numeric_limits<double>::epsilon() * lambda) return true;
  }
  return std::isfinite(lambda);
}

bool LocalContactSolver::solve_round(const Vec3& q, const double* u, double* r) const {
  const Vec2 p = axes_.cwiseProduct(q.tail<2>()) - b_ * (q[0] / a_);
  Vec2 s;
  double r_normal = 0.0;
  const bool can_stick = stick(q[0], p, r_normal, s);
  if (can_stick && r_normal >= 0.0 && s.squaredNorm() <= r_normal * r_normal) {
    r[0] = r_normal;
    Eigen::Map<Vec2>(r + 1) = axes_.cwiseProduct(s);
    return true;
  }
  // A singular S that could stop the contact leaves e = 0: what is computed instead would be round-off.
  const Vec2 e = can_stick && !regular_ ? Vec2(Vec2::Zero()) : Vec2(adjugate_ * p);
  const Vec2 old = Eigen::Map<const Vec2>(r + 1).cwiseQuotient(axes_);
  const double guess = -axes_.cwiseProduct(Eigen::Map<const Vec2>(u + 1)).dot(old) / old.squaredNorm();
  double lambda = 0.0;
  if (!find_slip(q[0], p, e, guess, lambda)) return false;
  const double divisor = lambda * (lambda + trace_) + determinant_;
  s = divisor > 0.0 ? Vec2(-(e + lambda * p) / divisor) : Vec2(Vec2::Zero());
  r[0] = std::max(-(q[0] + c_.dot(s)) / a_, 0.0);
  const double length = s.norm();
  if (length > 0.0) s *= r[0] / length;  // exactly on the cone
  Eigen::Map<Vec2>(r + 1) = axes_.cwiseProduct(s);
  return true;
}

LocalContactSolver::PolygonTry LocalContactSolver::try_corner(const Vec3& q, const Vec2& corner, const Vec2& before,
                                                              const Vec2& after) const {
  PolygonTry result;
  const double pushing = a_ + c_.dot(corner);
  if (!(pushing > 0.0)) return result;
  result.normal = -q[0] / pushing;
  result.s = result.normal * corner;
  const Vec2 y = q.tail<2>() + result.normal * b_ + m_ * result.s;
  result.violation = result.normal * std::max({0.0, y.dot(corner - before), y.dot(corner - after)});
  return result;
}

LocalContactSolver::PolygonTry LocalContactSolver::try_side(const Vec3& q, const Vec2& start, const Vec2& end) const {
  PolygonTry result;
  const Vec2 along = end - start;
  // r_N = x + z and s = x start + z end, with u_N = 0 and y · along = 0.
  const double a11 = a_ + c_.dot(start);
  const double a12 = a_ + c_.dot(end);
  const double a21 = along.dot(b_ + m_ * start);
  const double a22 = along.dot(b_ + m_ * end);
  const double determinant = a11 * a22 - a12 * a21;
  if (std::abs(determinant) <= least_determinant * (std::abs(a11 * a22) + std::abs(a12 * a21))) return result;
  const double right = -along.dot(q.tail<2>());
  const double x = (-q[0] * a22 - a12 * right) / determinant;
  const double z = (a11 * right + q[0] * a21) / determinant;
  result.normal = x + z;
  if (!(result.normal > 0.0)) return result;
  result.s = x * start + z * end;
  const Vec2 y = q.tail<2>() + result.normal * b_ + m_ * result.s;
  const double outside = std::max({0.0, -x, -z}) * (std::abs(y.x()) + std::abs(y.y()));
  result.violation = outside + result.normal * std::max(0.0, y.dot(start + end));
  return result;
}

/// Stick, a corner of the polygon, or a point of a side that the velocity is square to: of all the one that misses the
/// most dissipation (J) by the least. In scaled coordinates the corners are on the unit circle.
bool LocalContactSolver::solve_polygon(const Vec3& q, double* r) const {
  const double angle = 2.0 * std::numbers::pi / sides_;
  const Vec2 turn(std::cos(angle), std::sin(angle));
  Vec3 scaled;
  scaled << q[0], axes_.cwiseProduct(q.tail<2>());
  double normal = 0.0;
  Vec2 s;
  if (stick(q[0], scaled.tail<2>() - b_ * (q[0] / a_), normal, s)) {
    double farthest = -infinity;  // over the sides: s · (start + end), which is r_N (1 + cos angle) on a side
    Vec2 start(1.0, 0.0);
    for (int k = 0; k < sides_; ++k) {
      const Vec2 end = turned(turn, start);
      farthest = std::max(farthest, s.dot(start + end));
      start = end;
    }
    if (farthest <= normal * (1.0 + turn.x())) {
      r[0] = normal;
      Eigen::Map<Vec2>(r + 1) = axes_.cwiseProduct(s);
      return true;
    }
  }
  PolygonTry best;
  const auto keep_better = [&best](const PolygonTry& next) {
    if (next.violation < best.violation) best = next;
  };
  Vec2 before(turn.x(), -turn.y());
  Vec2 corner(1.0, 0.0);
  for (int k = 0; k < sides_ && best.violation > 0.0; ++k) {
    const Vec2 after = turned(turn, corner);
    keep_better(try_corner(scaled, corner, before, after));
    keep_better(try_side(scaled, corner, after));
    before = corner;
    corner = after;
  }
  if (best.violation == infinity) return false;
  r[0] = best.normal;
  Eigen::Map<Vec2>(r + 1) = axes_.cwiseProduct(best.s);
  return best.violation <= local_round_off * best.normal * (scaled.norm() + best.normal * (b_.norm() + m_.norm()));
}

}  // namespace cardhouse
