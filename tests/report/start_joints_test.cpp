#include "cardhouse/report/start_joints.h"

#include <gtest/gtest.h>

namespace cardhouse {
namespace {

/// A box of 1 kg that a ball joint holds 1 mm off.
Scene off_by_a_millimetre(Stabilisation stabilisation) {
  Scene scene;
  Body body;
  body.name = "box";
  body.mass = 1.0;
  body.inertia = Mat3::Identity();
  scene.model.bodies = {body};
  BodyState state;
  state.pose.position = Vec3(0.0, 0.0, 1e-3);
  scene.initial.bodies = {state};
  scene.initial.initial_poses = {state.pose};
  Joint joint;
  joint.name = "pin";
  scene.model.joints = {joint};
  scene.settings.step = 1e-3;
  scene.settings.gamma = 0.5;
  scene.settings.stabilisation = stabilisation;
  return scene;
}

TEST(StartJoints, TellHowFastTheFirstStepClosesWhatIsOff) {
  const auto words = [](Stabilisation stabilisation) {
    const Scene scene = off_by_a_millimetre(stabilisation);
    return start_violation_words(find_start_violation(scene).value(), scene);
  };
  EXPECT_NE(words(Stabilisation::gamma).find("is off by 1 mm"), std::string::npos);
  EXPECT_NE(words(Stabilisation::gamma).find("closes it at 500 mm/s"), std::string::npos)
      << words(Stabilisation::gamma);
  for (const Stabilisation s : {Stabilisation::projection, Stabilisation::sqp}) {
    EXPECT_NE(words(s).find("leaves bodies with up to 1 m/s"), std::string::npos) << words(s);
  }
  EXPECT_NE(words(Stabilisation::none).find("stays so"), std::string::npos);
}

TEST(StartJoints, SayNothingOfWhatIsOffByRounding) {
  Scene scene = off_by_a_millimetre(Stabilisation::gamma);
  scene.initial.bodies[0].pose.position.z() = 1e-12;
  EXPECT_FALSE(find_start_violation(scene));
}

}  // namespace
}  // namespace cardhouse
