#include "cardhouse/model/joint_loops.h"

#include "cardhouse/math/union_find.h"

namespace cardhouse {
namespace {

/// Nodes are bodies; the last one is the world with all fixed and kinematic bodies.
struct Ends {
  int first = 0;
  int second = 0;
};

std::vector<Ends> ends_of(const Model& model) {
  const int world = static_cast<int>(model.bodies.size());
  const auto node = [&](int body) {
    return body >= 0 && model.bodies[body].mobility == Mobility::dynamic ? body : world;
  };
  std::vector<Ends> ends;
  for (const Joint& joint : model.joints) ends.push_back({node(joint.first), node(joint.second)});
  return ends;
}

/// A spanning forest with parent, depth and the joint to the parent of every node.
struct Forest {
  std::vector<int> parent, depth, joint;
};

Forest grow(const std::vector<Ends>& ends, const std::vector<bool>& in_tree, int nodes) {
  std::vector<std::vector<int>> at(nodes);  // joints of the forest by node
  for (int j = 0; j < static_cast<int>(ends.size()); ++j) {
    if (!in_tree[j]) continue;
    at[ends[j].first].push_back(j);
    at[ends[j].second].push_back(j);
  }
  Forest forest{std::vector<int>(nodes, -1), std::vector<int>(nodes, -1), std::vector<int>(nodes, -1)};
  std::vector<int> open;
  for (int root = nodes - 1; root >= 0; --root) {
    if (forest.depth[root] >= 0) continue;
    forest.depth[root] = 0;
    open.push_back(root);
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      for (const int j : at[node]) {
        const int next = ends[j].first == node ? ends[j].second : ends[j].first;
        if (forest.depth[next] >= 0) continue;
        forest.parent[next] = node;
        forest.depth[next] = forest.depth[node] + 1;
        forest.joint[next] = j;
        open.push_back(next);
      }
    }
  }
  return forest;
}

}  // namespace

std::vector<bool> joints_in_loops(const Model& model) {
  const std::vector<Ends> ends = ends_of(model);
  const int nodes = static_cast<int>(model.bodies.size()) + 1;
  std::vector<bool> in_tree(ends.size(), false);
  UnionFind sets;
  sets.reset(nodes);
  for (std::size_t j = 0; j < ends.size(); ++j) {
    if (sets.find(ends[j].first) == sets.find(ends[j].second)) continue;
    sets.unite(ends[j].first, ends[j].second);
    in_tree[j] = true;
  }
  const Forest forest = grow(ends, in_tree, nodes);
  // Each joint outside the forest closes one loop with the forest's way between its ends.
  std::vector<bool> in_loop(ends.size(), false);
  for (std::size_t j = 0; j < ends.size(); ++j) {
    if (in_tree[j]) continue;
    in_loop[j] = true;
    int a = ends[j].first;
    int b = ends[j].second;
    while (a != b) {
      int& deeper = forest.depth[a] >= forest.depth[b] ? a : b;
      in_loop[forest.joint[deeper]] = true;
      deeper = forest.parent[deeper];
    }
  }
  return in_loop;
}

}  // namespace cardhouse
