// Time stepping (Kaufman 2009, sections 4.7 and 5.2): predict, detect, solve, finish. These verbs are public. Other
// integrators are short programs over them (stepping/schemes/poisson.h, stepping/schemes/adaptive.h,
// stepping/rescue/split_step.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cardhouse/contact/residual.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/stepping/records/step_problem.h"
#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/stepping/rescue/island_solve.h"
#include "cardhouse/stepping/rescue/overlap_relaxation.h"
#include "cardhouse/stepping/rows/geometric_stiffness.h"
#include "cardhouse/stepping/rows/islands.h"
#include "cardhouse/stepping/rows/kept_overlaps.h"
#include "cardhouse/stepping/rows/normal_rows.h"
#include "cardhouse/stepping/rows/restituted_impulse.h"
#include "cardhouse/stepping/rows/soft_contact.h"
#include "cardhouse/stepping/schemes/detect.h"
#include "cardhouse/stepping/schemes/end_contacts.h"
#include "cardhouse/stepping/schemes/integrate.h"
#include "cardhouse/stepping/schemes/joint_projection.h"

namespace cardhouse {

class TimeStepping {
 public:
  /// Throws InputError for an unknown solver.
  TimeStepping(const Model& model, const StepSettings& settings);

  /// One step: the state moves to its end.
  const StepReport& step(const Model& model, State& state);

  // The verbs, in their order. Each works on what the ones before it left.

  /// A new report; remembers the impulses of the step before.
  void begin(const State& state);
  /// Where bodies go without contacts, and the rows of joints.
  void predict(const Model& model, State& state);
  /// The contacts that bodies can come to in their free motion.
  void detect(const Model& model, const State& state);
  /// All contacts that bodies can reach, also in the Moreau–Jean scheme, whose own contacts begin at the surface.
  void detect_ahead(const Model& model, const State& state);
  /// Whether a contact collides in this step and leaves faster than forces bring it back within the step.
  bool any_collision(const State& state) const;
  /// The compression of Poisson's law: from the velocities at the start of the step, without forces, to where no
  /// colliding contact approaches. Gives the bodies of `state` these velocities, and fills `restituted` with the least
  /// impulses that the pushed contacts give back.
  void compress(const Model& model, State& state, std::vector<RestitutedImpulse>& restituted);
  /// Velocities at the end of the step; contacts are searched again where bodies got faster than in their free motion.
  /// Contacts push with no less than `restituted`, sorted by key.
  void solve(const Model& model, State& state, std::span<const RestitutedImpulse> restituted = {});
  /// Moves the state to the end of the step and completes the report.
  const StepReport& finish(const Model& model, State& state);

  /// What is tried from now on in islands that the solver gives up.
  void allow(const RescuePass& pass) { pass_ = pass; }
  /// The time limit of the settings counts from here.
  void start_clock() { deadline_.restart(); }
  bool out_of_time() const { return deadline_.passed(); }

  /// s, of the steps from now on.
  void set_step(double h) { settings_.step = h; }
  /// How many longer attempts were not kept, and whether this one was although its error is above the tolerance.
  void tell_adaptive(int rejected, bool over_tolerance) {
    report_.rejected = rejected;
    report_.over_tolerance = over_tolerance;
  }
  /// Scales the step's work and impulses, for a step that is a part of a longer one.
  void scale_work(double factor) {
    report_.work *= factor;
    report_.impulse.linear *= factor;
    report_.impulse.angular *= factor;
  }
  /// Adds impulses to the contacts with the same keys, both in the records and in the next step's warm start.
  void add_impulses(std::span<const RestitutedImpulse> impulses, State& state);
  std::span<const Prediction> predictions() const { return predictor_.predicted(); }
  std::span<const Contact> detected() const { return *contacts_; }

  /// Of soft contacts: what bodies have moved (m, rad) between the end of the last step and the next one's start.
  void set_moved(std::span<const BodyMotion> moved) { anchors_.moved.assign(moved.begin(), moved.end()); }

  const StepSettings& settings() const { return settings_; }
  const StepReport& report() const { return report_; }
  /// The contacts of the last step, sorted by key.
  std::span<const ContactRecord> contacts() const { return records_; }
  /// The joints of the last step, in the model's order.
  std::span<const JointRecord> joints() const { return joint_records_; }
  /// The contact problem of the last step, put together from its islands; empty before the first.
  StepProblem last_problem() const;

