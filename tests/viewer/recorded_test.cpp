#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cardhouse/base/error.h"
#include "cardhouse/io/recording.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/scenes/library.h"
#include "cardhouse/viewer/base64.h"
#include "cardhouse/viewer/gzip.h"
#include "cardhouse/viewer/recorded_source.h"
#include "cardhouse/viewer/report_page.h"
#include "cardhouse/world/world.h"
#include "viewer/wire_decoder.h"

namespace cardhouse::viewer {
namespace {

/// A short run of a stack, recorded at every tenth step.
class Recorded : public ::testing::Test {
 protected:
  static constexpr int steps = 100;

  Recorded() {
    World world(make_scene("box_stack", {{"count", "3"}}));
    RecordingWriter::Options options;
    options.frames_per_second = 100.0;
    RecordingWriter writer(file_, world.scene(), scene_text(world.scene()), options);
    writer.begin(world.state(), world.energy());
    for (int i = 0; i < steps; ++i) {
      world.step();
      writer.add_step(world.state(), world.last_report(), world.energy(), world.contacts());
      if (world.state().step == 50) middle_ = world.state();
    }
    writer.finish();
    last_ = world.state();
    contacts_ = world.contacts().size();
  }
  ~Recorded() override { std::filesystem::remove(file_); }

  static Decoded only(const std::vector<Message>& messages) {
    EXPECT_EQ(messages.size(), 1U);
    return decode(*messages.at(0));
  }

  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("cardhouse-viewer-" + std::to_string(::getpid()) + ".h5");
  State middle_;
  State last_;
  std::size_t contacts_ = 0;
};

TEST_F(Recorded, TheSceneComesOnce) {
  RecordedSource source(file_, "session");
  Progress progress;
  const auto header = only(source.news(progress)).header;
  EXPECT_EQ(header.at("mode"), "recording");
  EXPECT_EQ(header.at("session"), "session");
  EXPECT_EQ(header.at("runs").at(0).at("frames"), 11);
  EXPECT_EQ(header.at("runs").at(0).at("steps"), steps);
  EXPECT_NEAR(header.at("runs").at(0).at("duration").get<double>(), 0.1, 1e-12);
  EXPECT_TRUE(source.news(progress).empty());
}

TEST_F(Recorded, FramesAreThoseOfTheRun) {
  RecordedSource source(file_, "session");
  const Decoded message = only(source.answer(GetFrames{0, 5, 600, true}));
  EXPECT_EQ(message.type(), "frames");
  EXPECT_EQ(message.header.at("first"), 5);
  EXPECT_EQ(message.header.at("count"), 6);
  const auto position = message.reals("frames/position");
  const auto orientation = message.reals("frames/orientation");
  for (std::size_t body = 0; body < middle_.bodies.size(); ++body) {
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(position[3 * body + static_cast<std::size_t>(axis)], middle_.bodies[body].pose.position[axis]);
    }
    EXPECT_EQ(orientation[4 * body], middle_.bodies[body].pose.orientation.w());
  }
  const auto start = message.array<std::int64_t>("frames/contact_start", "int64");
  const auto count = message.array<std::int64_t>("frames/contact_count", "int64");
  EXPECT_EQ(start[0], 0) << "counted from the message's first contact";
  EXPECT_EQ(count.back(), static_cast<std::int64_t>(contacts_));
  EXPECT_EQ(message.shape("contacts/point"), (std::vector<std::int64_t>{start.back() + count.back(), 3}));
}

TEST_F(Recorded, FramesCanComeWithoutContacts) {
  RecordedSource source(file_, "session");
  const Decoded message = only(source.answer(GetFrames{0, 0, 3, false}));
  EXPECT_EQ(message.array<std::int64_t>("frames/contact_count", "int64"), (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(message.shape("contacts/mode"), std::vector<std::int64_t>{0});
}

TEST_F(Recorded, StepsComeWithAStride) {
  RecordedSource source(file_, "session");
  const Decoded message = only(source.answer(GetSteps{0, 0, 1000, 30}));
  EXPECT_EQ(message.header.at("stride"), 30);
  EXPECT_EQ(message.array<std::int64_t>("steps/step", "int64"), (std::vector<std::int64_t>{30, 60, 90, 100}));
  EXPECT_EQ(message.header.at("count"), 4);
  EXPECT_EQ(only(source.answer(GetSteps{0, 98, 1000, 1})).header.at("count"), 2);
  EXPECT_EQ(only(source.answer(GetSteps{0, 5000, 10, 1})).header.at("count"), 0);
  EXPECT_EQ(only(source.answer(GetSteps{0, 0, 1 << 30, 1 << 30})).header.at("count"), 1);
}

TEST_F(Recorded, ATrackIsOneBodysWay) {
  RecordedSource source(file_, "session");
  const int body = static_cast<int>(last_.bodies.size()) - 1;
  const Decoded message = only(source.answer(GetTrack{0, body, 5}));
  EXPECT_EQ(message.shape("frames/orientation"), (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(message.reals("frames/position")[8], last_.bodies.back().pose.position.z());
  EXPECT_EQ(message.reals("frames/time")[1], middle_.time);
}

TEST_F(Recorded, ATrackOfEveryFrameIsThatOfTheFrames) {
  RecordedSource source(file_, "session");
  const Decoded frames = only(source.answer(GetFrames{0, 0, 600, false}));
  for (const int body : {0, 2}) {
    for (const std::int64_t stride : {1, 3}) {
      const Decoded track = only(source.answer(GetTrack{0, body, stride}));
      const auto all = frames.reals("frames/linear_velocity");
      const auto own = track.reals("frames/linear_velocity");
      ASSERT_EQ(own.size(), static_cast<std::size_t>(3 * ((11 + stride - 1) / stride)));
      for (std::size_t i = 0; i < own.size(); ++i) {
        const std::size_t frame = i / 3 * static_cast<std::size_t>(stride);
        EXPECT_EQ(own[i], all[3 * (frame * last_.bodies.size() + static_cast<std::size_t>(body)) + i % 3]);
      }
    }
  }
}

TEST_F(Recorded, JointsComeWithTheFrames) {
  World world(make_scene("chain", {{"links", "3"}}));
  RecordingWriter::Options options;
  options.frames_per_second = 100.0;
  RecordingWriter writer(file_, world.scene(), scene_text(world.scene()), options);
  writer.begin(world.state(), world.energy());
  for (int i = 0; i < 20; ++i) {
    world.step();
    writer.add_step(world.state(), world.last_report(), world.energy(), world.contacts(), world.joints());
  }
  writer.finish();
  RecordedSource source(file_, "session");
  const Decoded message = only(source.answer(GetFrames{0, 1, 600, true}));
  EXPECT_EQ(message.shape("joints/coordinate"), (std::vector<std::int64_t>{2, 3, 2}));
  const auto impulse = message.array<float>("joints/impulse", "float32");
  const auto violation = message.array<float>("joints/violation", "float32");
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(impulse[3 * (3 + j)], static_cast<float>(world.joints()[j].impulse.x()));
    EXPECT_EQ(violation[3 + j], static_cast<float>(world.joints()[j].violation.length));
  }
}

TEST_F(Recorded, WhatIsNotThereIsSaidInWords) {
  RecordedSource source(file_, "session");
  for (const Request& request : {Request(GetFrames{0, 11, 1, true}), Request(GetTrack{0, 99, 1}),
                                 Request(GetFrames{1, 0, 1, true}), Request(Command(Release{}))}) {
    EXPECT_EQ(only(source.answer(request)).type(), "error");
  }
  EXPECT_EQ(only(source.answer(GetReasons{0})).header.at("reasons").size(), 0U);
}

TEST_F(Recorded, AReportHoldsTheWholeRunInThePage) {
  GzipWriter gzip;
  gzip.add("<html><!-- cardhouse-report --></html>");
  const std::string packed = gzip.finish();
  const std::string text = report_page({packed, ""}, file_);
  const std::string begin = "<html><script type=\"text/plain\" id=\"cardhouse-report\">";
  const std::string end = "</script></html>";
  ASSERT_TRUE(text.starts_with(begin));
  ASSERT_TRUE(text.ends_with(end));
  const std::string data = gunzip(from_base64(text.substr(begin.size(), text.size() - begin.size() - end.size())));
  std::vector<std::string> types;
  std::int64_t frames = 0;
  for (std::size_t at = 0; at < data.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, data.data() + at, sizeof length);
    const Decoded message = decode(data.substr(at + 8, length));
    types.push_back(message.type());
    if (message.type() == "scene") {
      EXPECT_EQ(message.header.at("mode"), "report");
    }
    if (message.type() == "frames") frames += message.header.at("count").get<std::int64_t>();
    at += 8 + (length + 7) / 8 * 8;
  }
  EXPECT_EQ(types, (std::vector<std::string>{"scene", "steps", "frames", "reasons"}));
  EXPECT_EQ(frames, 11);
}

TEST_F(Recorded, APageWithoutAPlaceForTheReportIsRefused) {
  GzipWriter gzip;
  gzip.add("<html></html>");
  const std::string packed = gzip.finish();
  EXPECT_THROW(report_page({packed, ""}, file_), InputError);
}

}  // namespace
}  // namespace cardhouse::viewer
