#include "cardhouse/stepping/rows/islands.h"

namespace cardhouse {
namespace {

bool moves(const Model& model, int body) {
  return body >= 0 && model.bodies[body].mobility == Mobility::dynamic;
}

}  // namespace

void IslandFinder::connect(const Model& model, int a, int b) {
  if (moves(model, a) && moves(model, b)) sets_.unite(a, b);
}

int IslandFinder::set_of(const Model& model, int a, int b) {
  return sets_.find(moves(model, a) ? a : b);
}

std::span<const Island> IslandFinder::find(const Model& model, std::span<const Contact> contacts,
                                           std::span<const JointRows> joint_rows) {
  const int bodies = static_cast<int>(model.bodies.size());
  const auto set_of_rows = [&](const JointRows& rows) { return set_of(model, rows.first, rows.second); };
  sets_.reset(bodies);
  for (const Contact& contact : contacts) connect(model, contact.body_a, contact.body_b);
  for (const JointRows& rows : joint_rows) connect(model, rows.first, rows.second);
  // Slots are handed out by first body, and only to bodies with a contact or joint.
  slot_.assign(bodies, -1);
  for (const Contact& contact : contacts) slot_[set_of(model, contact.body_a, contact.body_b)] = 0;
  for (const JointRows& rows : joint_rows) slot_[set_of_rows(rows)] = 0;
  int count = 0;
  for (int& slot : slot_) {
    if (slot == 0) slot = count++;
  }
  if (static_cast<int>(islands_.size()) < count) islands_.resize(count);
  for (Island& island : islands_) {
    island.bodies.clear();
    island.contacts.clear();
    island.joint_rows.clear();
  }
  for (int body = 0; body < bodies; ++body) {
    const int slot = moves(model, body) ? slot_[sets_.find(body)] : -1;
    if (slot >= 0) islands_[slot].bodies.push_back(body);
  }
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    islands_[slot_[set_of(model, contacts[c].body_a, contacts[c].body_b)]].contacts.push_back(c);
  }
  for (int k = 0; k < static_cast<int>(joint_rows.size()); ++k) {
    islands_[slot_[set_of_rows(joint_rows[k])]].joint_rows.push_back(k);
  }
  count_ = static_cast<std::size_t>(count);
  return found();
}

}  // namespace cardhouse
