// Rows of contacts as the energy–momentum step takes them (docs/contact-model.md, "Energy and momentum"): on mean
// velocities, with the mean of the normals and places of the step's start and end. For points of polyhedra on planes
// that is a discrete gradient of the gap,
//
//     h J V = gap(q⁺) − gap(q),
//
// for round shapes up to third order in h. What is missing is put in by the least change of normal and place (Gonzalez
// 1996, in coordinates that a common motion of both bodies leaves alone): then an impulse r along the row does the work
// r (gap(q⁺) − gap(q))/h, which is 0 while a contact stays closed. Both bodies share one place between the means of
// their positions, so that the angular momentum is kept.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/model/kinds/equations.h"
#include "cardhouse/model/state.h"
#include "cardhouse/stepping/rows/contact.h"
#include "cardhouse/stepping/rows/joint_rows.h"

namespace cardhouse {

/// The motion that rows are written for.
struct MeanMotion {
  const State& start;
  std::span<const MeanStep> steps;  ///< of all bodies
  double h = 0.0;                   ///< s
};

/// Whether a contact begins to touch in this step. Its friction then acts at the end alone, since the impulse that
/// stops it in its place is not the one that stops its velocity.
bool begins_to_touch(const Contact& contact, const MeanMotion& motion);

/// The contact, which tells its start and its end (end_contacts.h), as a row on mean velocities. Its arms count from
/// the means of the bodies' positions. Restitution is a matter of velocities at the end.
Contact mean_contact(const Contact& contact, const MeanMotion& motion);

/// Constraints of joints on mean velocities: `rows`, built with all bodies halfway on the path, ask for what the
/// geometry lacks at its end. Limits, motors and friction stay linearised.
void meet_joints_at_end(const Model& model, const MeanMotion& motion, const StepSettings& settings,
                        std::vector<JointRows>& rows);

/// Rows of joints for the velocities of the end, built there: constraints hold, limits may take back what they pushed
/// with, motors and friction have what they did not use of their force. `pushed` are the joints' impulses so far.
void rest_joints_at_end(const Model& model, std::span<const JointState> pushed, std::vector<JointRows>& rows);

}  // namespace cardhouse
