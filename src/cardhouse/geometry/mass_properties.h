#pragma once

#include <span>

#include "cardhouse/geometry/shape.h"

namespace cardhouse {

/// Of a body of uniform density 1: multiply mass and inertia by the density. Planar figures count per metre of depth,
/// so that a planar density is in kg/m².
struct MassProperties {
  double volume = 0.0;          ///< m³ (area in m² for planar figures)
  Vec3 centre = Vec3::Zero();   ///< centre of mass, in the frame that the shapes are given in
  Mat3 inertia = Mat3::Zero();  ///< about the centre of mass, axes of that frame (planar: only the (1,1) entry)
};

/// Overlaps of a compound's pieces count twice. Throws InputError for a half-space or a segment, which have no volume.
MassProperties mass_properties(std::span<const Shape> shapes);

}  // namespace cardhouse
