// The two-step predictor–corrector scheme (Kaufman 2009, sections 4.7 and 5.2).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cardhouse/contact/residual.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/stepping/detect.h"
#include "cardhouse/stepping/integrate.h"
#include "cardhouse/stepping/islands.h"
#include "cardhouse/stepping/joint_projection.h"
#include "cardhouse/stepping/soft_contact.h"
#include "cardhouse/stepping/step_problem.h"
#include "cardhouse/stepping/step_report.h"
#include "cardhouse/stepping/taut_levers.h"

namespace cardhouse {

class TwoStep {
 public:
  /// Throws InputError for an unknown solver.
  TwoStep(const Model& model, const StepSettings& settings);

  /// One step: the state moves to its end.
  const StepReport& step(const Model& model, State& state);

  /// Of soft contacts: what bodies have moved (m, rad) between the end of the last step and the next one's start.
  void set_moved(std::span<const Twist> moved) { anchors_.moved.assign(moved.begin(), moved.end()); }

  const StepSettings& settings() const { return settings_; }
  const StepReport& report() const { return report_; }
  /// The contacts of the last step, sorted by key.
  std::span<const ContactRecord> contacts() const { return records_; }
  /// The joints of the last step, in the model's order.
  std::span<const JointRecord> joints() const { return joint_records_; }
  /// The contact problem of the last step, put together from its islands; empty before the first.
  StepProblem last_problem() const;

 private:
  /// What the solve of one island needs and leaves; slots are reused from step to step, so that a settled step
  /// allocates nothing.
  struct IslandSolve {
    ContactProblem problem;
    VecX guess;    ///< what the solve began with
    VecX anchors;  ///< of soft contacts
    ContactSolution solution;
    std::unique_ptr<Solver> solver;
    SolveReport solve_report;
    Certifier certifier;
    Certificate certificate;
    std::vector<double> group_residuals;
    Diagnosis diagnosis;  ///< when asked for; its time counts as the solve's
  };

  void assume_free_motion(std::span<const Prediction> predictions);
  void assume_faster_motion();
  void check_motion(const Model& model, std::span<const Prediction> predictions, const State& state);
  void solve_islands(const Model& model, const State& state, std::span<const Contact> contacts,
                     std::span<const JointRows> joint_rows, std::span<const Prediction> predictions,
                     std::span<const Island> islands);
  void gather_twists(const Model& model, std::span<const Prediction> predictions, std::span<const Island> islands);
  void gather_contacts(std::span<const Contact> contacts, std::span<const Island> islands, State& state);
  void gather_joints(const Model& model, std::span<const JointRows> joint_rows, std::span<const Island> islands,
                     State& state);
  int projection_steps() const;
  void prepare_projection(const Model& model, const State& state);
  void project_onto_joints(const Model& model, State& state);
  void add_projection_impulses(std::span<const JointRows> joint_rows);
  void measure_joints(const Model& model, const State& state);
  void summarise(std::span<const Contact> contacts, std::span<const Island> islands);

  StepSettings settings_;
  Detector detector_;
  Predictor predictor_;
  JointRowBuilder joint_row_builder_;
  TautLevers taut_levers_;
  JointProjector joint_projector_;
  bool projectable_ = false;  ///< the projector has what it needs for this step
  IslandFinder island_finder_;
  std::vector<std::unique_ptr<IslandSolve>> solves_;
  std::vector<Twist> assumed_;  ///< how fast bodies may move, for the search of contacts
  std::vector<Twist> twists_;
  std::vector<ContactRecord> records_;
  std::vector<JointRecord> joint_records_;
  Anchors anchors_;  ///< of soft contacts; a second search must not replace them
  StepReport report_;
};

}  // namespace cardhouse
