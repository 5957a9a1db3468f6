// How near ties are decided, for solids and for figures. All numbers are fractions of the smaller body's size unless
// they say otherwise.
#pragma once

#include "cardhouse/math/types.h"

namespace cardhouse {

/// Two features whose separations differ by less than this may both name a contact's points. A fixed preference
/// decides. Standing structures are full of exact ties (flush blocks, edge on edge, cards side by side). Poses that
/// jitter by 1e-9…1e-8 of the size must not change the choice from step to step; 1e-6 lies a hundredfold above. Gap and
/// normal do not depend on the choice: they are those of the exact distance.
inline constexpr double kTieTolerance = 1e-6;

/// Bodies at rest touch to within this: gap rounding leaves gaps of 1e-9 of the radius of gyration. At such gaps the
/// direction between an edge or a corner and the surface under it is noise.
inline constexpr double kRest = 2e-9;

/// Bodies that touch or overlap may be separated equally well along clearly different directions. When these agree to
/// within this, a fixed preference decides again. It is half of the promised accuracy of the gap (1e-10).
inline constexpr double kEqual = 5e-11;

/// rad, not a fraction of the size: how far beside a face a corner may lie and still count as over it. It is a tenth of
/// the promised accuracy of the normal (1e-9).
inline constexpr double kBeside = 1e-10;

/// Face normals that differ by less than this (rad) count as one direction.
inline constexpr double kSameDirection = 1e-3;

/// Of two unit vectors.
template <typename One, typename Other>
bool same_direction(const Eigen::MatrixBase<One>& one, const Eigen::MatrixBase<Other>& other) {
  return (one - other).squaredNorm() < kSameDirection * kSameDirection;
}

}  // namespace cardhouse
