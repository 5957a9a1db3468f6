// The settings of Kaufman 2009, section 4.8, as functions that run them: what figures 4.1 and 4.2 show. The text leaves
// some numbers open; those chosen here are marked.
#pragma once

#include "cardhouse/variational/trajectory.h"

namespace cardhouse {

/// Section 4.8.1, Fig. 4.1: a particle with one axis falls on the wall q ≥ 0. Mass, gravity, height and duration are
/// chosen.
struct ContactingParticle {
  double mass = 1.0;      ///< kg
  double gravity = 9.81;  ///< m/s²
  double height = 1.0;    ///< m
  double speed = 0.0;     ///< m/s
  double duration = 5.0;  ///< s: about five bounces
};

MechanicalSystem contacting_particle_system(const ContactingParticle& setting);
Trajectory run_contacting_particle(const ContactingParticle& setting, Integrator integrator, double h);

/// The three close starts of Fig. 4.1 (b) and (c): heights that put the first collision elsewhere within a step of h.
std::vector<ContactingParticle> three_close_starts(double h);

/// Speed after the first collision against that before it, both taken from the energy. NaN when there was none.
double effective_restitution(const Trajectory& trajectory, const ContactingParticle& setting);

/// Section 4.8.2, Fig. 4.2: a particle with two axes in the potential of Eq. 4.72, from rest (chosen)
/// at (4, 4).
struct NonlinearOscillator {
  double mass = 1.0;  ///< kg, not stated in the thesis
  bool wall = false;  ///< q_2 ≥ 0; false: Fig. 4.2 (a)
  double mu = 0.0;    ///< 0: (b), 0.5: (c), 5: (d)
  Vec2 start = Vec2(4.0, 4.0);
  Vec2 velocity = Vec2::Zero();
  double duration = 10.0;  ///< s, chosen
};

MechanicalSystem nonlinear_oscillator_system(const NonlinearOscillator& setting);
/// `every`: one of this many points is kept.
Trajectory run_nonlinear_oscillator(const NonlinearOscillator& setting, Integrator integrator, double h, int every = 1);

}  // namespace cardhouse
