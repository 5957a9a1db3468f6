#pragma once

#include <span>

#include "cardhouse/contact/problem.h"
#include "cardhouse/stepping/islands.h"
#include "cardhouse/stepping/predict.h"

namespace cardhouse {

/// Writes an island's contact problem. `shifts` are the b of its contacts' normal rows (stepping/normal_rows.h), those
/// of joints are in their rows: solvers see just b.
void assemble(const Model& model, const State& state, std::span<const Prediction> predictions,
              std::span<const Contact> contacts, std::span<const JointRows> joint_rows, const Island& island,
              std::span<const double> shifts, ContactProblem& problem);

}  // namespace cardhouse