 private:
  friend class EnergyMomentumStep;  // a program that solves twice, on two poses

  void tell_step(const Model& model, State& state, const Momentum& springs);
  void keep_overlaps_of(const State& state);
  void tell_kept_overlaps(const Model& model, State& state);
  void solve_once(const Model& model, State& state, std::span<const RestitutedImpulse> restituted);
  void search_farther(const Model& model, const State& state);
  void choose_contacts(const Model& model, const State& state);
  void think_of_motion(const Model& model, const State& state);
  void follow_contacts(const Model& model, const State& state, int passes);
  bool settle(const Model& model, const State& state);
  bool is_last_pass(bool settled) const;
  bool all_certified() const;
  void tell_geometry(const Model& model);
  void stop_time(const Model& model, const State& state);
  void take_compressed(const Model& model, std::span<const Island> islands, State& state,
                       std::vector<RestitutedImpulse>& restituted);
  void assume_free_motion(std::span<const Prediction> predictions);
  void assume_faster_motion();
  void check_motion(const Model& model, std::span<const Prediction> predictions, const State& state);
  NormalRowsInput rows_input(const State& state) const;
  void make_room(std::size_t islands);
  void solve_islands(const Model& model, const State& state, std::span<const RestitutedImpulse> restituted);
  void find_solved(std::span<const Island> islands);
  void count_iterations(std::size_t islands);
  void gather_motions(const Model& model, std::span<const Prediction> predictions, std::span<const Island> islands);
  int projection_steps() const;
  void prepare_projection(const Model& model, const State& state);
  void project_onto_joints(const Model& model, State& state);
  void add_projection_impulses(std::span<const JointRows> joint_rows);
  void check_joint(const Model& model, const Joint& joint, double violation);
  void measure_joints(const Model& model, const State& state);
  void summarise(std::span<const Contact> contacts, std::span<const Island> islands);
  void tell_uncertified(const Island& island, const IslandSolve& s);
  void tell_changed_rows(const Island& island, const IslandSolve& s);

  StepSettings settings_;
  Detector detector_;
  Predictor predictor_;
  JointRowBuilder joint_row_builder_;
  GeometricStiffness geometric_stiffness_;
  JointProjector joint_projector_;
  bool projectable_ = false;  ///< the projector has what it needs for this step
  IslandFinder island_finder_;
  std::vector<std::unique_ptr<IslandSolve>> solves_;
  EndContacts end_contacts_;
  EndResidual end_;                  ///< of the last pass
  bool follows_ = false;             ///< the step is repeated until its contacts are those of its end
  bool brief_ = false;               ///< the pass is solved with little effort
  bool still_ = false;               ///< nothing moves by more than the rows of the start can follow
  std::vector<BodyMotion> assumed_;  ///< how fast bodies may move, for the search of contacts
  std::vector<BodyMotion> free_;     ///< without contacts
  std::vector<BodyMotion> thought_;  ///< how bodies are thought to move, where contacts are chosen
  std::vector<BodyMotion> motions_;
  std::vector<ContactRecord> records_;
  std::vector<JointRecord> joint_records_;
  std::vector<JointRecord> compressed_joints_;  ///< of the compression, whose blow is part of the step's impulses
  Anchors anchors_;                             ///< of soft contacts; a second search must not replace them
  std::vector<Contact>* contacts_ = nullptr;    ///< of this step
  State start_;                                 ///< bodies and joints before the step, for the work that is done in it
  std::vector<StoredImpulse> last_impulses_;    ///< of the step before, for the lagged law
  std::vector<ShapePair> met_;                  ///< in the step before (kept_overlaps.h)
  std::vector<KeptOverlap> kept_;               ///< of this step; the state's until it is finished
  std::vector<Prediction> start_motion_;        ///< of the compression: velocities at the start, no forces
  std::vector<JointRows> start_joint_rows_;     ///< of the compression: motors and friction have no time to push
  RescuePass pass_;
  Deadline deadline_;  ///< of the whole step, with its parts
  StepReport report_;
};

/// An integrator: one step of the length that the verbs have.
using StepProgram = const StepReport& (*)(TimeStepping& verbs, const Model& model, State& state);

/// The plain one: TimeStepping::step.
inline const StepReport& plain_step(TimeStepping& verbs, const Model& model, State& state) {
  return verbs.step(model, state);
}

}  // namespace cardhouse
