#pragma once

#include <span>

#include "cardhouse/contact/problem.h"
#include "cardhouse/stepping/islands.h"
#include "cardhouse/stepping/predict.h"

namespace cardhouse {

/// Writes an island's contact problem. The only place where the contacts' gap/h and restitution enter (those of joints
/// are in stepping/joint_rows.h): solvers see just b.
void assemble(const Model& model, const State& state, std::span<const Prediction> predictions,
              std::span<const Contact> contacts, std::span<const JointRows> joint_rows, const Island& island,
              const StepSettings& settings, ContactProblem& problem);

}  // namespace cardhouse
