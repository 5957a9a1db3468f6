#include "cardhouse/optimization/body_graph.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

namespace cardhouse {

bool BodyGraph::update(const BlockDiagonal& a, const BlockRows& j) {
  if (same(a, j)) return false;
  keep(a, j);
  order(j);
  return true;
}

bool BodyGraph::same(const BlockDiagonal& a, const BlockRows& j) const {
  if (bodies() != a.blocks()) return false;
  for (int i = 0; i < a.blocks(); ++i) {
    if (sizes_[i] != a.size(i)) return false;
  }
  std::size_t k = 0;
  for (int g = 0; g < j.groups(); ++g) {
    const auto entries = j.entries(g);
    if (k >= blocks_.size() || blocks_[k++] != static_cast<int>(entries.size())) return false;
    for (const BlockRows::Entry& entry : entries) {
      if (k >= blocks_.size() || blocks_[k++] != entry.block) return false;
    }
  }
  return k == blocks_.size();
}

void BodyGraph::keep(const BlockDiagonal& a, const BlockRows& j) {
  sizes_.clear();
  blocks_.clear();
  for (int i = 0; i < a.blocks(); ++i) sizes_.push_back(a.size(i));
  for (int g = 0; g < j.groups(); ++g) {
    blocks_.push_back(static_cast<int>(j.entries(g).size()));
    for (const BlockRows::Entry& entry : j.entries(g)) blocks_.push_back(entry.block);
  }
}

void BodyGraph::order(const BlockRows& j) {
  std::vector<Eigen::Triplet<double>> links;
  for (int i = 0; i < bodies(); ++i) links.emplace_back(i, i, 1.0);
  for (int g = 0; g < j.groups(); ++g) {
    for (const BlockRows::Entry& e : j.entries(g)) {
      for (const BlockRows::Entry& f : j.entries(g)) links.emplace_back(e.block, f.block, 1.0);
    }
  }
  Eigen::SparseMatrix<double> graph(bodies(), bodies());
  graph.setFromTriplets(links.begin(), links.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> inverse_order;
  Eigen::AMDOrdering<int>()(graph, inverse_order);
  // AMD returns the inverse permutation: entry k is the body eliminated k-th.
  place_.resize(bodies());
  body_at_.resize(bodies());
  for (int k = 0; k < bodies(); ++k) {
    body_at_[k] = inverse_order.indices()[k];
    place_[body_at_[k]] = k;
  }
}

}  // namespace cardhouse
