// What a solved step tells of its contacts and joints, and the impulses that the next one starts from.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/stepping/rescue/island_solve.h"
#include "cardhouse/stepping/rows/islands.h"
#include "cardhouse/stepping/rows/joint_rows.h"

namespace cardhouse {

/// The islands of a step, and the solve of each in the same place.
struct SolvedIslands {
  std::span<const Island> islands;
  std::span<const std::unique_ptr<IslandSolve>> solves;
};

/// Contacts in their order, and their impulses by key.
void record_contacts(const SolvedIslands& solved, std::span<const Contact> contacts, const StepSettings& settings,
                     std::vector<ContactRecord>& records, std::vector<StoredImpulse>& impulses);

/// Joints in the model's order. Their impulses by row go to `state`.
void record_joints(const SolvedIslands& solved, const Model& model, std::span<const JointRows> joint_rows, State& state,
                   std::vector<JointRecord>& records);

/// Merges the records of two consecutive parts of a step into `records`: impulses are added, everything else is the
/// later part's. A contact that only the earlier part has keeps its record, with no island.
void add_earlier_contacts(std::span<const ContactRecord> earlier, std::vector<ContactRecord>& records);
void add_earlier_joints(std::span<const JointRecord> earlier, std::span<JointRecord> records);

}  // namespace cardhouse
