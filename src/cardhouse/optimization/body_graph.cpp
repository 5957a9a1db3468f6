#include "cardhouse/optimization/body_graph.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>

#include "cardhouse/optimization/nested_dissection.h"

namespace cardhouse {
namespace {

/// Number of bodies from which on nested dissection saves more than it costs: a fifth at 500, more than half at 2000.
constexpr int fit_for_dissection = 500;

std::vector<int> minimum_degree(const std::vector<int>& first_neighbour, const std::vector<int>& neighbours) {
  const int nodes = static_cast<int>(first_neighbour.size()) - 1;
  std::vector<Eigen::Triplet<double>> links;
  for (int i = 0; i < nodes; ++i) {
    links.emplace_back(i, i, 1.0);
    for (int k = first_neighbour[i]; k < first_neighbour[i + 1]; ++k) links.emplace_back(neighbours[k], i, 1.0);
  }
  Eigen::SparseMatrix<double> graph(nodes, nodes);
  graph.setFromTriplets(links.begin(), links.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> inverse_order;
  Eigen::AMDOrdering<int>()(graph, inverse_order);
  // AMD returns the inverse permutation: entry k is the node eliminated k-th.
  return {inverse_order.indices().data(), inverse_order.indices().data() + nodes};
}

/// Of all bodies with coupled blocks, the numbers of the two blocks.
template <typename Function>
void for_each_coupling(const BodyMatrix& a, const Function& function) {
  for (const BodyMatrix::Coupled& body : a.coupled_bodies()) {
    for (const CoupledBlocks::Coupling& c : body.matrix->couplings()) {
      function(body.first_block + c.row, body.first_block + c.column);
    }
  }
}

}  // namespace

bool BodyGraph::update(const BodyMatrix& a, const BlockRows& j) {
  if (same(a, j)) return false;
  keep(a, j);
  find_neighbours(a, j);
  order();
  return true;
}

bool BodyGraph::same(const BodyMatrix& a, const BlockRows& j) const {
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
  bool same_couplings = true;
  for_each_coupling(a, [&](int row, int column) {
    same_couplings = same_couplings && k + 1 < blocks_.size() && blocks_[k] == row && blocks_[k + 1] == column;
    k += 2;
  });
  return same_couplings && k == blocks_.size();
}

void BodyGraph::keep(const BodyMatrix& a, const BlockRows& j) {
  sizes_.clear();
  blocks_.clear();
  for (int i = 0; i < a.blocks(); ++i) sizes_.push_back(a.size(i));
  for (int g = 0; g < j.groups(); ++g) {
    blocks_.push_back(static_cast<int>(j.entries(g).size()));
    for (const BlockRows::Entry& entry : j.entries(g)) blocks_.push_back(entry.block);
  }
  for_each_coupling(a, [&](int row, int column) { blocks_.insert(blocks_.end(), {row, column}); });
}

void BodyGraph::find_neighbours(const BodyMatrix& a, const BlockRows& j) {
  std::vector<std::vector<int>> of(static_cast<std::size_t>(bodies()));
  for (int g = 0; g < j.groups(); ++g) {
    for (const BlockRows::Entry& e : j.entries(g)) {
      for (const BlockRows::Entry& f : j.entries(g)) {
        if (e.block != f.block) of[e.block].push_back(f.block);
      }
    }
  }
  for_each_coupling(a, [&](int row, int column) {
    of[row].push_back(column);
    of[column].push_back(row);
  });
  first_neighbour_.assign(1, 0);
  neighbours_.clear();
  for (std::vector<int>& others : of) {
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    neighbours_.insert(neighbours_.end(), others.begin(), others.end());
    first_neighbour_.push_back(static_cast<int>(neighbours_.size()));
  }
}

void BodyGraph::order() {
  set_order(bodies() >= fit_for_dissection ? nested_dissection(first_neighbour_, neighbours_)
                                           : minimum_degree(first_neighbour_, neighbours_));
  find_fill();
  postorder();
  find_fill();
}

void BodyGraph::set_order(std::vector<int> body_at) {
  body_at_ = std::move(body_at);
  place_.resize(body_at_.size());
  for (int k = 0; k < bodies(); ++k) place_[body_at_[k]] = k;
}

/// Eliminating a body links all its neighbours. It suffices to pass its links on to the first of them.
void BodyGraph::find_fill() {
  below_.assign(static_cast<std::size_t>(bodies()), {});
  for (int k = 0; k < bodies(); ++k) {
    for (int n = first_neighbour_[body_at_[k]]; n < first_neighbour_[body_at_[k] + 1]; ++n) {
      if (place_[neighbours_[n]] > k) below_[k].push_back(place_[neighbours_[n]]);
    }
  }
  for (int k = 0; k < bodies(); ++k) {
    std::vector<int>& rows = below_[k];
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (!rows.empty()) below_[rows[0]].insert(below_[rows[0]].end(), rows.begin() + 1, rows.end());
  }
}

/// The same fill in another order: each body comes after all bodies whose fill continues in it, the longest of them
/// right before it.
void BodyGraph::postorder() {
  const int none = -1;
  std::vector<int> by_length(static_cast<std::size_t>(bodies()));
  for (int k = 0; k < bodies(); ++k) by_length[k] = k;
  std::stable_sort(by_length.begin(), by_length.end(),
                   [this](int x, int y) { return below_[x].size() < below_[y].size(); });
  // Children as linked lists; the shortest are pushed first, so that the longest is met first from behind.
  std::vector<int> last_child(static_cast<std::size_t>(bodies()), none);
  std::vector<int> brother(static_cast<std::size_t>(bodies()), none);
  for (int k : by_length) {
    const int p = parent(k);
    if (p < 0) continue;
    brother[k] = last_child[p];
    last_child[p] = k;
  }
  // From the end of the order backwards: a body, then its children with all below them, the longest first.
  std::vector<int> backwards;
  std::vector<int> waiting;
  for (int root = bodies() - 1; root >= 0; --root) {
    if (parent(root) >= 0) continue;
    waiting.push_back(root);
    while (!waiting.empty()) {
      const int k = waiting.back();
      waiting.pop_back();
      backwards.push_back(body_at_[k]);
      const std::size_t mark = waiting.size();
      for (int child = last_child[k]; child != none; child = brother[child]) waiting.push_back(child);
      std::reverse(waiting.begin() + static_cast<long>(mark), waiting.end());
    }
  }
  set_order({backwards.rbegin(), backwards.rend()});
}

}  // namespace cardhouse
