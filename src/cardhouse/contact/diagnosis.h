// Why a contact problem is easy or hard: Kaufman 2009, sections 2.8 and 6.5.
#pragma once

#include <numbers>
#include <vector>

#include "cardhouse/contact/problem.h"

namespace cardhouse {

struct Diagnosis {
  /// rad, Eq. 6.42: the least angle between the spaces spanned by the normal and by the friction rows in the kinetic
  /// metric. pi/2: uncoupled; 0: they share a direction.
  double subspace_angle = 0.5 * std::numbers::pi;
  /// Largest mu ‖W_nT‖ / W_nn over the contacts (−): at 1 and above Painlevé's paradox can occur there.
  double painleve_ratio = 0.0;
  int painleve_contact = -1;            ///< the group of that ratio
  std::vector<double> painleve_ratios;  ///< one per group; 0 for groups without friction
  int rank = 0;                         ///< of the rows J, or of a given W
  int rows = 0;
  /// Whether r = 0 is the only element of the friction cone with Jᵀ r = 0. If not, bodies are wedged, and impulses can
  /// grow without effect.
  bool pointed = true;
};

/// Of a given W, by its symmetric part. Dense: for up to some thousand rows.
Diagnosis diagnose(const ContactProblem& problem);

/// Only the Painlevé ratios, which each contact determines alone: for any size. Other members keep their defaults.
Diagnosis diagnose_contacts(const ContactProblem& problem);

/// The diagnosis of two independent problems together; groups of the second are counted after those of the first.
void merge(Diagnosis& first, const Diagnosis& second);

}  // namespace cardhouse
