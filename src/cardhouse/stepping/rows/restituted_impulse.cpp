#include "cardhouse/stepping/rows/restituted_impulse.h"

#include <algorithm>

#include "cardhouse/stepping/rows/rolling_torsional_rows.h"

namespace cardhouse {
namespace {

const RestitutedImpulse* find(std::span<const RestitutedImpulse> sorted, const ContactKey& key) {
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), key,
                                      [](const RestitutedImpulse& r, const ContactKey& k) { return r.key < k; });
  return found != sorted.end() && found->key == key ? &*found : nullptr;
}

/// A normal impulse at one contact, in the free velocity.
void push(ContactProblem& problem, int group, double impulse) {
  const Vec3 r(impulse, 0.0, 0.0);
  for (const BlockRows::Entry& entry : problem.j.entries(group)) {
    const VecX impulse_on_block = problem.j.block(group, entry).transpose() * r.head(problem.j.group(group).dim);
    problem.a.add_solved(entry.block, impulse_on_block, problem.v_free);
  }
}

template <class Vector>
void append_zeros(Vector& vector, int count) {
  const auto old = vector.size();
  vector.conservativeResize(old + count);
  vector.tail(count).setZero();
}

/// A group with the tangents of `group` and the normal impulse `impulse`. The piston's mass matches the contact's
/// effective mass, so that the two look alike to a solver.
void add_piston(ContactProblem& problem, int group, double impulse, VecX& guess) {
  const BlockRows::Group own = problem.j.group(group);
  const double mass = 1.0 / delassus_block(problem, group)(0, 0);
  const int block = problem.a.add(MatX::Constant(1, 1, mass), MatX::Constant(1, 1, 1.0 / mass));
  append_zeros(problem.v_free, 1);
  problem.v_free[problem.v_free.size() - 1] = -impulse / mass;
  append_zeros(problem.b, own.dim);
  append_zeros(problem.compliance, own.dim);
  append_zeros(guess, own.dim);
  problem.b.tail(own.dim - 1) = problem.b.segment(own.row + 1, own.dim - 1).eval();
  guess[guess.size() - own.dim] = impulse;
  std::vector<std::pair<int, MatX>> entries;
  for (const BlockRows::Entry& entry : problem.j.entries(group)) {
    entries.emplace_back(entry.block, problem.j.block(group, entry));
    entries.back().second.row(0).setZero();
  }
  problem.j.begin_group(own.dim);
  for (const auto& [body, rows] : entries) problem.j.add(problem.a, body, rows);
  problem.j.add(problem.a, block, VecX::Unit(own.dim, 0));
  problem.laws.push_back(problem.laws[group]);
}

}  // namespace

void write_compression_biases(const NormalRowsInput& input, const Island& island, std::vector<double>& biases) {
  biases.clear();
  for (const int c : island.contacts) {
    const Contact& contact = input.contacts[c];
    const bool open = has_gap_rows(input.settings) && !collides(contact, input);
    biases.push_back(open ? std::max(contact.gap, 0.0) / input.settings.step : 0.0);
  }
}

void collect_restituted(std::span<const Contact> contacts, const Island& island, const ContactProblem& compression,
                        const VecX& r, std::vector<RestitutedImpulse>& restituted) {
  const std::size_t first = restituted.size();
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const Contact& contact = contacts[island.contacts[k]];
    const int row = compression.j.group(static_cast<int>(k)).row;
    if (!(r[row] > 0.0)) continue;
    Vec3 pushed = Vec3::Zero();
    pushed.head(contact.rows) = r.segment(row, contact.rows);
    restituted.push_back({contact.key, contact.restitution * r[row], contact.basis * pushed});
  }
  int g = static_cast<int>(island.contacts.size() + island.joint_rows.size());
  auto given = restituted.begin() + static_cast<std::ptrdiff_t>(first);  // in the order of the contacts, as the groups
  for_each_rolling_torsional_group(contacts, island, [&](const RollingTorsionalRows& group) {
    const int row = compression.j.group(g++).row;
    const ContactKey& key = contacts[island.contacts[group.contact]].key;
    while (given != restituted.end() && given->key < key) ++given;
    if (given == restituted.end() || given->key != key) return;  // it did not push, nor hold
    for (int n = 0; n < group.rows; ++n) given->turning += r[row + n] * group.axes.row(n).transpose();
  });
}

void add_restituted(std::span<const RestitutedImpulse> restituted, std::span<const Contact> contacts,
                    const Island& island, ContactProblem& problem, VecX& guess, std::vector<Piston>& pistons) {
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const RestitutedImpulse* given = find(restituted, contacts[island.contacts[k]].key);
    if (!given || !(given->normal > 0.0)) continue;
    const int group = static_cast<int>(k);
    push(problem, group, given->normal);
    // Also without friction: the piston's impulse is what the record shows.
    add_piston(problem, group, given->normal, guess);
    pistons.push_back({group});
  }
}

}  // namespace cardhouse
