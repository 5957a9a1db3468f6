#pragma once

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
};

}  // namespace cardhouse
