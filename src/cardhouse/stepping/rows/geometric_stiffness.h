// Geometric stiffness: joints that pull hard on light bodies, such as the links of a chain with a heavy end. A joint's
// force acts at an arm `a` from the body's centre, and the step takes both as they are at its start. Turning by θ
// changes its torque by −K θ,
//
//     K = sym((f · a) 1 − a fᵀ)            f: the force of the last step, a sum over the body's joints
//
// (Tournier, Nesme, Gilles & Faure 2015). Where f pulls outwards, K holds the body like a spring. An explicit step
// needs h² K ≤ 4 I for such a spring; beyond that round-off grows until the chain thrashes. Newmark's trapezoidal rule
// has no such limit and keeps the energy. It differs from this step only by inertia: I + h² K/4 in place of I. Here A
// gets the least inertia with which h² K ≤ I for each principal direction of the pair, so that
//
//  - a step that follows the stiffness is not changed in any bit;
//  - beyond, the margin is the same for every load. For h² K = k I the addition is (k − 1) I, four times the
//    trapezoidal rule's when k is large; it moves frequencies that the step can't follow, those of light bodies under a
//    heavy load, and hardly those of the load: to these h² K is an addition of second order in h.
//
// Directions in which joints push the body over (K < 0) are left alone: they are unstable in nature too.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/stepping/rows/joint_rows.h"

namespace cardhouse {

class GeometricStiffness {
 public:
  /// Adds to the inertia that A gets of each body (Prediction::block_inertia). `state` has the joints' last impulses.
  void hold(const Model& model, const State& state, std::span<const JointRows> joint_rows, double h,
            std::span<Prediction> predictions);

 private:
  std::vector<Mat3> stiffness_;  ///< h² K (kg m²), by body
};

/// h² K of the impulse P = h f at an arm (m), in kg m².
Mat3 geometric_stiffness(const Vec3& impulse, const Vec3& arm, double h);

}  // namespace cardhouse
