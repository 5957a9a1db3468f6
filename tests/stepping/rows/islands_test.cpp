#include "cardhouse/stepping/rows/islands.h"

#include <gtest/gtest.h>

#include "stepping/bodies.h"

namespace cardhouse {
namespace {

Contact between(int a, int b) {
  Contact contact;
  contact.body_a = a;
  contact.body_b = b;
  return contact;
}

TEST(Islands, FixedBodiesDoNotConnectWhatStandsOnThem) {
  test::SmallModel setup;
  setup.add_floor();
  for (int k = 0; k < 4; ++k) setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(k, 0.0, 0.1));
  const std::vector<Contact> contacts = {between(0, 1), between(0, 2), between(2, 4), between(1, 0)};
  IslandFinder finder;
  const auto islands = finder.find(setup.model, contacts, {});
  ASSERT_EQ(islands.size(), 2U);
  EXPECT_EQ(islands[0].bodies, std::vector<int>({1}));
  EXPECT_EQ(islands[0].contacts, std::vector<int>({0, 3}));
  EXPECT_EQ(islands[1].bodies, std::vector<int>({2, 4}));
  EXPECT_EQ(islands[1].contacts, std::vector<int>({1, 2}));
}

TEST(Islands, BodiesWithoutContactsBelongToNone) {
  test::SmallModel setup;
  setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3::Zero());
  IslandFinder finder;
  EXPECT_TRUE(finder.find(setup.model, {}, {}).empty());
}

}  // namespace
}  // namespace cardhouse
