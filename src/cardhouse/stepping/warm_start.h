#pragma once

#include <span>

#include "cardhouse/math/types.h"
#include "cardhouse/stepping/islands.h"

namespace cardhouse {

/// The last step's impulses at the contacts with the same keys, in their present bases; 0 for new contacts.
void warm_start(const State& state, std::span<const Contact> contacts, const Island& island, VecX& r);

}  // namespace cardhouse
