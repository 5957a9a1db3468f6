#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "cardhouse/base/error.h"
#include "cardhouse/io/hdf5_file.h"
#include "cardhouse/io/recording_reader.h"
#include "io/recording_files.h"

namespace cardhouse {
namespace {

using namespace testing;

std::string message_of(const std::filesystem::path& file) {
  try {
    read_recording_info(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_in(const std::string& part, const std::string& whole) {
  EXPECT_NE(whole.find(part), std::string::npos) << whole;
}

/// A child process that records without end.
pid_t start_recorder(const std::filesystem::path& file, const Scene& scene) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  RecordingWriter writer(file, scene, scene_text(scene), {});
  record_steps(writer, scene, 1'000'000'000);
  ::_exit(0);
}

/// Waits until a reader, beside the running writer, sees so many frames.
bool wait_for_frames(const std::filesystem::path& file, std::int64_t frames) {
  for (int i = 0; i < 3000; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    try {
      if (RecordingReader(file).frames() >= frames) return true;
    } catch (const InputError&) {
      // Not there yet, or caught in the middle of a commit.
    }
  }
  return false;
}

void kill_and_wait(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(KilledRecording, IsReadableUpToTheLastCommit) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  for (const int frames : {1, 20, 3000}) {
    const std::filesystem::path file = folder / std::to_string(frames);
    const pid_t child = start_recorder(file, scene);
    const bool seen = wait_for_frames(file, frames);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill_and_wait(child);
    ASSERT_TRUE(seen);

    const RecordingReader reader(file);
    const RecordingInfo info = reader.info();
    EXPECT_GE(info.frames, frames);
    EXPECT_FALSE(info.finished);
    const RecordedFrame last = reader.frame(reader.frames() - 1);
    const State expected = last.step == 0 ? scene.initial : state_after(scene, last.step, 1e-3);
    EXPECT_TRUE(same_bits(last.bodies[1], expected.bodies[1]));
    EXPECT_EQ(reader.checkpoint(info.steps).step, info.checkpoint_steps.back());
  }
}

TEST(DamagedRecording, IsRefusedWhereverItWasCut) {
  const TemporaryFolder folder;
  write_recording(folder / "whole.h5", small_scene(), 500);
  const auto size = std::filesystem::file_size(folder / "whole.h5");
  for (std::uintmax_t cut = 0; cut < size - 4096; cut += 1 + size / 97) {
    std::filesystem::copy_file(folder / "whole.h5", folder / "cut.h5",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder / "cut.h5", cut);
    EXPECT_THROW(read_recording_info(folder / "cut.h5"), InputError) << "cut at " << cut << " of " << size;
  }
  expect_in("cut.h5: cut short", message_of(folder / "cut.h5"));
}

/// Reads all of it; false when it was refused.
bool is_accepted(const std::filesystem::path& file) {
  try {
    const RecordingReader reader(file);
    reader.info();
    for (std::int64_t i = 0; i < reader.frames(); i += 7) reader.frame(i);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Spoils four bytes at many places of a copy, one after the other; counts how often the reader refuses it.
int count_refusals(const std::filesystem::path& whole, const std::filesystem::path& copy) {
  const auto size = std::filesystem::file_size(whole);
  int refused = 0;
  for (std::uintmax_t at = 0; at < size; at += 1 + size / 199) {
    std::filesystem::copy_file(whole, copy, std::filesystem::copy_options::overwrite_existing);
    std::fstream stream(copy, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(at));
    stream.write("\xff\x00\xff\x00", 4);
    stream.close();
    refused += is_accepted(copy) ? 0 : 1;
  }
  return refused;
}

TEST(DamagedRecording, NeverCrashesTheReaderWhenBytesAreWrong) {
  const TemporaryFolder folder;
  write_recording(folder / "whole.h5", small_scene(), 500);
  // In a process of its own, so that a crash is seen as one; HDF5 also loses memory when it meets damaged tables.
  const pid_t child = ::fork();
  if (child == 0) ::_exit(count_refusals(folder / "whole.h5", folder / "bad.h5") > 0 ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

TEST(OtherFiles, AreRefusedInPlainWords) {
  const TemporaryFolder folder;
  expect_in("none.h5: no such file", message_of(folder / "none.h5"));
  expect_in("not a file", message_of("/tmp"));
  std::ofstream(folder / "text.h5") << "{}";
  expect_in("text.h5: not an HDF5 file", message_of(folder / "text.h5"));
  std::ofstream(folder / "empty.h5").flush();
  expect_in("empty.h5: not an HDF5 file", message_of(folder / "empty.h5"));
  Hdf5File other = Hdf5File::create(folder / "other.h5");
  other.make_group("/data");
  other.close();
  expect_in("other.h5: an HDF5 file, but not a cardhouse recording", message_of(folder / "other.h5"));
}

TEST(OtherFiles, OfALaterFormatVersionAreRefused) {
  const TemporaryFolder folder;
  Hdf5File file = Hdf5File::create(folder / "later.h5");
  file.set_attribute("/", "format", "cardhouse recording");
  file.set_attribute("/", "format_version", std::int64_t{4});
  file.close();
  expect_in("later.h5: format_version = 4: this program reads versions 1 to 3", message_of(folder / "later.h5"));
}

TEST(Checkpoints, OutsideTheRecordingAreRefused) {
  const TemporaryFolder folder;
  write_recording(folder / "r.h5", small_scene(), 100);
  EXPECT_THROW(read_checkpoint(folder / "r.h5", -1), InputError);
  EXPECT_THROW(read_checkpoint(folder / "r.h5", 101), InputError);
  EXPECT_THROW(RecordingReader(folder / "r.h5").frame(7), InputError);
  EXPECT_THROW(RecordingReader(folder / "r.h5").frame(-1), InputError);
  EXPECT_THROW(RecordingReader(folder / "r.h5").step_column("nonsense", 0, 1), InputError);
}

}  // namespace
}  // namespace cardhouse
