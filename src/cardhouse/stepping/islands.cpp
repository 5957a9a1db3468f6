#include "cardhouse/stepping/islands.h"

namespace cardhouse {
std::span<const Island> IslandFinder::find(const Model& model, std::span<const Contact> contacts) {
  const int bodies = static_cast<int>(model.bodies.size());
  const auto moves = [&](int body) { return model.bodies[body].mobility == Mobility::moving; };
  sets_.reset(bodies);
  for (const Contact& contact : contacts) {
    if (moves(contact.body_a) && moves(contact.body_b)) sets_.unite(contact.body_a, contact.body_b);
  }
  // Slots are handed out by first body, and only to bodies with a contact.
  slot_.assign(bodies, -1);
  for (const Contact& contact : contacts) {
    const int body = moves(contact.body_a) ? contact.body_a : contact.body_b;
    slot_[sets_.find(body)] = 0;
  }
  int count = 0;
  for (int& slot : slot_) {
    if (slot == 0) slot = count++;
  }
  if (static_cast<int>(islands_.size()) < count) islands_.resize(count);
  for (Island& island : islands_) {
    island.bodies.clear();
    island.contacts.clear();
  }
  for (int body = 0; body < bodies; ++body) {
    const int slot = moves(body) ? slot_[sets_.find(body)] : -1;
    if (slot >= 0) islands_[slot].bodies.push_back(body);
  }
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    const int body = moves(contacts[c].body_a) ? contacts[c].body_a : contacts[c].body_b;
    islands_[slot_[sets_.find(body)]].contacts.push_back(c);
  }
  count_ = static_cast<std::size_t>(count);
  return found();
}

}  // namespace cardhouse
