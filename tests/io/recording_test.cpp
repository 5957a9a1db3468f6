#include "cardhouse/io/recording.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>

#include "cardhouse/base/error.h"
#include "cardhouse/base/stopwatch.h"
#include "cardhouse/io/recording_reader.h"
#include "io/recording_files.h"

namespace cardhouse {
namespace {

using namespace testing;

TEST(Recording, TellsWhatItHolds) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  write_recording(folder / "r.h5", scene, 2500);
  const RecordingInfo info = read_recording_info(folder / "r.h5");
  EXPECT_EQ(info.format_version, 1);
  EXPECT_EQ(info.scene_name, "small");
  EXPECT_EQ(info.scene_text, scene_text(scene));
  EXPECT_EQ(info.solver, scene.settings.solver);
  EXPECT_EQ(info.steps, 2500);
  EXPECT_EQ(info.first_step, 0);
  EXPECT_NEAR(info.duration, 2.5, 1e-9);
  EXPECT_EQ(info.step, 1e-3);
  EXPECT_EQ(info.bodies, 2);
  EXPECT_EQ(info.max_residual, 1e-3);
  EXPECT_EQ(info.uncertified_steps, 50);
  EXPECT_EQ(info.max_contacts, 4);
  EXPECT_FALSE(info.diagnosed);
  EXPECT_TRUE(info.finished);
  EXPECT_EQ(info.checkpoint_steps, (std::vector<std::int64_t>{0, 1000, 2000, 2500}));
}

TEST(Recording, HasAsManyFramesAsTheRateSaysWhateverTheRoundOffOfTheTime) {
  const TemporaryFolder folder;
  Scene scene = small_scene();
  for (const double h : {1e-3, 1e-2, 1.0 / 300.0, 1.0 / 60.0}) {
    scene.settings.step = h;
    write_recording(folder / "r.h5", scene, std::llround(10.0 / h));
    EXPECT_EQ(read_recording_info(folder / "r.h5").frames, 601) << "h = " << h;
  }
}

TEST(Recording, HasAFrameForEveryStepWhenStepsAreLongerThanFrames) {
  const TemporaryFolder folder;
  Scene scene = small_scene();
  scene.settings.step = 0.05;
  write_recording(folder / "r.h5", scene, 40);
  EXPECT_EQ(read_recording_info(folder / "r.h5").frames, 41);
}

TEST(Recording, GivesFramesAndContactsBackBitForBit) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  write_recording(folder / "r.h5", scene, 1000);
  const RecordingReader reader(folder / "r.h5");
  ASSERT_EQ(reader.frames(), 61);
  EXPECT_TRUE(reader.frame(0).contacts.empty());
  for (const std::int64_t index : {0, 1, 30, 60}) {
    const RecordedFrame frame = reader.frame(index);
    const State expected = frame.step == 0 ? scene.initial : state_after(scene, frame.step, 1e-3);
    ASSERT_EQ(frame.bodies.size(), 2U);
    EXPECT_TRUE(same_bits(frame.bodies[1], expected.bodies[1]));
    const std::vector<ContactRecord> contacts = contacts_of(expected);
    ASSERT_EQ(frame.contacts.size(), contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      EXPECT_EQ(frame.contacts[i].key, contacts[i].key);
      EXPECT_EQ(frame.contacts[i].body_b, contacts[i].body_b);
      EXPECT_EQ(frame.contacts[i].mode, contacts[i].mode);
      EXPECT_TRUE(same_bits(frame.contacts[i].impulse, contacts[i].impulse));
      EXPECT_TRUE(same_bits(frame.contacts[i].velocity, contacts[i].velocity));
      EXPECT_TRUE(same_bits(frame.contacts[i].gap, contacts[i].gap));
    }
  }
}

TEST(Recording, GivesCheckpointsBackBitForBit) {
  const TemporaryFolder folder;
  Scene scene = full_scene();
  scene.initial.joints.resize(scene.model.joints.size());
  RecordingWriter::Options options;
  options.checkpoint_interval = 0.1;
  write_recording(folder / "r.h5", scene, 100, options);
  EXPECT_TRUE(same_bits(read_checkpoint(folder / "r.h5", 0), scene.initial));
  EXPECT_TRUE(same_bits(read_checkpoint(folder / "r.h5", 29), scene.initial));
  for (const std::int64_t step : {30, 60, 100}) {
    State expected = state_after(scene, step, scene.settings.step);
    expected.time = summed_time(step, scene.settings.step);
    const State read = read_checkpoint(folder / "r.h5", step);
    expected.bodies = state_after(scene, step, scene.settings.step).bodies;
    EXPECT_TRUE(same_bits(read, expected)) << "step " << step;
  }
}

