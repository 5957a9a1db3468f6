// Recordings (docs/recording.md): what a run was, in HDF5. Reading by frame is in io/recording_reader.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/world/scene.h"

namespace cardhouse {

/// Writes an HDF5 recording (docs/recording.md). What was written stays readable when the process is killed.
class RecordingWriter {
 public:
  struct Options {
    double frames_per_second = 60.0;   ///< of simulated time, > 0
    double checkpoint_interval = 1.0;  ///< s of simulated time between full states, > 0
    double commit_interval = 0.5;      ///< s of wall time between writes to the disk: what a kill may cost, ≥ 0
  };
  /// `scene_text` is kept in the file. Throws InputError when the file can't be made. A recording that was there
  /// before stays until begin().
  RecordingWriter(const std::filesystem::path& file, const Scene& scene, const std::string& scene_text,
                  const Options& options);
  /// Closes the file with everything that was added, as an interrupted run. Reports no failure.
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  /// The state before the first step: frame 0 and checkpoint 0.
  void begin(const State& state, const Energy& energy);
  /// After each step: the per-step rows always, a frame and a checkpoint when they are due.
  void add_step(const State& state, const StepReport& report, const Energy& energy,
                std::span<const ContactRecord> contacts, std::span<const JointRecord> joints = {});
  /// A last frame and checkpoint if the last step has none, then closes the file. `ended` says how the run ended, in
  /// the word that the summary has for it; the run counts as finished when that is "done".
  void finish(const std::string& ended = "done");

 private:
  struct Impl;
  static void close(Impl& impl, const std::string& ended);

  std::unique_ptr<Impl> impl_;
};

/// What `cardhouse info` shows and `--from` needs. Throws InputError for a file that is missing, truncated or of
/// another format version.
struct RecordingInfo {
  int format_version = 0;
  std::string scene_name;
  std::string scene_text;
  std::string solver;
  std::int64_t steps = 0;
  std::int64_t frames = 0;
  std::int64_t first_step = 0;  ///< of the state before the first recorded step
  double duration = 0.0;        ///< s of simulated time, from the first frame to the last step
  double step = 0.0;            ///< s
  double tolerance = 0.0;
  double max_step_seconds = 0.0;  ///< wall, of a whole step; 0: no limit
  double frames_per_second = 0.0;
  int bodies = 0;
  double max_residual = 0.0;  ///< infinite when one was not a number
  std::int64_t uncertified_steps = 0;
  int max_contacts = 0;
  bool diagnosed = false;
  std::string ended;      ///< "done", "interrupted", …; empty: the run was killed, or is still running
  bool finished = false;  ///< the run came to its end
  std::vector<std::int64_t> checkpoint_steps;
};
RecordingInfo read_recording_info(const std::filesystem::path& file);

/// The state of the last checkpoint at or before `step`.
State read_checkpoint(const std::filesystem::path& file, std::int64_t step);

}  // namespace cardhouse
