#pragma once

#include "cardhouse/laws/law.h"
#include "cardhouse/math/types.h"
#include "cardhouse/model/state.h"

namespace cardhouse {

/// Part of a shape's size (−): overlaps up to this are round-off of collisions and of the numbers in scene files.
inline constexpr double collision_rounding = 1e-9;

/// A place where two bodies, or two parts of one, touch or soon may. Rows follow the columns of `basis`: normal, first
/// and second tangent.
struct Contact {
  ContactKey key;
  int body_a = 0;
  int body_b = 0;
  Stencil stencil_a;  ///< the points of body_a that touch: of its frame, or its nodes
  Stencil stencil_b;
  int rows = 3;              ///< 3 in space, 2 when a planar body takes part
  Vec3 on_a = Vec3::Zero();  ///< m, world
  Vec3 on_b = Vec3::Zero();
  Mat3 basis = Mat3::Identity();  ///< columns: unit normal from b to a, tangents
  double gap = 0.0;               ///< m, positive when apart, at the start of the step; from `kept` on
  double kept = 0.0;              ///< m: overlap of the pair that is kept; the gap counts from there
  double gap_rounding = 0.0;      ///< m: gaps and overlaps up to this count as 0
  double size = 0.0;              ///< m: the smaller shape's
  // Where the step is thought to end (end_contacts.h):
  double bend = 0.0;               ///< m: the gap there, less what its tangent gap + h n·v says
  Vec3 slip = Vec3::Zero();        ///< m/s, in the basis: slip at the middle of the step, less J v of the start
  double end_gap = 0.0;            ///< m
  bool ends = false;               ///< whether its feature is there at the end; if so, with these:
  Vec3 end_point = Vec3::Zero();   ///< m
  Vec3 end_normal = Vec3::Zero();  ///< (−)
  bool carried = false;            ///< its feature was not near at the start: the gap there is that of a plane
  int pass = 0;                    ///< in which its row was written
  double restitution = 0.0;
  Law law;                     ///< with the kinetic coefficient
  double static_ratio = 1.0;   ///< static over kinetic coefficient (−)
  double slip_velocity = 1.0;  ///< m/s (model/material.h)
  double mu_rolling = 0.0;     ///< m; 0 also where neither body turns
  double mu_torsional = 0.0;   ///< m
  double adhesion = 0.0;       ///< N: this point's share; 0 where bodies don't touch

  Vec3 point() const { return 0.5 * (on_a + on_b); }
  /// m: the distance of the shapes, whatever is kept.
  double distance() const { return gap - kept; }
  /// Whether the shapes overlap by more than rounding: that of gaps, or of collisions where gaps are exact.
  bool overlaps() const { return -distance() > (gap_rounding > 0.0 ? gap_rounding : collision_rounding * size); }
  Vec3 normal() const { return basis.col(0); }
};

}  // namespace cardhouse