TEST(Recording, KeepsTheImpulsesOfRollingFrictionWhereThereIsAny) {
  for (const double mu_rolling : {0.01, 0.0}) {
    const TemporaryFolder folder;
    Scene scene = small_scene();
    scene.model.materials[0].mu_rolling = mu_rolling;
    State state = scene.initial;
    const Vec3 turning = mu_rolling > 0.0 ? Vec3(0.1, -0.2, 1.0 / 3.0) : Vec3(0.0, 0.0, 0.0);
    state.impulses = {{{0, 1, 7}, Vec3(1.0, 2.0, 3.0), turning}};
    ContactRecord contact;
    contact.turning = turning;
    {
      RecordingWriter writer(folder / "r.h5", scene, scene_text(scene), {});
      writer.begin(state, {});
      const State next = state_after(scene, 1, 1e-3);
      writer.add_step(next, report_of(next), {}, {&contact, 1}, {});
      writer.finish();
    }
    EXPECT_TRUE(same_bits(read_checkpoint(folder / "r.h5", 0), state));
    const RecordingReader reader(folder / "r.h5");
    EXPECT_EQ(reader.frame(reader.frames() - 1).contacts.at(0).turning, turning);
  }
}

TEST(Recording, KeepsTheStepBeforeForIntegratorsThatReadIt) {
  const TemporaryFolder folder;
  Scene scene = small_scene();
  scene.settings.contact = ContactModel::soft;
  scene.settings.soft.order = 2;
  {
    RecordingWriter writer(folder / "r.h5", scene, scene_text(scene), {});
    writer.begin(scene.initial, {});
    State state = state_after(scene, 7, 1e-3);
    state.previous = state_after(scene, 6, 1e-3).bodies;
    writer.add_step(state, report_of(state), {}, {});
    writer.finish("done");
  }
  EXPECT_TRUE(read_checkpoint(folder / "r.h5", 0).previous.empty());
  const State read = read_checkpoint(folder / "r.h5", 7);
  State expected = state_after(scene, 6, 1e-3);
  ASSERT_EQ(read.previous.size(), expected.bodies.size());
  for (std::size_t i = 0; i < expected.bodies.size(); ++i) {
    EXPECT_EQ(read.previous[i].pose.position, expected.bodies[i].pose.position);
    EXPECT_EQ(read.previous[i].pose.orientation.coeffs(), expected.bodies[i].pose.orientation.coeffs());
    EXPECT_EQ(read.previous[i].linear, expected.bodies[i].linear);
    EXPECT_EQ(read.previous[i].angular, expected.bodies[i].angular);
  }
}

TEST(Recording, GivesStepColumnsAndReasonsBack) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  write_recording(folder / "r.h5", scene, 120);
  const RecordingReader reader(folder / "r.h5");
  EXPECT_EQ(reader.step_column("iterations", 9, 2), (std::vector<double>{3.0, 4.0}));
  EXPECT_EQ(reader.step_column("certified", 48, 2), (std::vector<double>{0.0, 1.0}));
  const std::vector<RecordedReason> reasons = reader.reasons();
  ASSERT_EQ(reasons.size(), 2U);
  EXPECT_EQ(reasons[1].step, 99);
  EXPECT_EQ(reasons[1].reason, "iteration limit of 1000");
}

