// Small models for the tests of the stepping room.
#pragma once

#include "cardhouse/model/body_motion.h"
#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"

namespace cardhouse::test {

struct SmallModel {
  Model model;
  State state;

  int add(Body body, const BodyState& s) {
    model.bodies.push_back(std::move(body));
    state.bodies.push_back(s);
    state.initial_poses.push_back(s.pose);
    return static_cast<int>(model.bodies.size()) - 1;
  }
  /// Each body's velocity.
  std::vector<BodyMotion> twists() const {
    std::vector<BodyMotion> result;
    for (const BodyState& s : state.bodies) result.push_back({s.linear, s.angular});
    return result;
  }
  int add_floor() {
    Body body;
    body.name = "floor";
    body.mobility = Mobility::fixed;
    body.shapes.push_back({HalfSpace{}, Pose{}, 0});
    return add(body, {});
  }
  int add_box(const Vec3& half, const Vec3& position, double density = 1000.0) {
    Body body;
    body.name = "box" + std::to_string(model.bodies.size());
    body.shapes.push_back({Box{half}, Pose{}, 0});
    BodyState s;
    s.pose.position = position;
    set_density(body, s, density);
    return add(body, s);
  }
};

}  // namespace cardhouse::test
