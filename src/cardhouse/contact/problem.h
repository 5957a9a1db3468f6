// The contact problem. Everything upstream builds it, every solver takes it:
//
//     A v = A v_free + Jᵀ r          momentum, one block of A per body
//     u   = J v + b + C r            velocities at the contacts and joints
//     (u_i, r_i) obey law_i          one law per group of rows
//
// or, in its second form, u = W r + q with W given.
#pragma once

#include <optional>
#include <vector>

#include "cardhouse/laws/law.h"
#include "cardhouse/math/block_rows.h"
#include "cardhouse/math/sparse.h"

namespace cardhouse {

/// u = W r + q with W given (files of other projects). W may be rank-deficient and not quite symmetric.
struct ExplicitDelassus {
  SparseRows w;
  VecX q;
  // Where the bodies behind W are known; else empty:
  VecX terms = {};                ///< m/s: the size of the terms that each row of q is the sum of
  std::vector<int> islands = {};  ///< of each group
};

struct ContactProblem {
  BodyMatrix a;           ///< kg, kg m²: SPD blocks, one per body
  VecX v_free;            ///< m/s, rad/s: the predictor velocity
  BlockRows j;            ///< rows in groups; of a Coulomb group: normal first, then one or two tangents
  VecX b;                 ///< m/s: restitution, stabilisation, gap/h, motion of kinematic bodies
  VecX compliance;        ///< m/s per N s: the diagonal of C, equal over the tangents of a group
  std::vector<Law> laws;  ///< one per group of J
  std::optional<ExplicitDelassus> delassus;  ///< the second form; then a, v_free, b, compliance are empty, and J holds
                                             ///< only the groups' rows

  void clear();
  int groups() const { return j.groups(); }
  int rows() const { return j.rows(); }
};

/// What a solver takes as a guess and leaves as its result.
struct ContactSolution {
  VecX r;  ///< N s
  VecX v;  ///< m/s, rad/s
};

/// Whether a contact's compliance differs between its normal and its tangents.
bool has_uneven_compliance(const ContactProblem& problem);

/// Whether a group's friction is bounded by another group's normal impulse: rolling and torsional friction.
bool has_dependent_laws(const ContactProblem& problem);

/// The normal impulse that bounds the friction of a group with a dependent law: its leader's. 0 for other laws.
inline double load_on(const ContactProblem& problem, int group, const VecX& r) {
  const Law& law = problem.laws[group];
  return is_dependent(law) ? r[problem.j.group(law.leader).row] : 0.0;
}

/// Whether every dependent law has a contact for its leader, and acts on no other bodies than that contact does.
bool has_sound_leaders(const ContactProblem& problem);

/// Whether a contact in space has polygonal friction.
bool has_polygon(const ContactProblem& problem);

/// Whether a contact in space has the friction of a disk or an ellipse.
bool has_round_friction(const ContactProblem& problem);

/// Whether every group is a contact with at most one tangent, one row, or rows of a joint: then all laws are piecewise
/// linear.
bool is_planar(const ContactProblem& problem);

/// q = J v_free + b, or the given q.
void free_velocity(const ContactProblem& problem, VecX& q);

/// v = v_free + A⁻¹ Jᵀ r.
void velocity_from_impulses(const ContactProblem& problem, const VecX& r, VecX& v);

/// u = J v + b + C r with v from r, or W r + q. `v` is scratch of the first form and holds v afterwards.
void contact_velocity(const ContactProblem& problem, const VecX& r, VecX& v, VecX& u);

/// The size of the terms that each row of q = J v_free + b is the sum of, or those given; empty where they are not.
void size_of_terms(const ContactProblem& problem, VecX& terms);

/// Entries of W of a problem in the first form, at most: groups that act on one body all meet in W.
double entries_of_w(const ContactProblem& problem);

/// The second form of a problem in the first, with the same residual for the same impulses. Throws
/// MemoryError where W is too large.
ContactProblem explicit_form(const ContactProblem& problem);

/// W_ii of one group, in the upper left dim × dim part.
Mat3 delassus_block(const ContactProblem& problem, int group);

}  // namespace cardhouse
