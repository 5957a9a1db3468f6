#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "cardhouse/base/error.h"
#include "cardhouse/base/limits.h"
#include "cardhouse/base/nearest.h"
#include "cardhouse/io/body_reader.h"
#include "cardhouse/io/joint_reader.h"
#include "cardhouse/io/json_reader.h"
#include "cardhouse/io/parse_json.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/io/scene_keys.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {
namespace {

using BodyIndices = std::map<std::string, int, std::less<>>;

/// `others` may be named too, as the world may be at one end of a joint or spring.
int body_index(const JsonReader& name, const BodyIndices& bodies, std::span<const std::string_view> others = {}) {
  const std::string wanted = name.text();
  if (const auto found = bodies.find(wanted); found != bodies.end()) return found->second;
  std::vector<std::string_view> names(others.begin(), others.end());
  for (const auto& [known, unused] : bodies) names.push_back(known);
  const std::string_view near = nearest(wanted, names);
  name.fail(near.empty() ? "no such body" : fmt::format("no such body; did you mean \"{}\"?", near));
}

/// −1 for the world.
int body_or_world(const JsonReader& name, const BodyIndices& bodies) {
  return name.text() == scene_keys::world ? -1 : body_index(name, bodies, std::span(&scene_keys::world, 1));
}

void read_labels(const JsonReader& top, Scene& scene) {
  if (const auto schema = top.find("$schema")) schema->text();
  if (const auto version = top.find("format_version")) {
    if (version->integer(0) != scene_keys::format_version) {
      version->fail(fmt::format("this program reads version {}", scene_keys::format_version));
    }
  }
  if (const auto name = top.find("name")) scene.name = name->text();
  if (const auto description = top.find("description")) scene.description = description->text();
  if (const auto parameters = top.find("parameters")) {
    for (const auto& [key, value] : parameters->members()) scene.parameters[key] = value.text();
  }
}

SoftContact read_soft(const JsonReader& entry) {
  entry.expect_object(scene_keys::soft);
  SoftContact soft;
  if (const auto k = entry.find("normal_stiffness")) soft.normal_stiffness = k->number("N/m", Range::not_negative);
  if (const auto k = entry.find("tangential_stiffness")) {
    soft.tangential_stiffness = k->number("N/m", Range::not_negative);
  }
  if (const auto stick = entry.find("stick")) {
    soft.stick = StickRule{static_cast<int>(stick->choice(scene_keys::stick_rules))};
  }
  if (const auto viscosity = entry.find("viscosity")) soft.viscosity = viscosity->number("N s/m", Range::not_negative);
  if (const auto order = entry.find("order")) {
    soft.order = order->integer(1);
    if (soft.order > 2) order->fail("must be 1 (BDF1) or 2 (BDF2)");
  }
  return soft;
}

void read_adaptive(const JsonReader& entry, StepSettings& settings) {
  if (const auto adaptive = entry.find("adaptive")) {
    settings.adaptive = Adaptive{static_cast<int>(adaptive->choice(scene_keys::adaptive_rules))};
  }
  if (const auto least = entry.find("least_step")) {
    settings.least_step = least->number("s", Range::not_negative);
    if (settings.least_step > settings.step)
      least->fail(fmt::format("must be at most the step, {} s", settings.step), "s");
  }
  if (const auto tolerance = entry.find("error_tolerance")) {
    settings.error_tolerance = tolerance->number("m", Range::positive);
  }
}

/// The reader's message names the setting; the solver's own message need not repeat it.
void check_solver(const JsonReader& entry, const std::string& name) {
  try {
    make_solver(name, {});
  } catch (const InputError& error) {
    const std::string message = error.what();
    const std::string plain = name.substr(0, name.find(':'));  // without options
    for (const std::string& said : {fmt::format("solver = \"{}\": ", name), fmt::format("solver = \"{}\": ", plain),
                                    fmt::format("solver {}: ", plain)}) {
      if (message.starts_with(said)) entry.fail(message.substr(said.size()));
    }
    entry.fail(message);
  }
}

void read_settings(const JsonReader& entry, StepSettings& settings) {
  entry.expect_object(scene_keys::settings);
  if (const auto step = entry.find("step")) settings.step = step->number_within(limits::step, Range::positive);
  read_adaptive(entry, settings);
  if (const auto scheme = entry.find("scheme")) {
    settings.scheme = Scheme{static_cast<int>(scheme->choice(scene_keys::schemes, scene_keys::old_schemes))};
  }
  if (const auto stabilisation = entry.find("stabilisation")) {
    settings.stabilisation = Stabilisation{static_cast<int>(stabilisation->choice(scene_keys::stabilisations))};
  }
  if (const auto gamma = entry.find("gamma")) {
    settings.gamma = gamma->number({}, Range::any);
    if (!(settings.gamma > 0.0 && settings.gamma <= 1.0)) {
      gamma->fail("must be in (0, 1]; to switch it off use \"stabilisation\": \"none\"");
    }
  }
  if (const auto overlaps = entry.find("overlaps")) {
    overlaps->choice(scene_keys::old_overlaps);
    overlaps->note("\"overlaps\" is no longer used",
                   "the scheme \"leapfrog\" makes no overlaps; \"stewart_trinkle\" removes them whole");
  }
  if (const auto overlaps = entry.find("initial_overlaps")) {
    settings.initial_overlaps = InitialOverlaps{static_cast<int>(overlaps->choice(scene_keys::initial_overlaps))};
  }
  if (const auto law = entry.find("restitution")) {
    settings.restitution = Restitution{static_cast<int>(law->choice(scene_keys::restitution_laws))};
  }
  if (const auto contact = entry.find("contact")) {
    settings.contact = ContactModel{static_cast<int>(contact->choice(scene_keys::contact_models))};
    if (settings.contact == ContactModel::soft && !has_gap_rows(settings)) {
      contact->fail("needs a scheme with gaps in its rows: \"leapfrog\" or \"stewart_trinkle\"");
    }
  }
  if (const auto soft = entry.find("soft")) settings.soft = read_soft(*soft);
  const bool bdf2 = settings.contact == ContactModel::soft && settings.soft.order == 2;
  if (const auto adaptive = entry.find("adaptive"); adaptive && settings.adaptive != Adaptive::none && bdf2) {
    adaptive->fail("cannot be used with soft contact of \"order\" 2 (BDF2), which needs equal steps; use \"order\" 1");
  }
  if (const auto solver = entry.find("solver")) {
    settings.solver = solver->text();
    check_solver(*solver, settings.solver);
  }
  if (const auto tolerance = entry.find("tolerance")) {
    settings.tolerance = tolerance->number({}, Range::positive);
    if (!(settings.tolerance < 1.0)) tolerance->fail("must be > 0 and < 1");
  }
  if (const auto limit = entry.find("max_iterations")) settings.max_iterations = limit->integer(1);
  if (const auto limit = entry.find("max_rescues")) settings.max_rescues = limit->integer(0);
  if (const auto margin = entry.find("margin")) settings.margin = margin->number("m", Range::not_negative);
}

FrictionModel read_friction(const JsonReader& entry) {
  entry.expect_object(scene_keys::friction);
  FrictionModel friction;
  if (const auto cone = entry.find("cone")) friction.polygon = cone->choice(scene_keys::cones) == 1;
  if (const auto sides = entry.find("sides")) {
    friction.sides = sides->integer(4, most_friction_sides);
    if (friction.sides % 2 != 0) sides->fail("must be even, so that friction is the same in opposite directions");
  }
  return friction;
}

Anisotropy read_anisotropy(const JsonReader& entry) {
  entry.expect_object(scene_keys::anisotropy);
  Anisotropy anisotropy;
  anisotropy.mu_cross = entry.at("mu_cross").number({}, Range::not_negative);
  const JsonReader direction = entry.at("direction");
  anisotropy.direction = direction.vec3({});
  if (anisotropy.direction.isZero(0.0)) direction.fail("must not be zero");
  return anisotropy;
}

std::optional<double> read_mu_static(const JsonReader& entry, double mu) {
  const auto found = entry.find("mu_static");
  if (!found) return {};
  const double value = found->number({}, Range::not_negative);
  if (value < mu) found->fail(fmt::format("must be at least mu = {}", mu));
  if (value > 0.0 && mu == 0.0) found->fail("needs a mu > 0, because it is stored as a ratio to mu");
  return value;
}

std::optional<double> read_optional(const JsonReader& entry, std::string_view key, std::string_view unit, Range range) {
  const auto found = entry.find(key);
  return found ? std::optional(found->number(unit, range)) : std::nullopt;
}

Material read_material(const JsonReader& entry) {
  entry.expect_object(scene_keys::material);
  Material material;
  material.name = entry.at("name").text();
  if (const auto mu = entry.find("mu")) material.mu = mu->number({}, Range::not_negative);
  if (const auto restitution = entry.find("restitution")) {
    material.restitution = restitution->number({}, Range::unit_interval);
  }
  if (const auto anisotropy = entry.find("anisotropy")) material.anisotropy = read_anisotropy(*anisotropy);
  material.mu_static = read_mu_static(entry, material.mu);
  if (const auto speed = entry.find("slip_velocity")) material.slip_velocity = speed->number("m/s", Range::positive);
  if (const auto arm = entry.find("mu_rolling")) material.mu_rolling = arm->number("m", Range::not_negative);
  if (const auto arm = entry.find("mu_torsional")) material.mu_torsional = arm->number("m", Range::not_negative);
  if (const auto force = entry.find("adhesion")) material.adhesion = force->number("N", Range::not_negative);
  return material;
}

std::vector<Material> read_materials(const JsonReader& entry) {
  std::vector<Material> materials;
  for (const JsonReader& element : entry.elements()) {
    Material material = read_material(element);
    for (const Material& other : materials) {
      if (other.name == material.name) element.at("name").fail("two materials have this name");
    }
    materials.push_back(std::move(material));
  }
  if (materials.empty()) entry.fail("must hold at least one material, or be left out");
  return materials;
}

MaterialPair read_material_pair(const JsonReader& entry, const std::vector<Material>& materials) {
  entry.expect_object(scene_keys::material_pair);
  MaterialPair pair;
  pair.first = material_index(entry.at("first"), materials);
  pair.second = material_index(entry.at("second"), materials);
  pair.mu = entry.at("mu").number({}, Range::not_negative);
  if (const auto restitution = entry.find("restitution")) {
    pair.restitution = restitution->number({}, Range::unit_interval);
  }
  pair.mu_cross = read_optional(entry, "mu_cross", {}, Range::not_negative);
  const auto has_grain = [&](int index) { return materials[static_cast<std::size_t>(index)].anisotropy.has_value(); };
  if (pair.mu_cross && !has_grain(pair.first) && !has_grain(pair.second)) {
    entry.at("mu_cross").fail("needs an anisotropy of one of the two materials, which gives the direction");
  }
  pair.mu_static = read_mu_static(entry, pair.mu);
  pair.slip_velocity = read_optional(entry, "slip_velocity", "m/s", Range::positive);
  pair.mu_rolling = read_optional(entry, "mu_rolling", "m", Range::not_negative);
  pair.mu_torsional = read_optional(entry, "mu_torsional", "m", Range::not_negative);
  pair.adhesion = read_optional(entry, "adhesion", "N", Range::not_negative);
  return pair;
}

Spring read_spring(const JsonReader& entry, const BodyIndices& bodies, const State& state) {
  entry.expect_object(scene_keys::spring);
  Spring spring;
  spring.first = body_index(entry.at("first"), bodies);
  const JsonReader second = entry.at("second");
  spring.second = body_or_world(second, bodies);
  if (const auto point = entry.find("point_first")) spring.point_first = point->vec3("m");
  if (const auto point = entry.find("point_second")) spring.point_second = point->vec3("m");
  spring.stiffness = entry.at("stiffness").number("N/m", Range::not_negative);
  if (const auto length = entry.find("rest_length")) spring.rest_length = length->number("m", Range::not_negative);
  if (const auto damping = entry.find("damping")) spring.damping = damping->number("N s/m", Range::not_negative);
  if (const auto implicit = entry.find("implicit")) spring.implicit = implicit->boolean();
  if (const auto nodes = entry.find("nodes_first")) spring.stencil_first = read_stencil(*nodes, spring.first, state);
  if (const auto nodes = entry.find("nodes_second")) spring.stencil_second = read_stencil(*nodes, spring.second, state);
  return spring;
}

GlobalForces read_global_forces(const JsonReader& entry) {
  entry.expect_object(scene_keys::global_forces);
  GlobalForces forces;
  if (const auto g = entry.find("gravitation")) forces.gravitation = g->number("m³/(kg s²)", Range::not_negative);
  if (const auto k = entry.find("electrostatics")) forces.electrostatics = k->number("N m²/C²", Range::not_negative);
  if (const auto length = entry.find("softening")) forces.softening = length->number("m", Range::not_negative);
  if (const auto angle = entry.find("opening_angle")) {
    forces.opening_angle = angle->number({}, Range::not_negative);
    if (forces.opening_angle >= 1.0) angle->fail("must be in [0, 1)");
  }
  if (const auto count = entry.find("tree_from")) forces.tree_from = count->integer(1);
  return forces;
}

StandsRule read_stands(const JsonReader& entry, const BodyIndices& bodies) {
  entry.expect_object(scene_keys::stands);
  StandsRule rule;
  if (const auto names = entry.find("bodies")) {
    for (const JsonReader& name : names->elements()) rule.bodies.push_back(body_index(name, bodies));
  }
  if (const auto most = entry.find("max_displacement")) rule.max_displacement = most->number("m", Range::positive);
  if (const auto after = entry.find("after")) rule.after = after->number("s", Range::not_negative);
  if (const auto body = entry.find("relative_to")) rule.relative_to = body_index(*body, bodies);
  return rule;
}

std::vector<Joint> read_joints(const JsonReader& entry, const BodyIndices& bodies, const State& state) {
  const auto index = [&](const JsonReader& name, bool may_be_world) {
    return may_be_world ? body_or_world(name, bodies) : body_index(name, bodies);
  };
  std::vector<Joint> joints;
  for (const JsonReader& element : entry.elements()) {
    Joint joint = read_joint(element, static_cast<int>(joints.size()), index, state);
    for (const Joint& other : joints) {
      if (other.name == joint.name) element.fail_without_value(fmt::format("two joints are named \"{}\"", joint.name));
    }
    joints.push_back(std::move(joint));
  }
  return joints;
}

void read_surfaces(const JsonReader& top, Model& model) {
  if (const auto gravity = top.find("gravity")) model.gravity = gravity->vec3("m/s²");
  if (const auto friction = top.find("friction")) model.friction = read_friction(*friction);
  if (const auto materials = top.find("materials")) model.materials = read_materials(*materials);
  if (const auto pairs = top.find("material_pairs")) {
    for (const JsonReader& pair : pairs->elements()) {
      model.material_pairs.push_back(read_material_pair(pair, model.materials));
    }
  }
}

BodyIndices read_bodies(const JsonReader& list, Scene& scene) {
  BodyIndices indices;
  for (const JsonReader& element : list.elements()) {
    const int index = static_cast<int>(scene.model.bodies.size());
    BodyEntry entry = read_body(element, index, scene.model.materials);
    if (!indices.emplace(entry.body.name, index).second) {
      element.fail_without_value(fmt::format("the name \"{}\" belongs to another body already", entry.body.name));
    }
    scene.model.bodies.push_back(std::move(entry.body));
    scene.initial.initial_poses.push_back(entry.state.pose);
    scene.initial.bodies.push_back(entry.state);
  }
  return indices;
}

Scene read_top(const JsonReader& top) {
  top.expect_object(scene_keys::scene);
  Scene scene;
  read_labels(top, scene);
  if (const auto settings = top.find("settings")) read_settings(*settings, scene.settings);
  if (const auto duration = top.find("duration")) scene.duration = duration->number("s", Range::not_negative);
  read_surfaces(top, scene.model);
  const BodyIndices bodies = read_bodies(top.at("bodies"), scene);
  if (const auto springs = top.find("springs")) {
    for (const JsonReader& spring : springs->elements()) {
      scene.model.springs.push_back(read_spring(spring, bodies, scene.initial));
    }
  }
  if (const auto joints = top.find("joints")) scene.model.joints = read_joints(*joints, bodies, scene.initial);
  if (const auto forces = top.find("global_forces")) scene.model.global_forces = read_global_forces(*forces);
  if (const auto stands = top.find("stands")) scene.stands = read_stands(*stands, bodies);
  return scene;
}

/// The parser would only say that a character was not expected.
void refuse_other_formats(const std::string& text, const std::string& source) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) {
    throw InputError(source + ": is empty: a scene is JSON; 'cardhouse scene NAME > FILE' makes one to edit");
  }
  if (text[first] == '<') {
    throw InputError(source +
                     ": is XML, not JSON: URDF, SDF and MJCF files are not supported; docs/scenes.md tells how a "
                     "scene is written, docs/joints.md how joints are");
  }
}

std::string whole_file(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file)) throw InputError(file.string() + ": is a folder, not a scene file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(fmt::format("{}: can't be read: {}", file.string(), std::strerror(errno)));
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

}  // namespace

Scene parse_scene(const std::string& text, const std::string& source) {
  refuse_other_formats(text, source);
  const nlohmann::json json = parse_json(text, source);
  std::vector<std::string> notes;
  Scene scene = read_top(JsonReader(json, source, "", &notes));
  scene.notes = std::move(notes);
  try {
    check_model(scene.model, scene.initial);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", source, error.what()));
  }
  return scene;
}

Scene read_scene(const std::filesystem::path& file) {
  return parse_scene(whole_file(file), file.string());
}

}  // namespace cardhouse
