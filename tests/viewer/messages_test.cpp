#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cardhouse/base/error.h"
#include "cardhouse/scenes/library.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/viewer/access.h"
#include "cardhouse/viewer/base64.h"
#include "cardhouse/viewer/command_check.h"
#include "cardhouse/viewer/frame_table.h"
#include "cardhouse/viewer/gzip.h"
#include "cardhouse/viewer/message.h"
#include "cardhouse/viewer/request.h"
#include "cardhouse/viewer/scene_message.h"
#include "cardhouse/viewer/step_rows.h"
#include "cardhouse/viewer/utf8.h"
#include "cardhouse/world/world.h"
#include "viewer/wire_decoder.h"

namespace cardhouse::viewer {
namespace {

TEST(Message, ArraysComeBackAsTheyWere) {
  MessageBuilder builder("test", 1);
  const std::vector<std::uint8_t> bytes = {1, 2, 3};
  const std::vector<double> reals = {0.1, -2.0};
  const std::vector<float> singles = {};
  builder.add("a/bytes", {3}, std::span(bytes));
  builder.add("a/reals", {1, 2}, std::span(reals));
  builder.add("a/none", {0, 3}, std::span(singles));
  builder.set("bad", std::numeric_limits<double>::quiet_NaN());
  const Decoded message = decode(*builder.finish());
  EXPECT_EQ(message.type(), "test");
  EXPECT_EQ(message.header.at("run"), 1);
  EXPECT_TRUE(message.header.at("bad").is_null());
  EXPECT_EQ(message.array<std::uint8_t>("a/bytes", "uint8"), bytes);
  EXPECT_EQ(message.reals("a/reals"), reals);
  EXPECT_EQ(message.shape("a/reals"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_TRUE(message.array<float>("a/none", "float32").empty());
}

TEST(SceneMessage, TellsEveryShapeOfTheLibrary) {
  for (const SceneInfo& info : scene_list()) {
    const Scene scene = make_scene(info.name);
    SceneDescription description;
    description.mode = "live";
    description.session = "s";
    description.runs = {{"staggered-projections", 0, 0, scene.duration}};
    const auto header = decode(*scene_message(scene, description)).header;
    EXPECT_EQ(header.at("version"), 1);
    EXPECT_EQ(header.at("title"), info.name);
    EXPECT_EQ(header.at("solvers"), solver_names());
    ASSERT_EQ(header.at("bodies").size(), scene.model.bodies.size());
    for (const auto& body : header.at("bodies")) {
      for (const auto& shape : body.at("shapes")) {
        EXPECT_EQ(shape.at("orientation").size(), 4U);
        EXPECT_TRUE(shape.contains("radius") || shape.contains("half_extents") || shape.contains("vertices") ||
                    shape.contains("radii") || shape.at("type") == "half_space")
            << shape;
      }
    }
    const auto lower = header.at("bounds").at("min").get<std::vector<double>>();
    const auto upper = header.at("bounds").at("max").get<std::vector<double>>();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(lower[i], upper[i]) << info.name;
  }
}

TEST(SceneMessage, AHalfSpaceHasItsOutsideAlongItsOwnZ) {
  Scene scene;
  Body wall;
  wall.name = "wall";
  wall.mobility = Mobility::fixed;
  wall.shapes.push_back({HalfSpace{Vec3::UnitX()}, Pose{}, 0});
  scene.model.bodies = {wall};
  scene.initial.bodies = {BodyState{}};
  const auto header = decode(*scene_message(scene, {})).header;
  const auto q = header["bodies"][0]["shapes"][0]["orientation"].get<std::vector<double>>();
  EXPECT_LT((Quat(q[0], q[1], q[2], q[3]) * Vec3::UnitZ() - Vec3::UnitX()).norm(), 1e-15);  // round-off
}

TEST(FramesMessage, CarriesPosesExactlyAndContactsInSinglePrecision) {
  World world(make_scene("box_stack", {{"count", "3"}}));
  FrameTable frames;
  frames.first = 7;
  frames.add(world.state(), world.contacts());
  world.step();
  frames.add(world.state(), world.contacts());
  const Decoded message = decode(*frames_message(frames));
  EXPECT_EQ(message.header.at("first"), 7);
  EXPECT_EQ(message.header.at("count"), 2);
  const auto bodies = static_cast<std::int64_t>(world.model().bodies.size());
  EXPECT_EQ(message.shape("frames/orientation"), (std::vector<std::int64_t>{2, bodies, 4}));
  const std::vector<double> position = message.reals("frames/position");
  EXPECT_EQ(position[static_cast<std::size_t>(6 * bodies) - 1], world.state().bodies.back().pose.position.z());
  const auto count = message.array<std::int64_t>("frames/contact_count", "int64");
  EXPECT_EQ(count, (std::vector<std::int64_t>{0, static_cast<std::int64_t>(world.contacts().size())}));
  const auto impulse = message.array<float>("contacts/impulse", "float32");
  ASSERT_EQ(impulse.size(), 3 * world.contacts().size());
  EXPECT_EQ(impulse[2], static_cast<float>(world.contacts()[0].impulse.z()));
  EXPECT_EQ(message.array<std::uint8_t>("contacts/mode", "uint8").size(), world.contacts().size());
}

TEST(SceneMessage, TellsJointsWithTheirFramesAndUnits) {
  const Scene scene = make_scene("parallelogram", {{"kind", "spatial"}});
  SceneDescription description;
  description.mode = "live";
  description.runs = {{"auto", 0, 0, 1.0}};
  const auto joints = decode(*scene_message(scene, description)).header.at("joints");
  ASSERT_EQ(joints.size(), scene.model.joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Joint& joint = scene.model.joints[j];
    EXPECT_EQ(joints[j].at("name"), joint.name);
    EXPECT_EQ(joints[j].at("type"), "hinge");
    EXPECT_EQ(joints[j].at("first"), joint.first);
    EXPECT_EQ(joints[j].at("second"), joint.second);
    EXPECT_EQ(joints[j].at("frame_second").at("position").at(0), joint.frame_second.position.x());
    EXPECT_EQ(joints[j].at("frame_first").at("orientation").at(0), joint.frame_first.orientation.w());
    EXPECT_EQ(joints[j].at("coordinate_units"), nlohmann::json::array({"rad"}));
  }
}

TEST(FramesMessage, CarriesJointsInSinglePrecision) {
  World world(make_scene("chain", {{"links", "4"}}));
  FrameTable table;
  table.add(world.state(), world.contacts(), world.joints());
  for (int i = 0; i < 5; ++i) world.step();
  table.add(world.state(), world.contacts(), world.joints());
  const Decoded message = decode(*frames_message(table));
  const auto impulse = message.array<float>("joints/impulse", "float32");
  EXPECT_EQ(message.shape("joints/impulse"), (std::vector<std::int64_t>{2, 4, 3}));
  EXPECT_EQ(impulse[0], 0.0F) << "before the first step there are no impulses";
  const auto violation = message.array<float>("joints/violation", "float32");
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_EQ(impulse[3 * (4 + j) + 2], static_cast<float>(world.joints()[j].impulse.z()));
    EXPECT_EQ(violation[4 + j], static_cast<float>(world.joints()[j].violation.length));
  }
}

TEST(StepRows, WithoutADiagnosisItsColumnsAreNoNumbers) {
  World world(make_scene("box_stack", {{"count", "1"}}));
  world.step();
  const StepRow row = step_row(world.state(), world.last_report(), world.energy(), 0.0);
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(std::isnan(row[i]), i >= plain_step_columns) << i;
}

TEST(StepRows, AStrideKeepsTheWorstAndTheLast) {
  const std::vector<double> values = {1.0, 5.0, 2.0, 3.0, 0.5};
  using Summary = StepColumn::Summary;
  EXPECT_EQ(summarise(values, 2, Summary::largest), (std::vector<double>{5.0, 3.0, 0.5}));
  EXPECT_EQ(summarise(values, 2, Summary::smallest), (std::vector<double>{1.0, 2.0, 0.5}));
  EXPECT_EQ(summarise(values, 2, Summary::last), (std::vector<double>{5.0, 3.0, 0.5}));
  EXPECT_EQ(summarise(values, 1, Summary::last), values);
  const std::vector<double> broken = {1.0, std::nan(""), 2.0};
  EXPECT_TRUE(std::isnan(summarise(broken, 3, Summary::largest)[0])) << "what could not be computed must be seen";
}

TEST(StepRows, ColumnsCarryTheTypesOfTheRecording) {
  World world(make_scene("box_stack", {{"count", "2"}}));
  world.step();
  const StepRow row = step_row(world.state(), world.last_report(), world.energy(), 0.0);
  StepTableSlice slice;
  for (const double value : row) slice.columns.push_back({value});
  const Decoded message = decode(*steps_message(slice));
  EXPECT_EQ(message.array<std::int64_t>("steps/step", "int64"), std::vector<std::int64_t>{1});
  EXPECT_EQ(message.array<std::uint8_t>("steps/certified", "uint8"), std::vector<std::uint8_t>{1});
  EXPECT_EQ(message.array<std::int32_t>("steps/contacts", "int32")[0], world.last_report().contacts);
  EXPECT_EQ(message.reals("steps/residual")[0], world.last_report().certificate.residual);
  EXPECT_EQ(message.reals("steps/seconds_integrate")[0], world.last_report().seconds.integrate);
}

TEST(Requests, EveryMessageOfThePageIsUnderstood) {
  const auto frames = std::get<GetFrames>(
      parse_request(R"({"type": "get_frames", "run": 0, "first": 5, "count": 60, "contacts": false})"));
  EXPECT_EQ(frames.first, 5);
  EXPECT_FALSE(frames.contacts);
  EXPECT_EQ(std::get<GetSteps>(parse_request(R"({"type": "get_steps", "first": 0, "count": 9})")).stride, 1);
  EXPECT_EQ(std::get<GetTrack>(parse_request(R"({"type": "get_track", "body": 3, "stride": 2})")).body, 3);
  EXPECT_EQ(std::get<GetReasons>(parse_request(R"({"type": "get_reasons", "run": 1})")).run, 1);
  const auto command = [](const char* text) { return std::get<Command>(parse_request(text)); };
  EXPECT_EQ(std::get<Control>(command(R"({"type": "control", "action": "reset"})")), Control::reset);
  const Set set = std::get<Set>(command(R"({"type": "set", "mu": null, "gravity": [0, 0, 1], "speed": 0})"));
  ASSERT_TRUE(set.mu.has_value());
  EXPECT_FALSE(set.mu->has_value());
  EXPECT_EQ(set.gravity->z(), 1.0);
  EXPECT_FALSE(set.solver.has_value());
  EXPECT_EQ(std::get<Drag>(command(R"({"type": "drag", "body": 1, "point": [0,0,0], "target": [1,2,3]})")).target.y(),
            2.0);
  EXPECT_EQ(std::get<Drag>(command(R"({"type": "drag", "body": 1, "point": [0,0,0], "target": [1,2,3], "number": 4})"))
                .number,
            4);
  EXPECT_TRUE(std::holds_alternative<Release>(command(R"({"type": "release"})")));
  EXPECT_EQ(
      std::get<Shoot>(command(R"({"type": "shoot", "position": [0,0,1], "velocity": [1,0,0], "size": 0.1})")).size,
      0.1);
}

TEST(Requests, MalformedOnesAreRefused) {
  for (const char* text :
       {"", "{", "[]", "null", R"({"type": "hack"})", R"({"type": 3})", R"({"type": "get_frames"})",
        R"({"type": "get_frames", "first": -1, "count": 1})", R"({"type": "get_frames", "first": 0, "count": 0})",
        R"({"type": "get_frames", "first": 1e30, "count": 1})", R"({"type": "get_steps", "first": 0, "count": "9"})",
        R"({"type": "control", "action": "explode"})", R"({"type": "drag", "body": 1})",
        R"({"type": "drag", "body": 1, "point": [0, 0], "target": [0, 0, 0]})", R"({"type": "set", "step": "1"})",
        R"({"type": "set", "speed": "fast"})", R"({"type": "set", "gravity": [0, 0, 1e999]})",
        R"({"type": "set", "gravity": [0, 0, null]})",
        R"({"type": "shoot", "position": [0, 0, 0], "velocity": [0, 0], "size": 1})"}) {
    EXPECT_THROW(parse_request(text), InputError) << text;
  }
}

/// The field that is refused, and why; empty when nothing is.
std::pair<std::string, std::string> refusal(const std::string& text) {
  try {
    check_command(std::get<Command>(parse_request(text)), 1);
  } catch (const RefusedValue& refused) {
    return {refused.field(), refused.what()};
  }
  return {};
}

TEST(Commands, ValuesBeyondTheBoundsOfInputAreRefusedWithFieldAndReason) {
  const std::tuple<const char*, const char*, const char*> refused[] = {
      {R"({"type": "set", "gravity": [0, 0, 1e308]})", "gravity",
       "gravity[2] = 1e+308 m/s²: must be at most 1e+13 m/s²"},
      {R"({"type": "set", "gravity": [-1e200, 0, 0]})", "gravity", "gravity[0] = -1e+200 m/s²"},
      {R"({"type": "set", "step": 1e-320})", "step", "step = 1e-320 s: must be at least 1e-12"},
      {R"({"type": "set", "step": -1})", "step", "step = -1 s: must be > 0"},
      {R"({"type": "set", "step": 0})", "step", "step = 0 s: must be > 0"},
      {R"({"type": "set", "step": 2})", "step", "step = 2 s: must be at most 1 s"},
      {R"({"type": "set", "mu": 1e300})", "mu", "mu = 1e+300"},
      {R"({"type": "set", "mu": -0.1})", "mu", "mu = -0.1"},
      {R"({"type": "set", "tolerance": 1})", "tolerance", "tolerance = 1: must be in (0, 1)"},
      {R"({"type": "set", "tolerance": -1e-9})", "tolerance", "must be in (0, 1)"},
      {R"({"type": "set", "speed": 1e9})", "speed", "speed = 1000000000: must be in 0 … 1000"},
      {R"({"type": "set", "speed": -1})", "speed", "must be in 0 … 1000"},
      {R"({"type": "set", "solver": "magic"})", "solver", "staggered-projections"},
      {R"({"type": "set", "run": 1, "solver": "auto"})", "run", "there are 1"},
      {R"({"type": "drag", "body": 1, "point": [0, 0, 0], "target": [0, 1e300, 0]})", "target", "target[1] = 1e+300 m"},
      {R"({"type": "drag", "body": 1, "point": [1e300, 0, 0], "target": [0, 0, 0]})", "point", "point[0] = 1e+300 m"},
      {R"({"type": "shoot", "position": [0, 0, 1e300], "velocity": [0, 0, 0], "size": 1})", "position", "position[2]"},
      {R"({"type": "shoot", "position": [0, 0, 0], "velocity": [1e300, 0, 0], "size": 1})", "velocity", "velocity[0]"},
      {R"({"type": "shoot", "position": [0, 0, 0], "velocity": [800, 800, 0], "size": 1})", "velocity",
       "at most 1000 m/s"},
      {R"({"type": "shoot", "position": [0, 0, 0], "velocity": [0, 0, 0], "size": 0})", "size",
       "size = 0 m: must be in"},
      {R"({"type": "shoot", "position": [0, 0, 0], "velocity": [0, 0, 0], "size": 1e300})", "size", "must be in"}};
  for (const auto& [text, field, reason] : refused) {
    const auto [told_field, told_reason] = refusal(text);
    EXPECT_EQ(told_field, field) << text;
    EXPECT_NE(told_reason.find(reason), std::string::npos) << text << " gives: " << told_reason;
  }
}

TEST(Commands, ValuesWithinTheBoundsAreTaken) {
  for (const char* text :
       {R"({"type": "set", "gravity": [0, 0, -9.81], "step": 1e-3, "mu": 0, "tolerance": 1e-12, "speed": 0})",
        R"({"type": "set", "mu": null, "step": 1, "speed": 1000})", R"({"type": "control", "action": "reset"})",
        R"({"type": "release"})", R"({"type": "drag", "body": 9, "point": [0, 0, 0], "target": [1, 2, 3]})",
        R"({"type": "shoot", "position": [0, 0, 5], "velocity": [0, 0, -9], "size": 0.1})"}) {
    EXPECT_EQ(refusal(text).second, "") << text;
  }
}

TEST(Utf8, ATextIsCutBetweenCharacters) {
  const std::string text = "aé…🂡";  // one, two, three and four bytes
  const std::size_t lengths[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (std::size_t bytes = 0; bytes < std::size(lengths); ++bytes) {
    EXPECT_EQ(utf8_prefix(text, bytes), text.substr(0, lengths[bytes])) << bytes;
  }
}

TEST(Utf8, WhatIsNoneIsReplaced) {
  for (const char* wrong : {"\xff", "\x80", "\xc0", "\xc3", "\xe2\x80", "\xed\xa0", "\xf5", "\xe0\x80"}) {
    const std::string cut = utf8_prefix(std::string("a") + wrong + "b", 100);
    EXPECT_TRUE(cut.starts_with("a\xEF\xBF\xBD")) << cut;
    EXPECT_TRUE(cut.ends_with("b"));
  }
}

TEST(Utf8, AReasonForClosingHasAtMost123Bytes) {
  EXPECT_EQ(close_reason(""), "");
  EXPECT_EQ(close_reason(std::string(123, 'a')), std::string(123, 'a'));
  EXPECT_EQ(close_reason(std::string(124, 'a')), std::string(120, 'a') + "…");
  EXPECT_LE(close_reason(std::string(123, '\xff')).size(), 123U) << "each byte becomes three";
}

TEST(Requests, DeepNestingIsAnErrorLikeAnyOther) {
  EXPECT_THROW(parse_request(std::string(60'000, '[')), InputError);
}

TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64(""), "");
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  EXPECT_EQ(from_base64(base64(all)), all);
  EXPECT_THROW(from_base64("a*b"), InputError);
}

TEST(Gzip, PiecesComeBackAsOne) {
  GzipWriter writer;
  std::string whole;
  for (int i = 0; i < 1000; ++i) {
    const std::string piece(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
    writer.add(piece);
    whole += piece;
  }
  const std::string packed = writer.finish();
  EXPECT_LT(packed.size(), whole.size() / 10);
  EXPECT_EQ(gunzip(packed), whole);
  EXPECT_THROW(gunzip("no gzip"), InputError);
  EXPECT_THROW(gunzip(packed.substr(0, packed.size() / 2)), InputError);
}

TEST(Access, OnlyAddressesAndOwnNamesAreHosts) {
  for (const char* host : {"127.0.0.1:8080", "localhost:8080", "localhost", "[::1]:8080", "192.168.1.7:80", "lab:8080"})
    EXPECT_TRUE(allowed_host(host, "lab")) << host;
  for (const char* host : {"evil.example:8080", "", "127.0.0.1.evil.example", "localhost.evil.example:8080", "[evil]",
                           "127.0.0.1:80;x", "localhost:evil", "[::1]:8080 x", "127.0.0.1:123456", ":8080"})
    EXPECT_FALSE(allowed_host(host, "lab")) << host;
}

TEST(Access, AnOriginIsOursOnlyWithTheSameHostAndPort) {
  EXPECT_TRUE(same_origin("http://127.0.0.1:8080", "127.0.0.1:8080"));
  for (const char* origin : {"", "null", "http://127.0.0.1:9090", "http://evil.example", "https://127.0.0.1:8080",
                             "http://127.0.0.1:8080.evil.example"})
    EXPECT_FALSE(same_origin(origin, "127.0.0.1:8080")) << origin;
}

TEST(Access, TokensAreFoundAndCompared) {
  EXPECT_EQ(token_of("token=ab"), "ab");
  EXPECT_EQ(token_of("x=1&token=ab&y=2"), "ab");
  EXPECT_EQ(token_of("xtoken=ab"), "");
  EXPECT_EQ(token_of(""), "");
  EXPECT_TRUE(same_token("abc", "abc"));
  EXPECT_FALSE(same_token("abd", "abc"));
  EXPECT_FALSE(same_token("", "abc"));
  EXPECT_EQ(random_token().size(), 32U);
  EXPECT_NE(random_token(), random_token());
}

}  // namespace
}  // namespace cardhouse::viewer
