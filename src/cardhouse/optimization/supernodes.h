// Bodies that are eliminated together because they fill much the same rows: their columns are one dense panel, so that
// a factorisation works on few large blocks instead of many small ones.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/optimization/body_graph.h"

namespace cardhouse {

class Supernodes {
 public:
  /// Panel of rows × width numbers: first the node's own rows, then those below.
  struct Node {
    int first = 0, last = 0;                ///< places of its bodies: [first, last)
    int start = 0;                          ///< first dof in the elimination order
    int width = 0;                          ///< dofs of its bodies
    int rows = 0;                           ///< width and the dofs below
    int first_below = 0, last_below = 0;    ///< into below()
    int first_update = 0, last_update = 0;  ///< into updates()
  };
  /// A body in the rows below a node.
  struct Below {
    int place = 0;
    int size = 0;
    int row = 0;  ///< its first in the node's panel
  };
  /// Rows [from, to) of a node's panel are columns of the later node `target`.
  struct Update {
    int target = 0;
    int from = 0, to = 0;
    int first_run = 0, first_beyond = 0, last_run = 0;  ///< into the runs of those rows, and of the rows beyond them
  };
  /// Rows that follow each other in both panels.
  struct Run {
    int source = 0, target = 0, count = 0;
  };

  void build(const BodyGraph& graph, const BodyMatrix& a);

  std::span<const Node> nodes() const { return nodes_; }
  std::span<const Below> below(const Node& node) const {
    return {below_.data() + node.first_below, below_.data() + node.last_below};
  }
  std::span<const Update> updates(const Node& node) const {
    return {updates_.data() + node.first_update, updates_.data() + node.last_update};
  }
  /// Rows from `from` on, where they lie in the target's panel.
  std::span<const Run> runs(const Update& update) const {
    return {runs_.data() + update.first_run, runs_.data() + update.last_run};
  }
  /// Of these, rows [from, to), which are columns there.
  std::span<const Run> column_runs(const Update& update) const {
    return {runs_.data() + update.first_run, runs_.data() + update.first_beyond};
  }
  /// And rows from `to` on.
  std::span<const Run> runs_beyond(const Update& update) const {
    return {runs_.data() + update.first_beyond, runs_.data() + update.last_run};
  }
  /// The node that a place belongs to.
  int node_of(int place) const { return node_of_[place]; }
  /// First dof of a place in the elimination order.
  int start(int place) const { return start_[place]; }
  /// First row of a place's body in a node's panel, which must have it.
  int row_in(const Node& node, int place) const;

 private:
  void choose_nodes(const BodyGraph& graph);
  void lay_out(const BodyGraph& graph);
  void find_updates();
  void add_run(Run run, int first);

  std::vector<Node> nodes_;
  std::vector<Below> below_;
  std::vector<Update> updates_;
  std::vector<Run> runs_;
  std::vector<int> node_of_, start_, size_;
};

}  // namespace cardhouse
