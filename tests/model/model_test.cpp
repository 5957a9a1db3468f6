#include "cardhouse/model/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cardhouse/base/error.h"
#include "cardhouse/model/energy.h"
#include "cardhouse/model/kinds/equations.h"
#include "cardhouse/model/springs.h"
#include "cardhouse/model/state.h"

namespace cardhouse {
namespace {

TEST(Materials, MixToTheGeometricMeanAndTheLargerRestitution) {
  std::vector<Material> materials(2);
  materials[0].mu = 0.2;
  materials[0].restitution = 0.1;
  materials[1].mu = 0.8;
  materials[1].restitution = 0.6;
  const SurfacePair pair = mix(materials, {}, 0, 1);
  EXPECT_DOUBLE_EQ(pair.mu, 0.4);
  EXPECT_EQ(pair.restitution, 0.6);
  EXPECT_EQ(pair.anisotropy, nullptr);
}

TEST(Materials, MixAcrossTheGrainWithEachSidesOwnCoefficientThere) {
  std::vector<Material> materials(2);
  materials[0].mu = 0.3;
  materials[0].anisotropy = Anisotropy{0.15, Vec3::UnitX()};
  materials[1].mu = 0.6;
  EXPECT_DOUBLE_EQ(mix(materials, {}, 0, 0).mu_cross, 0.15);
  EXPECT_DOUBLE_EQ(mix(materials, {}, 0, 1).mu_cross, std::sqrt(0.15 * 0.6));
  EXPECT_DOUBLE_EQ(mix(materials, {}, 1, 0).mu_cross, std::sqrt(0.15 * 0.6));
}

TEST(Materials, MixTheLargerOfWhatOneSideIsEnoughFor) {
  std::vector<Material> materials(2);
  materials[0].mu_rolling = 0.01;
  materials[1].mu_torsional = 0.02;
  materials[1].adhesion = 3.0;
  const SurfacePair pair = mix(materials, {}, 0, 1);
  EXPECT_EQ(pair.mu_rolling, 0.01);
  EXPECT_EQ(pair.mu_torsional, 0.02);
  EXPECT_EQ(pair.adhesion, 3.0);
  EXPECT_EQ(mix(materials, {}, 0, 0).adhesion, 0.0);
}

TEST(Materials, MixStaticFrictionToItsGeometricMean) {
  std::vector<Material> materials(2);
  materials[0].mu = 0.2;
  materials[0].mu_static = 0.4;
  materials[0].slip_velocity = 0.03;
  materials[1].mu = 0.8;
  const SurfacePair one = mix(materials, {}, 0, 1);
  EXPECT_DOUBLE_EQ(one.static_ratio, std::sqrt(0.4 * 0.8) / 0.4);
  EXPECT_EQ(one.slip_velocity, 0.03);
  materials[1].mu_static = 0.8;
  materials[1].slip_velocity = 0.12;
  EXPECT_DOUBLE_EQ(mix(materials, {}, 1, 0).slip_velocity, 0.06);
}

TEST(Materials, HaveTheirStaticFrictionAtRestAndTheirKineticOneAtSpeed) {
  EXPECT_EQ(friction_factor(1.5, 0.1, 0.0), 1.5);
  EXPECT_DOUBLE_EQ(friction_factor(1.5, 0.1, 0.1), 1.0 + 0.5 * std::exp(-1.0));
  EXPECT_EQ(friction_factor(1.5, 0.1, 10.0), 1.0);
  EXPECT_EQ(friction_factor(1.0, 0.1, 0.05), 1.0);
}

TEST(Materials, PairOverridesKeepWhatTheyDoNotSay) {
  std::vector<Material> materials(2);
  materials[0].mu = 0.2;
  materials[0].mu_static = 0.3;
  materials[0].mu_rolling = 0.01;
  materials[0].anisotropy = Anisotropy{0.4, Vec3::UnitY()};
  materials[1].mu = 0.2;
  std::vector<MaterialPair> pairs = {{.first = 1, .second = 0, .mu = 0.6, .restitution = 0.0}};
  const SurfacePair kept = mix(materials, pairs, 0, 1);
  ASSERT_NE(kept.anisotropy, nullptr);
  EXPECT_EQ(kept.anisotropy->direction, Vec3::UnitY());
  EXPECT_TRUE(kept.anisotropy_on_first);
  EXPECT_DOUBLE_EQ(kept.mu_cross, 0.6 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(kept.static_ratio, std::sqrt(1.5));
  EXPECT_EQ(kept.mu_rolling, 0.01);
  pairs[0].mu_cross = 0.7;
  pairs[0].mu_static = 0.9;
  pairs[0].mu_rolling = 0.0;
  const SurfacePair said = mix(materials, pairs, 1, 0);
  EXPECT_FALSE(said.anisotropy_on_first);
  EXPECT_EQ(said.mu_cross, 0.7);
  EXPECT_DOUBLE_EQ(said.static_ratio, 1.5);
  EXPECT_EQ(said.mu_rolling, 0.0);
}

TEST(Materials, PairOverridesHoldInEitherOrder) {
  const std::vector<Material> materials(2);
  const std::vector<MaterialPair> pairs = {{0, 1, 0.9, 0.3}};
  for (const auto& [first, second] : {std::pair(0, 1), std::pair(1, 0)}) {
    EXPECT_EQ(mix(materials, pairs, first, second).mu, 0.9);
    EXPECT_EQ(mix(materials, pairs, first, second).restitution, 0.3);
  }
  EXPECT_EQ(mix(materials, pairs, 0, 0).mu, 0.5);
}

TEST(Motion, ShakingStartsWhereTheBodyIsWhateverThePhase) {
  Pose initial;
  initial.position = Vec3(1.0, 2.0, 3.0);
  const Shaking shaking{Vec3(0.1, 0.0, 0.0), 2.0, 0.7};
  EXPECT_EQ(pose_at(shaking, initial, 0.0).position, initial.position);
  EXPECT_LT((pose_at(shaking, initial, 0.5).position - initial.position).norm(), 1e-15);  // one period
}

TEST(Motion, TiltingTurnsAboutItsPivotUpToTheLargestAngle) {
  Tilting tilting;
  tilting.rate = 1.0;
  tilting.start = 1.0;
  tilting.ramp = 0.5;
  tilting.max_angle = 2.0;
  tilting.pivot = Vec3(1.0, 0.0, 0.0);
  const auto angle_at = [&](double t) { return vector_from_rotation(pose_at(tilting, {}, t).orientation).norm(); };
  EXPECT_EQ(angle_at(0.9), 0.0);
  EXPECT_NEAR(angle_at(1.25), 0.5 * 0.25 * 0.25 / 0.5, 1e-14);  // rate t²/(2 ramp)
  EXPECT_NEAR(angle_at(2.0), 0.75, 1e-14);                      // rate (t − ramp/2)
  EXPECT_NEAR(angle_at(9.0), 2.0, 1e-14);
  EXPECT_NEAR((pose_at(tilting, {}, 2.0).position - tilting.pivot).norm(), 1.0, 1e-14);
}

TEST(Density, MovesTheFrameToTheCentreOfMassAndLeavesTheShapesWhereTheyAre) {
  Body body;
  body.shapes.push_back({Box{Vec3(0.1, 0.1, 0.1)}, {Vec3(0.5, 0.0, 0.0), Quat::Identity()}, 0});
  BodyState state;
  state.pose.orientation = rotation_from_vector(Vec3(0.0, 0.0, 0.5 * std::numbers::pi));
  const Vec3 before = state.pose.apply(body.shapes[0].pose.position);
  set_density(body, state, 1000.0);
  EXPECT_NEAR(body.mass, 8.0, 1e-12);
  EXPECT_LT(body.shapes[0].pose.position.norm(), 1e-15);
  EXPECT_LT((state.pose.apply(body.shapes[0].pose.position) - before).norm(), 1e-15);
}

TEST(Springs, PullIsTheGradientOfTheirEnergy) {
  State state;
  state.bodies.resize(2);
  state.bodies[0].pose.position = Vec3(0.3, -0.2, 0.5);
  state.bodies[1].pose.position = Vec3(1.0, 0.7, -0.4);
  state.bodies[1].pose.orientation = rotation_from_vector(Vec3(0.3, 0.5, -0.2));
  const Spring spring{0, 1, Vec3(0.1, 0.2, 0.3), Vec3(-0.2, 0.1, 0.4), 70.0, 0.5, 0.0};
  std::vector<Wrench> wrenches(2);
  add_spring_force(spring, state, wrenches);
  const double d = 1e-6;  // central differences: round-off 1e-16 · 50 J/d = 5e-9 N, truncation below
  for (int body = 0; body < 2; ++body) {
    for (int axis = 0; axis < 3; ++axis) {
      double energy[2];
      double turned[2];
      for (int k = 0; k < 2; ++k) {
        const double sign = k == 0 ? -d : d;
        State moved = state;
        moved.bodies[body].pose.position[axis] += sign;
        energy[k] = spring_energy(spring, moved);
        moved = state;
        moved.bodies[body].pose.orientation =
            rotation_from_vector(sign * Vec3::Unit(axis)) * moved.bodies[body].pose.orientation;
        turned[k] = spring_energy(spring, moved);
      }
      EXPECT_NEAR(wrenches[body].force[axis], -(energy[1] - energy[0]) / (2.0 * d), 1e-7);
      EXPECT_NEAR(wrenches[body].torque[axis], -(turned[1] - turned[0]) / (2.0 * d), 1e-7);
    }
  }
}

TEST(Dofs, FollowTheKindAndTheAxes) {
  Body body;
  EXPECT_EQ(dofs_of(body), 6);
  body.kind = BodyKind::planar;
  EXPECT_EQ(dofs_of(body), 3);
  body.kind = BodyKind::particle;
  body.axes = {false, false, true};
  EXPECT_EQ(dofs_of(body), 1);
  body.mobility = Mobility::fixed;
  EXPECT_EQ(dofs_of(body), 0);
}

TEST(CheckModel, NamesWhatIsWrong) {
  Model model;
  State state;
  Body body;
  body.mass = 1.0;
  body.inertia = Mat3::Identity();
  model.bodies = {body};
  state.bodies.resize(1);
  EXPECT_NO_THROW(check_model(model, state));
  const auto message = [&](const Model& m, const State& s) {
    try {
      check_model(m, s);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  Model bad = model;
  bad.bodies[0].mass = -1.0;
  EXPECT_EQ(message(bad, state), "bodies[0].mass = -1 kg: must be > 0");
  bad = model;
  bad.bodies[0].inertia = -Mat3::Identity();
  EXPECT_NE(message(bad, state).find("bodies[0].inertia"), std::string::npos);
  bad = model;
  bad.materials[0].restitution = 1.5;
  EXPECT_EQ(message(bad, state), "materials[0].restitution = 1.5: must be in [0, 1]");
  bad.materials[0] = Material{};
  bad.materials[0].mu_static = 0.4;
  EXPECT_EQ(message(bad, state), "materials[0].mu_static = 0.4: must be finite and at least mu = 0.5");
  bad.materials[0] = Material{};
  bad.materials[0].slip_velocity = 0.0;
  EXPECT_EQ(message(bad, state), "materials[0].slip_velocity = 0 m/s: must be > 0");
  bad.materials[0] = Material{};
  bad.materials[0].adhesion = -1.0;
  EXPECT_EQ(message(bad, state), "materials[0].adhesion = -1 N: must be ≥ 0 and finite");
  bad.materials[0] = Material{};
  bad.material_pairs = {{.first = 0, .second = 0, .mu = 0.3, .restitution = 0.0, .mu_cross = 0.4}};
  EXPECT_EQ(message(bad, state),
            "material_pairs[0].mu_cross: needs an anisotropy of one of the two materials, which gives the direction");
  State bad_state = state;
  bad_state.bodies[0].linear.x() = std::nan("");
  EXPECT_NE(message(model, bad_state).find("bodies[0].linear_velocity"), std::string::npos);
}

/// What check_model says about one body, alone in the world.
std::string complaint(const Body& body, const BodyState& body_state) {
  Model model;
  model.bodies = {body};
  State state;
  state.bodies = {body_state};
  try {
    check_model(model, state);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CheckModel, RefusesAnInertiaThatNoBodyHas) {
  Body body;
  body.mass = 1.0;
  body.inertia = Vec3(1.0, 2.0, 3.0).asDiagonal();
  EXPECT_EQ(complaint(body, {}), "") << "a flat body";
  body.inertia(2, 2) = 3.0 * (1.0 + 1e-12);
  EXPECT_EQ(complaint(body, {}), "") << "rounding";
  body.inertia(2, 2) = 3.1;
  EXPECT_NE(complaint(body, {}).find("bodies[0].inertia"), std::string::npos);
  const Mat3 turn = rotation_from_vector(Vec3(0.3, -0.4, 0.5)).toRotationMatrix();
  body.inertia = turn * body.inertia * turn.transpose();
  EXPECT_NE(complaint(body, {}).find("bodies[0].inertia"), std::string::npos) << "in any axes";
}

TEST(CheckModel, RefusesAPlanarBodyOutsideItsPlane) {
  Body body;
  body.kind = BodyKind::planar;
  body.mass = 1.0;
  body.inertia(1, 1) = 1.0;
  BodyState in_plane;
  in_plane.pose = {Vec3(1.0, 0.0, 2.0), rotation_from_vector(Vec3(0.0, 0.7, 0.0))};
  in_plane.linear = Vec3(1.0, 0.0, -3.0);
  in_plane.angular = Vec3(0.0, 5.0, 0.0);
  EXPECT_EQ(complaint(body, in_plane), "");
  BodyState bad = in_plane;
  bad.pose.position.y() = 0.01;
  EXPECT_NE(complaint(body, bad).find("bodies[0].position[1] = 0.01 m"), std::string::npos);
  bad = in_plane;
  bad.pose.orientation = rotation_from_vector(Vec3(0.1, 0.0, 0.0));
  EXPECT_NE(complaint(body, bad).find("bodies[0].orientation"), std::string::npos);
  bad = in_plane;
  bad.linear.y() = 1.0;
  EXPECT_NE(complaint(body, bad).find("bodies[0].linear_velocity[1]"), std::string::npos);
  bad = in_plane;
  bad.angular.z() = 1.0;
  EXPECT_NE(complaint(body, bad).find("bodies[0].angular_velocity[2]"), std::string::npos);
}

TEST(Energy, CountsMotionHeightAndSprings) {
  Model model;
  State state;
  Body body;
  body.mass = 2.0;
  body.inertia = Vec3(1.0, 2.0, 3.0).asDiagonal();
  model.bodies = {body};
  BodyState s;
  s.pose.position = Vec3(0.0, 0.0, 5.0);
  s.linear = Vec3(1.0, 0.0, 0.0);
  s.angular = Vec3(0.0, 0.0, 2.0);
  state.bodies = {s};
  model.springs = {Spring{0, -1, Vec3::Zero(), Vec3(0.0, 0.0, 4.0), 10.0, 0.0, 0.0}};
  const Energy energy = energy_of(model, state);
  EXPECT_DOUBLE_EQ(energy.kinetic, 0.5 * 2.0 + 0.5 * 3.0 * 4.0);
  EXPECT_DOUBLE_EQ(energy.potential, 2.0 * 9.81 * 5.0 + 5.0);
}

}  // namespace
}  // namespace cardhouse
