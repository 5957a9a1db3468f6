#pragma once

#include <span>

#include "cardhouse/contact/problem.h"
#include "cardhouse/stepping/rows/islands.h"

namespace cardhouse {

/// The contact problem of a whole step, and the guess that its solve began with.
struct StepProblem {
  ContactProblem problem;  ///< dynamic bodies with contacts or joints, rising; group k is contact k of the step, then
                           ///< come the rows of joints, then rolling and torsional friction, contact by contact
  VecX guess;              ///< N s
};

/// One island with what it was solved from.
struct IslandProblem {
  const Island& island;
  const ContactProblem& problem;
  const VecX& guess;
};

/// Puts the problems of islands side by side, in the order of the model's bodies and of the step's contacts and rows of
/// joints.
StepProblem join_islands(std::span<const IslandProblem> parts);

}  // namespace cardhouse
