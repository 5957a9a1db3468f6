// The distance of two convex cores and its direction, exact to round-off: the largest separation when they overlap; the
// separation along a face when a vertex lies over that face at this height; otherwise the least distance over pairs of
// features. Only where bodies touch (|distance| up to kRest) may a face that separates as well to within kEqual stand
// in for the direction.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "cardhouse/collision/core.h"
#include "cardhouse/collision/distance.h"
#include "cardhouse/collision/separation.h"
#include "cardhouse/collision/ties.h"
#include "cardhouse/math/constants.h"

namespace cardhouse {

/// The bands of ties.h for a pair of cores (m).
struct TieBands {
  TieBands(const Core& a, const Core& b)
      : tie(kTieTolerance * std::min(a.size, b.size)),
        rest(kRest * std::min(a.size, b.size)),
        equal(kEqual * std::min(a.size, b.size)),
        round_off(cardhouse::round_off(a, b)) {}

  double tie, rest, equal, round_off;
};

/// A face of either core as a separating direction.
struct FaceChoice {
  bool of_a = true;
  int face = -1;  ///< −1: none
  double separation = -infinity;
};

/// The first face whose separation no other exceeds by more than `slack`.
FaceChoice best_face(const std::vector<double>& separations, bool of_a, double slack);

/// From b to a.
inline Vec3 normal_of(const FaceChoice& choice, const Core& a, const Core& b) {
  return choice.of_a ? Vec3(-a.normals[choice.face]) : b.normals[choice.face];
}

struct CoreDirection {
  double distance = 0.0;                 ///< negative: overlap
  Vec3 normal = Vec3::Zero();            ///< from b to a
  FaceChoice face;                       ///< whose normal it is, if a face's
  std::optional<ClosestPoints> closest;  ///< of cores that are apart, where no vertex over a face shows the distance
};

/// None when the cores are farther apart than `reach`.
std::optional<CoreDirection> find_direction(const Core& a, const Core& b, const Separation& separation,
                                            const TieBands& bands, double reach);

}  // namespace cardhouse
