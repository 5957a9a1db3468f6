#pragma once

#include <span>
#include <string_view>

namespace cardhouse {

/// Whether `word` may be a misspelling of `meant`: at most one wrong, missing, extra or swapped pair of letters for
/// every three.
bool is_near(std::string_view word, std::string_view meant);

/// The candidate that takes the fewest such edits, the first of equals; empty when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace cardhouse
