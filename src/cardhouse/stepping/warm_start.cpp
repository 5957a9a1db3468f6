#include "cardhouse/stepping/warm_start.h"

#include <algorithm>

namespace cardhouse {

void warm_start(const State& state, std::span<const Contact> contacts, const Island& island, VecX& r) {
  int rows = 0;
  for (int c : island.contacts) rows += contacts[c].rows;
  r.setZero(rows);
  int row = 0;
  auto stored = state.impulses.begin();  // both lists are sorted by key
  for (int c : island.contacts) {
    const Contact& contact = contacts[c];
    stored = std::lower_bound(stored, state.impulses.end(), contact.key,
                              [](const StoredImpulse& s, const ContactKey& key) { return s.key < key; });
    if (stored != state.impulses.end() && stored->key == contact.key) {
      r.segment(row, contact.rows) = (contact.basis.transpose() * stored->impulse).head(contact.rows);
    }
    row += contact.rows;
  }
}

}  // namespace cardhouse
