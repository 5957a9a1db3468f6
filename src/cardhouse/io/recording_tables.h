// The datasets of a recording as columns that collect rows in memory, grouped as in the file (docs/recording.md).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cardhouse/io/hdf5_file.h"
#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/world/scene.h"

namespace cardhouse {

namespace recording_format {
inline constexpr const char* name = "cardhouse recording";
inline constexpr int version = 3;        ///< of files with bodies that have nodes
inline constexpr int joint_version = 2;  ///< of files with joints and no nodes
inline constexpr int plain_version = 1;  ///< of files with neither: the same but for their datasets
}  // namespace recording_format

/// A dataset and the values that wait to be appended to it.
template <typename T>
class Column {
 public:
  Column(Hdf5File& file, const std::string& path, std::vector<std::int64_t> row_shape, const std::string& unit)
      : dataset_(file.make_dataset(path, element_type<T>(), std::move(row_shape))) {
    file.set_attribute(path, "unit", unit);
  }
  void add(T value) { pending_.push_back(std::move(value)); }
  void add(const Vec3& v) { pending_.insert(pending_.end(), {v.x(), v.y(), v.z()}); }
  void add(const Quat& q) { pending_.insert(pending_.end(), {q.w(), q.x(), q.y(), q.z()}); }

  std::size_t pending_bytes() const { return pending_.size() * sizeof(T); }
  void write() {
    if constexpr (std::is_same_v<T, std::string>) {
      dataset_.append_text(pending_);
    } else {
      dataset_.append(std::span<const T>(pending_));
    }
    pending_.clear();
  }

 private:
  Hdf5Dataset dataset_;
  std::vector<T> pending_;
};

/// Places and velocities of all nodes of all bodies, in the order of the bodies: of /frames, /checkpoints or
/// /checkpoints/previous, in scenes with such bodies.
struct NodeTable {
  NodeTable(Hdf5File& file, const std::string& group, std::int64_t nodes);
  void add(std::span<const BodyState> bodies);
  /// As many numbers that are none.
  void add_none();
  template <typename Visit>
  void each(Visit&& visit) {
    visit(position), visit(velocity);
  }

  std::int64_t nodes = 0;
  Column<double> position, velocity;
};

/// Of all bodies of a state.
std::int64_t node_count(const State& state);

/// /frames/…: one row per frame.
struct FrameTable {
  FrameTable(Hdf5File& file, std::int64_t bodies);
  void add(const State& state, std::int64_t contact_start, std::int64_t contact_count);
  template <typename Visit>
  void each(Visit&& visit) {
    visit(step), visit(time), visit(position), visit(orientation), visit(linear), visit(angular);
    visit(contact_start), visit(contact_count);
  }

  Column<std::int64_t> step;
  Column<double> time, position, orientation, linear, angular;
  Column<std::int64_t> contact_start, contact_count;
};

/// /contacts/…: one row per contact of a frame.
struct ContactTable {
  explicit ContactTable(Hdf5File& file);
  void add(const ContactRecord& contact);
  template <typename Visit>
  void each(Visit&& visit) {
    visit(body_a), visit(body_b), visit(shape_a), visit(shape_b), visit(feature), visit(island), visit(point);
    visit(normal), visit(impulse), visit(velocity), visit(gap), visit(mu), visit(residual), visit(mode);
  }

  Column<std::int32_t> body_a, body_b, shape_a, shape_b;
  Column<std::uint64_t> feature;
  Column<std::int32_t> island;
  Column<double> point, normal, impulse, velocity, gap, mu, residual;
  Column<std::uint8_t> mode;
};

/// /joints/…: for each frame one row of all joints.
struct JointTable {
  JointTable(Hdf5File& file, std::int64_t joints);
  /// No records, before the first step: zeros, and the coordinates of the state.
  void add(const State& state, std::span<const JointRecord> records);
  template <typename Visit>
  void each(Visit&& visit) {
    visit(point), visit(impulse), visit(torque), visit(drive), visit(coordinate), visit(violation);
    visit(angle_violation), visit(residual);
  }

  Column<double> point, impulse, torque, drive, coordinate, violation, angle_violation, residual;
};

/// More of /checkpoints/…, when the scene has joints.
struct JointCheckpointTable {
  JointCheckpointTable(Hdf5File& file, std::int64_t joints);
  void add(const State& state);
  template <typename Visit>
  void each(Visit&& visit) {
    visit(coordinate), visit(impulse);
  }

  Column<double> coordinate, impulse;
};

/// /steps/…: one row per step.
struct StepTable {
  explicit StepTable(Hdf5File& file);
  void add(const State& state, const StepReport& report, const Energy& energy);
  template <typename Visit>
  void each(Visit&& visit) {
    visit(step), visit(time), visit(kinetic), visit(potential), visit(work), visit(residual), visit(approach_speed);
    visit(complementarity), visit(missing_dissipation), visit(cone_excess), visit(penetration);
    visit(seconds_collision), visit(seconds_assembly), visit(seconds_solve), visit(seconds_integrate);
    visit(contacts), visit(islands), visit(iterations), visit(certified), visit(status);
    visit(length), visit(relaxed_rows), visit(hairline_rows), visit(parts), visit(passes);
    visit(gap_residual), visit(kept_overlaps), visit(kept_depth);
    visit(momentum), visit(angular_momentum), visit(impulse), visit(angular_impulse);
  }

