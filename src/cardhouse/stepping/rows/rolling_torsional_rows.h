// Rolling and torsional friction: groups of rows apart from a contact's own, on the bodies' relative angular velocity w
// (rad/s) along the contact's axes. Their impulses are N m s, bounded by the contact's normal impulse r_N:
//
//     rolling     w across the normal (two rows, in the plane one),  ‖r‖ ≤ mu_rolling r_N
//     torsional   w along the normal (one row, none in the plane),   |r| ≤ mu_torsional r_N
//
// In an island's problem they come after all others, in the order of the contacts.
#pragma once

#include "cardhouse/stepping/rows/contact.h"
#include "cardhouse/stepping/rows/islands.h"

namespace cardhouse {

struct RollingTorsionalRows {
  int contact = 0;  ///< its place in the island, which is also its group
  int rows = 0;
  Mat3 axes = Mat3::Zero();  ///< as rows, world frame
  Law law;
};

inline int rolling_torsional_row_count(const Contact& contact) {
  const bool planar = contact.rows == 2;
  return (contact.mu_rolling > 0.0 ? (planar ? 1 : 2) : 0) + (contact.mu_torsional > 0.0 && !planar ? 1 : 0);
}

/// visit(const RollingTorsionalRows&) for each group of an island, in its problem's order.
template <typename Visit>
void for_each_rolling_torsional_group(std::span<const Contact> contacts, const Island& island, Visit visit) {
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const Contact& contact = contacts[island.contacts[k]];
    if (rolling_torsional_row_count(contact) == 0) continue;
    const bool planar = contact.rows == 2;
    RollingTorsionalRows group;
    group.contact = static_cast<int>(k);
    group.law.kind = Law::Kind::dependent;
    group.law.leader = group.contact;
    // Polygons stay polygons, so that methods for them stay exact; a grain is of the surface, not of the load's spread.
    group.law.friction = contact.law.friction == FrictionShape::polygon ? FrictionShape::polygon : FrictionShape::disk;
    group.law.sides = contact.law.sides;
    if (contact.mu_rolling > 0.0) {
      group.rows = planar ? 1 : 2;
      group.law.mu = group.law.mu_cross = contact.mu_rolling;
      group.axes.row(0) = contact.basis.col(planar ? 2 : 1).transpose();
      group.axes.row(1) = contact.basis.col(planar ? 1 : 2).transpose();
      visit(group);
    }
    if (contact.mu_torsional > 0.0 && !planar) {
      group.rows = 1;
      group.law.mu = group.law.mu_cross = contact.mu_torsional;
      group.axes.row(0) = contact.basis.col(0).transpose();
      visit(group);
    }
  }
}

}  // namespace cardhouse
