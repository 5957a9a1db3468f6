// The set that a group's impulses may lie in, and the projections onto it: what a law does, apart from any algorithm.
// Gauss–Seidel, Newton, ADMM and staggered projections share these functions, so a new friction law works with all of
// them.
#pragma once

#include "cardhouse/laws/law.h"
#include "cardhouse/optimization/convex_set.h"

namespace cardhouse {

/// F(r_N): the friction impulses that a Coulomb or dependent law allows at a normal impulse (Eq. 5.14 without the
/// linearisation). tangents: the rows of friction, 1 or 2.
ConvexSet friction_set(const Law& law, int tangents, double normal_impulse);

/// The set of the rows that don't depend on other impulses: the normal row of a contact, a joint row. Dependent laws
/// have no such rows.
ConvexSet normal_set(const Law& law);

/// All impulses that a law allows, of a contact the friction cone: what remains of Coulomb's law when friction and
/// normal impulses are chosen together (Anitescu 2006, Eq. 5.5). Of a dependent law those at its leader's normal
/// impulse, `load`.
ConvexSet impulse_set(const Law& law, int dim, double load = 0.0);

/// The extra opening speed that makes Coulomb's law complementarity over the cone at the velocity u + speed · n: max
/// over F(1) of −u_T · f, mu ‖u_T‖ for a disk (de Saxcé & Feng 1998; Gamma of Anitescu & Hart 2003).
double sliding_speed(const Law& law, int dim, const double* u);

/// p = the law's projection of z: the normal part onto normal_set, the tangential part onto F(p_N); of a dependent law
/// all of it onto F(load), `load` being its leader's normal impulse.
void project_on_law(const Law& law, int dim, const double* z, double load, double* p);

/// The same, with an element of its generalised derivative in the upper left dim × dim part: not symmetric, since the
/// friction set moves with the normal impulse. by_load: the derivative with respect to the load; 0 but for dependent
/// laws.
void project_on_law(const Law& law, int dim, const double* z, double load, double* p, Mat3& derivative, Vec3& by_load);

/// The group's rows that belong to normal_set (all of a joint's, the first of a contact's, none of a dependent law's).
inline int normal_rows(const Law& law, int dim) {
  if (is_dependent(law)) return 0;
  return law.kind == Law::Kind::coulomb ? 1 : dim;
}

}  // namespace cardhouse
