#include "cardhouse/optimization/supernodes.h"

#include <algorithm>

namespace cardhouse {
namespace {

/// Dofs up to which bodies are joined: wide enough for dense kernels, narrow enough for an explicit inverse.
constexpr int most_width = 48;
/// Part of a panel that may be zeros which separate bodies would not store (−): small panels cost more in overhead than
/// in arithmetic.
constexpr double most_zeros = 0.25;

}  // namespace

void Supernodes::build(const BodyGraph& graph, const BodyMatrix& a) {
  const int bodies = graph.bodies();
  size_.resize(bodies);
  start_.resize(bodies);
  for (int k = 0, dof = 0; k < bodies; ++k) {
    size_[k] = a.size(graph.body_at(k));
    start_[k] = dof;
    dof += size_[k];
  }
  choose_nodes(graph);
  lay_out(graph);
  find_updates();
}

/// A body joins the node before it when that node's fill goes on at it and few zeros come in.
void Supernodes::choose_nodes(const BodyGraph& graph) {
  nodes_.clear();
  node_of_.resize(size_.size());
  double filled = 0.0;  // of the last node's panel, in blocks
  for (int k = 0; k < graph.bodies(); ++k) {
    const double column = 1.0 + static_cast<double>(graph.below(k).size());
    bool joins = false;
    if (!nodes_.empty() && graph.parent(k - 1) == k) {
      const Node& node = nodes_.back();
      const double panel = (node.last - node.first + 1) * (node.last - node.first + column);
      joins = node.width + size_[k] <= most_width && filled + column >= (1.0 - most_zeros) * panel;
    }
    if (!joins) {
      nodes_.push_back({.first = k, .last = k, .start = start_[k]});
      filled = 0.0;
    }
    // Above the diagonal the panel is full for every body but the first.
    filled += column + (k - nodes_.back().first);
    nodes_.back().last = k + 1;
    nodes_.back().width += size_[k];
    node_of_[k] = static_cast<int>(nodes_.size()) - 1;
  }
}

/// A node has the rows of its last body: fill is handed on, so that these are all.
void Supernodes::lay_out(const BodyGraph& graph) {
  below_.clear();
  for (Node& node : nodes_) {
    node.rows = node.width;
    node.first_below = static_cast<int>(below_.size());
    for (int place : graph.below(node.last - 1)) {
      below_.push_back({place, size_[place], node.rows});
      node.rows += size_[place];
    }
    node.last_below = static_cast<int>(below_.size());
  }
}

int Supernodes::row_in(const Node& node, int place) const {
  if (place < node.last) return start_[place] - node.start;
  const auto rows = below(node);
  return std::lower_bound(rows.begin(), rows.end(), place, [](const Below& x, int p) { return x.place < p; })->row;
}

/// Goes on with the last run where that one is not before `first` and ends where this one begins.
void Supernodes::add_run(Run run, int first) {
  if (static_cast<int>(runs_.size()) > first) {
    Run& last = runs_.back();
    if (last.source + last.count == run.source && last.target + last.count == run.target) {
      last.count += run.count;
      return;
    }
  }
  runs_.push_back(run);
}

void Supernodes::find_updates() {
  updates_.clear();
  runs_.clear();
  for (Node& node : nodes_) {
    node.first_update = static_cast<int>(updates_.size());
    const auto rows = below(node);
    for (std::size_t i = 0; i < rows.size();) {
      const int target = node_of_[rows[i].place];
      Update update{.target = target, .from = rows[i].row, .first_run = static_cast<int>(runs_.size())};
      const auto add = [&](std::size_t k, int first) {
        add_run({rows[k].row, row_in(nodes_[target], rows[k].place), rows[k].size}, first);
      };
      for (; i < rows.size() && node_of_[rows[i].place] == target; ++i) add(i, update.first_run);
      update.to = i < rows.size() ? rows[i].row : node.rows;
      update.first_beyond = static_cast<int>(runs_.size());
      for (std::size_t k = i; k < rows.size(); ++k) add(k, update.first_beyond);
      update.last_run = static_cast<int>(runs_.size());
      updates_.push_back(update);
    }
    node.last_update = static_cast<int>(updates_.size());
  }
}

}  // namespace cardhouse
