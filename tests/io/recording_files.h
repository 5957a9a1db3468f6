// Recordings made by hand, for the tests of the writer and the reader.
#pragma once

#include <unistd.h>

#include <filesystem>

#include "cardhouse/io/recording.h"
#include "cardhouse/io/scene_file.h"
#include "io/sample_scene.h"

namespace cardhouse::testing {

/// A folder that is gone with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cardhouse_io_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline StepReport report_of(const State& state) {
  StepReport report;
  report.certificate.residual = 1e-12 * static_cast<double>(state.step % 100);
  report.contacts = static_cast<int>(state.impulses.size());
  report.iterations = static_cast<int>(state.step % 7);
  report.islands = 1;
  report.penetration = 1e-9;
  report.seconds = {1e-5, 2e-5, 3e-5, 4e-6};
  if (state.step % 50 == 49) {
    report.certified = false;
    report.status = SolveStatus::iteration_limit;
    report.certificate.residual = 1e-3;
    report.reason = "iteration limit of 1000";
  }
  return report;
}

/// The run's time after `step` steps, summed as a simulator does it, with its round-off.
inline double summed_time(std::int64_t step, double h) {
  double time = 0.0;
  for (std::int64_t i = 0; i < step; ++i) time += h;
  return time;
}

inline void record_steps(RecordingWriter& writer, const Scene& scene, std::int64_t steps) {
  const double h = scene.settings.step;
  State start = scene.initial;
  start.joints.resize(scene.model.joints.size());
  writer.begin(start, Energy{1.0, 2.0});
  double time = 0.0;
  for (std::int64_t step = 1; step <= steps; ++step) {
    State state = state_after(scene, step, h);
    state.time = time += h;
    writer.add_step(state, report_of(state), Energy{0.5, 1.5}, contacts_of(state), joints_of(state));
  }
}

inline void write_recording(const std::filesystem::path& file, const Scene& scene, std::int64_t steps,
                            const RecordingWriter::Options& options = {}) {
  RecordingWriter writer(file, scene, scene_text(scene), options);
  record_steps(writer, scene, steps);
  writer.finish();
}

}  // namespace cardhouse::testing
