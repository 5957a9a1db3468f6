#include "cardhouse/optimization/lcp.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

/// Pivots of M_FF below this part of the largest are round-off of dependent equations.
constexpr double rank_threshold = 1e-11;
/// Relative residual of dependent equations with consistent data: round-off times the conditioning that the threshold
/// allows, with some reserve.
constexpr double range_tolerance = 1e-8;

/// Entries of M_FF⁺ M_FC below this fraction of the largest are round-off between unrelated unknowns.
constexpr double unrelated = 1e-15;

/// Where each of `size` unknowns is among the chosen ones; −1: it is none of them.
std::vector<int> places_of(const std::vector<int>& chosen, int size) {
  std::vector<int> place(size, -1);
  for (std::size_t i = 0; i < chosen.size(); ++i) place[chosen[i]] = static_cast<int>(i);
  return place;
}

SparseColumns part_of(const SparseColumns& m, const std::vector<int>& rows, const std::vector<int>& columns) {
  const std::vector<int> place = places_of(rows, static_cast<int>(m.rows()));
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (SparseColumns::InnerIterator entry(m, columns[k]); entry; ++entry) {
      if (place[entry.row()] >= 0) entries.emplace_back(place[entry.row()], static_cast<int>(k), entry.value());
    }
  }
  SparseColumns part(static_cast<int>(rows.size()), static_cast<int>(columns.size()));
  part.setFromTriplets(entries.begin(), entries.end());
  return part;
}

/// x − M_FF M_FF⁺ x
template <class Values>
Values out_of_range(const MatX& block, const PseudoInverse& inverse, const Values& x) {
  const Values solution = inverse.apply(x);
  return x - block * solution;
}

}  // namespace

double lcp_error(const Lcp& lcp, const VecX& z) {
  if (z.size() == 0) return 0.0;
  const VecX w = lcp.m * z + lcp.q;
  return w.cwiseMin(z).cwiseAbs().maxCoeff();
}

double complementarity_gap(const Lcp& lcp, const VecX& z, VecX* gradient) {
  const VecX w = lcp.m * z + lcp.q;
  if (gradient) *gradient = w + lcp.m.transpose() * z;
  return z.dot(w);
}

FreeElimination::FreeElimination(const MixedLcp& mixed) : free_(mixed.free) {
  const Lcp& lcp = mixed.lcp;
  for (int i = 0; i < lcp.size(); ++i) {
    if (!std::binary_search(free_.begin(), free_.end(), i)) signed_.push_back(i);
  }
  reduced_.m = part_of(lcp.m, signed_, signed_);
  reduced_.q = lcp.q(signed_);
  contradiction_ = VecX::Zero(lcp.size());
  if (free_.empty()) return;
  free_block_ = part_of(lcp.m, free_, free_);
  coupling_ = part_of(lcp.m, free_, signed_);
  const MatX coupling = coupling_;
  free_q_ = lcp.q(free_);
  inverse_.compute(free_block_, rank_threshold);
  if (!signed_.empty()) {
    const SparseColumns back = part_of(lcp.m, signed_, free_);
    const MatX held = inverse_.apply(coupling);
    const SparseColumns related = held.sparseView(held.cwiseAbs().maxCoeff(), unrelated);
    reduced_.m = SparseColumns(reduced_.m - SparseColumns(back * related));
    reduced_.q -= back * inverse_.apply(free_q_);
  }
  if (inverse_.rank() == free_block_.rows()) return;
  const VecX left = out_of_range(free_block_, inverse_, free_q_);
  contradictory_ = left.norm() > range_tolerance * free_q_.norm();
  for (std::size_t i = 0; contradictory_ && i < free_.size(); ++i) {
    if (std::abs(left[static_cast<Eigen::Index>(i)]) > range_tolerance * free_q_.norm()) {
      contradiction_[free_[i]] = left[static_cast<Eigen::Index>(i)];
    }
  }
  if (signed_.empty()) return;
  equivalent_ = out_of_range(free_block_, inverse_, coupling).norm() <= range_tolerance * coupling.norm();
}

VecX FreeElimination::join(const VecX& z, const VecX& free) const {
  VecX all(static_cast<Eigen::Index>(free_.size() + signed_.size()));
  all(signed_) = z;
  all(free_) = free;
  return all;
}

VecX FreeElimination::expand(const VecX& z) const {
  if (free_.empty()) return z;
  const VecX rest = free_q_ + coupling_ * z;
  VecX free = inverse_.apply(VecX(-rest));
  free -= inverse_.apply(VecX(free_block_ * free + rest));  // one step of refinement
  return join(z, free);
}

VecX FreeElimination::expand_direction(const VecX& z) const {
  if (free_.empty()) return z;
  return join(z, inverse_.apply(VecX(-(coupling_ * z))));
}

}  // namespace cardhouse
