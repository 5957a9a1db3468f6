#include "cardhouse/optimization/body_graph.h"

#include <gtest/gtest.h>

#include <numeric>

#include "cardhouse/optimization/nested_dissection.h"
#include "cardhouse/optimization/supernodes.h"
#include "optimization/lattice.h"

namespace cardhouse::testing {
namespace {

long blocks_below(const BodyGraph& graph) {
  long sum = 0;
  for (int k = 0; k < graph.bodies(); ++k) sum += static_cast<long>(graph.below(k).size());
  return sum;
}

/// Both ways of ordering: minimum degree in the first, nested dissection in the second.
class BodyGraphOfALattice : public ::testing::TestWithParam<int> {};

TEST_P(BodyGraphOfALattice, OrdersEachBodyOnceAndFillsWhatEliminationFills) {
  Random random(1);
  const Lattice lattice(random, GetParam());
  BodyGraph graph;
  ASSERT_TRUE(graph.update(lattice.a, lattice.j));
  std::vector<int> places(static_cast<std::size_t>(graph.bodies()));
  for (int body = 0; body < graph.bodies(); ++body) places[graph.place(body)] = body;
  for (int k = 0; k < graph.bodies(); ++k) EXPECT_EQ(graph.body_at(k), places[k]);
  // Slow and obvious: a matrix of links, eliminated one by one.
  const int n = graph.bodies();
  std::vector<std::vector<bool>> linked(n, std::vector<bool>(n, false));
  for (int g = 0; g < lattice.j.groups(); ++g) {
    for (const BlockRows::Entry& e : lattice.j.entries(g)) {
      for (const BlockRows::Entry& f : lattice.j.entries(g)) {
        linked[graph.place(e.block)][graph.place(f.block)] = true;
      }
    }
  }
  for (int k = 0; k < n; ++k) {
    std::vector<int> below;
    for (int i = k + 1; i < n; ++i) {
      if (linked[k][i]) below.push_back(i);
    }
    ASSERT_EQ(std::vector<int>(graph.below(k).begin(), graph.below(k).end()), below) << "place " << k;
    for (int i : below) {
      for (int j : below) linked[i][j] = true;
    }
  }
}

TEST_P(BodyGraphOfALattice, IsPostordered) {
  Random random(2);
  const Lattice lattice(random, GetParam());
  BodyGraph graph;
  graph.update(lattice.a, lattice.j);
  // Descendants of k are the places right before it: as many as its children's subtrees have, without a gap.
  std::vector<int> subtree(static_cast<std::size_t>(graph.bodies()), 1);
  std::vector<int> first(static_cast<std::size_t>(graph.bodies()));
  std::iota(first.begin(), first.end(), 0);
  for (int k = 0; k < graph.bodies(); ++k) {
    EXPECT_EQ(first[k], k - subtree[k] + 1);
    const int parent = graph.parent(k);
    if (parent < 0) continue;
    subtree[parent] += subtree[k];
    first[parent] = std::min(first[parent], first[k]);
  }
}

TEST_P(BodyGraphOfALattice, HasSupernodesThatHoldAllFill) {
  Random random(3);
  const Lattice lattice(random, GetParam());
  BodyGraph graph;
  graph.update(lattice.a, lattice.j);
  Supernodes supernodes;
  supernodes.build(graph, lattice.a);
  int next = 0;
  for (const Supernodes::Node& node : supernodes.nodes()) {
    EXPECT_EQ(node.first, next);
    next = node.last;
    EXPECT_TRUE(node.width <= 48 || node.last == node.first + 1);
    for (int k = node.first; k < node.last; ++k) {
      for (int row : graph.below(k)) {
        if (row < node.last) continue;
        const auto below = supernodes.below(node);
        EXPECT_TRUE(std::any_of(below.begin(), below.end(), [row](const auto& b) { return b.place == row; }));
      }
    }
  }
  EXPECT_EQ(next, graph.bodies());
}

INSTANTIATE_TEST_SUITE_P(Sides, BodyGraphOfALattice, ::testing::Values(1, 2, 5, 8));

TEST(NestedDissection, FillsLessThanTheOrderAsGivenAndIsRepeatable) {
  Random random(4);
  const Lattice lattice(random, 9);
  BodyGraph graph;
  graph.update(lattice.a, lattice.j);
  // In the order as given, every body between the first link and the diagonal fills: about side² blocks for each.
  EXPECT_LT(blocks_below(graph), 729 * 81 / 2);
  BodyGraph again;
  again.update(lattice.a, lattice.j);
  for (int k = 0; k < graph.bodies(); ++k) ASSERT_EQ(graph.body_at(k), again.body_at(k));
}

TEST(NestedDissection, TakesGraphsWithoutLinks) {
  const std::vector<int> starts(601, 0);
  const std::vector<int> order = nested_dissection(starts, {});
  EXPECT_EQ(order.size(), 600u);
}

}  // namespace
}  // namespace cardhouse::testing
