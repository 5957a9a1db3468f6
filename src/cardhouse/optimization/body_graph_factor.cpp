#include "cardhouse/optimization/body_graph_factor.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <limits>
#include <string>

#include "cardhouse/base/memory_limit.h"

namespace cardhouse {
namespace {

using Stride = Eigen::OuterStride<>;
using ConstPanel = Eigen::Map<const MatX, 0, Stride>;
/// Runs of rows times runs of columns up to which a product goes straight to its places.
constexpr std::size_t few_runs = 4;
/// Up to this size a pivot is inverted without touching the heap: all of them, but for bodies with many dofs of their
/// own.
constexpr int most_on_stack = 48;
using SmallMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most_on_stack, most_on_stack>;

template <typename Matrix>
bool invert(Eigen::Ref<MatX, 0, Stride> pivot, BodyGraphFactor::Form form) {
  const Matrix copy = pivot;
  if (form == BodyGraphFactor::Form::positive_definite) {
    const Eigen::LLT<Matrix> factor(copy);
    if (factor.info() != Eigen::Success) return false;
    pivot.setIdentity();
    factor.solveInPlace(pivot);
  } else {
    const Eigen::PartialPivLU<Matrix> factor(copy);
    pivot = factor.inverse();
  }
  return pivot.allFinite();
}

}  // namespace

void BodyGraphFactor::analyse(const BodyMatrix& a, const BlockRows& j) {
  try {
    if (!graph_.update(a, j)) return;
    supernodes_.build(graph_, a);
    lay_out(a, j);
  } catch (...) {
    *this = BodyGraphFactor();  // the next call must not take what is half laid out for done
    throw;
  }
}

void BodyGraphFactor::lay_out(const BodyMatrix& a, const BlockRows& j) {
  const auto nodes = supernodes_.nodes();
  double numbers = 0.0;
  for (const Supernodes::Node& node : nodes) numbers += (2.0 * node.rows - node.width) * node.width;
  require_memory(sizeof(double) * numbers, "the factorisation of " + std::to_string(a.rows()) + " velocities");
  if (numbers > std::numeric_limits<int>::max()) throw MemoryError("a factorisation of more than 2³¹ numbers");
  panel_start_.clear();
  upper_start_.clear();
  int panel = 0;
  int upper = 0;
  int largest_product = 0;
  int largest_panel = 0;
  int most_rows = 0;
  int largest_width = 0;
  for (const Supernodes::Node& node : nodes) {
    panel_start_.push_back(panel);
    upper_start_.push_back(upper);
    panel += node.rows * node.width;
    upper += (node.rows - node.width) * node.width;
    largest_panel = std::max(largest_panel, node.rows * node.width);
    most_rows = std::max(most_rows, node.rows);
    largest_width = std::max(largest_width, node.width);
    for (const Supernodes::Update& u : supernodes_.updates(node)) {
      largest_product = std::max(largest_product, (node.rows - u.from) * (u.to - u.from));
    }
  }
  panels_.resize(panel);
  upper_.resize(upper);
  scaled_.resize(largest_panel);
  product_.resize(largest_product);
  minus_inverse_.resize(largest_width * largest_width);
  below_.resize(most_rows);
  work_.resize(largest_width);
  ordered_.resize(a.rows());

  offset_.resize(a.blocks());
  size_.resize(a.blocks());
  diagonal_.resize(a.blocks());
  diagonal_stride_.resize(a.blocks());
  for (int k = 0; k < a.blocks(); ++k) {
    const int body = graph_.body_at(k);
    const Target own_block = target(k, k);
    offset_[k] = a.offset(body);
    size_[k] = a.size(body);
    diagonal_[body] = own_block.value;
    diagonal_stride_[body] = own_block.stride;
  }
  targets_.clear();
  first_target_.assign(1, 0);
  for (int g = 0; g < j.groups(); ++g) {
    const auto entries = j.entries(g);
    for (int e = 0; e < static_cast<int>(entries.size()); ++e) {
      for (int f = 0; f < static_cast<int>(entries.size()); ++f) {
        targets_.push_back(target(graph_.place(entries[e].block), graph_.place(entries[f].block)));
        targets_.back().first = e;
        targets_.back().second = f;
      }
    }
    first_target_.push_back(static_cast<int>(targets_.size()));
  }
}

/// The block of H in row and column of two places. A node's panel holds its columns from its own first row down; what
/// is right of its own columns is in upper_.
BodyGraphFactor::Target BodyGraphFactor::target(int row, int column) const {
  const int n = supernodes_.node_of(std::min(row, column));
  const Supernodes::Node& node = supernodes_.nodes()[n];
  Target result;
  result.upper = column >= node.last;
  const int across = supernodes_.start(result.upper ? row : column) - node.start;
  const int down = supernodes_.row_in(node, result.upper ? column : row) - (result.upper ? node.width : 0);
  result.stride = node.rows - (result.upper ? node.width : 0);
  result.value = (result.upper ? upper_start_[n] : panel_start_[n]) + down + across * result.stride;
  return result;
}

BodyGraphFactor::Panel BodyGraphFactor::own(std::size_t n) {
  const Supernodes::Node& node = supernodes_.nodes()[n];
  return Panel(panels_.data() + panel_start_[n], node.width, node.width, Stride(node.rows));
}

BodyGraphFactor::Panel BodyGraphFactor::lower(std::size_t n) {
  const Supernodes::Node& node = supernodes_.nodes()[n];
  return Panel(panels_.data() + panel_start_[n] + node.width, node.rows - node.width, node.width, Stride(node.rows));
}

BodyGraphFactor::Panel BodyGraphFactor::upper(std::size_t n) {
  const Supernodes::Node& node = supernodes_.nodes()[n];
  const int rows = node.rows - node.width;
  return Panel(upper_.data() + upper_start_[n], rows, node.width, Stride(rows));
}

void BodyGraphFactor::fill(const BodyMatrix& a, const BlockRows& j, std::span<const Mat3> theta) {
  std::fill(panels_.begin(), panels_.end(), 0.0);
  if (form_ == Form::general) std::fill(upper_.begin(), upper_.end(), 0.0);
  for (int i = 0; i < a.blocks(); ++i) {
    Panel(panels_.data() + diagonal_[i], a.size(i), a.size(i), Stride(diagonal_stride_[i])) = a.block(i);
  }
  for (int g = 0; g < j.groups(); ++g) {
    if (theta[g].topLeftCorner(j.group(g).dim, j.group(g).dim).isZero(0.0)) continue;
    const auto entries = j.entries(g);
    for (int t = first_target_[g]; t < first_target_[g + 1]; ++t) {
      add_product(targets_[t], j, g, entries[targets_[t].first], theta[g], g, entries[targets_[t].second]);
    }
  }
}

/// Each coupling stands twice in H, once transposed: `upper` keeps blocks transposed.
void BodyGraphFactor::add_couplings(const BodyMatrix& a) {
  const auto add = [&](int row, int column, const auto& block) {
    const Target place = target(graph_.place(row), graph_.place(column));
    if (!place.upper) {
      Panel(panels_.data() + place.value, block.rows(), block.cols(), Stride(place.stride)) += block;
    } else if (form_ == Form::general) {
      Panel(upper_.data() + place.value, block.cols(), block.rows(), Stride(place.stride)) += block.transpose();
    }
  };
  for (const BodyMatrix::Coupled& body : a.coupled_bodies()) {
    for (const CoupledBlocks::Coupling& c : body.matrix->couplings()) {
      add(body.first_block + c.row, body.first_block + c.column, body.matrix->block(c));
      add(body.first_block + c.column, body.first_block + c.row, body.matrix->block(c).transpose());
    }
  }
}

/// Few groups have such weights: their places are not kept.
void BodyGraphFactor::fill_cross(const BlockRows& j, int group, const Mat3& weight, int leader) {
  for (const BlockRows::Entry& e : j.entries(group)) {
    for (const BlockRows::Entry& f : j.entries(leader)) {
      add_product(target(graph_.place(e.block), graph_.place(f.block)), j, group, e, weight, leader, f);
    }
  }
}

/// Adds J_eᵀ weight J_f, e an entry of the left group and f one of the right.
void BodyGraphFactor::add_product(const Target& place, const BlockRows& j, int left, const BlockRows::Entry& e,
                                  const Mat3& weight, int right, const BlockRows::Entry& f) {
  const auto w = weight.topLeftCorner(j.group(left).dim, j.group(right).dim);
  if (!place.upper) {
    weighted_.noalias() = w * j.block(right, f);
    Panel(panels_.data() + place.value, e.size, f.size, Stride(place.stride)).noalias() +=
        j.block(left, e).transpose().lazyProduct(weighted_);
  } else if (form_ == Form::general) {  // else it mirrors what is below the diagonal
    weighted_.noalias() = w.transpose() * j.block(left, e);
    Panel(upper_.data() + place.value, f.size, e.size, Stride(place.stride)).noalias() +=
        j.block(right, f).transpose().lazyProduct(weighted_);
  }
}

bool BodyGraphFactor::factorise(const BodyMatrix& a, const BlockRows& j, std::span<const Mat3> theta, Form form,
                                std::span<const Mat3> cross, std::span<const int> leader) {
  form_ = form;
  fill(a, j, theta);
  add_couplings(a);
  for (int g = 0; g < static_cast<int>(cross.size()); ++g) {
    if (leader[g] >= 0) fill_cross(j, g, cross[g], leader[g]);
  }
  for (std::size_t n = 0; n < supernodes_.nodes().size(); ++n) {
    if (!eliminate(n)) return false;
  }
  return true;
}

bool BodyGraphFactor::invert_pivot(Panel pivot) {
  return pivot.rows() <= most_on_stack ? invert<SmallMatrix>(pivot, form_) : invert<MatX>(pivot, form_);
}

/// Inverts a node's pivot, makes its columns of L and takes the product of its columns and rows from what is left.
bool BodyGraphFactor::eliminate(std::size_t n) {
  const Supernodes::Node& node = supernodes_.nodes()[n];
  Panel inverse = own(n);
  if (!invert_pivot(inverse)) return false;
  const int width = node.width;
  const int rows = node.rows - width;
  if (rows == 0) return true;
  Panel l = lower(n);
  Panel h(scaled_.data(), rows, width, Stride(rows));
  Panel minus_inverse(minus_inverse_.data(), width, width, Stride(width));
  h = l;
  minus_inverse = -inverse.transpose();
  l.setZero();
  subtract_product(rows, width, width, {h.data(), rows}, {minus_inverse.data(), width}, l.data(), node.rows);
  const DenseView u = form_ == Form::general ? DenseView{upper(n).data(), rows} : DenseView{h.data(), rows};
  for (const Supernodes::Update& update : supernodes_.updates(node)) {
    take_from(update, node, {l.data(), node.rows}, u);
  }
  return true;
}

/// Subtracts the product of this node's columns of L and rows of U from a later node's panels.
void BodyGraphFactor::take_from(const Supernodes::Update& update, const Supernodes::Node& node, DenseView l,
                                DenseView u) {
  const Supernodes::Node& target = supernodes_.nodes()[update.target];
  const Runs columns = supernodes_.column_runs(update);
  const Runs beyond = supernodes_.runs_beyond(update);
  const int depth = node.width;
  // Rows of a panel count from the node's own.
  l.data -= node.width;
  u.data -= node.width;
  double* panel = panels_.data() + panel_start_[update.target];
  subtract(l, u, depth, beyond.empty() ? columns : supernodes_.runs(update), columns, panel, target.rows);
  if (form_ == Form::positive_definite || beyond.empty()) return;
  double* mirror = upper_.data() + upper_start_[update.target] - target.width;
  subtract(u, l, depth, beyond, columns, mirror, target.rows - target.width);
}

/// target −= a bᵀ, the product's rows and columns going where the runs say.
void BodyGraphFactor::subtract(DenseView a, DenseView b, int depth, Runs rows, Runs columns, double* target,
                               int stride) {
  if (rows.size() * columns.size() <= few_runs) {
    for (const Supernodes::Run& across : columns) {
      for (const Supernodes::Run& down : rows) {
        subtract_product(down.count, across.count, depth, {a.data + down.source, a.stride},
                         {b.data + across.source, b.stride},
                         target + down.target + static_cast<long>(across.target) * stride, stride);
      }
    }
    return;
  }
  const int first_row = rows.front().source;
  const int first_column = columns.front().source;
  const int height = rows.back().source + rows.back().count - first_row;
  const int width = columns.back().source + columns.back().count - first_column;
  std::fill_n(product_.data(), height * width, 0.0);
  subtract_product(height, width, depth, {a.data + first_row, a.stride}, {b.data + first_column, b.stride},
                   product_.data(), height);
  for (const Supernodes::Run& across : columns) {
    for (int c = 0; c < across.count; ++c) {
      const double* from = product_.data() + static_cast<long>(across.source + c - first_column) * height - first_row;
      double* to = target + static_cast<long>(across.target + c) * stride;
      for (const Supernodes::Run& down : rows) {
        for (int r = 0; r < down.count; ++r) to[down.target + r] += from[down.source + r];
      }
    }
  }
}

void BodyGraphFactor::solve(const VecX& y, VecX& x) {
  const auto nodes = supernodes_.nodes();
  for (std::size_t k = 0; k < size_.size(); ++k) {
    ordered_.segment(supernodes_.start(static_cast<int>(k)), size_[k]) = y.segment(offset_[k], size_[k]);
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Supernodes::Node& node = nodes[n];
    auto below = below_.head(node.rows - node.width);
    below.noalias() = lower(n) * ordered_.segment(node.start, node.width);
    for (const Supernodes::Below& b : supernodes_.below(node)) {
      ordered_.segment(supernodes_.start(b.place), b.size) -= below.segment(b.row - node.width, b.size);
    }
  }
  for (std::size_t n = nodes.size(); n-- > 0;) {
    const Supernodes::Node& node = nodes[n];
    auto below = below_.head(node.rows - node.width);
    for (const Supernodes::Below& b : supernodes_.below(node)) {
      below.segment(b.row - node.width, b.size) = ordered_.segment(supernodes_.start(b.place), b.size);
    }
    auto own_dofs = ordered_.segment(node.start, node.width);
    auto right = work_.head(node.width);
    right = own_dofs;
    // U = D Lᵀ where H is symmetric.
    if (form_ == Form::general) right.noalias() -= upper(n).transpose() * below;
    own_dofs.noalias() = own(n) * right;
    if (form_ == Form::positive_definite) own_dofs.noalias() -= lower(n).transpose() * below;
  }
  x.resize(y.size());
  for (std::size_t k = 0; k < size_.size(); ++k) {
    x.segment(offset_[k], size_[k]) = ordered_.segment(supernodes_.start(static_cast<int>(k)), size_[k]);
  }
}

}  // namespace cardhouse
