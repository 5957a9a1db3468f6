#include "cardhouse/model/joint.h"

#include <gtest/gtest.h>

#include "cardhouse/base/error.h"
#include "cardhouse/model/joint_loops.h"
#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"

namespace cardhouse {
namespace {

/// Bodies 0 … 3 move, 4 is fixed, 5 is planar, 6 is a particle.
struct Bodies {
  Model model;
  State state;

  Bodies() {
    for (int i = 0; i < 7; ++i) {
      Body body;
      body.name = "b" + std::to_string(i);
      body.mass = 1.0;
      body.inertia = Mat3::Identity();
      if (i == 4) body.mobility = Mobility::fixed;
      if (i == 5) body.kind = BodyKind::planar;
      if (i == 6) body.kind = BodyKind::particle;
      model.bodies.push_back(body);
    }
    state.bodies.resize(7);
  }
  Joint& add(JointKind kind, int first, int second) {
    Joint joint;
    joint.kind = kind;
    joint.first = first;
    joint.second = second;
    model.joints.push_back(joint);
    return model.joints.back();
  }
  std::string error() const {
    try {
      check_model(model, state);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }
};

TEST(JointCheck, AcceptsSoundJoints) {
  Bodies setup;
  setup.add(JointKind::hinge, 0, 1).drives[0] = {JointLimits{-1.0, 1.0}, JointMotor{}, 0.5};
  setup.add(JointKind::universal, 1, -1).drives[1].friction = 1.0;
  setup.add(JointKind::ball, 6, 4);
  setup.add(JointKind::revolute, 5, -1);
  setup.add(JointKind::distance, 5, -1).length = 1.0;
  EXPECT_EQ(setup.error(), "");
}

TEST(JointCheck, TellsWhatIsWrongAndWhere) {
  const auto expect = [](const std::string& part, const std::function<void(Bodies&)>& spoil) {
    Bodies setup;
    spoil(setup);
    const std::string message = setup.error();
    EXPECT_NE(message.find("joints[0]"), std::string::npos) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect("first = 9: no such body", [](Bodies& b) { b.add(JointKind::ball, 9, 0); });
  expect("second = -2: no such body", [](Bodies& b) { b.add(JointKind::ball, 0, -2); });
  expect("with itself", [](Bodies& b) { b.add(JointKind::ball, 1, 1); });
  expect("can't move", [](Bodies& b) { b.add(JointKind::ball, 4, -1); });
  expect("planar", [](Bodies& b) { b.add(JointKind::hinge, 5, -1); });
  expect("for planar bodies", [](Bodies& b) { b.add(JointKind::revolute, 0, -1); });
  expect("does not turn", [](Bodies& b) { b.add(JointKind::hinge, 6, -1); });
  expect("unit quaternion", [](Bodies& b) { b.add(JointKind::ball, 0, 1).frame_second.orientation.w() = 2.0; });
  expect("x–z plane", [](Bodies& b) { b.add(JointKind::revolute, 5, -1).frame_second.position.y() = 1.0; });
  expect("length = 0 m", [](Bodies& b) { b.add(JointKind::distance, 0, 1); });
  expect("a length must be", [](Bodies& b) { b.add(JointKind::distance, 0, 1).drives[0].limits = JointLimits{-1, 1}; });
  expect("no such coordinate", [](Bodies& b) { b.add(JointKind::ball, 0, 1).drives[0].friction = 1.0; });
  expect("second_drive", [](Bodies& b) { b.add(JointKind::hinge, 0, 1).drives[1].friction = 1.0; });
  expect("lower must not exceed", [](Bodies& b) {
    b.add(JointKind::hinge, 0, 1).drives[0].limits = JointLimits{1, 0};
  });
  expect("motor.max_force = -1",
         [](Bodies& b) { b.add(JointKind::hinge, 0, 1).drives[0].motor = JointMotor{.max_force = -1.0}; });
  expect("position target",
         [](Bodies& b) { b.add(JointKind::hinge, 0, 1).drives[0].motor = JointMotor{.stiffness = 1.0}; });
  expect("friction = -1", [](Bodies& b) { b.add(JointKind::hinge, 0, 1).drives[0].friction = -1.0; });
  expect("compliance = -1", [](Bodies& b) { b.add(JointKind::hinge, 0, 1).compliance = -1.0; });
  expect("away from each other", [](Bodies& b) {
    b.add(JointKind::hinge, 0, 1).frame_second.orientation = rotation_from_vector(Vec3(3.0, 0.0, 0.0));
  });
}

TEST(JointLoops, AreFoundThroughBodiesAndTheWorldButNotInTrees) {
  Bodies setup;
  setup.add(JointKind::ball, 0, -1);  // 0: a way to the world
  setup.add(JointKind::ball, 1, 0);   // 1
  setup.add(JointKind::ball, 2, 1);   // 2: hangs from the loop
  EXPECT_EQ(joints_in_loops(setup.model), (std::vector<bool>{false, false, false}));
  setup.add(JointKind::ball, 1, 4);  // 3: back to what is fixed
  setup.add(JointKind::ball, 3, 6);  // 4: two joints between the same bodies
  setup.add(JointKind::ball, 6, 3);  // 5
  EXPECT_EQ(joints_in_loops(setup.model), (std::vector<bool>{true, true, false, true, true, true}));
}

}  // namespace
}  // namespace cardhouse
