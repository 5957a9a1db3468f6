#include "cardhouse/model/source_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace cardhouse {
namespace {

constexpr int most_in_a_leaf = 8;  // below, a cell's moments cost more than its points
constexpr int most_depth = 50;     // halvings after which points are as good as one

}  // namespace

void SourceTree::clear() {
  positions_.clear();
  weights_.clear();
  cells_.clear();
}

void SourceTree::add(const Vec3& position, double weight) {
  positions_.push_back(position);
  weights_.push_back(weight);
}

void SourceTree::build() {
  order_.resize(positions_.size());
  scratch_.resize(positions_.size());
  std::iota(order_.begin(), order_.end(), 0);
  cells_.clear();
  if (positions_.empty()) return;
  Cell root;
  root.end = size();
  cells_.push_back(root);
  split(0, 0);
}

void SourceTree::measure(Cell& cell) const {
  // The centre of the weights' sizes: of masses the dipole vanishes there; charges may cancel, their sizes don't.
  double total = 0.0;
  Vec3 sum = Vec3::Zero();
  Vec3 mean = Vec3::Zero();
  for (int k = cell.begin; k < cell.end; ++k) {
    const double size = std::abs(weights_[order_[k]]);
    total += size;
    sum += size * positions_[order_[k]];
    mean += positions_[order_[k]];
  }
  cell.centre = total > 0.0 ? Vec3(sum / total) : Vec3(mean / (cell.end - cell.begin));
  for (int k = cell.begin; k < cell.end; ++k) {
    const Vec3 y = positions_[order_[k]] - cell.centre;
    const double w = weights_[order_[k]];
    cell.radius = std::max(cell.radius, y.norm());
    cell.weight += w;
    cell.dipole += w * y;
    cell.second += w * y * y.transpose();
  }
}

void SourceTree::split(int index, int depth) {
  measure(cells_[index]);
  const int begin = cells_[index].begin;
  const int end = cells_[index].end;
  if (end - begin <= most_in_a_leaf || cells_[index].radius == 0.0 || depth == most_depth) return;

  Vec3 low = positions_[order_[begin]];
  Vec3 high = low;
  for (int k = begin; k < end; ++k) {
    low = low.cwiseMin(positions_[order_[k]]);
    high = high.cwiseMax(positions_[order_[k]]);
  }
  const Vec3 middle = 0.5 * (low + high);
  const auto octant = [&](int source) {
    const Vec3& p = positions_[source];
    return (p.x() > middle.x() ? 1 : 0) + (p.y() > middle.y() ? 2 : 0) + (p.z() > middle.z() ? 4 : 0);
  };
  std::array<int, 9> first{};
  for (int k = begin; k < end; ++k) ++first[octant(order_[k]) + 1];
  for (int o = 0; o < 8; ++o) first[o + 1] += first[o];
  std::array<int, 8> next{};
  std::copy_n(first.begin(), 8, next.begin());
  for (int k = begin; k < end; ++k) scratch_[begin + next[octant(order_[k])]++] = order_[k];
  std::copy(scratch_.begin() + begin, scratch_.begin() + end, order_.begin() + begin);

  const int first_child = static_cast<int>(cells_.size());
  for (int o = 0; o < 8; ++o) {
    if (first[o] == first[o + 1]) continue;
    Cell child;
    child.begin = begin + first[o];
    child.end = begin + first[o + 1];
    cells_.push_back(child);
  }
  const int children = static_cast<int>(cells_.size()) - first_child;
  cells_[index].first_child = first_child;
  cells_[index].children = children;
  for (int c = 0; c < children; ++c) split(first_child + c, depth + 1);
}

void SourceTree::add_source(int source, const Vec3& x, double softening, FieldValue& value) const {
  const Vec3 d = x - positions_[source];
  const double squared = d.squaredNorm() + softening * softening;
  if (squared == 0.0) return;
  const double inverse = 1.0 / std::sqrt(squared);
  value.potential += weights_[source] * inverse;
  value.gradient -= weights_[source] * inverse / squared * d;
}

void SourceTree::add_cell(const Cell& cell, const Vec3& x, int left_out, double softening, double opening_angle,
                          FieldValue& value) const {
  const Vec3 d = x - cell.centre;
  const double distance_squared = d.squaredNorm();
  if (cell.radius * cell.radius < opening_angle * opening_angle * distance_squared) {
    const double i2 = 1.0 / (distance_squared + softening * softening);
    const double i1 = std::sqrt(i2);
    const double i3 = i1 * i2;
    const double i5 = i3 * i2;
    const Vec3 sd = cell.second * d;
    const double dsd = d.dot(sd);
    const double trace = cell.second.trace();
    const double along = cell.dipole.dot(d);
    value.potential += cell.weight * i1 + along * i3 + 0.5 * (3.0 * dsd * i5 - trace * i3);
    value.gradient += (-cell.weight * i3 - 3.0 * along * i5 - 7.5 * dsd * i5 * i2 + 1.5 * trace * i5) * d +
                      i3 * cell.dipole + 3.0 * i5 * sd;
    return;
  }
  for (int c = 0; c < cell.children; ++c) {
    add_cell(cells_[cell.first_child + c], x, left_out, softening, opening_angle, value);
  }
  if (cell.children > 0) return;
  for (int k = cell.begin; k < cell.end; ++k) {
    if (order_[k] != left_out) add_source(order_[k], x, softening, value);
  }
}

FieldValue SourceTree::evaluate_by_tree(const Vec3& x, int left_out, double softening, double opening_angle) const {
  FieldValue value;
  if (!cells_.empty()) add_cell(cells_.front(), x, left_out, softening, opening_angle, value);
  return value;
}

FieldValue SourceTree::evaluate_by_sum(const Vec3& x, int left_out, double softening) const {
  FieldValue value;
  for (int source = 0; source < size(); ++source) {
    if (source != left_out) add_source(source, x, softening, value);
  }
  return value;
}

}  // namespace cardhouse
