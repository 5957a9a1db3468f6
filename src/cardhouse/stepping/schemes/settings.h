#pragma once

#include <string>

#include "cardhouse/base/deadline.h"

namespace cardhouse {

/// Consistent pairs of constraint rows and position update (docs/contact-model.md).
enum class Scheme {
  /// Gaps of the step's end, forces along the normals of its start, slip of its middle; update q + h v: the constrained
  /// leapfrog method (SHAKE; end_contacts.h). The step's equations are nonlinear and solved in passes.
  leapfrog,
  /// The same rows linearised once, n·v + gap/h ≥ 0; update q + h v (Stewart & Trinkle 1996, Anitescu & Potra 1997).
  stewart_trinkle,
  /// Rows n·v ≥ 0 where gap ≤ 0; update q + h/2 (v_old + v_new) (Moreau 1988, Jean 1999; Kaufman 2009, Eq. 4.68).
  moreau_jean,
  /// Gaps of the step's end by their discrete gradients, slip of its middle; update q + h/2 (v_old + v_new); then the
  /// velocities of the end without rebound. No step gains energy (energy_momentum.h).
  energy_momentum,
};

/// What becomes of overlaps that exist when a run starts, or that a user made by moving bodies (docs/contact-model.md).
enum class InitialOverlaps {
  keep,      ///< they stay, never grow, and shrink as shapes come apart (kept_overlaps.h)
  separate,  ///< bodies are moved apart before the run (separate_overlaps.h); those made later stay
  push,      ///< they are removed in full in one step, at the speed depth/h
};

/// How joints that came off are brought back (docs/joints.md).
enum class Stabilisation {
  none,        ///< rows on velocities only: joints drift
  gamma,       ///< gamma Theta/h in the rows
  projection,  ///< rows on velocities, then positions are projected onto the joints
  sqp,         ///< the same with one step of that projection
};

enum class ContactModel {
  hard,  ///< rigid: rows that hold exactly
  soft,  ///< penalty forces (stepping/rows/soft_contact.h)
};

/// What holds a soft contact that sticks.
enum class StickRule {
  anchored,  ///< a spring to the place where it took hold
  viscous,   ///< a force against its velocity, as in the ETH slides: it creeps
};

/// The law of restitution (docs/restitution.md).
enum class Restitution {
  newton,   ///< e times the approach at the start of the step in which it closes; one solve
  lagged,   ///< e times the approach one step before the collision, given back in the step after it (Anitescu 2003)
  poisson,  ///< e times the compression's impulse; two solves (stepping/schemes/poisson.h)
  impact,   ///< Newton's, where the free motion would close the contact (ETH slides, "BDF1 with impact law")
};

/// What sets the length of steps (adaptive.h).
enum class Adaptive {
  none,       ///< all steps are as long as the setting
  collision,  ///< a step ends where the next collision is predicted
  error,      ///< a step is as long as an estimate of its error allows
};

struct SoftContact {
  double normal_stiffness = 0.0;      ///< N/m; 0: chosen from the model
  double tangential_stiffness = 0.0;  ///< N/m, of the anchor's spring; 0: as the normal one
  StickRule stick = StickRule::anchored;
  double viscosity = 0.0;  ///< N s/m, of the viscous rule; 0: chosen from the model
  int order = 1;           ///< 1: BDF1, the implicit Euler step; 2: BDF2
};

struct StepSettings {
  double step = 1e-3;  ///< length of a step (s); with adaptive steps the longest allowed
  Adaptive adaptive = Adaptive::none;
  double least_step = 0.0;        ///< s, of adaptive steps; 0: a thousandth of `step`
  double error_tolerance = 1e-5;  ///< m: the largest estimated error of a step that is driven by errors
  Scheme scheme = Scheme::leapfrog;
  Stabilisation stabilisation = Stabilisation::gamma;
  /// (−), in (0, 1]: the part of a joint's violation and of an overlap that a step undoes. 1 is the exact
  /// linearisation, which neither feeds nor drains a swinging joint (docs/joints.md).
  double gamma = 1.0;
  InitialOverlaps initial_overlaps = InitialOverlaps::keep;
  Restitution restitution = Restitution::newton;
  ContactModel contact = ContactModel::hard;
  SoftContact soft;  ///< counts when contacts are soft
  std::string solver = "auto";
  double tolerance = 1e-8;    ///< of the certificate (−): far below any physical accuracy, far above round-off
  int max_iterations = 1000;  ///< outer iterations of the solver per island
  /// Attempts in vain after which a step that is not solved is given up (stepping/rescue/rescue.h); 0: none is made.
  int max_rescues = 16;
  /// s, wall, of the whole step with all its solves; 0: no limit. Not part of a scene: with a limit, results depend on
  /// the machine.
  double max_step_seconds = 0.0;
  /// When it is set, the step in progress is dropped: Cancelled is thrown, and the state is that of the step's start.
  /// Not part of a scene; results do not depend on it.
  CancellationToken stop = {};
  int threads = 1;
  bool diagnose = false;
  /// m: contacts are made for gaps up to this plus what the two bodies can close in a step. 0: a thousandth of the
  /// smaller body's size.
  double margin = 0.0;
};

/// Of a shape's size (−): what gaps at the end may be off in a certified step; the solve's tolerance where that is
/// coarser.
inline double gap_tolerance(const StepSettings& settings) {
  constexpr double finest = 1e-8;
  return settings.tolerance > finest ? settings.tolerance : finest;
}

/// Whether rows hold gaps, and bodies move with the velocities that they solve for.
inline bool has_gap_rows(const StepSettings& settings) {
  return settings.scheme != Scheme::moreau_jean;
}

/// Whether the step is repeated until its contacts are those of its end. Springs in place of contacts act by the
/// distances of the start.
inline bool follows_contacts(const StepSettings& settings) {
  return settings.scheme == Scheme::leapfrog && settings.contact == ContactModel::hard;
}

/// Whether the next step reads where bodies were one step earlier (State::previous).
inline bool keeps_previous(const StepSettings& settings) {
  if (settings.contact == ContactModel::soft) return settings.soft.order == 2;
  return settings.restitution == Restitution::lagged;
}

}  // namespace cardhouse
