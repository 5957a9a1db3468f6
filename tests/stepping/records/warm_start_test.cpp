#include "cardhouse/stepping/records/warm_start.h"

#include <gtest/gtest.h>

namespace cardhouse {
namespace {

Contact contact_with(int shape_a, int shape_b, std::uint64_t feature) {
  Contact contact;
  contact.key = {shape_a, shape_b, feature};
  return contact;
}

Island island_of(int contacts) {
  Island island;
  for (int c = 0; c < contacts; ++c) island.contacts.push_back(c);
  return island;
}

TEST(WarmStart, FindsImpulsesByKeyAndTurnsThemIntoThePresentBasis) {
  State state;
  state.impulses = {{{0, 1, 5}, Vec3(1.0, 2.0, 3.0)}, {{0, 2, 5}, Vec3(4.0, 5.0, 6.0)}};
  std::vector<Contact> contacts = {contact_with(0, 2, 5)};
  contacts[0].basis.col(0) = Vec3::UnitZ();
  contacts[0].basis.col(1) = Vec3::UnitX();
  contacts[0].basis.col(2) = Vec3::UnitY();
  VecX r;
  warm_start(state, contacts, {}, island_of(1), r);
  EXPECT_EQ(r, VecX(Vec3(6.0, 4.0, 5.0)));
}

TEST(WarmStart, GivesTheImpulsesOfLostContactsToThePairsNewOnesInOrder) {
  State state;
  state.impulses = {
      {{0, 1, 3}, Vec3(1.0, 0.0, 0.0)}, {{0, 1, 5}, Vec3(2.0, 0.0, 0.0)}, {{0, 1, 7}, Vec3(3.0, 0.0, 0.0)}};
  const std::vector<Contact> contacts = {contact_with(0, 1, 2), contact_with(0, 1, 5), contact_with(0, 1, 9),
                                         contact_with(0, 1, 11)};
  VecX r;
  warm_start(state, contacts, {}, island_of(4), r);
  EXPECT_EQ(r[0], 1.0);  // takes the place of 3
  EXPECT_EQ(r[3], 2.0);  // kept
  EXPECT_EQ(r[6], 3.0);  // takes the place of 7
  EXPECT_EQ(r[9], 0.0);  // nothing left
}

TEST(WarmStart, LeavesContactsOfANewPairAtZero) {
  State state;
  state.impulses = {{{0, 1, 3}, Vec3(1.0, 0.0, 0.0)}};
  const std::vector<Contact> contacts = {contact_with(0, 2, 3)};
  VecX r;
  warm_start(state, contacts, {}, island_of(1), r);
  EXPECT_EQ(r, VecX(Vec3::Zero()));
}

}  // namespace
}  // namespace cardhouse
