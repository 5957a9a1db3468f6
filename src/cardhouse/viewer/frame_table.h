// Frames and their contacts as columns, as in a recording, and how they go out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/viewer/message.h"

namespace cardhouse::viewer {

struct ContactTable {
  std::vector<std::int32_t> body_a, body_b, shape_a, shape_b, island;
  std::vector<float> point, normal, impulse, velocity, gap, mu, residual;
  std::vector<std::uint8_t> mode;

  void add(const ContactRecord& contact);
};

/// Joints of every frame, all in single precision but the count: where they are follows from the bodies.
struct JointTable {
  std::int64_t joints = 0;  ///< per frame
  std::vector<float> impulse, torque, drive, coordinate, violation, angle_violation, residual;

  /// Records may be missing, before the first step.
  void add(const State& state, std::span<const JointRecord> records);
};

struct FrameTable {
  int run = 0;
  std::int64_t first = 0;   ///< number of the first frame
  std::int64_t bodies = 0;  ///< per frame
  std::int64_t drag = 0;    ///< number of the last drag that was obeyed before; 0: none
  std::vector<std::int64_t> step;
  std::vector<double> time, position, orientation, linear_velocity, angular_velocity;
  std::vector<float> node_position;                        ///< of all bodies' nodes, one body after the other
  std::vector<std::int64_t> contact_start, contact_count;  ///< rows of `contacts`
  ContactTable contacts;
  JointTable joints;

  void add(const State& state, std::span<const ContactRecord> frame_contacts,
           std::span<const JointRecord> frame_joints = {});
};

/// Enough for a picture, and half the bytes: a report's velocities are `single`.
enum class VelocityPrecision { full, single };

Message frames_message(const FrameTable& frames, VelocityPrecision precision = VelocityPrecision::full);

/// What a frame with so many of each takes in a message.
std::int64_t frame_bytes(std::int64_t bodies, std::int64_t nodes, std::int64_t contacts, std::int64_t joints);

}  // namespace cardhouse::viewer
