#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cardhouse/geometry/aabb.h"

namespace cardhouse {

/// Finds the pairs of boxes that overlap at a cost that grows about linearly with their number. Keeps its buffers, so
/// that a settled scene allocates nothing.
class BroadPhase {
 public:
  /// One box per shape. Shapes of one body (equal `body`) never make a pair, nor do two shapes that are both still
  /// (`moves` false). The result is sorted by (first, second) with first < second and depends on the boxes alone.
  struct Item {
    Aabb box;
    int body = 0;
    bool moves = true;
  };
  const std::vector<std::pair<int, int>>& find_pairs(std::span<const Item> items);

 private:
  using Cell = std::array<std::int64_t, 3>;

  void sort_into_levels();
  void fill_table();
  void compare(int i, int j);
  void compare_with_level(int i, int level);
  void search_cells(int i, int level);

  static constexpr int kLowestLevel = -40;
  static constexpr int kLevels = 81;  ///< cells of 2^-40 m … 2^39 m; the last level holds everything larger

  /// Where an item is filed.
  struct Entry {
    Cell cell{};
    int level = 0;
    int next = -1;  ///< the next item of the same chain, or −1
  };

  std::span<const Item> items_;
  std::vector<Entry> entries_;                     ///< one per item
  std::array<std::vector<int>, kLevels> members_;  ///< the items of each level
  std::vector<int> head_;                          ///< hash table: first item of each chain, or −1
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace cardhouse
