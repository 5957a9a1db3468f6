// Functions that all scenes are built with.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cardhouse/scenes/parameters.h"
#include "cardhouse/world/scene.h"

namespace cardhouse::scenes {

inline constexpr double usual_density = 1000.0;  ///< kg/m³
inline constexpr double usual_gravity = 9.81;    ///< m/s²

/// One scene of the library: its description for users and the function that makes it.
struct SceneDefinition {
  std::string name;
  std::string summary;  ///< one line
  std::vector<ParameterSpec> parameters;
  Scene (*make)(const Parameters&) = nullptr;
};

/// An empty scene that keeps its parameters, with one material for all bodies.
Scene start_scene(const Parameters& parameters, std::string description, double mu, double restitution = 0.0);

double radians(double degrees);
Quat turn_about_y(double angle);  ///< rad; positive from z towards x

/// A dynamic body with one shape whose centre of mass is the origin of its frame (kg/m³; kg/m² for planar figures).
Body solid(std::string name, const Geometry& geometry, double density);
Body still(std::string name, const Geometry& geometry);
Body planar(Body body);

/// Puts a body into the scene and returns its index.
int add(Scene& scene, Body body, const Pose& pose, const Vec3& velocity = Vec3::Zero());

/// A fixed box whose top face lies in the plane z = `top`, centred on the z axis.
int add_ground(Scene& scene, const Vec3& half_extents, double top = 0.0);

/// A prism along y with a convex outline in the x–z plane (counter-clockwise with x to the right and z up). The body's
/// frame is that of the outline, moved to the centre of mass.
struct Prism {
  Body body;
  Vec3 centre = Vec3::Zero();  ///< m: where the centre of mass is in the frame of the outline
};
Prism prism(std::string name, std::span<const Vec2> outline, double depth, double density);

/// Uniform numbers that are the same on every machine (splitmix64, Steele, Lea & Flood 2014); the standard library's
/// distributions are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform(double lower, double upper);
  Quat rotation();  ///< uniform over all orientations (Shoemake 1992)

 private:
  std::uint64_t state_;
};

// The families of scenes, each in a file of its own.
SceneDefinition particle_drop_definition();
SceneDefinition incline_definition();
SceneDefinition sliding_block_definition();
SceneDefinition box_stack_definition();
SceneDefinition card_house_definition();
SceneDefinition card_house_hit_definition();
SceneDefinition arch_definition();
SceneDefinition arch_hit_definition();
SceneDefinition log_house_definition();
SceneDefinition kapla_tower_definition();
SceneDefinition painleve_rod_definition();
SceneDefinition cannonball_definition();
SceneDefinition ellipse_drop_definition();
SceneDefinition sphere_pile_definition();
SceneDefinition box_pile_definition();
SceneDefinition rock_pile_definition();
SceneDefinition jam_definition();
SceneDefinition tilting_plane_definition();
SceneDefinition pendulum_definition();
SceneDefinition chain_definition();
SceneDefinition chain_body_definition();
SceneDefinition parallelogram_definition();
SceneDefinition grasp_definition();
SceneDefinition brazil_nut_definition();
SceneDefinition newtons_cradle_definition();
SceneDefinition rolling_ball_definition();
SceneDefinition spinning_top_definition();
SceneDefinition coin_definition();
SceneDefinition turntable_definition();
SceneDefinition ceiling_block_definition();

/// All of them, in the order of scene_list().
const std::vector<SceneDefinition>& definitions();

}  // namespace cardhouse::scenes
