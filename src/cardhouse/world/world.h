#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cardhouse/stepping/records/step_problem.h"
#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/stepping/schemes/separate_overlaps.h"
#include "cardhouse/world/scene.h"

namespace cardhouse {

/// The interface for users: a scene that can be stepped, asked, saved and restored.
///
///     World world(make_scene("card_house", {{"levels", "4"}}));
///     while (world.state().time < 10.0) world.step();
class World {
 public:
  /// Throws InputError when the scene can't be simulated, or its overlaps can't be removed as the settings ask.
  explicit World(Scene scene);
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  /// One step of settings().step seconds, or as long as adaptive settings allow; the report says how long it was.
  /// Throws InputError when bodies meet that can't touch, and Cancelled when settings().stop is set. The state is then
  /// as it was, there are no contacts and joints, and the report is empty.
  const StepReport& step();

  const Scene& scene() const;
  const Model& model() const;
  const StepSettings& settings() const;
  const State& state() const;
  const StepReport& last_report() const;
  /// The contacts of the last step, sorted by key; none before the first step, after a restore and after a change of
  /// settings.
  std::span<const ContactRecord> contacts() const;
  /// The joints of the last step, in the model's order; none where there are no contacts.
  std::span<const JointRecord> joints() const;
  /// How far joints are off now.
  WorstJointViolation joint_violation() const;
  /// How far bodies were moved apart before the first step, where the settings ask for it (InitialOverlaps::separate).
  const Separation& separation() const;
  /// Moves the bodies to the nearest poses, in the metric of their masses, at which no joint is violated; velocities
  /// stay. Returns what is left: joints in closed loops may contradict each other.
  JointViolation project_joints();
  /// The contact problem of the last step, its group k being contacts()[k], and after them the rows of joints and
  /// those of rolling and torsional friction; empty before the first step. Copies it all.
  StepProblem last_problem() const;

  int dynamic_bodies() const;
  int dofs() const;
  /// Includes what soft contacts store, once a step was done since the start, a restore or a change of settings.
  Energy energy() const;

  /// Continues from a saved state, bit for bit as the run that saved it.
  void restore(const State& state);
  /// From the next step on. State and warm start stay; throws InputError, with nothing changed, for what is not
  /// allowed.
  void change_settings(const StepSettings& settings);
  /// The same for gravity.
  void change_gravity(const Vec3& gravity);
  /// The same for what surfaces are made of. Shapes keep their indices, so there must be as many materials as before.
  void change_materials(const std::vector<Material>& materials, const std::vector<MaterialPair>& pairs);
  void add_force(ForceCallback callback);
  /// Throws InputError for what is wrong with it.
  void add_potential(const PointPotential& potential);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cardhouse
