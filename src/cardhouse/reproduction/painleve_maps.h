// Staggered projections on one contact whose friction is not orthogonal to its normal (Kaufman 2009, section 6.7.1,
// Eq. 6.55–6.60): the normal cone is a ray along n, the friction set a segment along t at the angle theta to it, both
// of unit length in the kinetic metric. With c = n · t = cos theta and x = −(predicted velocity):
//
//     alpha ← max(0, n · x − c f)                       contact projection (Eq. 6.59)
//     f     ← t · x − c alpha, within ± mu alpha        friction projection (Eq. 6.60)
#pragma once

#include "cardhouse/math/types.h"

namespace cardhouse::reproduction {

struct PainleveCase {
  double theta = 0.0;  ///< rad, from the normal to the friction segment
  double mu = 0.0;
};

struct PainleveSolve {
  int iterations = 0;
  bool converged = false;
  double alpha = 0.0;      ///< normal impulse
  double friction = 0.0;   ///< along t
  double objective = 0.0;  ///< of Eq. 5.32: alpha u_N + f u_T + mu alpha |u_T|, 0 at solutions
};

/// n = (0, 1), t = (sin theta, cos theta). `x` is the negative predicted velocity. Stops when the squared relative
/// change of f (Eq. 5.21) is at or below `tolerance`; ends with a contact projection (Algorithm 1, line 16).
PainleveSolve staggered_solve(const PainleveCase& problem, const Vec2& x, double tolerance, int max_iterations);

/// Whether x lies in the friction cone {alpha n + f t : |f| ≤ mu alpha}: the contact then sticks.
bool in_friction_cone(const PainleveCase& problem, const Vec2& x);

}  // namespace cardhouse::reproduction
