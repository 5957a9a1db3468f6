// A smooth potential V(d) of the difference d of two points: of two bodies, or of a body and the world. A field is one
// of a point and the world's origin. The force on the first point is −∇V, on the second +∇V.
#pragma once

#include <memory>
#include <span>

#include "cardhouse/model/body_motion.h"
#include "cardhouse/model/potential.h"

namespace cardhouse {

struct Model;
struct State;
struct Wrench;

struct PointPotential {
  int first = 0;
  int second = -1;                             ///< −1: the world
  Vec3 point_first = Vec3::Zero();             ///< m, frame of the first body
  Vec3 point_second = Vec3::Zero();            ///< m, frame of the second body or world
  std::shared_ptr<const Potential> potential;  ///< over the three numbers of d = first − second, world axes
  bool implicit = false;    ///< taken at the end of the step (stepping/rows/potential_rows.h), where it is convex
  Stencil stencil_first{};  ///< of a body with nodes: those that the first point is of
  Stencil stencil_second{};
};

/// The potential where it is.
struct LocalPotential {
  Vec3 gradient = Vec3::Zero();    ///< N
  Vec3 curvatures = Vec3::Zero();  ///< N/m, rising: principal ones
  Mat3 axes = Mat3::Identity();    ///< as columns: their directions
};
LocalPotential local_potential(const PointPotential& given, const State& state);

/// Whether a curvature is taken at the end of the step: where it is positive, and not so small beside the masses that
/// start and end of the step give the same force. Along other axes the force is that at the start.
bool is_stiff(const Model& model, const PointPotential& given, double curvature, double h);

/// J.
double potential_energy(const PointPotential& given, const State& state);

/// Adds the force to the wrenches of the bodies: of an implicit one only what is taken at the start of the step.
void add_potential_force(const Model& model, const PointPotential& given, const State& state, double h,
                         std::span<Wrench> wrenches);

}  // namespace cardhouse