TEST(Recording, KeepsLengthsOfStepsAndWhatTheNextOneTries) {
  const TemporaryFolder folder;
  Scene scene = small_scene();
  scene.settings.adaptive = Adaptive::error;
  scene.settings.restitution = Restitution::lagged;
  {
    RecordingWriter writer(folder / "r.h5", scene, scene_text(scene), {});
    writer.begin(scene.initial, {});
    State state = state_after(scene, 1, 1e-3);
    state.next_step = 1.0 / 3e4;
    state.previous = scene.initial.bodies;
    StepReport report = report_of(state);
    report.length = 1.0 / 7e3;
    report.relaxed_rows = 2;
    report.hairline_rows = 3;
    report.parts = 2;
    report.kept_overlaps = 5;
    report.kept_depth = 1.0 / 300.0;
    report.warning = "two rows are relaxed";
    writer.add_step(state, report, {}, {});
    writer.finish("done");
  }
  const RecordingReader reader(folder / "r.h5");
  EXPECT_EQ(reader.step_column("length", 0, 1).front(), 1.0 / 7e3);
  EXPECT_EQ(reader.step_column("relaxed_rows", 0, 1).front(), 2.0);
  EXPECT_EQ(reader.step_column("hairline_rows", 0, 1).front(), 3.0);
  EXPECT_EQ(reader.step_column("parts", 0, 1).front(), 2.0);
  EXPECT_EQ(reader.step_column("kept_overlaps", 0, 1).front(), 5.0);
  EXPECT_EQ(reader.step_column("kept_depth", 0, 1).front(), 1.0 / 300.0);
  ASSERT_EQ(reader.reasons().size(), 1U);
  EXPECT_EQ(reader.reasons()[0].reason, "two rows are relaxed");
  EXPECT_EQ(reader.checkpoint(0).next_step, 0.0);
  EXPECT_EQ(reader.checkpoint(1).next_step, 1.0 / 3e4);
  EXPECT_EQ(reader.checkpoint(1).previous.size(), scene.initial.bodies.size());
}

TEST(Recording, KeepsOverlapsOfEveryCheckpoint) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  const std::vector<std::vector<KeptOverlap>> kept = {{{0, 1, 1.0 / 3e3}, {0, 2, 5e-3}}, {}, {{0, 2, 4e-3}}};
  {
    RecordingWriter::Options options;
    options.checkpoint_interval = 1e-3;
    RecordingWriter writer(folder / "r.h5", scene, scene_text(scene), options);
    for (std::int64_t step = 0; step < 3; ++step) {
      State state = state_after(scene, step, 1e-3);
      state.overlaps = kept[static_cast<std::size_t>(step)];
      if (step == 0) {
        writer.begin(state, {});
      } else {
        writer.add_step(state, report_of(state), {}, {});
      }
    }
    writer.finish("done");
  }
  const RecordingReader reader(folder / "r.h5");
  for (std::size_t step = 0; step < kept.size(); ++step) {
    const std::vector<KeptOverlap> found = reader.checkpoint(static_cast<std::int64_t>(step)).overlaps;
    ASSERT_EQ(found.size(), kept[step].size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].shape_a, kept[step][i].shape_a);
      EXPECT_EQ(found[i].shape_b, kept[step][i].shape_b);
      EXPECT_EQ(found[i].depth, kept[step][i].depth);
    }
  }
}

TEST(Recording, AddsUpTheWorkOfTheSteps) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  {
    RecordingWriter writer(folder / "r.h5", scene, scene_text(scene), {});
    writer.begin(scene.initial, {});
    for (int i = 1; i <= 3; ++i) {
      const State state = state_after(scene, i, 1e-3);
      StepReport report = report_of(state);
      report.work = 0.25 * i;
      writer.add_step(state, report, {}, {});
    }
    writer.finish("done");
  }
  EXPECT_EQ(RecordingReader(folder / "r.h5").step_column("work", 0, 3), (std::vector<double>{0.25, 0.75, 1.5}));
}

TEST(Recording, KeepsTheDiagnosisWhenTheRunAsksForIt) {
  const TemporaryFolder folder;
  Scene scene = small_scene();
  scene.settings.diagnose = true;
  RecordingWriter writer(folder / "r.h5", scene, "text", {});
  writer.begin(scene.initial, {});
  const State state = state_after(scene, 1, 1e-3);
  StepReport report = report_of(state);
  report.diagnosis = Diagnosis{0.25, 1.5, 2, {}, 6, 12, false};
  ContactRecord contact;
  contact.painleve_ratio = 1.25;
  writer.add_step(state, report, {}, {&contact, 1}, {});
  writer.finish();
  const RecordingReader reader(folder / "r.h5");
  EXPECT_TRUE(reader.info().diagnosed);
  EXPECT_EQ(reader.frame(reader.frames() - 1).contacts.at(0).painleve_ratio, 1.25);
  EXPECT_EQ(reader.step_column("subspace_angle", 0, 1).front(), 0.25);
  EXPECT_EQ(reader.step_column("rank", 0, 1).front(), 6.0);
  EXPECT_EQ(reader.step_column("pointed", 0, 1).front(), 0.0);
}

