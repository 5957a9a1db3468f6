#include "cardhouse/viewer/request.h"

#include <array>
#include <string_view>

#include "cardhouse/base/error.h"
#include "cardhouse/io/json_reader.h"
#include "cardhouse/io/parse_json.h"

namespace cardhouse::viewer {
namespace {

int integer_or(const JsonReader& message, std::string_view key, int least, int otherwise) {
  const auto value = message.find(key);
  return value ? value->integer(least) : otherwise;
}

/// Any number. A unit would bring its bounds with it, and what breaks them is no malformed message: it is refused, with
/// a reason, by the check of commands.
std::optional<double> number_if(const JsonReader& message, std::string_view key) {
  const auto value = message.find(key);
  return value ? std::optional(value->number({})) : std::nullopt;
}

int run_of(const JsonReader& message) {
  return integer_or(message, "run", 0, 0);
}

bool flag_or(const nlohmann::json& message, const char* key, bool otherwise) {
  const auto found = message.find(key);
  if (found == message.end()) return otherwise;
  if (!found->is_boolean()) throw InputError(std::string(key) + ": must be true or false");
  return found->get<bool>();
}

Control read_control(const JsonReader& message) {
  static constexpr auto actions = std::to_array<std::string_view>({"pause", "resume", "step", "reset"});
  return static_cast<Control>(message.at("action").choice(actions));
}

Set read_set(const JsonReader& message, const nlohmann::json& json) {
  Set set;
  if (message.has("run")) set.run = run_of(message);
  if (const auto solver = message.find("solver")) set.solver = solver->text();
  set.tolerance = number_if(message, "tolerance");
  set.step = number_if(message, "step");
  if (const auto gravity = message.find("gravity")) set.gravity = gravity->vec3({});
  if (json.contains("mu")) {
    set.mu = json["mu"].is_null() ? std::optional<double>() : number_if(message, "mu");
  }
  set.speed = number_if(message, "speed");
  return set;
}

Drag read_drag(const JsonReader& message) {
  Drag drag;
  drag.body = message.at("body").integer(0);
  drag.point = message.at("point").vec3({});
  drag.node = integer_or(message, "node", 0, -1);
  drag.target = message.at("target").vec3({});
  drag.number = integer_or(message, "number", 0, 0);
  return drag;
}

Shoot read_shoot(const JsonReader& message) {
  return {message.at("position").vec3({}), message.at("velocity").vec3({}), message.at("size").number({})};
}

}  // namespace

Request parse_request(const std::string& text) {
  const nlohmann::json json = parse_json(text, "message");
  const JsonReader message(json, "message");
  message.expect_any_object();
  const std::string type = message.at("type").text();
  if (type == "get_frames") {
    return GetFrames{run_of(message), message.at("first").integer(0), message.at("count").integer(1),
                     flag_or(json, "contacts", true)};
  }
  if (type == "get_steps") {
    return GetSteps{run_of(message), message.at("first").integer(0), message.at("count").integer(1),
                    integer_or(message, "stride", 1, 1)};
  }
  if (type == "get_track") {
    return GetTrack{run_of(message), message.at("body").integer(0), integer_or(message, "stride", 1, 1)};
  }
  if (type == "get_reasons") return GetReasons{run_of(message)};
  if (type == "control") return Command(read_control(message));
  if (type == "set") return Command(read_set(message, json));
  if (type == "drag") return Command(read_drag(message));
  if (type == "release") return Command(Release{});
  if (type == "shoot") return Command(read_shoot(message));
  throw InputError("message: type = \"" + type + "\": is not known");
}

}  // namespace cardhouse::viewer
