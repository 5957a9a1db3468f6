#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <utility>

#include "cardhouse/io/scene_file.h"
#include "cardhouse/io/scene_keys.h"
#include "cardhouse/model/joint_kinematics.h"
#include "io/sample_scene.h"

namespace cardhouse {
namespace {

using testing::full_scene;
using testing::same_bits;
using testing::small_scene;

void expect_same(const Geometry& a, const Geometry& b) {
  ASSERT_EQ(a.index(), b.index());
  if (const auto* box = std::get_if<Box>(&a)) {
    EXPECT_TRUE(same_bits(box->half_extents, std::get<Box>(b).half_extents));
  }
  if (const auto* ramp = std::get_if<HalfSpace>(&a)) {
    EXPECT_TRUE(same_bits(ramp->normal, std::get<HalfSpace>(b).normal));
  }
  if (const auto* polytope = std::get_if<Polytope>(&a)) {
    const Hull& first = *polytope->hull;
    const Hull& second = *std::get<Polytope>(b).hull;
    ASSERT_EQ(first.vertices.size(), second.vertices.size());
    for (std::size_t i = 0; i < first.vertices.size(); ++i) {
      EXPECT_TRUE(same_bits(first.vertices[i], second.vertices[i]));
    }
    ASSERT_EQ(first.faces.size(), second.faces.size());
    for (std::size_t i = 0; i < first.faces.size(); ++i) {
      EXPECT_EQ(first.faces[i].vertices, second.faces[i].vertices);
      EXPECT_TRUE(same_bits(first.faces[i].normal, second.faces[i].normal));
      EXPECT_TRUE(same_bits(first.faces[i].offset, second.faces[i].offset));
    }
  }
}

void expect_same(const Body& a, const Body& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.mobility, b.mobility);
  EXPECT_TRUE(same_bits(a.mass, b.mass));
  EXPECT_TRUE(same_bits(a.inertia, b.inertia)) << a.inertia << "\n" << b.inertia;
  EXPECT_EQ(a.axes, b.axes);
  EXPECT_TRUE(same_bits(a.linear_damping, b.linear_damping));
  EXPECT_TRUE(same_bits(a.angular_damping, b.angular_damping));
  EXPECT_TRUE(same_bits(a.force, b.force));
  EXPECT_TRUE(same_bits(a.torque, b.torque));
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  for (std::size_t i = 0; i < a.shapes.size(); ++i) {
    EXPECT_TRUE(same_bits(a.shapes[i].pose, b.shapes[i].pose));
    EXPECT_EQ(a.shapes[i].material, b.shapes[i].material);
    expect_same(a.shapes[i].geometry, b.shapes[i].geometry);
  }
}

TEST(SceneRoundTrip, KeepsEveryBitOfEveryBody) {
  const Scene scene = full_scene();
  const Scene again = parse_scene(scene_text(scene), "text");
  EXPECT_TRUE(same_bits(scene.initial, again.initial));
  ASSERT_EQ(scene.model.bodies.size(), again.model.bodies.size());
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    SCOPED_TRACE(scene.model.bodies[i].name);
    expect_same(scene.model.bodies[i], again.model.bodies[i]);
  }
}

TEST(SceneRoundTrip, KeepsEveryBitOfAnInertiaThatCameFromADensity) {
  Scene scene = small_scene();
  const std::vector<Vec3> points = {{0, 0, 0}, {0.31, 0.1, 0}, {0.07, 0.33, 0}, {0, 0.09, 0.37}};
  Body& body = scene.model.bodies[1];
  body.shapes = {{Polytope{std::make_shared<const Hull>(hull_of_points(points))}, {}, 0}};
  set_density(body, scene.initial.bodies[1], 700.0);
  scene.initial.initial_poses[1] = scene.initial.bodies[1].pose;
  const Scene again = parse_scene(scene_text(scene), "text");
  EXPECT_TRUE(same_bits(scene.initial, again.initial));
  expect_same(body, again.model.bodies[1]);
}

