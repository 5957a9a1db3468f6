#include "cardhouse/optimization/lemke.h"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cardhouse/math/constants.h"

namespace cardhouse {
namespace {

/// Entries of the entering column below this part of its largest are round-off, not pivots.
constexpr double pivot_tolerance = 1e-9;
/// Basic values closer than this (of ‖q‖∞) are tied: round-off of a basis between two refactorisations.
constexpr double tie_tolerance = 1e-11;
/// The same for the perturbation's values, of those.
constexpr double perturbation_tolerance = 1e-9;
/// A final basis is a solution when lcp_error is at most this part of ‖q‖∞; a basis whose values are off by more proves
/// nothing.
constexpr double solved_tolerance = 1e-9;
/// Pivots after which the basic values are checked: each costs a third of a pivot.
constexpr int checked_every = 5;

/// Numbers without any relation between them: splitmix64 (Steele, Lea & Flood 2014) of the index.
std::uint64_t mixed(int index) {
  std::uint64_t x = (static_cast<std::uint64_t>(index) + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Between ½ and 1½, so that no two ratios of it tie.
VecX perturbation(int size) {
  VecX p(size);
  for (int i = 0; i < size; ++i) p[i] = 0.5 + static_cast<double>(mixed(i) >> 11) * 0x1p-53;
  return p;
}

/// The basis B of w − M z − d z0 = q: a sparse factorisation and the exchanges since it was made (the product form of
/// the inverse). Variables are numbered w_0 … w_n−1, z_0 … z_n−1, z0.
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
  /// The factorisation and the basic values anew, from the data. False when the basis is singular.
  bool refactorise();
  /// ‖B x − q‖∞ of the basic values x, of ‖q‖∞: what exchanges since the factorisation, or a basis near a singular one,
  /// cost.
  double residual();

  /// The same for the same set of basic variables, and for no other.
  std::uint64_t fingerprint() const { return fingerprint_; }
  VecX point() const;
  /// The change of z when the entering variable grows without end.
  VecX ray(int entering) const;

 private:
  void column_of(int variable, VecX& column) const;
  void collect_basis();
  VecX solved_with_refinement(const VecX& right) const;

  const Lcp& lcp_;
  const VecX& cover_;
  int n_;
  std::vector<int> basic_;  ///< the variable at each position
  VecX value_;              ///< of the basic variables: B⁻¹ q
  VecX perturbation_;       ///< p
  VecX perturbed_;          ///< B⁻¹ p
  VecX direction_, column_, rest_;
  std::vector<int> tied_;
  SparseColumns basis_;
  Eigen::SparseLU<SparseColumns> lu_;
  bool factorised_ = false;  ///< else the first basis, of all w: the identity
  struct Exchange {
    int position;
    VecX direction;
  };
  std::vector<Exchange> exchanges_;  ///< the first `exchanged_` of them, since the factorisation
  std::size_t exchanged_ = 0;
  std::uint64_t fingerprint_ = 0;  ///< sum of the variables' mixed numbers, from the first basis on
};

Basis::Basis(const Lcp& lcp, const VecX& cover)
    : lcp_(lcp), cover_(cover), n_(lcp.size()), basic_(n_), perturbation_(perturbation(n_)), basis_(n_, n_) {
  for (int i = 0; i < n_; ++i) basic_[i] = i;
  value_ = lcp.q;
  perturbed_ = perturbation_;
  tied_.reserve(n_);
}

void Basis::column_of(int variable, VecX& column) const {
  if (variable == artificial()) {
    column = -cover_;
    return;
  }
  column.setZero(n_);
  if (variable < n_) {
    column[variable] = 1.0;
    return;
  }
  for (SparseColumns::InnerIterator entry(lcp_.m, variable - n_); entry; ++entry) column[entry.row()] = -entry.value();
}

/// Of rows with tied q/d the one with the least p/d: what is left of the others is lexicographically positive.
int Basis::start() {
  const double least = lcp_.q.cwiseQuotient(cover_).minCoeff();
  int position = -1;
  for (int i = 0; i < n_; ++i) {
    if (lcp_.q[i] / cover_[i] > least + tie_tolerance) continue;
    if (position < 0 || perturbation_[i] / cover_[i] < perturbation_[position] / cover_[position]) position = i;
  }
  direction_ = -cover_;
  return exchange(position, artificial());
}

void Basis::compute_direction(int entering) {
  column_of(entering, column_);
  if (factorised_) {
    direction_ = lu_.solve(column_);
  } else {
    direction_ = column_;
  }
  for (std::size_t k = 0; k < exchanged_; ++k) {
    const auto& [position, before] = exchanges_[k];
    if (direction_[position] == 0.0) continue;
    const double step = direction_[position] / before[position];
    direction_ -= step * before;
    direction_[position] = step;
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
  double least = infinity;
  for (int i = 0; i < n_; ++i) {
    if (direction_[i] <= least_pivot || std::max(value_[i], 0.0) > step * direction_[i]) continue;
    if (basic_[i] == artificial()) return i;  // a solution: nothing is left to decide
    tied_.push_back(i);
    least = std::min(least, perturbed_[i] / direction_[i]);
  }
  // Of those that tie in p too, the largest pivot.
  const double limit = least + perturbation_tolerance * (1.0 + std::abs(least));
  int best = -1;
  for (int i : tied_) {
    if (perturbed_[i] / direction_[i] <= limit && (best < 0 || direction_[i] > direction_[best])) best = i;
  }
  return best;
}

int Basis::exchange(int position, int entering) {
  const auto move = [&](VecX& values, double step) {
    values -= step * direction_;
    values[position] = step;
  };
  move(value_, value_[position] / direction_[position]);
  move(perturbed_, perturbed_[position] / direction_[position]);
  if (exchanged_ == exchanges_.size()) exchanges_.emplace_back();
  exchanges_[exchanged_].position = position;
  exchanges_[exchanged_].direction = direction_;
  ++exchanged_;
  fingerprint_ += mixed(entering) - mixed(basic_[position]);
  std::swap(basic_[position], entering);
  return entering;
}

void Basis::collect_basis() {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n_; ++i) {
    const int variable = basic_[i];
    if (variable < n_) {
      entries.emplace_back(variable, i, 1.0);
    } else if (variable == artificial()) {
      for (int equation = 0; equation < n_; ++equation) entries.emplace_back(equation, i, -cover_[equation]);
    } else {
      for (SparseColumns::InnerIterator entry(lcp_.m, variable - n_); entry; ++entry) {
        entries.emplace_back(static_cast<int>(entry.row()), i, -entry.value());
      }
    }
  }
  basis_.setFromTriplets(entries.begin(), entries.end());
}

/// With a step of refinement: the answer is as good as the data, not as the factors.
VecX Basis::solved_with_refinement(const VecX& right) const {
  VecX x = lu_.solve(right);
  x += lu_.solve(right - basis_ * x);
  return x;
}

double Basis::residual() {
  rest_ = -lcp_.q;
  for (int i = 0; i < n_; ++i) {
    const int variable = basic_[i];
    if (variable < n_) {
      rest_[variable] += value_[i];
    } else if (variable == artificial()) {
      rest_ -= value_[i] * cover_;
    } else {
      for (SparseColumns::InnerIterator entry(lcp_.m, variable - n_); entry; ++entry) {
        rest_[entry.row()] -= value_[i] * entry.value();
      }
    }
  }
  return rest_.cwiseAbs().maxCoeff();
}

bool Basis::refactorise() {
  collect_basis();
  lu_.compute(basis_);
  if (lu_.info() != Eigen::Success) return false;
  factorised_ = true;
  exchanged_ = 0;
  value_ = solved_with_refinement(lcp_.q);
  perturbed_ = solved_with_refinement(perturbation_);
  return value_.allFinite() && perturbed_.allFinite();
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

/// One path: a basis and how much of it can be trusted.
class Path {
 public:
  Path(const Lcp& lcp, const VecX& cover, const LemkeOptions& options, LemkeResult& result)
      : lcp_(lcp), options_(options), result_(result), basis_(lcp, cover) {}

  /// To its end. Pivots and factorisations are added to the result's.
  void follow();

 private:
  bool limited();
  bool refactorisation_is_due();
  /// False when the basis is singular.
  bool refactorise();
  /// The next exchange's position for the entering variable, −1 for a ray; refactorises when it is time or digits were
  /// lost, and before a ray is believed. Nothing when the basis is singular.
  std::optional<int> next_position(int entering);
  /// What a path that ends in this basis without a solution tells.
  LemkeStatus verdict(LemkeStatus status) const;
  void accept();

  const Lcp& lcp_;
  const LemkeOptions& options_;
  LemkeResult& result_;
  Basis basis_;
  int exchanges_ = 1;      ///< since the factorisation
  double residual_ = 0.0;  ///< of the last factorisation
};

bool Path::limited() {
  const bool stopped = options_.stop && options_.stop();
  if (!stopped && result_.pivots < options_.max_pivots) return false;
  result_.status = stopped ? LemkeStatus::stopped : LemkeStatus::iteration_limit;
  return true;
}

bool Path::refactorise() {
  exchanges_ = 0;
  ++result_.factorisations;
  residual_ = basis_.refactorise() ? basis_.residual() : infinity;
  result_.residual = residual_;
  return residual_ < infinity;
}

LemkeStatus Path::verdict(LemkeStatus status) const {
  return residual_ <= solved_tolerance ? status : LemkeStatus::lost_digits;
}

bool Path::refactorisation_is_due() {
  if (exchanges_ >= options_.refactorise_every) return true;
  return exchanges_ > 0 && exchanges_ % checked_every == 0 && basis_.residual() > tie_tolerance;
}

std::optional<int> Path::next_position(int entering) {
  if (!refactorisation_is_due()) {
    basis_.compute_direction(entering);
    const int position = basis_.leaving_position();
    if (position >= 0 || exchanges_ == 0) return position;
  }
  if (!refactorise()) return std::nullopt;
  basis_.compute_direction(entering);
  return basis_.leaving_position();
}

void Path::accept() {
  result_.status = LemkeStatus::lost_digits;
  if (!refactorise()) return;
  VecX z = basis_.point();
  const double error = lcp_error(lcp_, z);
  result_.residual = std::max(residual_, error);
  if (error > solved_tolerance) return;
  result_.status = LemkeStatus::solved;
  result_.z = std::move(z);
}

void Path::follow() {
  int leaving = basis_.start();
  ++result_.pivots;
  std::unordered_set<std::uint64_t> bases;
  while (leaving != basis_.artificial()) {
    // Never in exact arithmetic. Values as small as round-off can tie in one basis and not in the next.
    if (!bases.insert(basis_.fingerprint()).second) {
      result_.status = verdict(LemkeStatus::came_back);
      return;
    }
    if (limited()) return;
    const int entering = basis_.complement(leaving);
    const auto position = next_position(entering);
    if (!position) {
      result_.status = LemkeStatus::lost_digits;
      return;
    }
    if (*position < 0) {
      result_.status = verdict(LemkeStatus::ray);
      result_.ray = basis_.ray(entering);
      return;
    }
    leaving = basis_.exchange(*position, entering);
    ++result_.pivots;
    ++exchanges_;
  }
  accept();
}

/// Whether another covering vector may do better.
bool failed(LemkeStatus status) {
  return status == LemkeStatus::ray || status == LemkeStatus::lost_digits || status == LemkeStatus::came_back;
}

/// e first; then vectors between ½ and 1½ that follow the golden ratio and have no symmetry with any problem's.
VecX covering_vector(int size, int attempt) {
  VecX cover = VecX::Ones(size);
  constexpr double golden = 0.6180339887498949;
  for (int i = 0; attempt > 0 && i < size; ++i) cover[i] = 0.5 + std::fmod(golden * (i + 1.0) * attempt, 1.0);
  return cover;
}

bool is_finite(const Lcp& lcp) {
  for (int k = 0; k < lcp.m.outerSize(); ++k) {
    for (SparseColumns::InnerIterator entry(lcp.m, k); entry; ++entry) {
      if (!std::isfinite(entry.value())) return false;
    }
  }
  return lcp.q.allFinite();
}

}  // namespace

LemkeResult solve_lemke(const Lcp& lcp, const LemkeOptions& options) {
  LemkeResult result;
  const int n = lcp.size();
  if (!is_finite(lcp)) return result;
  if (n == 0 || lcp.q.minCoeff() >= 0.0) {
    result.status = LemkeStatus::solved;
    result.z = VecX::Zero(n);
    return result;
  }
  const double size = lcp.q.cwiseAbs().maxCoeff();
  const Lcp scaled{lcp.m, lcp.q / size};
  int rays = 0;
  for (int attempt = 0; attempt < options.covering_vectors && rays < options.rays; ++attempt) {
    const VecX cover = covering_vector(n, attempt);
    Path(scaled, cover, options, result).follow();
    if (!failed(result.status)) break;
    if (result.status == LemkeStatus::ray) ++rays;
  }
  if (result.status != LemkeStatus::ray) result.ray.resize(0);
  result.z *= size;
  return result;
}

}  // namespace cardhouse
