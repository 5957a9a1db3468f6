// The laws as equations E(r, u) = 0 with generalised derivatives: what a semismooth Newton method solves.
//
// Alart & Curnier (1991): E = r − P(r − rho u) with the law's own projection (contact/law_projection.h), whose friction
// set moves with the normal impulse. Any friction set will do.
//
// Fischer & Burmeister, over the cone of de Saxcé's form (solvers/machinery/smoothed_law.h): E = y + w − (y² + w²)^½
// with the squares and the root of the cone's Jordan algebra (Fukushima, Luo & Tseng 2002). It needs round or elliptic
// cones.
//
// Where W is singular the Newton system is too: both take a proximal term κ (r − r_k)/rho added to u, which vanishes
// when the centre r_k stops moving.
#pragma once

#include "cardhouse/solvers/machinery/smoothed_law.h"

namespace cardhouse {

/// ‖E‖² (J) of one group with impulses r, velocities u and centre r_k; `newton`, if given, gets the linearisation. Of a
/// dependent law, which both treat alike, `load` is its leader's normal impulse.
using LawEquation = double (*)(const Law& law, int dim, double rho, const double* r, const double* u, double load,
                               const double* center, double proximal, NewtonRows* newton);

double alart_curnier(const Law& law, int dim, double rho, const double* r, const double* u, double load,
                     const double* center, double proximal, NewtonRows* newton);

double fischer_burmeister(const Law& law, int dim, double rho, const double* r, const double* u, double load,
                          const double* center, double proximal, NewtonRows* newton);

}  // namespace cardhouse
