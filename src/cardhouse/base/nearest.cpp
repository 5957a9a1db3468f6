#include "cardhouse/base/nearest.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace cardhouse {
namespace {

/// Levenshtein's distance, with swapped neighbours counted as one edit, by three rows of its table.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last.back();
}

bool are_few(std::size_t count, std::string_view word, std::string_view meant) {
  return 3 * count <= std::max(word.size(), meant.size());
}

}  // namespace

bool is_near(std::string_view word, std::string_view meant) {
  return are_few(edits(word, meant), word, meant);
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const std::string_view candidate : candidates) {
    const std::size_t count = edits(word, candidate);
    if (count >= fewest || !are_few(count, word, candidate)) continue;
    fewest = count;
    best = candidate;
  }
  return best;
}

}  // namespace cardhouse
