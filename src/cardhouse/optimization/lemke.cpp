#include "cardhouse/optimization/lemke.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace cardhouse {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Entries of the entering column below this part of its largest are round-off, not pivots.
constexpr double pivot_tolerance = 1e-9;
/// Basic values closer than this (of ‖q‖∞) are tied: round-off of a basis between two refactorisations.
constexpr double tie_tolerance = 1e-11;
/// The same for the rows of B⁻¹, which the lexicographic rule compares.
constexpr double lexicographic_tolerance = 1e-9;
/// Bases with a smaller reciprocal condition number have no digits left.
constexpr double least_condition = 1e-15;
/// A final basis is a solution when lcp_error is at most this part of ‖q‖∞.
constexpr double solved_tolerance = 1e-9;

/// The basis of w − M z − d z0 = q, with its explicit inverse: the lexicographic rule reads its rows. Variables are
/// numbered w_0 … w_n−1, z_0 … z_n−1, z0. Only the inverse's columns of equations whose own w has left the basis differ
/// from unit vectors; the others cost nothing.
class Basis {
 public:
  Basis(const Lcp& lcp, const VecX& cover);

  int artificial() const { return 2 * n_; }
  int complement(int variable) const { return variable < n_ ? variable + n_ : variable - n_; }

  /// z0 enters where q/d is least; returns the variable that leaves.
  int start();
  /// B⁻¹ times the variable's column.
  void compute_direction(int entering);
  /// The lexicographic ratio test on the direction; −1: no variable blocks the entering one.
  int leaving_position();
  /// The variable at the position leaves; returns it.
  int exchange(int position, int entering);
  /// B⁻¹ and the basic values anew, from the data. False when the basis is singular.
  bool refactorise();

  VecX point() const;
  /// The change of z when the entering variable grows without end.
  VecX ray(int entering) const;

 private:
  double original(int equation, int variable) const;
  void split_basis();
  void solve_basic_values();

  const Lcp& lcp_;
  const VecX& cover_;
  int n_;
  std::vector<int> basic_;  ///< the variable at each position
  MatX inverse_;            ///< position × equation
  VecX value_;              ///< of the basic variables
  VecX direction_, column_;
  std::vector<int> tied_;
  // The part of the basis that is not slack: equations without their w, and positions of z and z0.
  std::vector<int> equations_, positions_;
  MatX block_;
  Eigen::PartialPivLU<MatX> lu_;
};

Basis::Basis(const Lcp& lcp, const VecX& cover) : lcp_(lcp), cover_(cover), n_(lcp.size()), basic_(n_) {
  for (int i = 0; i < n_; ++i) basic_[i] = i;
  inverse_.setIdentity(n_, n_);
  value_ = lcp.q;
  direction_.resize(n_);
  column_.resize(n_);
  tied_.reserve(n_);
}

double Basis::original(int equation, int variable) const {
  if (variable < n_) return variable == equation ? 1.0 : 0.0;
  if (variable == artificial()) return -cover_[equation];
  return -lcp_.m(equation, variable - n_);
}

int Basis::start() {
  // Of tied rows the last one: e_i − (d_i/d_r) e_r, what is left of the others, is lexicographically positive for i <
  // r.
  int position = 0;
  for (int i = 1; i < n_; ++i) {
    if (lcp_.q[i] / cover_[i] <= lcp_.q[position] / cover_[position]) position = i;
  }
  direction_ = -cover_;
  const int leaving = basic_[position];
  const double size = -lcp_.q[position] / cover_[position];
  value_ = (lcp_.q + size * cover_).cwiseMax(0.0);
  value_[position] = size;
  inverse_.col(position) = -cover_ / cover_[position];
  inverse_(position, position) = -1.0 / cover_[position];
  basic_[position] = artificial();
  return leaving;
}

void Basis::compute_direction(int entering) {
  if (entering < n_) {
    direction_ = inverse_.col(entering);
  } else {
    column_ = -lcp_.m.col(entering - n_);
    direction_.noalias() = inverse_ * column_;
  }
}