TEST(Recording, EndsWithAFrameAndACheckpointOfTheLastStep) {
  const TemporaryFolder folder;
  write_recording(folder / "r.h5", small_scene(), 1005);
  const RecordingReader reader(folder / "r.h5");
  EXPECT_EQ(reader.frame(reader.frames() - 1).step, 1005);
  EXPECT_EQ(reader.checkpoint_steps().back(), 1005);
}

TEST(Recording, CanContinueFromALaterState) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  {
    RecordingWriter writer(folder / "r.h5", scene, "text", {});
    writer.begin(state_after(scene, 500, 1e-3), {});
    for (std::int64_t step = 501; step <= 1000; ++step) {
      const State state = state_after(scene, step, 1e-3);
      writer.add_step(state, report_of(state), {}, {});
    }
    writer.finish();
  }
  const RecordingInfo info = read_recording_info(folder / "r.h5");
  EXPECT_EQ(info.first_step, 500);
  EXPECT_EQ(info.frames, 31);
  EXPECT_NEAR(info.duration, 0.5, 1e-9);
  EXPECT_TRUE(info.finished);
}

TEST(Recording, TellsHowTheRunEnded) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  for (const std::string ended : {"done", "interrupted", "uncertified", "stopped"}) {
    RecordingWriter writer(folder / "r.h5", scene, "text", {});
    record_steps(writer, scene, 3);
    writer.finish(ended);
    const RecordingInfo info = read_recording_info(folder / "r.h5");
    EXPECT_EQ(info.ended, ended);
    EXPECT_EQ(info.finished, ended == "done");
  }
}

TEST(Recording, KeepsTheStepsOfARunThatBrokeOffButDoesNotCallItFinished) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  {
    RecordingWriter writer(folder / "r.h5", scene, "text", {});
    record_steps(writer, scene, 30);
  }
  const RecordingInfo info = read_recording_info(folder / "r.h5");
  EXPECT_EQ(info.steps, 30);
  EXPECT_EQ(info.ended, "");
  EXPECT_FALSE(info.finished);
}

TEST(Recording, HoldsASceneWithoutBodiesToo) {
  const TemporaryFolder folder;
  write_recording(folder / "r.h5", Scene{}, 100);
  EXPECT_EQ(read_recording_info(folder / "r.h5").frames, 7);
  EXPECT_TRUE(RecordingReader(folder / "r.h5").frame(3).bodies.empty());
}

TEST(Recording, LeavesAnEarlierRecordingAloneUntilTheRunBegins) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  write_recording(folder / "r.h5", scene, 100);
  RecordingWriter::Options bad;
  bad.frames_per_second = 0.0;
  EXPECT_THROW(RecordingWriter(folder / "r.h5", scene, "text", bad), InputError);
  { const RecordingWriter never_begun(folder / "r.h5", scene, "text", {}); }
  EXPECT_EQ(read_recording_info(folder / "r.h5").steps, 100);
}

TEST(Recording, LeavesNoFileBehindWhenTheRunNeverBegins) {
  const TemporaryFolder folder;
  { const RecordingWriter never_begun(folder / "r.h5", small_scene(), "text", {}); }
  EXPECT_FALSE(std::filesystem::exists(folder / "r.h5"));
  EXPECT_FALSE(std::filesystem::exists(folder / "r.h5.partial"));
}

