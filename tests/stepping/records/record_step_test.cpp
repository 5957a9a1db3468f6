#include "cardhouse/stepping/records/record_step.h"

#include <gtest/gtest.h>

namespace cardhouse {
namespace {

ContactRecord record_of(std::uint64_t feature, double impulse, ContactMode mode) {
  ContactRecord record;
  record.key.feature = feature;
  record.island = 0;
  record.impulse = Vec3(impulse, 0.0, 0.0);
  record.turning = Vec3(0.0, impulse, 0.0);
  record.gap = 0.1 * impulse;
  record.residual = impulse;
  record.mode = mode;
  return record;
}

TEST(AddEarlierContacts, AddsUpImpulsesByKeyAndKeepsWhatIsGone) {
  const std::vector<ContactRecord> earlier{record_of(1, 1.0, ContactMode::slip), record_of(2, 2.0, ContactMode::stick),
                                           record_of(5, 3.0, ContactMode::open)};
  std::vector<ContactRecord> records{record_of(2, 10.0, ContactMode::open), record_of(3, 20.0, ContactMode::slip),
                                     record_of(5, 1.0, ContactMode::slip)};
  add_earlier_contacts(earlier, records);
  ASSERT_EQ(records.size(), 4u);
  const std::vector<std::uint64_t> features{1, 2, 3, 5};
  const std::vector<double> impulses{1.0, 12.0, 20.0, 4.0};
  const std::vector<double> gaps{0.1, 0.2, 2.0, 0.3};
  const std::vector<double> residuals{1.0, 10.0, 20.0, 3.0};
  const std::vector<ContactMode> modes{ContactMode::slip, ContactMode::stick, ContactMode::slip, ContactMode::slip};
  const std::vector<int> islands{-1, 0, 0, 0};
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].key.feature, features[i]);
    EXPECT_EQ(records[i].impulse.x(), impulses[i]);
    EXPECT_EQ(records[i].turning.y(), impulses[i]);
    EXPECT_DOUBLE_EQ(records[i].gap, gaps[i]);
    EXPECT_EQ(records[i].residual, residuals[i]);
    EXPECT_EQ(records[i].mode, modes[i]);
    EXPECT_EQ(records[i].island, islands[i]);
  }
}

TEST(AddEarlierJoints, AddsUpImpulsesAndKeepsTheLaterPlaces) {
  JointRecord before, record;
  before.impulse = Vec3(1.0, 2.0, 3.0);
  before.torque = Vec3(0.0, 0.0, 1.0);
  before.drive[0] = 4.0;
  before.coordinate[0] = 0.5;
  before.residual = 1e-9;
  record.impulse = Vec3(1.0, 0.0, 0.0);
  record.coordinate[0] = 0.7;
  std::vector<JointRecord> records{record};
  add_earlier_joints(std::vector<JointRecord>{before}, records);
  EXPECT_EQ(records[0].impulse, Vec3(2.0, 2.0, 3.0));
  EXPECT_EQ(records[0].torque, Vec3(0.0, 0.0, 1.0));
  EXPECT_EQ(records[0].drive[0], 4.0);
  EXPECT_EQ(records[0].coordinate[0], 0.7);
  EXPECT_EQ(records[0].residual, 1e-9);
}

}  // namespace
}  // namespace cardhouse
