#include "cardhouse/viewer/frame_table.h"

namespace cardhouse::viewer {
namespace {

template <typename T>
void append(std::vector<T>& values, const Vec3& v) {
  for (const double x : v) values.push_back(static_cast<T>(x));
}

void append(std::vector<double>& values, const Quat& q) {
  values.insert(values.end(), {q.w(), q.x(), q.y(), q.z()});
}

template <typename T>
void add_column(MessageBuilder& message, const char* name, const std::vector<T>& values) {
  message.add(name, {static_cast<std::int64_t>(values.size())}, std::span<const T>(values));
}

template <typename T>
void add_vectors(MessageBuilder& message, const char* name, const std::vector<T>& values) {
  message.add(name, {static_cast<std::int64_t>(values.size()) / 3, 3}, std::span<const T>(values));
}

void add_contacts(MessageBuilder& message, const ContactTable& contacts) {
  add_column(message, "contacts/body_a", contacts.body_a);
  add_column(message, "contacts/body_b", contacts.body_b);
  add_column(message, "contacts/shape_a", contacts.shape_a);
  add_column(message, "contacts/shape_b", contacts.shape_b);
  add_column(message, "contacts/island", contacts.island);
  add_vectors(message, "contacts/point", contacts.point);
  add_vectors(message, "contacts/normal", contacts.normal);
  add_vectors(message, "contacts/impulse", contacts.impulse);
  add_vectors(message, "contacts/velocity", contacts.velocity);
  add_column(message, "contacts/gap", contacts.gap);
  add_column(message, "contacts/mu", contacts.mu);
  add_column(message, "contacts/residual", contacts.residual);
  add_column(message, "contacts/mode", contacts.mode);
}

void add_joints(MessageBuilder& message, const JointTable& table, std::int64_t frames) {
  const auto add = [&](const char* name, const std::vector<float>& values, std::int64_t width) {
    message.add(name, {frames, table.joints, width}, std::span<const float>(values));
  };
  const auto add_scalars = [&](const char* name, const std::vector<float>& values) {
    message.add(name, {frames, table.joints}, std::span<const float>(values));
  };
  add("joints/impulse", table.impulse, 3);
  add("joints/torque", table.torque, 3);
  add("joints/drive", table.drive, most_joint_coordinates);
  add("joints/coordinate", table.coordinate, most_joint_coordinates);
  add_scalars("joints/violation", table.violation);
  add_scalars("joints/angle_violation", table.angle_violation);
  add_scalars("joints/residual", table.residual);
}

}  // namespace

void JointTable::add(const State& state, std::span<const JointRecord> records) {
  joints = static_cast<std::int64_t>(state.joints.size());
  for (std::size_t j = 0; j < state.joints.size(); ++j) {
    const JointRecord record = records.empty() ? JointRecord{} : records[j];
    append(impulse, record.impulse);
    append(torque, record.torque);
    for (const double value : record.drive) drive.push_back(static_cast<float>(value));
    for (const double value : state.joints[j].coordinate) coordinate.push_back(static_cast<float>(value));
    violation.push_back(static_cast<float>(record.violation.length));
    angle_violation.push_back(static_cast<float>(record.violation.angle));
    residual.push_back(static_cast<float>(record.residual));
  }
}

void ContactTable::add(const ContactRecord& contact) {
  body_a.push_back(contact.body_a);
  body_b.push_back(contact.body_b);
  shape_a.push_back(contact.key.shape_a);
  shape_b.push_back(contact.key.shape_b);
  island.push_back(contact.island);
  append(point, contact.point);
  append(normal, contact.normal);
  append(impulse, contact.impulse);
  append(velocity, contact.velocity);
  gap.push_back(static_cast<float>(contact.gap));
  mu.push_back(static_cast<float>(contact.mu));
  residual.push_back(static_cast<float>(contact.residual));
  mode.push_back(static_cast<std::uint8_t>(contact.mode));
}

void FrameTable::add(const State& state, std::span<const ContactRecord> frame_contacts,
                     std::span<const JointRecord> frame_joints) {
  bodies = static_cast<std::int64_t>(state.bodies.size());
  step.push_back(state.step);
  time.push_back(state.time);
  for (const BodyState& body : state.bodies) {
    append(position, body.pose.position);
    append(orientation, body.pose.orientation);
    append(linear_velocity, body.linear);
    append(angular_velocity, body.angular);
    for (const double value : body.nodes) node_position.push_back(static_cast<float>(value));
  }
  contact_start.push_back(static_cast<std::int64_t>(contacts.mode.size()));
  contact_count.push_back(static_cast<std::int64_t>(frame_contacts.size()));
  for (const ContactRecord& contact : frame_contacts) contacts.add(contact);
  joints.add(state, frame_joints);
}

Message frames_message(const FrameTable& frames, VelocityPrecision precision) {
  const auto count = static_cast<std::int64_t>(frames.step.size());
  MessageBuilder message("frames", frames.run);
  message.set("first", frames.first);
  if (frames.drag > 0) message.set("drag", frames.drag);
  message.set("count", count);
  const auto add_bodies = [&](const char* name, const auto& values, std::int64_t width) {
    message.add(name, {count, frames.bodies, width}, std::span(values));
  };
  const auto add_velocity = [&](const char* name, const std::vector<double>& values) {
    if (precision == VelocityPrecision::full) return add_bodies(name, values, 3);
    const std::vector<float> narrow(values.begin(), values.end());
    add_bodies(name, narrow, 3);
  };
  add_column(message, "frames/step", frames.step);
  add_column(message, "frames/time", frames.time);
  add_bodies("frames/position", frames.position, 3);
  add_bodies("frames/orientation", frames.orientation, 4);
  add_velocity("frames/linear_velocity", frames.linear_velocity);
  add_velocity("frames/angular_velocity", frames.angular_velocity);
  if (!frames.node_position.empty() && count > 0) {
    const auto nodes = static_cast<std::int64_t>(frames.node_position.size()) / (3 * count);
    message.add("frames/node_position", {count, nodes, 3}, std::span<const float>(frames.node_position));
  }
  add_column(message, "frames/contact_start", frames.contact_start);
  add_column(message, "frames/contact_count", frames.contact_count);
  add_contacts(message, frames.contacts);
  if (frames.joints.joints > 0) add_joints(message, frames.joints, count);
  return message.finish();
}

std::int64_t frame_bytes(std::int64_t bodies, std::int64_t nodes, std::int64_t contacts, std::int64_t joints) {
  constexpr std::int64_t numbers = 4 * sizeof(double);
  constexpr std::int64_t body = (3 + 4 + 3 + 3) * sizeof(double);
  constexpr std::int64_t contact = 6 * sizeof(std::int32_t) + 15 * sizeof(float) + 1;
  constexpr std::int64_t joint = (3 + 3 + 2 * most_joint_coordinates + 3) * sizeof(float);
  constexpr std::int64_t node = 3 * sizeof(float);
  return numbers + bodies * body + nodes * node + contacts * contact + joints * joint;
}

}  // namespace cardhouse::viewer