int Basis::leaving_position() {
  const double least_pivot = pivot_tolerance * std::max(direction_.cwiseAbs().maxCoeff(), 1.0);
  // Values may be off by the tie tolerance: the largest step under which none of them becomes more negative than that.
  double step = infinity;
  for (int i = 0; i < n_; ++i) {
    if (direction_[i] > least_pivot) step = std::min(step, (std::max(value_[i], 0.0) + tie_tolerance) / direction_[i]);
  }
  if (step == infinity) return -1;
  tied_.clear();
  for (int i = 0; i < n_; ++i) {
    if (direction_[i] <= least_pivot || std::max(value_[i], 0.0) > step * direction_[i]) continue;
    if (basic_[i] == artificial()) return i;  // a solution: nothing is left to decide
    tied_.push_back(i);
  }
  for (int equation = 0; equation < n_ && tied_.size() > 1; ++equation) {
    double least = infinity;
    for (int i : tied_) least = std::min(least, inverse_(i, equation) / direction_[i]);
    const double limit = least + lexicographic_tolerance * (1.0 + std::abs(least));
    std::erase_if(tied_, [&](int i) { return inverse_(i, equation) / direction_[i] > limit; });
  }
  return tied_.front();
}

int Basis::exchange(int position, int entering) {
  const double step = std::max(value_[position], 0.0) / direction_[position];
  value_ -= step * direction_;
  value_[position] = step;
  for (int equation = 0; equation < n_; ++equation) {
    const double factor = inverse_(position, equation) / direction_[position];
    if (factor == 0.0) continue;
    inverse_.col(equation) -= factor * direction_;
    inverse_(position, equation) = factor;
  }
  std::swap(basic_[position], entering);
  return entering;
}

/// B = [I G; 0 H] up to order: H couples the equations without a slack with the other basic variables.
void Basis::split_basis() {
  equations_.assign(n_, 1);
  positions_.clear();
  for (int i = 0; i < n_; ++i) {
    if (basic_[i] < n_) {
      equations_[basic_[i]] = 0;
    } else {
      positions_.push_back(i);
    }
  }
  int count = 0;
  for (int equation = 0; equation < n_; ++equation) {
    if (equations_[equation]) equations_[count++] = equation;
  }
  equations_.resize(count);
}

/// H x_z = q with a step of refinement, then x_w = q − G x_z: the answer is as good as the data, not as the inverse.
void Basis::solve_basic_values() {
  const VecX right = lcp_.q(equations_);
  VecX x = lu_.solve(right);
  x += lu_.solve(right - block_ * x);
  for (int i = 0; i < n_; ++i) {
    if (basic_[i] >= n_) continue;
    double value = lcp_.q[basic_[i]];
    for (std::size_t k = 0; k < positions_.size(); ++k) {
      value -= original(basic_[i], basic_[positions_[k]]) * x[static_cast<Eigen::Index>(k)];
    }
    value_[i] = value;
  }
  value_(positions_) = x;
}

bool Basis::refactorise() {
  split_basis();
  const int count = static_cast<int>(positions_.size());
  if (count == 0) {
    value_ = lcp_.q;
    return true;
  }
  block_.resize(count, count);
  for (int k = 0; k < count; ++k) {
    for (int e = 0; e < count; ++e) block_(e, k) = original(equations_[e], basic_[positions_[k]]);
  }
  lu_.compute(block_);
  if (!(lu_.rcond() > least_condition)) return false;
  solve_basic_values();
  const MatX inverse = lu_.inverse();
  MatX slack(n_ - count, count);  // G
  std::vector<int> slack_positions;
  for (int i = 0; i < n_; ++i) {
    if (basic_[i] >= n_) continue;
    const int row = static_cast<int>(slack_positions.size());
    for (int k = 0; k < count; ++k) slack(row, k) = original(basic_[i], basic_[positions_[k]]);
    slack_positions.push_back(i);
  }
  inverse_.setZero();
  for (int i : slack_positions) inverse_(i, basic_[i]) = 1.0;
  inverse_(positions_, equations_) = inverse;
  inverse_(slack_positions, equations_) = -(slack * inverse);
  return value_.allFinite();
}