TEST(SceneRoundTrip, KeepsSettingsSurfacesSpringsAndTheStandsRule) {
  const Scene scene = full_scene();
  const Scene again = parse_scene(scene_text(scene), "text");
  EXPECT_EQ(scene.name, again.name);
  EXPECT_EQ(scene.description, again.description);
  EXPECT_EQ(scene.parameters, again.parameters);
  EXPECT_EQ(scene.settings.step, again.settings.step);
  EXPECT_EQ(scene.settings.scheme, again.settings.scheme);
  EXPECT_EQ(scene.settings.solver, again.settings.solver);
  EXPECT_EQ(scene.settings.tolerance, again.settings.tolerance);
  EXPECT_EQ(scene.settings.max_iterations, again.settings.max_iterations);
  EXPECT_EQ(scene.settings.margin, again.settings.margin);
  EXPECT_EQ(scene.duration, again.duration);
  EXPECT_TRUE(same_bits(scene.model.gravity, again.model.gravity));
  EXPECT_EQ(scene.model.friction.polygon, again.model.friction.polygon);
  EXPECT_EQ(scene.model.friction.sides, again.model.friction.sides);
  ASSERT_EQ(again.model.materials.size(), 2U);
  EXPECT_EQ(again.model.materials[1].name, "steel");
  EXPECT_EQ(again.model.materials[0].mu, 0.1 + 0.2);
  ASSERT_EQ(again.model.material_pairs.size(), 1U);
  EXPECT_EQ(again.model.material_pairs[0].second, 1);
  ASSERT_EQ(again.model.springs.size(), 2U);
  EXPECT_EQ(again.model.springs[0].damping, 1.5);
  EXPECT_EQ(again.model.springs[1].second, -1);
  EXPECT_EQ(again.model.bodies[0].charge, -1.0 / 3.0);
  EXPECT_EQ(again.model.bodies[1].charge, 0.0);
  EXPECT_EQ(again.model.global_forces.gravitation, 6.6743e-11);
  EXPECT_EQ(again.model.global_forces.electrostatics, 1.0 / 7.0);
  EXPECT_EQ(again.model.global_forces.softening, 0.01);
  EXPECT_EQ(again.model.global_forces.opening_angle, 0.3);
  EXPECT_EQ(again.model.global_forces.tree_from, 77);
  ASSERT_TRUE(again.stands.has_value());
  EXPECT_EQ(again.stands->bodies, (std::vector<int>{0, 2}));
  EXPECT_EQ(again.stands->after, 1.0);
  EXPECT_EQ(again.stands->relative_to, 1);
  EXPECT_EQ(again.settings.stabilisation, Stabilisation::sqp);
  EXPECT_EQ(again.settings.gamma, 1.0 / 3.0);
  EXPECT_EQ(again.settings.initial_overlaps, InitialOverlaps::separate);
  EXPECT_EQ(again.settings.restitution, Restitution::lagged);
  EXPECT_EQ(again.settings.adaptive, Adaptive::error);
  EXPECT_EQ(again.settings.least_step, 1.0 / 30000.0);
  EXPECT_EQ(again.settings.error_tolerance, 1.0 / 7e5);
}

void expect_same(const JointDrive& a, const JointDrive& b) {
  ASSERT_EQ(a.limits.has_value(), b.limits.has_value());
  if (a.limits) {
    EXPECT_EQ(a.limits->lower, b.limits->lower);
    EXPECT_EQ(a.limits->upper, b.limits->upper);
  }
  ASSERT_EQ(a.motor.has_value(), b.motor.has_value());
  if (a.motor) {
    EXPECT_EQ(a.motor->target, b.motor->target);
    EXPECT_EQ(a.motor->value, b.motor->value);
    EXPECT_EQ(a.motor->max_force, b.motor->max_force);
    EXPECT_EQ(a.motor->max_speed, b.motor->max_speed);
    EXPECT_EQ(a.motor->stiffness, b.motor->stiffness);
    EXPECT_EQ(a.motor->damping, b.motor->damping);
  }
  EXPECT_EQ(a.friction, b.friction);
}

TEST(SceneRoundTrip, KeepsEveryBitOfEveryTypeOfJoint) {
  const Scene scene = full_scene();
  const Scene again = parse_scene(scene_text(scene), "text");
  ASSERT_EQ(again.model.joints.size(), scene_keys::joint_types.size());
  for (std::size_t j = 0; j < again.model.joints.size(); ++j) {
    const Joint& a = scene.model.joints[j];
    const Joint& b = again.model.joints[j];
    SCOPED_TRACE(a.name);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.first, b.first);
    EXPECT_EQ(a.second, b.second);
    EXPECT_TRUE(same_bits(a.frame_first, b.frame_first));
    EXPECT_TRUE(same_bits(a.frame_second, b.frame_second));
    EXPECT_EQ(a.length, b.length);
    EXPECT_EQ(a.collide, b.collide);
    EXPECT_EQ(a.compliance, b.compliance);
    EXPECT_EQ(a.angular_compliance, b.angular_compliance);
    for (std::size_t c = 0; c < a.drives.size(); ++c) expect_same(a.drives[c], b.drives[c]);
  }
}

