#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cardhouse/base/error.h"
#include "cardhouse/cli/arguments.h"
#include "cardhouse/cli/commands.h"
#include "cardhouse/cli/recording_file.h"
#include "cardhouse/cli/scene_source.h"
#include "cardhouse/io/recording.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/io/scene_keys.h"
#include "cardhouse/model/kinds/equations.h"
#include "cardhouse/report/implausible.h"
#include "cardhouse/report/start_overlap.h"
#include "cardhouse/report/table.h"

namespace cardhouse::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  std::vector<std::string> words;
  bool json = false;
};

// Everything is gathered as JSON first; the text for people is the same tree, written out.

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json count_bodies(const Model& model) {
  int dynamic = 0;
  int fixed = 0;
  int kinematic = 0;
  for (const Body& body : model.bodies) {
    dynamic += body.mobility == Mobility::dynamic ? 1 : 0;
    fixed += body.mobility == Mobility::fixed ? 1 : 0;
    kinematic += body.mobility == Mobility::kinematic ? 1 : 0;
  }
  return {{"dynamic", dynamic}, {"fixed", fixed}, {"kinematic", kinematic}};
}

Json count_kinds(const Model& model) {
  std::map<std::string, int> counts;
  for (const Body& body : model.bodies) ++counts[std::string(scene_keys::kinds[static_cast<std::size_t>(body.kind)])];
  return counts;
}

int count_nodes(const Model& model) {
  int nodes = 0;
  for (const Body& body : model.bodies) nodes += nodes_of(body);
  return nodes;
}

std::size_t count_links(const Model& model) {
  std::size_t links = 0;
  for (const Body& body : model.bodies) links += equations_of(body).joined_nodes(body).size();
  return links;
}

Json count_joints(const Model& model) {
  std::map<std::string, int> counts;
  for (const Joint& joint : model.joints) {
    ++counts[std::string(scene_keys::joint_types[static_cast<std::size_t>(joint.kind)])];
  }
  return counts;
}

Json count_shapes(const Model& model) {
  std::map<std::string, int> counts;
  for (const Body& body : model.bodies) {
    for (const Shape& shape : body.shapes) ++counts[std::string(shape_name(shape.geometry))];
  }
  return counts;
}

Json list_materials(const Model& model) {
  Json materials = Json::array();
  for (const Material& material : model.materials) {
    materials.push_back({{"name", material.name}, {"mu", material.mu}, {"restitution", material.restitution}});
  }
  return materials;
}

double dynamic_mass(const Model& model) {
  double mass = 0.0;
  for (const Body& body : model.bodies) mass += body.mobility == Mobility::dynamic ? body.mass : 0.0;
  return mass;
}

int count_dofs(const Model& model) {
  int dofs = 0;
  for (const Body& body : model.bodies) dofs += dofs_of(body);
  return dofs;
}

Json describe_overlap(const Scene& scene) {
  const std::optional<StartOverlap> overlap = find_start_overlap(scene);
  if (!overlap) return nullptr;
  return {{"contacts", overlap->contacts},
          {"deepest", overlap->deepest},
          {"bodies", {overlap->first, overlap->second}},
          {"words", start_overlap_words(*overlap, scene.settings)}};
}

/// The rule in words; null without one.
Json describe_stands(const Scene& scene) {
  if (!scene.stands) return nullptr;
  const StandsRule& rule = *scene.stands;
  const auto name = [&](int body) { return scene.model.bodies[static_cast<std::size_t>(body)].name; };
  std::string who = "every dynamic body";
  if (rule.bodies.size() == 1) who = name(rule.bodies.front());
  if (rule.bodies.size() > 1) who = fmt::format("each of {} bodies", rule.bodies.size());
  return fmt::format("while {} stays within {} of where it was {}{}", who, with_unit(rule.max_displacement, "m"),
                     rule.after > 0.0 ? fmt::format("after {:g} s", rule.after) : "at the start",
                     rule.relative_to < 0 ? "" : ", seen from " + name(rule.relative_to));
}

/// What looks like a slip of the pen.
Json list_warnings(const Scene& scene) {
  std::vector<std::string> warnings = scene.notes;
  for (const std::string& words : implausible(scene)) warnings.push_back(words);
  return warnings;
}

Json describe_scene(const Scene& scene) {
  const Model& model = scene.model;
  return {{"kind", "scene"},
          {"name", scene.name},
          {"description", scene.description},
          {"parameters", scene.parameters},
          {"bodies", count_bodies(model)},
          {"kinds", count_kinds(model)},
          {"dofs", count_dofs(model)},
          {"nodes", count_nodes(model)},
          {"links", count_links(model)},
          {"mass", dynamic_mass(model)},
          {"shapes", count_shapes(model)},
          {"materials", list_materials(model)},
          {"springs", model.springs.size()},
          {"joints", count_joints(model)},
          {"gravity", {model.gravity.x(), model.gravity.y(), model.gravity.z()}},
          {"step", scene.settings.step},
          {"duration", scene.duration},
          {"solver", scene.settings.solver},
          {"tolerance", scene.settings.tolerance},
          {"has_stands_rule", scene.stands.has_value()},
          {"stands", describe_stands(scene)},
          {"start_overlap", describe_overlap(scene)},
          {"warnings", list_warnings(scene)}};
}

Json describe_recording(const std::filesystem::path& file) {
  const RecordingInfo info = read_recording_info(file);
  return {{"kind", "recording"},
          {"format_version", info.format_version},
          {"first_step", info.first_step},
          {"steps", info.steps},
          {"frames", info.frames},
          {"step", info.step},
          {"duration", info.duration},
          {"ended", info.ended.empty() ? Json(nullptr) : Json(info.ended)},
          {"max_residual", finite_or_null(info.max_residual)},
          {"uncertified_steps", info.uncertified_steps},
          {"max_contacts", info.max_contacts},
          {"diagnosed", info.diagnosed},
          {"checkpoint_steps", info.checkpoint_steps},
          {"scene", describe_scene(parse_scene(info.scene_text, file.string()))}};
}

