#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cardhouse/io/recording.h"

namespace cardhouse {

/// One frame of a recording, as it was.
struct RecordedFrame {
  std::int64_t step = 0;
  double time = 0.0;                    ///< s
  std::vector<BodyState> bodies;        ///< one per body of the scene
  std::vector<ContactRecord> contacts;  ///< of the step that led here; none for the first frame
  std::vector<JointRecord> joints;      ///< one per joint of the scene; without impulses for the first frame
};

/// Why a step is not certified.
struct RecordedReason {
  std::int64_t step = 0;
  std::string reason;
};

/// Reads a recording piece by piece: nothing is loaded before it is asked for. Every function throws InputError, with
/// the file's name, for what is damaged or out of range.
class RecordingReader {
 public:
  explicit RecordingReader(const std::filesystem::path& file);
  ~RecordingReader();
  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;

  /// Reads the per-step columns that its figures come from.
  RecordingInfo info() const;
  std::string scene_text() const;

  std::int64_t frames() const;
  RecordedFrame frame(std::int64_t index) const;

  std::int64_t steps() const;
  /// Rows first … first + count − 1 of a column of /steps ("residual", "kinetic", …), as doubles.
  std::vector<double> step_column(const std::string& name, std::int64_t first, std::int64_t count) const;
  std::vector<RecordedReason> reasons() const;

  std::vector<std::int64_t> checkpoint_steps() const;
  /// The state of the last checkpoint at or before `step`.
  State checkpoint(std::int64_t step) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cardhouse