TEST(SceneFile, PlacesAJointInTheWorldWhereItsBodiesAre) {
  const Scene scene = parse_scene(R"({ "bodies": [
      { "name": "door", "mass": 1, "inertia": [1, 1, 1], "position": [1, 0, 0], "orientation": [0, 0, 0, 1] } ],
    "joints": [ { "type": "hinge", "first": "door", "second": "world", "anchor": [0, 0, 0], "axis": [0, 0, 1],
                  "limits": { "lower": -1 }, "motor": { "position": 0.5, "stiffness": 2 }, "friction": 0.1 },
                { "type": "distance", "first": "door", "second": "world", "anchor_first": [1, 0, 0],
                  "anchor_second": [1, 3, 4] } ] })",
                                  "text");
  ASSERT_EQ(scene.model.joints.size(), 2U);
  EXPECT_EQ(scene.model.joints[0].name, "joint_0");
  EXPECT_NEAR((scene.model.joints[0].frame_first.position - Vec3(1, 0, 0)).norm(), 0.0, 1e-15);  // the door is turned
  EXPECT_EQ(scene.model.joints[0].drives[0].limits->lower, -1.0);
  EXPECT_TRUE(scene.model.joints[0].drives[0].motor->is_spring());
  EXPECT_EQ(scene.model.joints[1].length, 5.0);
  EXPECT_LT(worst_joint_violation(scene.model, scene.initial).length, 1e-14);
}

TEST(SceneRoundTrip, KeepsWhatMakesContactsSoft) {
  Scene scene = small_scene();
  EXPECT_EQ(parse_scene(scene_text(scene), "text").settings.contact, ContactModel::hard);
  scene.settings.contact = ContactModel::soft;
  scene.settings.soft = {1.0 / 3.0, 7e5, StickRule::viscous, 0.1 + 0.2, 2};
  const StepSettings again = parse_scene(scene_text(scene), "text").settings;
  EXPECT_EQ(again.contact, ContactModel::soft);
  EXPECT_EQ(again.soft.normal_stiffness, 1.0 / 3.0);
  EXPECT_EQ(again.soft.tangential_stiffness, 7e5);
  EXPECT_EQ(again.soft.stick, StickRule::viscous);
  EXPECT_EQ(again.soft.viscosity, 0.1 + 0.2);
  EXPECT_EQ(again.soft.order, 2);
}

TEST(SceneRoundTrip, GivesTheSameTextAgain) {
  for (const Scene& scene : {small_scene(), full_scene()}) {
    const std::string text = scene_text(scene);
    EXPECT_EQ(text, scene_text(parse_scene(text, "text")));
  }
}

TEST(SceneRoundTrip, KeepsTheLawsOfFriction) {
  Scene scene = small_scene();
  scene.model.materials = {Material{}, Material{}};
  scene.model.materials[0].anisotropy = Anisotropy{0.25, Vec3::UnitX()};
  scene.model.materials[1].name = "other";
  scene.model.material_pairs = {{.first = 0, .second = 1, .mu = 0.3, .restitution = 0.0}};
  scene.model.materials[0].mu_static = 0.1 + 0.6;
  scene.model.materials[0].slip_velocity = 1.0 / 3.0;
  scene.model.materials[1].mu_rolling = 0.1 + 0.2;
  scene.model.materials[1].mu_torsional = 1e-5 / 3.0;
  scene.model.materials[1].adhesion = 2.0 / 3.0;
  MaterialPair& pair = scene.model.material_pairs[0];
  pair.mu_cross = 0.7 / 3.0;
  pair.mu_static = 0.4;
  pair.slip_velocity = 0.2;
  pair.mu_rolling = 0.0;
  pair.mu_torsional = 0.5;
  pair.adhesion = 0.0;
  const Scene again = parse_scene(scene_text(scene), "text");
  for (int m = 0; m < 2; ++m) {
    EXPECT_EQ(again.model.materials[m].mu_static, scene.model.materials[m].mu_static);
    EXPECT_EQ(again.model.materials[m].slip_velocity, scene.model.materials[m].slip_velocity);
    EXPECT_EQ(again.model.materials[m].mu_rolling, scene.model.materials[m].mu_rolling);
    EXPECT_EQ(again.model.materials[m].mu_torsional, scene.model.materials[m].mu_torsional);
    EXPECT_EQ(again.model.materials[m].adhesion, scene.model.materials[m].adhesion);
  }
  const MaterialPair& read = again.model.material_pairs[0];
  EXPECT_EQ(read.mu_cross, pair.mu_cross);
  EXPECT_EQ(read.mu_static, pair.mu_static);
  EXPECT_EQ(read.slip_velocity, pair.slip_velocity);
  EXPECT_EQ(read.mu_rolling, pair.mu_rolling);
  EXPECT_EQ(read.mu_torsional, pair.mu_torsional);
  EXPECT_EQ(read.adhesion, pair.adhesion);
}

