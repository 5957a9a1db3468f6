#include "cardhouse/stepping/records/warm_start.h"

#include <algorithm>
#include <utility>

#include "cardhouse/stepping/rows/rolling_torsional_rows.h"

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

/// visit(contact's place in `indices`, the impulse that it starts from) for each contact that has one.
template <typename Visit>
void for_each_start(const PairStart& pair, Visit visit) {
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
    if (source) visit(k, *source);
  }
}

/// visit(the contact's place in the island, the impulse that it starts from) for each contact that has one, in order.
template <typename Visit>
void for_each_start(std::span<const StoredImpulse> impulses, std::span<const Contact> contacts, const Island& island,
                    Visit visit) {
  auto stored = impulses.begin();  // both lists are sorted by key
  for (std::size_t k = 0; k < island.contacts.size();) {
    const auto shapes = shapes_of(contacts[island.contacts[k]].key);
    std::size_t end = k;
    while (end < island.contacts.size() && shapes_of(contacts[island.contacts[end]].key) == shapes) ++end;
    const auto before = [](const StoredImpulse& s, const std::pair<int, int>& pair) { return shapes_of(s.key) < pair; };
    stored = std::lower_bound(stored, impulses.end(), shapes, before);
    auto stored_end = stored;
    while (stored_end != impulses.end() && shapes_of(stored_end->key) == shapes) ++stored_end;
    for_each_start(PairStart{contacts, std::span(island.contacts).subspan(k, end - k), std::span(stored, stored_end)},
                   [&](std::size_t place, const StoredImpulse& source) { visit(k + place, source); });
    k = end;
    stored = stored_end;
  }
}

}  // namespace

int start_contacts(std::span<const StoredImpulse> impulses, std::span<const Contact> contacts, const Island& island,
                   VecX& r) {
  int row = 0;
  std::size_t next = 0;  // the contact whose rows begin at `row`
  const auto go_to = [&](std::size_t place) {
    while (next < place) row += contacts[island.contacts[next++]].rows;
  };
  for_each_start(impulses, contacts, island, [&](std::size_t place, const StoredImpulse& source) {
    go_to(place);
    const Contact& contact = contacts[island.contacts[place]];
    r.segment(row, contact.rows) = (contact.basis.transpose() * source.impulse).head(contact.rows);
  });
  go_to(island.contacts.size());
  return row;
}

namespace {

void start_rolling_torsional(std::span<const StoredImpulse> impulses, std::span<const Contact> contacts,
                             const Island& island, int row, VecX& r) {
  thread_local std::vector<Vec3> turning;  // by place; scratch without an allocation per call
  turning.assign(island.contacts.size(), Vec3::Zero());
  for_each_start(impulses, contacts, island,
                 [&](std::size_t place, const StoredImpulse& source) { turning[place] = source.turning; });
  for_each_rolling_torsional_group(contacts, island, [&](const RollingTorsionalRows& group) {
    r.segment(row, group.rows) = (group.axes * turning[group.contact]).head(group.rows);
    row += group.rows;
  });
}

}  // namespace

void warm_start(const State& state, std::span<const Contact> contacts, std::span<const JointRows> joint_rows,
                const Island& island, VecX& r) {
  int rows = 0;
  int rolling_torsional = 0;
  for (int c : island.contacts) {
    rows += contacts[c].rows;
    rolling_torsional += rolling_torsional_row_count(contacts[c]);
  }
  for (int k : island.joint_rows) rows += joint_rows[k].rows;
  r.setZero(rows + rolling_torsional);
  int row = start_contacts(state.impulses, contacts, island, r);
  for (int k : island.joint_rows) {
    const JointRows& group = joint_rows[k];
    for (int i = 0; i < group.rows; ++i) {
      r[row++] = group.joint < 0 ? group.guess[i] : state.joints[group.joint].impulse[group.slot + i];
    }
  }
  if (rolling_torsional > 0) start_rolling_torsional(state.impulses, contacts, island, row, r);
}

}  // namespace cardhouse
