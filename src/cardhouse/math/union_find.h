#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

namespace cardhouse {

/// Disjoint sets of 0 … n − 1. The least member stands for its set, so that the answer does not depend on the order of
/// the unions.
class UnionFind {
 public:
  void reset(int n) {
    parent_.resize(n);
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(int i, int j) {
    const int a = find(i);
    const int b = find(j);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

}  // namespace cardhouse