TEST(SceneRoundTrip, KeepsAnisotropicFriction) {
  Scene scene = small_scene();
  scene.model.materials[0].anisotropy = Anisotropy{0.25, Vec3(1.0, 2.0, -0.0)};
  const Scene again = parse_scene(scene_text(scene), "text");
  ASSERT_TRUE(again.model.materials[0].anisotropy.has_value());
  EXPECT_EQ(again.model.materials[0].anisotropy->mu_cross, 0.25);
  EXPECT_TRUE(same_bits(again.model.materials[0].anisotropy->direction, Vec3(1.0, 2.0, -0.0)));
}

TEST(SceneFile, TakesCommentsAndFillsInTheDefaults) {
  const Scene scene = parse_scene(R"({
    // a marble
    "bodies": [ { "density": 2500, /* glass */ "shapes": [ { "type": "sphere", "radius": 0.01 } ] } ]
  })",
                                  "text");
  ASSERT_EQ(scene.model.bodies.size(), 1U);
  EXPECT_EQ(scene.model.bodies[0].name, "body_0");
  EXPECT_NEAR(scene.model.bodies[0].mass, 2500 * 4.0 / 3.0 * 3.14159265358979 * 1e-6, 1e-12);
  EXPECT_EQ(scene.model.gravity, Vec3(0.0, 0.0, -9.81));
  EXPECT_EQ(scene.settings.step, StepSettings{}.step);
  EXPECT_EQ(scene.initial.initial_poses.size(), 1U);
  EXPECT_FALSE(scene.stands.has_value());
}

TEST(SceneFile, PutsTheFrameOfABodyWithADensityAtItsCentreOfMass) {
  const Scene scene = parse_scene(R"({ "bodies": [ { "density": 1, "position": [1, 0, 0],
    "shapes": [ { "type": "box", "half_extents": [1, 1, 1], "position": [0, 0, 2] } ] } ] })",
                                  "text");
  EXPECT_NEAR((scene.initial.bodies[0].pose.position - Vec3(1, 0, 2)).norm(), 0.0, 1e-12);
  EXPECT_NEAR(scene.model.bodies[0].shapes[0].pose.position.norm(), 0.0, 1e-12);
  EXPECT_TRUE(same_bits(scene.initial.bodies[0].pose, scene.initial.initial_poses[0]));
}

TEST(SceneFile, NormalisesAnOrientationThatWasTypedWithSevenDigits) {
  const Scene scene = parse_scene(R"({ "bodies": [ { "mass": 1, "inertia": [1, 1, 1],
    "orientation": [0.7071068, 0.7071068, 0, 0] } ] })",
                                  "text");
  EXPECT_NEAR(scene.initial.bodies[0].pose.orientation.norm(), 1.0, 1e-15);
}

TEST(SceneFile, TurnsAPlanarBodyByItsAngleFromZTowardsX) {
  const Scene scene = parse_scene(R"({ "bodies": [ { "kind": "planar", "mass": 1, "inertia": 1,
    "angle": 1.5707963267948966, "shapes": [ { "type": "disk", "radius": 1 } ] } ] })",
                                  "text");
  EXPECT_NEAR((scene.initial.bodies[0].pose.orientation * Vec3::UnitZ() - Vec3::UnitX()).norm(), 0.0, 1e-15);
}

TEST(SceneFile, WithTheWordsOfEarlierVersionsIsTheSameSceneAndTellsSo) {
  const std::string now = R"({ "bodies": [ { "mobility": "dynamic", "mass": 1, "kind": "particle" } ],
    "settings": { "scheme": "SCHEME" } })";
  const std::array<std::pair<const char*, const char*>, 2> schemes = {
      {{"stewart_trinkle", "gap_over_h"}, {"moreau_jean", "midpoint"}}};
  for (const auto& [todays, old] : schemes) {
    std::string text = now;
    text.replace(text.find("SCHEME"), 6, todays);
    std::string earlier = now;
    earlier.replace(earlier.find("SCHEME"), 6, old);
    earlier.replace(earlier.find("dynamic"), 7, "moving");
    const Scene scene = parse_scene(text, "text");
    const Scene same = parse_scene(earlier, "text");
    EXPECT_EQ(scene_text(scene), scene_text(same)) << old;
    EXPECT_TRUE(scene.notes.empty());
    EXPECT_EQ(same.notes.size(), 2u) << old;
  }
}

}  // namespace
}  // namespace cardhouse
