// The momentum ledger: what forces, contacts, joints and springs from outside give the dynamic bodies in a step. It is
// summed from the step's forces and records, not from velocities, so that it checks them: with positions that move by
// h v⁺ the momentum of all dynamic bodies changes by just this,
//
//     Σ m v⁺ − Σ m v = P,      Σ (x⁺ × m v⁺ + L⁺) − Σ (x × m v + L) = Σ x × p + torques,     x at the start of the
//     step,
//
// because x⁺ × m v⁺ = x × m v⁺. The other scheme, which moves them by the mean velocity, keeps the angular part to
// second order in h, and joints that add inertia (geometric_stiffness.h) change it while they do.
#pragma once

#include <span>

#include "cardhouse/model/momentum.h"
#include "cardhouse/stepping/records/record_step.h"
#include "cardhouse/stepping/schemes/predict.h"

namespace cardhouse {

/// A step as far as the impulses need it.
struct ImpulseInput {
  const Model& model;
  const State& start;
  double step = 0.0;               ///< s
  std::span<const Wrench> forces;  ///< on each body, all of them
  std::span<const BodyState> end;  ///< of the step, for drag
  std::span<const ContactRecord> contacts;
  std::span<const JointRecord> joints;
};

Momentum outside_impulse(const ImpulseInput& step);

/// Of implicit springs, whose rows have no records.
Momentum impulse_of_springs(const SolvedIslands& solved, const Model& model, const State& start,
                            std::span<const JointRows> joint_rows);

}  // namespace cardhouse
