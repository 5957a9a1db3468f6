#pragma once

#include <span>

#include "cardhouse/contact/problem.h"
#include "cardhouse/stepping/rows/islands.h"
#include "cardhouse/stepping/rows/rolling_torsional_rows.h"
#include "cardhouse/stepping/schemes/predict.h"

namespace cardhouse {

/// Writes an island's contact problem: contacts, rows of joints, rolling and torsional rows. `biases` are the b of the
/// contacts' normal rows (normal_rows.h). Rows of joints hold their own b. Solvers see only b.
void assemble(const Model& model, const State& state, std::span<const Prediction> predictions,
              std::span<const Contact> contacts, std::span<const JointRows> joint_rows, const Island& island,
              std::span<const double> biases, ContactProblem& problem);

/// Adhesion: contacts pull with up to a = h f, and their friction feels it,
///
///     0 ≤ r_N + a ⊥ u_N ≥ 0,   ‖r_T‖ ≤ mu (r_N + a).
///
/// With r' = r + a n that is the ordinary law. The problem is changed to one of r', by the velocity −A⁻¹ Jᵀ a n; so is
/// the guess. The springs of soft contacts push with r', so that their rows stay as they are. A problem without
/// adhesion is left alone.
void bias_by_adhesion(std::span<const Contact> contacts, const Island& island, double h, ContactProblem& problem,
                      VecX& guess);

}  // namespace cardhouse
