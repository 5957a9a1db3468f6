#include "cardhouse/stepping/warm_start.h"

#include <algorithm>
#include <utility>

namespace cardhouse {
namespace {

std::pair<int, int> shapes_of(const ContactKey& key) {
  return {key.shape_a, key.shape_b};
}

/// One pair of shapes: its contacts now (with their rows) and its impulses of the last step, both sorted by feature.
struct PairStart {
  std::span<const Contact> contacts;
  std::span<const int> indices;
  std::span<const StoredImpulse> stored;

  const Contact& contact(std::size_t k) const { return contacts[indices[k]]; }
  bool is_new(std::size_t k) const {
    return !std::binary_search(stored.begin(), stored.end(), StoredImpulse{contact(k).key, {}},
                               [](const StoredImpulse& a, const StoredImpulse& b) { return a.key < b.key; });
  }
  bool is_lost(std::size_t s) const {
    return std::none_of(indices.begin(), indices.end(), [&](int c) { return contacts[c].key == stored[s].key; });
  }
};

void start_pair(const PairStart& pair, int row, VecX& r) {
  std::size_t lost = 0;  // the next impulse without a contact
  const auto skip_kept = [&] {
    while (lost < pair.stored.size() && !pair.is_lost(lost)) ++lost;
  };
  for (std::size_t k = 0; k < pair.indices.size(); ++k) {
    const Contact& contact = pair.contact(k);
    const StoredImpulse* source = nullptr;
    if (pair.is_new(k)) {
      skip_kept();
      if (lost < pair.stored.size()) source = &pair.stored[lost++];
    } else {
      source = &*std::find_if(pair.stored.begin(), pair.stored.end(),
                              [&](const StoredImpulse& s) { return s.key == contact.key; });
    }
    if (source) r.segment(row, contact.rows) = (contact.basis.transpose() * source->impulse).head(contact.rows);
    row += contact.rows;
  }
}

}  // namespace

int start_contacts(std::span<const StoredImpulse> impulses, std::span<const Contact> contacts, const Island& island,
                   VecX& r) {
  int row = 0;
  auto stored = impulses.begin();  // both lists are sorted by key
  for (std::size_t k = 0; k < island.contacts.size();) {
    const auto shapes = shapes_of(contacts[island.contacts[k]].key);
    std::size_t end = k;
    int pair_rows = 0;
    while (end < island.contacts.size() && shapes_of(contacts[island.contacts[end]].key) == shapes) {
      pair_rows += contacts[island.contacts[end++]].rows;
    }
    const auto before = [](const StoredImpulse& s, const std::pair<int, int>& pair) { return shapes_of(s.key) < pair; };
    stored = std::lower_bound(stored, impulses.end(), shapes, before);
    auto stored_end = stored;
    while (stored_end != impulses.end() && shapes_of(stored_end->key) == shapes) ++stored_end;
    start_pair({contacts, std::span(island.contacts).subspan(k, end - k), std::span(stored, stored_end)}, row, r);
    row += pair_rows;
    k = end;
    stored = stored_end;
  }
  return row;
}

void warm_start(const State& state, std::span<const Contact> contacts, std::span<const JointRows> joint_rows,
                const Island& island, VecX& r) {
  int rows = 0;
  for (int c : island.contacts) rows += contacts[c].rows;
  for (int k : island.joint_rows) rows += joint_rows[k].rows;
  r.setZero(rows);
  int row = start_contacts(state.impulses, contacts, island, r);
  for (int k : island.joint_rows) {
    const JointRows& group = joint_rows[k];
    const JointState& joint = state.joints[group.joint];
    for (int i = 0; i < group.rows; ++i) r[row++] = joint.impulse[group.slot + i];
  }
}

}  // namespace cardhouse
