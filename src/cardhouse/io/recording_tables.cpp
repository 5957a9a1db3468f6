#include "cardhouse/io/recording_tables.h"

#include <algorithm>
#include <limits>

#include "cardhouse/io/scene_keys.h"

namespace cardhouse {
namespace {

Hdf5File& with_group(Hdf5File& file, const std::string& path) {
  if (!file.has(path)) file.make_group(path);
  return file;
}

std::string text_of_statuses() {
  std::string text;
  for (int i = 0; i <= static_cast<int>(SolveStatus::failed); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(i) + " " + std::string(status_name(SolveStatus{i}));
  }
  return text;
}

}  // namespace

NodeTable::NodeTable(Hdf5File& file, const std::string& group, std::int64_t count)
    : nodes(count),
      position(with_group(file, group), group + "/node_position", {nodes, 3}, "m"),
      velocity(file, group + "/node_velocity", {nodes, 3}, "m/s") {}

void NodeTable::add(std::span<const BodyState> bodies) {
  for (const BodyState& body : bodies) {
    for (const double value : body.nodes) position.add(value);
    for (const double value : body.node_velocities) velocity.add(value);
  }
}

void NodeTable::add_none() {
  for (std::int64_t i = 0; i < 3 * nodes; ++i) {
    position.add(std::numeric_limits<double>::quiet_NaN());
    velocity.add(std::numeric_limits<double>::quiet_NaN());
  }
}

std::int64_t node_count(const State& state) {
  std::int64_t numbers = 0;
  for (const BodyState& body : state.bodies) numbers += body.nodes.size();
  return numbers / 3;
}

FrameTable::FrameTable(Hdf5File& file, std::int64_t bodies)
    : step(with_group(file, "/frames"), "/frames/step", {}, ""),
      time(file, "/frames/time", {}, "s"),
      position(file, "/frames/position", {bodies, 3}, "m"),
      orientation(file, "/frames/orientation", {bodies, 4}, ""),
      linear(file, "/frames/linear_velocity", {bodies, 3}, "m/s"),
      angular(file, "/frames/angular_velocity", {bodies, 3}, "rad/s"),
      contact_start(file, "/frames/contact_start", {}, ""),
      contact_count(file, "/frames/contact_count", {}, "") {}

void FrameTable::add(const State& state, std::int64_t start, std::int64_t count) {
  step.add(state.step);
  time.add(state.time);
  for (const BodyState& body : state.bodies) {
    position.add(body.pose.position);
    orientation.add(body.pose.orientation);
    linear.add(body.linear);
    angular.add(body.angular);
  }
  contact_start.add(start);
  contact_count.add(count);
}

ContactTable::ContactTable(Hdf5File& file)
    : body_a(with_group(file, "/contacts"), "/contacts/body_a", {}, ""),
      body_b(file, "/contacts/body_b", {}, ""),
      shape_a(file, "/contacts/shape_a", {}, ""),
      shape_b(file, "/contacts/shape_b", {}, ""),
      feature(file, "/contacts/feature", {}, ""),
      island(file, "/contacts/island", {}, ""),
      point(file, "/contacts/point", {3}, "m"),
      normal(file, "/contacts/normal", {3}, ""),
      impulse(file, "/contacts/impulse", {3}, "N s"),
      velocity(file, "/contacts/velocity", {3}, "m/s"),
      gap(file, "/contacts/gap", {}, "m"),
      mu(file, "/contacts/mu", {}, ""),
      residual(file, "/contacts/residual", {}, ""),
      mode(file, "/contacts/mode", {}, "") {
  file.set_attribute("/contacts/mode", "values", "0 open, 1 stick, 2 slip");
}

void ContactTable::add(const ContactRecord& contact) {
  body_a.add(contact.body_a);
  body_b.add(contact.body_b);
  shape_a.add(contact.key.shape_a);
  shape_b.add(contact.key.shape_b);
  feature.add(contact.key.feature);
  island.add(contact.island);
  point.add(contact.point);
  normal.add(contact.normal);
  impulse.add(contact.impulse);
  velocity.add(contact.velocity);
  gap.add(contact.gap);
  mu.add(contact.mu);
  residual.add(contact.residual);
  mode.add(static_cast<std::uint8_t>(contact.mode));
}

JointTable::JointTable(Hdf5File& file, std::int64_t joints)
    : point(with_group(file, "/joints"), "/joints/point", {joints, 3}, "m"),
      impulse(file, "/joints/impulse", {joints, 3}, "N s"),
      torque(file, "/joints/torque", {joints, 3}, "N m s"),
      drive(file, "/joints/drive", {joints, most_joint_coordinates}, "N s or N m s"),
      coordinate(file, "/joints/coordinate", {joints, most_joint_coordinates}, "m or rad"),
      violation(file, "/joints/violation", {joints}, "m"),
      angle_violation(file, "/joints/angle_violation", {joints}, "rad"),
      residual(file, "/joints/residual", {joints}, "") {}

void JointTable::add(const State& state, std::span<const JointRecord> records) {
  for (std::size_t j = 0; j < state.joints.size(); ++j) {
    const JointRecord record = records.empty() ? JointRecord{} : records[j];
    point.add(record.point);
    impulse.add(record.impulse);
    torque.add(record.torque);
    for (const double value : record.drive) drive.add(value);
    for (const double value : state.joints[j].coordinate) coordinate.add(value);
    violation.add(record.violation.length);
    angle_violation.add(record.violation.angle);
    residual.add(record.residual);
  }
}

JointCheckpointTable::JointCheckpointTable(Hdf5File& file, std::int64_t joints)
    : coordinate(file, "/checkpoints/joint_coordinate", {joints, most_joint_coordinates}, "m or rad"),
      impulse(file, "/checkpoints/joint_impulse", {joints, JointState::slots}, "N s or N m s") {}

void JointCheckpointTable::add(const State& state) {
  for (const JointState& joint : state.joints) {
    for (const double value : joint.coordinate) coordinate.add(value);
    for (const double value : joint.impulse) impulse.add(value);
  }
}

StepTable::StepTable(Hdf5File& file)
    : step(with_group(file, "/steps"), "/steps/step", {}, ""),
      time(file, "/steps/time", {}, "s"),
      kinetic(file, "/steps/kinetic", {}, "J"),
      potential(file, "/steps/potential", {}, "J"),
      work(file, "/steps/work", {}, "J"),
      residual(file, "/steps/residual", {}, ""),
      approach_speed(file, "/steps/approach_speed", {}, "m/s"),
      complementarity(file, "/steps/complementarity", {}, "J"),
      missing_dissipation(file, "/steps/missing_dissipation", {}, "J"),
      cone_excess(file, "/steps/cone_excess", {}, "N s"),
      penetration(file, "/steps/penetration", {}, "m"),
      seconds_collision(file, "/steps/seconds_collision", {}, "s"),
      seconds_assembly(file, "/steps/seconds_assembly", {}, "s"),
      seconds_solve(file, "/steps/seconds_solve", {}, "s"),
      seconds_integrate(file, "/steps/seconds_integrate", {}, "s"),
      contacts(file, "/steps/contacts", {}, ""),
      islands(file, "/steps/islands", {}, ""),
      iterations(file, "/steps/iterations", {}, ""),
      certified(file, "/steps/certified", {}, ""),
      status(file, "/steps/status", {}, ""),
      length(file, "/steps/length", {}, "s"),
      relaxed_rows(file, "/steps/relaxed_rows", {}, ""),
      hairline_rows(file, "/steps/hairline_rows", {}, ""),
      parts(file, "/steps/parts", {}, ""),
      passes(file, "/steps/passes", {}, ""),
      gap_residual(file, "/steps/gap_residual", {}, ""),
      kept_overlaps(file, "/steps/kept_overlaps", {}, ""),
      kept_depth(file, "/steps/kept_depth", {}, "m"),
      momentum(file, "/steps/momentum", {3}, "N s"),
      angular_momentum(file, "/steps/angular_momentum", {3}, "N m s"),
      impulse(file, "/steps/impulse", {3}, "N s"),
      angular_impulse(file, "/steps/angular_impulse", {3}, "N m s") {
  file.set_attribute("/steps/status", "values", text_of_statuses());
}

void StepTable::add(const State& state, const StepReport& report, const Energy& energy) {
  step.add(state.step);
  time.add(state.time);
  kinetic.add(energy.kinetic);
  potential.add(energy.potential);
  work_so_far += report.work;
  work.add(work_so_far);
  residual.add(report.certificate.residual);
  approach_speed.add(report.certificate.approach_speed);
  complementarity.add(report.certificate.complementarity);
  missing_dissipation.add(report.certificate.missing_dissipation);
  cone_excess.add(report.certificate.cone_excess);
  penetration.add(report.penetration);
  seconds_collision.add(report.seconds.collision);
  seconds_assembly.add(report.seconds.assembly);
  seconds_solve.add(report.seconds.solve);
  seconds_integrate.add(report.seconds.integrate);
  contacts.add(report.contacts);
  islands.add(report.islands);
  iterations.add(report.iterations);
  certified.add(report.certified ? 1 : 0);
  status.add(static_cast<std::uint8_t>(report.status));
  length.add(report.length);
  relaxed_rows.add(report.relaxed_rows);
  hairline_rows.add(report.hairline_rows);
  parts.add(report.parts);
  passes.add(report.passes);
  gap_residual.add(report.gap_residual);
  kept_overlaps.add(report.kept_overlaps);
  kept_depth.add(report.kept_depth);
  momentum.add(report.momentum.linear);
  angular_momentum.add(report.momentum.angular);
  impulse_so_far += report.impulse;
  impulse.add(impulse_so_far.linear);
  angular_impulse.add(impulse_so_far.angular);
}

DiagnosisTable::DiagnosisTable(Hdf5File& file)
    : subspace_angle(with_group(file, "/steps"), "/steps/subspace_angle", {}, "rad"),
      painleve_ratio(file, "/steps/painleve_ratio", {}, ""),
      rank(file, "/steps/rank", {}, ""),
      rows(file, "/steps/rows", {}, ""),
      pointed(file, "/steps/pointed", {}, "") {}

void DiagnosisTable::add(const Diagnosis& diagnosis) {
  subspace_angle.add(diagnosis.subspace_angle);
  painleve_ratio.add(diagnosis.painleve_ratio);
  rank.add(diagnosis.rank);
  rows.add(diagnosis.rows);
  pointed.add(diagnosis.pointed ? 1 : 0);
}

ContactDiagnosisTable::ContactDiagnosisTable(Hdf5File& file)
    : painleve_ratio(with_group(file, "/contacts"), "/contacts/painleve_ratio", {}, "") {}

ReasonTable::ReasonTable(Hdf5File& file)
    : step(with_group(file, "/uncertified"), "/uncertified/step", {}, ""),
      reason(file, "/uncertified/reason", {}, "") {}

CheckpointTable::CheckpointTable(Hdf5File& file, std::int64_t bodies)
    : step(with_group(file, "/checkpoints"), "/checkpoints/step", {}, ""),
      time(file, "/checkpoints/time", {}, "s"),
      position(file, "/checkpoints/position", {bodies, 3}, "m"),
      orientation(file, "/checkpoints/orientation", {bodies, 4}, ""),
      linear(file, "/checkpoints/linear_velocity", {bodies, 3}, "m/s"),
      angular(file, "/checkpoints/angular_velocity", {bodies, 3}, "rad/s"),
      initial_position(file, "/checkpoints/initial_position", {bodies, 3}, "m"),
      initial_orientation(file, "/checkpoints/initial_orientation", {bodies, 4}, ""),
      impulse_start(file, "/checkpoints/impulse_start", {}, ""),
      impulse_count(file, "/checkpoints/impulse_count", {}, ""),
      shape_a(with_group(file, "/checkpoints/impulses"), "/checkpoints/impulses/shape_a", {}, ""),
      shape_b(file, "/checkpoints/impulses/shape_b", {}, ""),
      feature(file, "/checkpoints/impulses/feature", {}, ""),
      impulse(file, "/checkpoints/impulses/impulse", {3}, "N s") {}

void CheckpointTable::add(const State& state) {
  step.add(state.step);
  time.add(state.time);
  for (const BodyState& body : state.bodies) {
    position.add(body.pose.position);
    orientation.add(body.pose.orientation);
    linear.add(body.linear);
    angular.add(body.angular);
  }
  for (const Pose& pose : state.initial_poses) {
    initial_position.add(pose.position);
    initial_orientation.add(pose.orientation);
  }
  impulse_start.add(impulses);
  impulse_count.add(static_cast<std::int64_t>(state.impulses.size()));
  impulses += static_cast<std::int64_t>(state.impulses.size());
  for (const StoredImpulse& stored : state.impulses) {
    shape_a.add(stored.key.shape_a);
    shape_b.add(stored.key.shape_b);
    feature.add(stored.key.feature);
    impulse.add(stored.impulse);
  }
}

namespace {

void write_joints(Hdf5File& file, const Model& model) {
  Column<std::string> name(with_group(file, "/joints"), "/joints/name", {}, "");
  Column<std::string> type(file, "/joints/type", {}, "");
  Column<std::int32_t> first(file, "/joints/first", {}, "");
  Column<std::int32_t> second(file, "/joints/second", {}, "");
  for (const Joint& joint : model.joints) {
    name.add(joint.name);
    type.add(std::string(scene_keys::joint_types[static_cast<std::size_t>(joint.kind)]));
    first.add(joint.first);
    second.add(joint.second);
  }
  name.write(), type.write(), first.write(), second.write();
}

}  // namespace

PreviousTable::PreviousTable(Hdf5File& file, std::int64_t bodies)
    : position(with_group(file, "/checkpoints/previous"), "/checkpoints/previous/position", {bodies, 3}, "m"),
      orientation(file, "/checkpoints/previous/orientation", {bodies, 4}, ""),
      linear(file, "/checkpoints/previous/linear_velocity", {bodies, 3}, "m/s"),
      angular(file, "/checkpoints/previous/angular_velocity", {bodies, 3}, "rad/s") {}

void PreviousTable::add(const State& state) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const BodyState none{{Vec3::Constant(nan), Quat(nan, nan, nan, nan)}, Vec3::Constant(nan), Vec3::Constant(nan)};
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodyState& body = state.previous.empty() ? none : state.previous[i];
    position.add(body.pose.position);
    orientation.add(body.pose.orientation);
    linear.add(body.linear);
    angular.add(body.angular);
  }
}

