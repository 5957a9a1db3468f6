#include "cardhouse/stepping/islands.h"

#include <algorithm>
#include <numeric>

namespace cardhouse {
namespace {

int find_root(std::vector<int>& parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

}  // namespace

std::span<const Island> IslandFinder::find(const Model& model, std::span<const Contact> contacts) {
  const int bodies = static_cast<int>(model.bodies.size());
  const auto moves = [&](int body) { return model.bodies[body].mobility == Mobility::moving; };
  parent_.resize(bodies);
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const Contact& contact : contacts) {
    if (!moves(contact.body_a) || !moves(contact.body_b)) continue;
    const int a = find_root(parent_, contact.body_a);
    const int b = find_root(parent_, contact.body_b);
    parent_[std::max(a, b)] = std::min(a, b);  // the root is the first body
  }
  // Slots are handed out by first body, and only to bodies with a contact.
  slot_.assign(bodies, -1);
  for (const Contact& contact : contacts) {
    const int body = moves(contact.body_a) ? contact.body_a : contact.body_b;
    slot_[find_root(parent_, body)] = 0;
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
    const int slot = moves(body) ? slot_[find_root(parent_, body)] : -1;
    if (slot >= 0) islands_[slot].bodies.push_back(body);
  }
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    const int body = moves(contacts[c].body_a) ? contacts[c].body_a : contacts[c].body_b;
    islands_[slot_[find_root(parent_, body)]].contacts.push_back(c);
  }
  return {islands_.data(), static_cast<std::size_t>(count)};
}

}  // namespace cardhouse
