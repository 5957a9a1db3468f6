#include "cardhouse/stepping/schemes/detect.h"

#include <gtest/gtest.h>

#include "cardhouse/base/error.h"
#include "stepping/bodies.h"

namespace cardhouse {
namespace {

using test::SmallModel;

TEST(Detect, FastBodiesAreSeenBeforeTheyArrive) {
  SmallModel setup;
  setup.add_floor();
  const int box = setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, 0.15));
  Detector detector(setup.model);
  StepSettings settings;
  settings.step = 1e-2;
  EXPECT_TRUE(detector.detect(setup.model, setup.state, setup.twists(), settings).empty());
  setup.state.bodies[box].linear = Vec3(0.0, 0.0, -10.0);  // 0.1 m in a step, the gap is 0.05 m
  EXPECT_EQ(detector.detect(setup.model, setup.state, setup.twists(), settings).size(), 4U);
}

TEST(Detect, ContactsComeSortedWithOrthonormalBases) {
  SmallModel setup;
  setup.add_floor();
  for (int k = 0; k < 5; ++k) setup.add_box(Vec3(0.5, 0.5, 0.5), Vec3(0.0, 0.0, 0.5 + k));
  Detector detector(setup.model);
  const auto& contacts = detector.detect(setup.model, setup.state, setup.twists(), {});
  ASSERT_EQ(contacts.size(), 20U);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    EXPECT_LT((contacts[i].basis.transpose() * contacts[i].basis - Mat3::Identity()).norm(), 1e-14);
    if (i > 0) {
      EXPECT_TRUE(contacts[i - 1].key < contacts[i].key);
    }
  }
}

TEST(Detect, PlanarAndSpatialDynamicBodiesMayNotTouch) {
  SmallModel setup;
  setup.add_box(Vec3(0.5, 0.5, 0.5), Vec3::Zero());
  Body disk;
  disk.name = "disk";
  disk.kind = BodyKind::planar;
  disk.shapes.push_back({Disk{0.5}, Pose{}, 0});
  BodyState s;
  s.pose.position = Vec3(0.0, 0.0, 0.9);
  set_density(disk, s, 1.0);
  setup.add(disk, s);
  Detector detector(setup.model);
  EXPECT_THROW(detector.detect(setup.model, setup.state, setup.twists(), {}), InputError);
}

TEST(Detect, AnisotropicFrictionFollowsTheBodysGrain) {
  SmallModel setup;
  setup.model.materials[0].mu = 0.2;
  setup.model.materials[0].anisotropy = Anisotropy{0.8, Vec3::UnitX()};
  setup.add_floor();
  const int box = setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, 0.1));
  // Both sides carry the material; the grain of the pair's first body, the floor, counts: it lies along x.
  setup.state.bodies[box].pose.orientation = rotation_from_vector(Vec3(0.0, 0.0, 0.5));
  Detector detector(setup.model);
  for (const Contact& contact : detector.detect(setup.model, setup.state, setup.twists(), {})) {
    EXPECT_EQ(contact.law.friction, FrictionShape::ellipse);
    EXPECT_NEAR(std::abs(contact.basis.col(1).x()), 1.0, 1e-14);
  }
}

TEST(Detect, TheMoreauJeanSchemeSeesOnlyClosedContacts) {
  SmallModel setup;
  setup.add_floor();
  const int box = setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, 0.1 + 1e-6));
  setup.state.bodies[box].linear = Vec3(0.0, 0.0, -1.0);
  Detector detector(setup.model);
  StepSettings settings;
  settings.scheme = Scheme::moreau_jean;
  EXPECT_TRUE(detector.detect(setup.model, setup.state, setup.twists(), settings).empty());
  setup.state.bodies[box].pose.position.z() = 0.1 - 1e-6;
  EXPECT_EQ(detector.detect(setup.model, setup.state, setup.twists(), settings).size(), 4U);
}

}  // namespace
}  // namespace cardhouse
