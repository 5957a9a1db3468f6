#pragma once

#include <span>

#include "cardhouse/math/types.h"
#include "cardhouse/stepping/rows/islands.h"

namespace cardhouse {

/// The last step's impulses at the contacts with the same keys, in their present bases. Where other features touch now,
/// the impulses of the pair's lost contacts go to its new ones in order: with friction several solutions can exist, and
/// one near the last step's continues the motion. Contacts of a new pair get 0. Rows of joints keep their slots.
void warm_start(const State& state, std::span<const Contact> contacts, std::span<const JointRows> joint_rows,
                const Island& island, VecX& r);

/// The same for the rows of contacts alone, which come first; the others are left as they are. Returns their number.
int start_contacts(std::span<const StoredImpulse> impulses, std::span<const Contact> contacts, const Island& island,
                   VecX& r);

}  // namespace cardhouse
