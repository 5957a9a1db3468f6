// A hierarchical grid (Ericson, "Real-Time Collision Detection", 2005, 7.2). Level k has cells of 2^k m and holds the
// boxes whose longest side is at least 2^(k−1) and below 2^k, each filed once, in the cell of its centre. A box looks
// for partners on its own level and on the coarser ones, in the cells whose boxes could reach it: at most 3 per axis.
// Levels with few members, such as that of a ground slab, and boxes without end are compared one by one.
#include "cardhouse/collision/broad_phase.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

/// Comparing with this many boxes costs about as much as looking into the cells of one level.
constexpr std::size_t kFew = 16;

/// Cells are numbered within ±2^52, where doubles count exactly; what lies beyond shares the outermost cell.
constexpr double kFarthest = 4503599627370496.0;

/// Multiplying by a power of two is exact, so cells of one level never disagree about where they end.
std::int64_t cell_number(double x, double cells_per_metre) {
  return static_cast<std::int64_t>(std::clamp(std::floor(x * cells_per_metre), -kFarthest, kFarthest));
}

/// The hash of the cell z = 0 of a column of cells. The others of the column follow it, so that a search along z reads
/// neighbouring memory.
std::size_t column(std::int64_t x, std::int64_t y, int level) {
  std::uint64_t hash = static_cast<std::uint64_t>(level) * 0x9e3779b97f4a7c15u;
  for (const std::int64_t k : {x, y}) {
    hash = (hash ^ static_cast<std::uint64_t>(k)) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

void BroadPhase::sort_into_levels() {
  for (auto& members : members_) members.clear();
  entries_.assign(items_.size(), {});
  for (int i = 0; i < static_cast<int>(items_.size()); ++i) {
    const Aabb& box = items_[i].box;
    Entry& entry = entries_[i];
    const double longest = (box.upper - box.lower).maxCoeff();
    if (!(longest < std::ldexp(1.0, kLowestLevel + kLevels - 2))) {
      entry.level = kLevels - 1;  // endless, or too large for a cell
    } else {
      int exponent = kLowestLevel;
      if (longest > 0.0) std::frexp(longest, &exponent);
      exponent = std::max(exponent, kLowestLevel);
      entry.level = exponent - kLowestLevel;
      const Vec3 centre = 0.5 * (box.lower + box.upper);
      const double cells_per_metre = std::ldexp(1.0, -exponent);
      for (int k = 0; k < 3; ++k) entry.cell[k] = cell_number(centre[k], cells_per_metre);
    }
    members_[entry.level].push_back(i);
  }
}

void BroadPhase::fill_table() {
  std::size_t slots = 64;
  while (slots < 2 * items_.size()) slots *= 2;
  head_.assign(slots, -1);
  for (int level = 0; level < kLevels - 1; ++level) {
    if (members_[level].size() <= kFew) continue;
    for (const int i : members_[level]) {
      const Cell& cell = entries_[i].cell;
      int& head = head_[(column(cell[0], cell[1], level) + static_cast<std::size_t>(cell[2])) & (slots - 1)];
      entries_[i].next = head;
      head = i;
    }
  }
}

void BroadPhase::compare(int i, int j) {
  const Item& a = items_[i];
  const Item& b = items_[j];
  if (a.body == b.body || !(a.moves || b.moves) || !a.box.overlaps(b.box)) return;
  pairs_.emplace_back(std::min(i, j), std::max(i, j));
}

void BroadPhase::search_cells(int i, int level) {
  const int exponent = level + kLowestLevel;
  const double cells_per_metre = std::ldexp(1.0, -exponent);
  const double reach = std::ldexp(0.5, exponent);
  // Centres are rounded, so that a box may be filed one last digit away from where it reaches.
  const Aabb& box = items_[i].box;
  const Vec3 slack = 1e-15 * (box.lower.cwiseAbs() + box.upper.cwiseAbs());
  Cell low;
  Cell high;
  for (int k = 0; k < 3; ++k) {
    low[k] = cell_number(box.lower[k] - reach - slack[k], cells_per_metre);
    high[k] = cell_number(box.upper[k] + reach + slack[k], cells_per_metre);
  }
  const bool own_level = entries_[i].level == level;
  Cell cell;
  for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0]) {
    for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1]) {
      const std::size_t start = column(cell[0], cell[1], level);
      for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2]) {
        const std::size_t slot = (start + static_cast<std::size_t>(cell[2])) & (head_.size() - 1);
        // Two boxes of one level find each other twice; the higher number reports them.
        for (int j = head_[slot]; j >= 0; j = entries_[j].next) {
          const Entry& entry = entries_[j];
          if ((j < i || !own_level) && entry.level == level && entry.cell == cell) compare(i, j);
        }
      }
    }
  }
}

void BroadPhase::compare_with_level(int i, int level) {
  const bool gridded = level < kLevels - 1 && members_[level].size() > kFew;
  if (gridded) return search_cells(i, level);
  for (const int j : members_[level]) {
    if (entries_[i].level != level || j < i) compare(i, j);
  }
}

const std::vector<std::pair<int, int>>& BroadPhase::find_pairs(std::span<const Item> items) {
  items_ = items;
  pairs_.clear();
  sort_into_levels();
  fill_table();
  for (int i = 0; i < static_cast<int>(items.size()); ++i) {
    for (int level = entries_[i].level; level < kLevels; ++level) {
      if (!members_[level].empty()) compare_with_level(i, level);
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
  items_ = {};
  return pairs_;
}

}  // namespace cardhouse
