// Systems with constant mass: particles and translating bodies in generalised coordinates q,
//
//     M q'' = −∇V(q) + contact and friction,     g_i(q) ≥ 0.
//
// Bodies that rotate are not of this kind: their mass matrix turns with them. The time stepping of the room stepping is
// for them.
#pragma once

#include <memory>
#include <vector>

#include "cardhouse/model/potential.h"
#include "cardhouse/variational/gap_function.h"

namespace cardhouse {

/// What a particle must not pass, or two particles must not pass each other.
struct Obstacle {
  Coordinates first;
  Coordinates second;  ///< count 0: none; else as many axes as `first`, and the gap is that of x_first − x_second
  std::shared_ptr<const GapFunction> gap;
  double mu = 0.0;  ///< coefficient of friction (−); counts from two axes on
};

struct MechanicalSystem {
  MatX mass;  ///< kg: symmetric positive definite
  std::shared_ptr<const Potential> potential;
  std::vector<Obstacle> obstacles;
  int size() const { return static_cast<int>(mass.rows()); }
};

/// Where a system is.
struct PhasePoint {
  double time = 0.0;  ///< s
  VecX q;
  VecX v;
};

/// Throws InputError for the first thing that is wrong.
void check_system(const MechanicalSystem& system, const PhasePoint& state);

/// J: kinetic and potential.
double total_energy(const MechanicalSystem& system, const VecX& q, const VecX& v);

/// The place that an obstacle's gap depends on.
Point place_of(const Obstacle& obstacle, const VecX& q);

/// The gap divided by its gradient's length: to first order the distance (m).
double distance_to(const Obstacle& obstacle, const VecX& q);

}  // namespace cardhouse