OverlapTable::OverlapTable(Hdf5File& file)
    : start(file, "/checkpoints/overlap_start", {}, ""),
      count(file, "/checkpoints/overlap_count", {}, ""),
      shape_a(with_group(file, "/checkpoints/overlaps"), "/checkpoints/overlaps/shape_a", {}, ""),
      shape_b(file, "/checkpoints/overlaps/shape_b", {}, ""),
      depth(file, "/checkpoints/overlaps/depth", {}, "m") {}

void OverlapTable::add(const State& state) {
  const auto own = static_cast<std::int64_t>(state.overlaps.size());
  start.add(overlaps);
  count.add(own);
  for (const KeptOverlap& each : state.overlaps) {
    shape_a.add(each.shape_a);
    shape_b.add(each.shape_b);
    depth.add(each.depth);
  }
  overlaps += own;
}

TurningTable::TurningTable(Hdf5File& file) : turning(file, "/checkpoints/impulses/turning", {3}, "N m s") {}

void TurningTable::add(const State& state) {
  for (const StoredImpulse& stored : state.impulses) turning.add(stored.turning);
}

ContactTurningTable::ContactTurningTable(Hdf5File& file)
    : turning(with_group(file, "/contacts"), "/contacts/turning", {3}, "N m s") {}

bool has_rolling_torsional_friction(const Model& model) {
  const auto of_material = [](const Material& m) { return m.mu_rolling > 0.0 || m.mu_torsional > 0.0; };
  const auto of_pair = [](const MaterialPair& p) {
    return p.mu_rolling.value_or(0.0) > 0.0 || p.mu_torsional.value_or(0.0) > 0.0;
  };
  return std::any_of(model.materials.begin(), model.materials.end(), of_material) ||
         std::any_of(model.material_pairs.begin(), model.material_pairs.end(), of_pair);
}

