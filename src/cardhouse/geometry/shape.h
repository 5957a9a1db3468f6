#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "cardhouse/geometry/hull.h"
#include "cardhouse/math/pose.h"

namespace cardhouse {

// Solids in space. Lengths in m; axes are those of the shape's own frame.
struct Sphere {
  double radius = 0.0;
};
struct Box {
  Vec3 half_extents = Vec3::Zero();
};
struct Capsule {  ///< along z; half_length without the round ends
  double radius = 0.0;
  double half_length = 0.0;
};
struct Cylinder {  ///< along z
  double radius = 0.0;
  double half_length = 0.0;
};
struct Polytope {  ///< shared and immutable, so that copies of a shape cost nothing
  std::shared_ptr<const Hull> hull;
};
struct HalfSpace {  ///< the solid {x : normal · x ≤ 0}; fixed and kinematic bodies only
  Vec3 normal = Vec3::UnitZ();
};

// Figures in the x–z plane (y = 0) of the shape's frame, for planar bodies and the fixed bodies that they touch.
struct Disk {
  double radius = 0.0;
};
struct Ellipse {
  double semi_axis_x = 0.0;
  double semi_axis_z = 0.0;
};
struct Polygon {               ///< convex
  std::vector<Vec2> vertices;  ///< (x, z), counter-clockwise with x to the right and z up
};
struct Segment {              ///< a line without thickness, touched from both sides
  Vec2 start = Vec2::Zero();  ///< (x, z)
  Vec2 end = Vec2::Zero();
};

using Geometry = std::variant<Sphere, Box, Capsule, Cylinder, Polytope, HalfSpace, Disk, Ellipse, Polygon, Segment>;

/// A piece of a body: a geometry placed in the body's frame. Several pieces make a compound.
struct Shape {
  Geometry geometry;
  Pose pose;         ///< in the body's frame, or in one at `node` that does not turn
  int material = 0;  ///< index into Model::materials
  int node = -1;     ///< that the shape moves with, of a body that has nodes
};

/// The name used in scene files and messages: "sphere", "box", "half_space", …
std::string_view shape_name(const Geometry& geometry);

bool is_planar(const Geometry& geometry);

/// Throws InputError that names the offending length, e.g. "box: half_extents[1] = 0 m: must be > 0".
void check_geometry(const Geometry& geometry);

}  // namespace cardhouse