  Column<std::int64_t> step;
  Column<double> time, kinetic, potential, work, residual, approach_speed, complementarity, missing_dissipation,
      cone_excess, penetration, seconds_collision, seconds_assembly, seconds_solve, seconds_integrate;
  Column<std::int32_t> contacts, islands, iterations;
  Column<std::uint8_t> certified, status;
  Column<double> length;
  Column<std::int32_t> relaxed_rows, hairline_rows, parts, passes;
  Column<double> gap_residual;
  Column<std::int32_t> kept_overlaps;
  Column<double> kept_depth;
  Column<double> momentum, angular_momentum, impulse, angular_impulse;
  double work_so_far = 0.0;
  Momentum impulse_so_far;
};

/// More of /steps/…, when the run diagnoses its problems.
struct DiagnosisTable {
  explicit DiagnosisTable(Hdf5File& file);
  void add(const Diagnosis& diagnosis);
  template <typename Visit>
  void each(Visit&& visit) {
    visit(subspace_angle), visit(painleve_ratio), visit(rank), visit(rows), visit(pointed);
  }

  Column<double> subspace_angle, painleve_ratio;
  Column<std::int32_t> rank, rows;
  Column<std::uint8_t> pointed;
};

/// More of /contacts/…, when the run diagnoses its problems.
struct ContactDiagnosisTable {
  explicit ContactDiagnosisTable(Hdf5File& file);
  void add(const ContactRecord& contact) { painleve_ratio.add(contact.painleve_ratio); }
  template <typename Visit>
  void each(Visit&& visit) {
    visit(painleve_ratio);
  }

  Column<double> painleve_ratio;
};

/// /uncertified/…: one row per step that has something to explain.
struct ReasonTable {
  explicit ReasonTable(Hdf5File& file);
  template <typename Visit>
  void each(Visit&& visit) {
    visit(step), visit(reason);
  }

  Column<std::int64_t> step;
  Column<std::string> reason;
};

/// /checkpoints/…: whole states.
struct CheckpointTable {
  CheckpointTable(Hdf5File& file, std::int64_t bodies);
  void add(const State& state);
  template <typename Visit>
  void each(Visit&& visit) {
    visit(step), visit(time), visit(position), visit(orientation), visit(linear), visit(angular);
    visit(initial_position), visit(initial_orientation), visit(impulse_start), visit(impulse_count);
    visit(shape_a), visit(shape_b), visit(feature), visit(impulse);
  }

  Column<std::int64_t> step;
  Column<double> time, position, orientation, linear, angular, initial_position, initial_orientation;
  Column<std::int64_t> impulse_start, impulse_count;
  Column<std::int32_t> shape_a, shape_b;
  Column<std::uint64_t> feature;
  Column<double> impulse;
  std::int64_t impulses = 0;  ///< rows so far
};

/// /checkpoints/overlaps/…: those that are kept.
struct OverlapTable {
  explicit OverlapTable(Hdf5File& file);
  void add(const State& state);
  template <typename Visit>
  void each(Visit&& visit) {
    visit(start), visit(count), visit(shape_a), visit(shape_b), visit(depth);
  }

  Column<std::int64_t> start, count;
  Column<std::int32_t> shape_a, shape_b;
  Column<double> depth;
  std::int64_t overlaps = 0;  ///< rows so far
};

/// /checkpoints/next_step: what the next step tries, where errors drive its length.
struct NextStepTable {
  explicit NextStepTable(Hdf5File& file) : next_step(file, "/checkpoints/next_step", {}, "s") {}
  void add(const State& state) { next_step.add(state.next_step); }
  template <typename Visit>
  void each(Visit&& visit) {
    visit(next_step);
  }

  Column<double> next_step;
};

/// /checkpoints/previous/…: the bodies one step before each checkpoint, where the next step reads them. Numbers
/// that are not finite where there is no step before.
struct PreviousTable {
  PreviousTable(Hdf5File& file, std::int64_t bodies);
  void add(const State& state);
  template <typename Visit>
  void each(Visit&& visit) {
    visit(position), visit(orientation), visit(linear), visit(angular);
  }

  Column<double> position, orientation, linear, angular;
};

/// /checkpoints/impulses/turning: of rolling and torsional friction, in scenes that have it.
struct TurningTable {
  explicit TurningTable(Hdf5File& file);
  void add(const State& state);
  template <typename Visit>
  void each(Visit&& visit) {
    visit(turning);
  }

  Column<double> turning;
};

/// More of /contacts/…, in the same scenes.
struct ContactTurningTable {
  explicit ContactTurningTable(Hdf5File& file);
  void add(const ContactRecord& contact) { turning.add(contact.turning); }
  template <typename Visit>
  void each(Visit&& visit) {
    visit(turning);
  }

  Column<double> turning;
};

/// Whether rolling or torsional friction may occur.
bool has_rolling_torsional_friction(const Model& model);

/// The file's attributes, /scene and /bodies/…, which don't grow.
void write_header(Hdf5File& file, const Scene& scene, const std::string& scene_text, double frames_per_second);

}  // namespace cardhouse