void write_header(Hdf5File& file, const Scene& scene, const std::string& scene_text, double frames_per_second) {
  file.set_attribute("/", "format", recording_format::name);
  const bool jointed = !scene.model.joints.empty();
  const bool has_nodes = node_count(scene.initial) > 0;
  file.set_attribute("/", "format_version",
                     std::int64_t{has_nodes ? recording_format::version
                                  : jointed ? recording_format::joint_version
                                            : recording_format::plain_version});
  file.set_attribute("/", "scene", scene.name);
  file.set_attribute("/", "solver", scene.settings.solver);
  file.set_attribute("/", "step", scene.settings.step);
  file.set_attribute("/", "tolerance", scene.settings.tolerance);
  if (scene.settings.max_step_seconds > 0.0)
    file.set_attribute("/", "max_step_seconds", scene.settings.max_step_seconds);
  file.set_attribute("/", "frames_per_second", frames_per_second);
  file.write_text("/scene", scene_text);

  Column<std::string> name(with_group(file, "/bodies"), "/bodies/name", {}, "");
  Column<std::string> kind(file, "/bodies/kind", {}, "");
  Column<std::string> mobility(file, "/bodies/mobility", {}, "");
  Column<double> mass(file, "/bodies/mass", {}, "kg");
  for (const Body& body : scene.model.bodies) {
    name.add(body.name);
    kind.add(std::string(scene_keys::kinds[static_cast<std::size_t>(body.kind)]));
    mobility.add(std::string(scene_keys::mobilities[static_cast<std::size_t>(body.mobility)]));
    mass.add(body.mass);
  }
  name.write(), kind.write(), mobility.write(), mass.write();
  if (has_nodes) {
    Column<std::int32_t> nodes(file, "/bodies/nodes", {}, "");
    for (const BodyState& body : scene.initial.bodies) nodes.add(static_cast<std::int32_t>(body.nodes.size() / 3));
    nodes.write();
  }
  if (jointed) write_joints(file, scene.model);
}

}  // namespace cardhouse
