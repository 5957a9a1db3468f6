// At the start nothing overlaps, and what is built touches what carries it.
#include <gtest/gtest.h>

#include <algorithm>

#include "cardhouse/collision/narrow_phase.h"
#include "cardhouse/geometry/aabb.h"
#include "scene_helpers.h"

namespace cardhouse {
namespace {

// Structures of metres, assembled with a few roundings per coordinate: 1e-12 m is thousands of roundings, and a
// billionth of the gaps that a person could measure.
constexpr double exactly = 1e-12;

struct Touching {
  double least_gap = 1e300;               ///< m, over all pairs
  std::vector<double> least_gap_of_body;  ///< m
};

/// Whether a joint keeps the two bodies from touching: its parts may lie in each other.
bool are_joined(const Model& model, int a, int b) {
  return std::any_of(model.joints.begin(), model.joints.end(), [&](const Joint& joint) {
    return !joint.collide && std::minmax(joint.first, joint.second) == std::minmax(a, b);
  });
}

Touching touching_of(const Scene& scene) {
  const double margin = 1e-6;
  const std::vector<Body>& bodies = scene.model.bodies;
  Touching result;
  result.least_gap_of_body.assign(bodies.size(), 1e300);
  for (std::size_t a = 0; a < bodies.size(); ++a) {
    for (std::size_t b = a + 1; b < bodies.size(); ++b) {
      if (bodies[a].mobility != Mobility::dynamic && bodies[b].mobility != Mobility::dynamic) continue;
      if (are_joined(scene.model, static_cast<int>(a), static_cast<int>(b))) continue;
      for (const Shape& shape_a : bodies[a].shapes) {
        for (const Shape& shape_b : bodies[b].shapes) {
          const Pose pose_a = scene.initial.bodies[a].pose * shape_a.pose;
          const Pose pose_b = scene.initial.bodies[b].pose * shape_b.pose;
          if (!bounding_box(shape_a.geometry, pose_a, margin).overlaps(bounding_box(shape_b.geometry, pose_b, margin)))
            continue;
          std::vector<ManifoldPoint> points;
          collide(shape_a.geometry, pose_a, shape_b.geometry, pose_b, margin, points);
          for (const ManifoldPoint& point : points) {
            result.least_gap = std::min(result.least_gap, point.gap);
            result.least_gap_of_body[a] = std::min(result.least_gap_of_body[a], point.gap);
            result.least_gap_of_body[b] = std::min(result.least_gap_of_body[b], point.gap);
          }
        }
      }
    }
  }
  return result;
}

void expect_no_overlap(const std::string& name, const std::map<std::string, std::string>& parameters) {
  EXPECT_GE(touching_of(make_scene(name, parameters)).least_gap, -exactly) << name;
}

TEST(Touching, NoSceneStartsWithAnOverlap) {
  for (const SceneInfo& info : scene_list()) expect_no_overlap(info.name, {});
}

TEST(Touching, NoVariantStartsWithAnOverlap) {
  expect_no_overlap("card_house", {{"levels", "6"}, {"yaw", "37"}, {"offset", "10"}});
  expect_no_overlap("card_house", {{"lean", "10"}, {"length", "0.2"}, {"thickness", "0.0005"}});
  expect_no_overlap("card_house", {{"lean", "50"}, {"thickness", "0.005"}});
  for (const char* kind : {"semicircle", "catenary"}) {
    expect_no_overlap("arch", {{"kind", kind}, {"voussoirs", "101"}, {"thickness", "0.1"}});
    expect_no_overlap("arch", {{"kind", kind}, {"voussoirs", "3"}, {"thickness", "0.6"}});
    expect_no_overlap("arch", {{"kind", kind}, {"voussoirs", "20"}});
    expect_no_overlap("arch_hit", {{"kind", kind}, {"target", "leg"}, {"thickness", "0.6"}});
  }
  expect_no_overlap("tilting_plane", {{"load", "card_house"}, {"levels", "4"}});
  expect_no_overlap("cannonball", {{"stops", "true"}});
  expect_no_overlap("jam", {{"drop", "0"}});
  for (const char* seed : {"2", "3", "4"}) {
    expect_no_overlap("sphere_pile", {{"seed", seed}});
    expect_no_overlap("box_pile", {{"seed", seed}});
    expect_no_overlap("rock_pile", {{"seed", seed}});
  }
}

TEST(Touching, EveryBodyOfAStructureTouchesAnotherExactly) {
  const std::vector<std::pair<std::string, std::map<std::string, std::string>>> structures = {
      {"incline", {}},
      {"sliding_block", {}},
      {"box_stack", {}},
      {"card_house", {}},
      {"card_house", {{"levels", "6"}, {"yaw", "37"}, {"offset", "10"}}},
      {"arch", {}},
      {"arch", {{"kind", "catenary"}, {"voussoirs", "101"}}},
      {"log_house", {}},
      {"kapla_tower", {}},
      {"kapla_tower", {{"planks", "3"}, {"twist", "3"}}},
      {"tilting_plane", {}},
      {"tilting_plane", {{"load", "card_house"}}},
      {"cannonball", {}},
      {"painleve_rod", {}},
  };
  for (const auto& [name, parameters] : structures) {
    const Scene scene = make_scene(name, parameters);
    const Touching touching = touching_of(scene);
    for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
      if (scene.model.bodies[i].mobility != Mobility::dynamic) continue;
      EXPECT_LE(touching.least_gap_of_body[i], exactly) << name << " " << scene.model.bodies[i].name;
    }
  }
}

}  // namespace
}  // namespace cardhouse