TEST(Recording, SaysWhyItsFileCanNotBeMade) {
  try {
    RecordingWriter("/nonexistent/folder/r.h5", small_scene(), "text", {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/nonexistent/folder/r.h5: can't be written: No such file or directory");
  }
}

bool is_input_error(const std::exception& error) {
  return dynamic_cast<const InputError*>(&error) != nullptr;
}

/// Files of this process can't grow beyond the limit: as good as a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(Recording, SaysThatTheDiskIsFullAndKeepsWhatWasThere) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  write_recording(folder / "r.h5", scene, 100);
  const FileSizeLimit limit(50000);
  RecordingWriter writer(folder / "r.h5", scene, "text", {});
  try {
    writer.begin(scene.initial, {});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_FALSE(is_input_error(error)) << "the system is at fault";
    EXPECT_NE(std::string(error.what()).find("r.h5: can't be written: File too large"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(read_recording_info(folder / "r.h5").steps, 100);
}

TEST(Recording, StaysReadableWhenTheDiskFillsUpDuringTheRun) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  RecordingWriter::Options options;
  options.commit_interval = 0.0;
  RecordingWriter writer(folder / "r.h5", scene, "text", options);
  record_steps(writer, scene, 10);
  const auto size = std::filesystem::file_size(folder / "r.h5");
  const FileSizeLimit limit(size + 8192);
  try {
    for (std::int64_t step = 11; step < 100000; ++step) {
      const State state = state_after(scene, step, 1e-3);
      writer.add_step(state, report_of(state), {}, contacts_of(state));
    }
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_FALSE(is_input_error(error)) << "the system is at fault";
  }
  EXPECT_GE(read_recording_info(folder / "r.h5").steps, 10);
}

TEST(Recording, IsReadableByH5py) {
  if (std::system("/usr/bin/python3 -c 'import h5py' >/dev/null 2>&1") != 0) GTEST_SKIP() << "no h5py here";
  const TemporaryFolder folder;
  write_recording(folder / "r.h5", small_scene(), 1000);
  std::ofstream(folder / "read.py") << R"(import sys, h5py
with h5py.File(sys.argv[1], 'r') as f:
    assert f.attrs['format'] == 'cardhouse recording' and f.attrs['format_version'] == 1
    assert f['frames/position'].shape == (61, 2, 3) and f['frames/position'].compression == 'gzip'
    assert f['frames/position'].attrs['unit'] == 'm'
    assert f['bodies/name'].asstr()[1] == 'box'
    assert '"bodies"' in f['scene'].asstr()[()]
    first = f['frames/contact_start'][7]
    count = f['frames/contact_count'][7]
    assert f['contacts/impulse'][first:first + count].shape == (4, 3)
    assert f['uncertified/reason'].asstr()[0] == 'iteration limit of 1000'
    assert f['steps/residual'].shape == (1000,)
)";
  const std::string command = "/usr/bin/python3 " + (folder / "read.py").string() + " " + (folder / "r.h5").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Recording, GivesJointsBackBitForBitAndSaysThatItHoldsThem) {
  const TemporaryFolder folder;
  Scene scene = full_scene();
  scene.settings.step = 1.0 / 60.0;
  write_recording(folder / "r.h5", scene, 90);
  EXPECT_EQ(read_recording_info(folder / "r.h5").format_version, 2);
  const RecordingReader reader(folder / "r.h5");
  const RecordedFrame frame = reader.frame(7);
  const std::vector<JointRecord> expected = joints_of(state_after(scene, 7, scene.settings.step));
  ASSERT_EQ(frame.joints.size(), expected.size());
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_EQ(frame.joints[j].drive[1], expected[j].drive[1]);
    EXPECT_EQ(frame.joints[j].coordinate[1], expected[j].coordinate[1]);
    EXPECT_EQ(frame.joints[j].impulse.z(), 5e-324);
    EXPECT_EQ(frame.joints[j].violation.length, 1e-9);
    EXPECT_EQ(frame.joints[j].point.z(), 1.0 / 3.0);
  }
  const State last = state_after(scene, 90, scene.settings.step);
  const State checkpoint = reader.checkpoint(90);
  ASSERT_EQ(checkpoint.joints.size(), scene.model.joints.size());
  for (std::size_t j = 0; j < checkpoint.joints.size(); ++j) {
    EXPECT_EQ(checkpoint.joints[j].coordinate[1], last.joints[j].coordinate[1]);
    EXPECT_NEAR(checkpoint.joints[j].impulse[13], last.joints[j].impulse[13], 1e-12);  // of the time as it was summed
  }
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(RecordingSlow, NeedsNoMoreMemoryForALongRun) {
  const TemporaryFolder folder;
  const Scene scene = small_scene();
  RecordingWriter writer(folder / "r.h5", scene, "text", {});
  record_steps(writer, scene, 0);
  const auto run = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t step = first; step < last; ++step) {
      const State state = state_after(scene, step, 1e-3);
      writer.add_step(state, report_of(state), {}, contacts_of(state));
    }
  };
  run(1, 20000);
  const long before = peak_kilobytes();
  run(20000, 100000);
  // 80 000 more steps make 16 MB of rows; the allocator may round up by some pages.
  EXPECT_LT(peak_kilobytes() - before, 4000);
}

}  // namespace
}  // namespace cardhouse
