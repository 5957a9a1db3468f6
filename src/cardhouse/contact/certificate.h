#pragma once

#include <algorithm>

namespace cardhouse {

/// How exactly the laws hold for given impulses: the residual (free of units), and further figures in physical units.
struct Certificate {
  double residual = 0.0;             ///< (−); NaN or infinity when it could not be computed: never certified
  int worst_group = -1;              ///< the group of rows with the largest share; −1 when there are none
  double approach_speed = 0.0;       ///< m/s: largest violation of u_N ≥ 0
  double complementarity = 0.0;      ///< J: largest |r_N u_N|
  double missing_dissipation = 0.0;  ///< J: largest shortfall of friction's power against maximal dissipation
  double cone_excess = 0.0;          ///< N s: largest distance of an impulse from its cone

  /// False for NaN too.
  bool certified(double tolerance) const { return residual <= tolerance; }

  /// Becomes the worse of both in each part; the worst group is that of the larger residual.
  void include(const Certificate& other) {
    if (worst_group < 0 || !(other.residual <= residual)) {
      residual = other.residual;
      worst_group = other.worst_group;
    }
    approach_speed = std::max(approach_speed, other.approach_speed);
    complementarity = std::max(complementarity, other.complementarity);
    missing_dissipation = std::max(missing_dissipation, other.missing_dissipation);
    cone_excess = std::max(cone_excess, other.cone_excess);
  }
};

}  // namespace cardhouse
