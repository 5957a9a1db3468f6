// What contacts give back in the decompression of Poisson's law, as part of a contact problem.
//
// A contact that was compressed with the normal impulse r_C pushes in the decompression with r_N ≥ e r_C, and its
// friction is bounded by mu r_N. With r_N = e r_C + r' that is
//
//     0 ≤ r' ⊥ u_N ≥ 0,     friction within F(e r_C + r') = F(e r_C) + F(r')
//
// The impulse e r_C n enters the free velocity; F(r') is the contact's own. The friction that belongs to e r_C is that
// of a second group with the same tangents whose normal row presses on a small piston of its own: a mass m with the
// velocity −e r_C/m, which only the impulse e r_C stops. Both groups see the same sliding velocity, so that friction in
// the sum of both sets dissipates the most that it can. So every solver and the certificate take the problem as it is.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/contact/problem.h"
#include "cardhouse/stepping/rows/islands.h"
#include "cardhouse/stepping/rows/normal_rows.h"

namespace cardhouse {

/// Of one contact.
struct RestitutedImpulse {
  ContactKey key;
  double normal = 0.0;              ///< N s: e r_C
  Vec3 compression = Vec3::Zero();  ///< N s, world, on the first body: all that the compression pushed with
  Vec3 turning = Vec3::Zero();      ///< N m s, the same for its rolling and torsional friction
};

/// A second group of rows of a contact, behind all others of its island.
struct Piston {
  int contact = 0;  ///< its place in Island::contacts
};

/// The first of an island's groups that are pistons.
inline int first_piston(const ContactProblem& problem, std::span<const Piston> pistons) {
  return problem.groups() - static_cast<int>(pistons.size());
}

/// b of the normal rows in the compression: colliding contacts must not approach, others may until they touch. Overlaps
/// are left to the decompression, so that removing them is not restituted.
void write_compression_biases(const NormalRowsInput& input, const Island& island, std::vector<double>& biases);

/// What the contacts of an island that were pushed are to give back, from the compression's impulses.
void collect_restituted(std::span<const Contact> contacts, const Island& island, const ContactProblem& compression,
                        const VecX& r, std::vector<RestitutedImpulse>& restituted);

/// Adds the impulses (sorted by key) to an island's problem.
void add_restituted(std::span<const RestitutedImpulse> restituted, std::span<const Contact> contacts,
                    const Island& island, ContactProblem& problem, VecX& guess, std::vector<Piston>& pistons);

}  // namespace cardhouse
