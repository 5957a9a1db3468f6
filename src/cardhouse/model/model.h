#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cardhouse/geometry/shape.h"
#include "cardhouse/model/body_motion.h"
#include "cardhouse/model/joint.h"
#include "cardhouse/model/material.h"
#include "cardhouse/model/motion.h"
#include "cardhouse/model/network.h"
#include "cardhouse/model/point_potential.h"

namespace cardhouse {

struct State;

enum class BodyKind {
  spatial,   ///< 6 dofs: v_x v_y v_z w_x w_y w_z
  planar,    ///< 3 dofs: v_x v_z w_y, in the x–z plane
  particle,  ///< v along the body's `axes`, no rotation
  network,   ///< masses and the springs between them: 3 dofs per node
};

enum class Mobility {
  dynamic,  ///< moves by what acts on it
  fixed,
  kinematic,  ///< follows Body::motion whatever pushes it
};

/// What does not change about a body. Its frame has its origin at the centre of mass.
struct Body {
  std::string name;
  BodyKind kind = BodyKind::spatial;
  Mobility mobility = Mobility::dynamic;
  double mass = 0.0;                              ///< kg; counts for dynamic bodies only
  Mat3 inertia = Mat3::Zero();                    ///< kg m², about the centre of mass, body axes (planar: entry (1,1))
  std::array<bool, 3> axes = {true, true, true};  ///< of a particle
  std::vector<Shape> shapes;
  std::optional<Motion> motion;                ///< of a kinematic body
  std::shared_ptr<const NodeNetwork> network;  ///< of a network; shared and immutable

  double linear_damping = 0.0;   ///< 1/s: the force −damping · mass · velocity
  double angular_damping = 0.0;  ///< 1/s: the torque −damping · inertia · angular velocity
  Vec3 force = Vec3::Zero();     ///< N, constant, world frame, at the centre of mass
  Vec3 torque = Vec3::Zero();    ///< N m, constant, world frame
  double charge = 0.0;           ///< C, at the centre of mass
};

/// A damped spring between points of two bodies, or of a body and the world (second = −1, its point then in the world).
struct Spring {
  int first = 0;
  int second = -1;
  Vec3 point_first = Vec3::Zero();   ///< m, frame of the first body
  Vec3 point_second = Vec3::Zero();  ///< m, frame of the second body or world
  double stiffness = 0.0;            ///< N/m
  double rest_length = 0.0;          ///< m
  double damping = 0.0;              ///< N s/m, along the spring
  bool implicit = false;    ///< taken at the end of the step (stepping/rows/spring_rows.h): any stiffness is stable
  Stencil stencil_first{};  ///< of a body with nodes: those that hold this end
  Stencil stencil_second{};
};

/// Force and torque on a body, world frame, at its centre of mass. The nodes of a body share the force by their mass.
struct Wrench {
  Vec3 force = Vec3::Zero();   ///< N
  Vec3 torque = Vec3::Zero();  ///< N m
  VecX on_nodes{};             ///< N, three numbers per node, beside the force; empty: none
};

struct Model;
/// Adds to the wrench of any body. Called once per step, from one thread.
using ForceCallback = std::function<void(const Model&, const State&, std::span<Wrench>)>;

/// A polygon with more sides is nearer to the disk than most solvers' tolerances. Use the disk instead.
constexpr int most_friction_sides = 1024;

/// Which contact law the assembly writes for a pair of surfaces.
struct FrictionModel {
  bool polygon = false;  ///< false: exact disk or ellipse
  int sides = 8;         ///< of the polygon: even, from 4 to most_friction_sides
};

/// Forces between all bodies (model/global_forces.h).
struct GlobalForces {
  double gravitation = 0.0;     ///< m³/(kg s²); 0: none. Nature's is 6.6743e-11
  double electrostatics = 0.0;  ///< N m²/C²; 0: none. Nature's is 8.9876e9
  double softening = 0.0;       ///< m: ε in 1/√(r² + ε²)
  double opening_angle = 0.3;   ///< (−), of the tree code, in [0, 1): smaller is more exact and slower
  int tree_from = 300;          ///< sources from which on the tree is used: below, the direct sum is faster
};

struct Model {
  std::vector<Body> bodies;
  std::vector<Material> materials = {Material{}};
  std::vector<MaterialPair> material_pairs;
  std::vector<Spring> springs;
  std::vector<Joint> joints;
  Vec3 gravity = Vec3(0.0, 0.0, -9.81);  ///< m/s²
  FrictionModel friction;
  GlobalForces global_forces;
  std::vector<ForceCallback> callbacks;    ///< not kept in files
  std::vector<PointPotential> potentials;  ///< not kept in files either
};

/// Throws InputError when these nodes can't hold an end of a spring or joint; body −1 is the world.
void check_stencil(const std::string& path, const Model& model, int body, const Stencil& stencil);

/// m: an offset from the point of a stencil's nodes that counts as none.
inline constexpr double rounding_of_offsets = 1e-9;
/// Throws InputError when an end that nodes hold is off their point: nodes take no torque, so that a force there would
/// make angular momentum from nothing.
void check_offset(const std::string& path, const Stencil& stencil, const Vec3& offset);

/// Throws InputError for the first thing that is wrong: "bodies[3].mass = -1 kg: must be > 0", …
void check_model(const Model& model, const State& state);

}  // namespace cardhouse