VecX Basis::point() const {
  VecX z = VecX::Zero(n_);
  for (int i = 0; i < n_; ++i) {
    if (basic_[i] >= n_ && basic_[i] != artificial()) z[basic_[i] - n_] = std::max(value_[i], 0.0);
  }
  return z;
}

VecX Basis::ray(int entering) const {
  VecX z = VecX::Zero(n_);
  if (entering >= n_) z[entering - n_] = 1.0;
  for (int i = 0; i < n_; ++i) {
    if (basic_[i] >= n_ && basic_[i] != artificial()) z[basic_[i] - n_] = std::max(-direction_[i], 0.0);
  }
  const double largest = z.maxCoeff();
  return largest > 0.0 ? VecX(z / largest) : z;
}

/// The next exchange's position for the entering variable, −1 for a ray; refactorises when it is time, and before a ray
/// is believed. Nothing when the basis is singular.
std::optional<int> next_position(Basis& basis, int entering, int every, int& since_refactorisation) {
  if (since_refactorisation < every) {
    basis.compute_direction(entering);
    const int position = basis.leaving_position();
    if (position >= 0 || since_refactorisation == 0) return position;
  }
  since_refactorisation = 0;
  if (!basis.refactorise()) return std::nullopt;
  basis.compute_direction(entering);
  return basis.leaving_position();
}

/// One path. Its pivots are added to the result's.
void follow_path(const Lcp& lcp, const VecX& cover, const LemkeOptions& options, LemkeResult& result) {
  Basis basis(lcp, cover);
  int since_refactorisation = 1;
  int leaving = basis.start();
  ++result.pivots;
  while (leaving != basis.artificial()) {
    const bool stopped = options.stop && options.stop();
    if (stopped || result.pivots >= options.max_pivots) {
      result.status = stopped ? LemkeStatus::stopped : LemkeStatus::iteration_limit;
      return;
    }
    const int entering = basis.complement(leaving);
    const auto position = next_position(basis, entering, options.refactorise_every, since_refactorisation);
    if (!position) {
      result.status = LemkeStatus::failed;
      return;
    }
    if (*position < 0) {
      result.status = LemkeStatus::ray;
      result.ray = basis.ray(entering);
      return;
    }
    leaving = basis.exchange(*position, entering);
    ++result.pivots;
    ++since_refactorisation;
  }
  result.status = LemkeStatus::failed;
  if (!basis.refactorise()) return;
  VecX z = basis.point();
  if (lcp_error(lcp, z) > solved_tolerance) return;
  result.status = LemkeStatus::solved;
  result.z = std::move(z);
}

/// e first; then vectors between ½ and 1½ that follow the golden ratio and have no symmetry with any problem's.
VecX covering_vector(int size, int attempt) {
  VecX cover = VecX::Ones(size);
  constexpr double golden = 0.6180339887498949;
  for (int i = 0; attempt > 0 && i < size; ++i) cover[i] = 0.5 + std::fmod(golden * (i + 1.0) * attempt, 1.0);
  return cover;
}

}  // namespace

LemkeResult solve_lemke(const Lcp& lcp, const LemkeOptions& options) {
  LemkeResult result;
  const int n = lcp.size();
  if (!lcp.m.allFinite() || !lcp.q.allFinite()) return result;
  if (n == 0 || lcp.q.minCoeff() >= 0.0) {
    result.status = LemkeStatus::solved;
    result.z = VecX::Zero(n);
    return result;
  }
  const double size = lcp.q.cwiseAbs().maxCoeff();
  const Lcp scaled{lcp.m, lcp.q / size};
  for (int attempt = 0; attempt < options.covering_vectors; ++attempt) {
    follow_path(scaled, covering_vector(n, attempt), options, result);
    if (result.status != LemkeStatus::ray && result.status != LemkeStatus::failed) break;
  }
  if (result.status != LemkeStatus::ray) result.ray.resize(0);
  result.z *= size;
  return result;
}

}  // namespace cardhouse