void print_row(const std::string& label, const std::string& value) {
  fmt::print("  {:<14}  {}\n", label, value);
}

std::string join_counts(const Json& counts) {
  std::string text;
  for (const auto& [name, count] : counts.items()) {
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count.get<int>(), name);
  }
  return text.empty() ? "none" : text;
}

void print_materials(const Json& materials) {
  std::string label = "materials";
  for (const Json& material : materials) {
    print_row(label, fmt::format("{}: mu {:g}, restitution {:g}", material["name"].get<std::string>(),
                                 material["mu"].get<double>(), material["restitution"].get<double>()));
    label.clear();
  }
}

void print_scene(const Json& scene) {
  std::string parameters;
  for (const auto& [name, value] : scene["parameters"].items())
    parameters += fmt::format(" {}={}", name, value.get<std::string>());
  fmt::print("scene {}{}\n", scene["name"].get<std::string>(), parameters);
  const auto description = scene["description"].get<std::string>();
  if (!description.empty()) fmt::print("  {}\n", description);
  print_row("bodies", fmt::format("{} ({} dofs)", join_counts(scene["bodies"]), scene["dofs"].get<int>()));
  print_row("kinds", join_counts(scene["kinds"]));
  if (scene["nodes"] != 0) {
    print_row("nodes", fmt::format("{}, {} links", scene["nodes"].get<int>(), scene["links"].get<int>()));
  }
  print_row("mass", fmt::format("{:.4g} kg of dynamic bodies", scene["mass"].get<double>()));
  print_row("shapes", join_counts(scene["shapes"]));
  print_materials(scene["materials"]);
  if (scene["springs"] != 0) print_row("springs", fmt::format("{}", scene["springs"].get<int>()));
  if (!scene["joints"].empty()) print_row("joints", join_counts(scene["joints"]));
  const auto gravity = scene["gravity"].get<std::array<double, 3>>();
  print_row("gravity", fmt::format("{:g} {:g} {:g} m/s²", gravity[0], gravity[1], gravity[2]));
  print_row("to be run", fmt::format("{:g} s in steps of {} by {}, tolerance {:.0e}", scene["duration"].get<double>(),
                                     with_unit(scene["step"].get<double>(), "s"), scene["solver"].get<std::string>(),
                                     scene["tolerance"].get<double>()));
  if (!scene["stands"].is_null()) print_row("stands", scene["stands"].get<std::string>());
  const Json& overlap = scene["start_overlap"];
  if (!overlap.is_null()) print_row("overlap", overlap["words"].get<std::string>());
  for (const Json& words : scene["warnings"]) print_row("warning", words.get<std::string>());
}

std::string checkpoints(const std::vector<std::int64_t>& steps) {
  if (steps.empty()) return "none";
  if (steps.size() == 1) return fmt::format("1, at step {}", steps.front());
  return fmt::format("{}, from step {} to step {}", steps.size(), steps.front(), steps.back());
}

void print_recording(const Json& recording) {
  const auto first = recording["first_step"].get<std::int64_t>();
  const auto steps = recording["steps"].get<std::int64_t>();
  fmt::print("recording, format {}\n", recording["format_version"].get<int>());
  print_row("steps",
            fmt::format("{} … {} of {}", first, first + steps, with_unit(recording["step"].get<double>(), "s")));
  print_row("duration", fmt::format("{:g} s", recording["duration"].get<double>()));
  const Json& ended = recording["ended"];
  print_row("run", ended.is_null() ? "was killed, or is still running" : ended.get<std::string>());
  print_row("frames", fmt::format("{}", recording["frames"].get<std::int64_t>()));
  print_row("checkpoints", checkpoints(recording["checkpoint_steps"].get<std::vector<std::int64_t>>()));
  const Json& residual = recording["max_residual"];
  print_row("residual", residual.is_null() ? "not a number" : fmt::format("{:.1e} largest", residual.get<double>()));
  const auto uncertified = recording["uncertified_steps"].get<std::int64_t>();
  print_row("uncertified", fmt::format("{} {}", uncertified, uncertified == 1 ? "step" : "steps"));
  print_row("contacts", fmt::format("{} most", recording["max_contacts"].get<int>()));
  print_row("diagnosis", recording["diagnosed"].get<bool>() ? "yes" : "no");
  fmt::print("\n");
  print_scene(recording["scene"]);
}

void print_info(const InfoOptions& options) {
  const SceneWords words = split_scene_words(options.words);
  const bool recording = looks_like_recording(words.scene);
  if (recording && !words.parameters.empty()) throw InputError("info: a recording takes no parameters");
  const Json description =
      recording ? describe_recording(words.scene) : describe_scene(load_scene(words.scene, words.parameters));
  if (options.json) {
    fmt::print("{}\n", description.dump(2, ' ', false, Json::error_handler_t::replace));
  } else if (recording) {
    print_recording(description);
  } else {
    print_scene(description);
  }
}

constexpr const char* info_examples = R"(
Examples:
  cardhouse info my.json
  cardhouse info out/card_house-1/recording.h5 --json)";

}  // namespace

void add_info_command(CLI::App& app) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand("info", "Show what a scene or a recording holds");
  command->add_option("FILE", options->words, "Recording, scene file, or name of a scene with name=value parameters")
      ->type_name("")
      ->required();
  command->add_flag("--json", options->json, "Print it as JSON");
  command->footer(info_examples);
  command->callback([options] { print_info(*options); });
}

}  // namespace cardhouse::cli
