// The natural-map error of FCLIB and Siconos, for comparison with published numbers. cardhouse's own measure is the
// certificate (contact/residual.h). The natural map mixes units: where impulses are large it tolerates large
// velocities.
#pragma once

#include "cardhouse/contact/problem.h"

namespace cardhouse {

/// Numbers that could not be computed are infinite.
struct NaturalMap {
  double error = 0.0;   ///< ‖r − P_K(r − u − mu ‖u_T‖ n)‖₂ over all rows
  double scaled = 0.0;  ///< divided by max(‖q‖, ‖r‖, ‖u‖): what Siconos compares with its tolerance
  double by_q = 0.0;    ///< divided by ‖q‖ (of a global problem: the reduced q = J v_free + b)
};

/// From the problem and the impulses alone; u is recomputed. As in Siconos, a scale below DBL_EPSILON is not divided
/// by.
///
/// The formula is that of the round cone K = {‖r_T‖ ≤ mu r_N}. Other rows contribute what their law gives in the same
/// way: equality u, unilateral r − max(r − u, 0), bounded r − clamp(r − u). Contacts with elliptic or polygonal
/// friction in space have no such formula and contribute the law's own natural residual r − P(r − u), with P from
/// law_projection.h; so do dependent laws, at their leader's r_N.
NaturalMap natural_map_error(const ContactProblem& problem, const VecX& r);

/// The same where the free velocities q and the velocities u of these r are known.
NaturalMap natural_map_error(const ContactProblem& problem, const VecX& r, const VecX& q, const VecX& u);

}  // namespace cardhouse
