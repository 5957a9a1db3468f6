#include "cardhouse/report/implausible.h"

#include <gtest/gtest.h>

#include <numbers>

namespace cardhouse {
namespace {

Body ball(const std::string& name, double radius) {
  Body body;
  body.name = name;
  body.mass = 1.0;
  body.shapes.push_back({Sphere{radius}, {}, 0});
  return body;
}

Scene scene_of(std::vector<Body> bodies) {
  Scene scene;
  scene.model.bodies = std::move(bodies);
  scene.initial.bodies.resize(scene.model.bodies.size());
  return scene;
}

Joint hinge(double lower, double upper) {
  Joint joint;
  joint.name = "knee";
  joint.kind = JointKind::hinge;
  joint.drives[0].limits = JointLimits{lower, upper};
  return joint;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Implausible, IsNothingInAnOrdinaryScene) {
  EXPECT_TRUE(implausible(scene_of({ball("a", 0.1), ball("b", 20.0)})).empty());
}

TEST(Implausible, AreDynamicBodiesAThousandTimesAsLargeAsOthers) {
  Scene scene = scene_of({ball("mouse", 0.1), ball("mountain", 100.0)});
  ASSERT_EQ(implausible(scene).size(), 1u);
  EXPECT_TRUE(has(implausible(scene)[0], "\"mountain\" is 1000 times as large as body \"mouse\""))
      << implausible(scene)[0];
  scene.model.bodies[1].mobility = Mobility::fixed;
  EXPECT_TRUE(implausible(scene).empty()) << "a large ground is none";
}

TEST(Implausible, AreLimitsOfAnglesBeyondAWholeTurn) {
  Scene scene = scene_of({ball("a", 0.1)});
  scene.model.joints = {hinge(-90.0, 90.0)};
  ASSERT_EQ(implausible(scene).size(), 1u);
  EXPECT_TRUE(has(implausible(scene)[0], "\"knee\"")) << implausible(scene)[0];
  EXPECT_TRUE(has(implausible(scene)[0], "-90° would be -1.571")) << implausible(scene)[0];
  scene.model.joints = {hinge(-2.0 * std::numbers::pi, 3.0)};
  EXPECT_TRUE(implausible(scene).empty());
  scene.model.joints[0].kind = JointKind::slider;
  scene.model.joints[0].drives[0].limits = JointLimits{0.0, 90.0};
  EXPECT_TRUE(implausible(scene).empty()) << "90 m is no angle";
  scene.model.joints[0].kind = JointKind::hinge;
  scene.model.joints[0].drives[0].limits = JointLimits{};
  EXPECT_TRUE(implausible(scene).empty()) << "infinite limits are none";
}

TEST(Implausible, IsAStepThatIsLongerThanTheDuration) {
  Scene scene = scene_of({ball("a", 0.1)});
  scene.settings.step = 0.5;
  scene.duration = 0.1;
  ASSERT_EQ(implausible(scene).size(), 1u);
  EXPECT_EQ(implausible(scene)[0], "the step, 500 ms, is longer than the duration, 100 ms");
  scene.duration = 0.0;
  EXPECT_TRUE(implausible(scene).empty()) << "no step is taken";
}

TEST(Implausible, IsASceneInWhichNothingMoves) {
  Scene scene = scene_of({ball("a", 0.1)});
  scene.model.bodies[0].mobility = Mobility::fixed;
  ASSERT_EQ(implausible(scene).size(), 1u);
  EXPECT_TRUE(has(implausible(scene)[0], "nothing moves"));
  EXPECT_TRUE(has(implausible(scene_of({}))[0], "nothing moves"));
}

ContactRecord contact_of(double gap) {
  ContactRecord contact;
  contact.key.shape_b = 1;
  contact.body_b = 1;
  contact.gap = gap;
  return contact;
}

/// Half the diagonal of the ball's box is √3 times 0.1 m: a tenth of it is 17.3 mm.
TEST(DeepOverlap, IsToldOnceWhenAStepEndsWithIt) {
  const Scene scene = scene_of({ball("a", 0.1), ball("b", 1.0)});
  DeepOverlapWatch watch(scene.model);
  State state;
  state.step = 5;
  const std::vector<ContactRecord> deep = {contact_of(-0.0174)};
  const std::vector<ContactRecord> shallow = {contact_of(-0.0172)};
  EXPECT_FALSE(watch.see(scene.model, state, deep).has_value()) << "was there before the first step";
  EXPECT_FALSE(watch.see(scene.model, state, shallow).has_value());
  const auto words = watch.see(scene.model, state, deep);
  ASSERT_TRUE(words.has_value());
  EXPECT_TRUE(has(*words, "step 4 ended with \"a\" and \"b\" 17.4 mm deep in each other")) << *words;
  EXPECT_FALSE(watch.see(scene.model, state, deep).has_value()) << "once";
}

TEST(DeepOverlap, IsNotOneThatIsKeptFromTheStart) {
  const Scene scene = scene_of({ball("a", 0.1), ball("b", 1.0)});
  const ContactRecord contact = contact_of(-0.0174);
  DeepOverlapWatch watch(scene.model);
  State state;
  state.overlaps = {{contact.key.shape_a, contact.key.shape_b, 0.0174}};
  for (int step = 0; step < 3; ++step) EXPECT_FALSE(watch.see(scene.model, state, {&contact, 1}).has_value());
  const ContactRecord deeper = contact_of(-0.04);
  EXPECT_TRUE(watch.see(scene.model, state, {&deeper, 1}).has_value()) << "motion made the rest";
}

}  // namespace
}  // namespace cardhouse
