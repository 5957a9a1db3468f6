#include "cardhouse/io/body_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/io/scene_keys.h"

namespace cardhouse {
namespace {

void read_motion_keys(const JsonReader& entry, std::size_t type) {
  std::vector<std::string_view> keys(scene_keys::motion_common.begin(), scene_keys::motion_common.end());
  keys.insert(keys.end(), scene_keys::motions[type].begin(), scene_keys::motions[type].end());
  entry.expect_object(keys);
}

ConstantVelocity read_constant_velocity(const JsonReader& entry) {
  ConstantVelocity motion;
  if (const auto linear = entry.find("linear")) motion.linear = linear->vec3("m/s");
  if (const auto angular = entry.find("angular")) motion.angular = angular->vec3("rad/s");
  return motion;
}

Shaking read_shaking(const JsonReader& entry) {
  Shaking motion;
  motion.amplitude = entry.at("amplitude").vec3("m");
  motion.frequency = entry.at("frequency").number("Hz", Range::not_negative);
  if (const auto phase = entry.find("phase")) motion.phase = phase->number("rad");
  return motion;
}

Tilting read_tilting(const JsonReader& entry) {
  Tilting motion;
  motion.axis = entry.at("axis").unit_vector();
  if (const auto pivot = entry.find("pivot")) motion.pivot = pivot->vec3("m");
  motion.rate = entry.at("rate").number("rad/s");
  if (const auto start = entry.find("start")) motion.start = start->number("s");
  if (const auto ramp = entry.find("ramp")) motion.ramp = ramp->number("s", Range::not_negative);
  if (const auto angle = entry.find("max_angle")) motion.max_angle = angle->number("rad", Range::not_negative);
  return motion;
}

LiftAndShake read_lift_and_shake(const JsonReader& entry) {
  LiftAndShake motion;
  motion.displacement = entry.at("displacement").vec3("m");
  if (const auto start = entry.find("start")) motion.start = start->number("s");
  motion.time = entry.at("time").number("s", Range::positive);
  if (const auto amplitude = entry.find("amplitude")) motion.amplitude = amplitude->vec3("m");
  if (const auto frequency = entry.find("frequency")) motion.frequency = frequency->number("Hz", Range::positive);
  if (const auto start = entry.find("shake_start")) motion.shake_start = start->number("s");
  return motion;
}

Motion read_motion(const JsonReader& entry) {
  entry.expect_any_object();
  const std::size_t type = entry.at("type").choice(scene_keys::motion_types);
  read_motion_keys(entry, type);
  if (type == 0) return read_constant_velocity(entry);
  if (type == 1) return read_shaking(entry);
  if (type == 2) return read_tilting(entry);
  return read_lift_and_shake(entry);
}

std::array<bool, 3> read_axes(const JsonReader& entry) {
  std::array<bool, 3> axes = {false, false, false};
  for (const JsonReader& element : entry.elements()) {
    bool& axis = axes[element.choice(scene_keys::axes)];
    if (axis) element.fail("named twice");
    axis = true;
  }
  if (entry.size() == 0) entry.fail("must name at least one of x, y, z");
  return axes;
}

Mat3 read_inertia(const JsonReader& entry, BodyKind kind) {
  Mat3 inertia = Mat3::Zero();
  if (kind == BodyKind::planar) {
    inertia(1, 1) = entry.number("kg m²", Range::positive);
    return inertia;
  }
  const std::vector<double> values = entry.is_number() ? std::vector<double>{} : entry.numbers("kg m²");
  if (values.size() != 3 && values.size() != 6) {
    entry.fail("must be 3 numbers [xx, yy, zz] or 6 numbers [xx, yy, zz, xy, xz, yz], in kg m²");
  }
  inertia.diagonal() << values[0], values[1], values[2];
  if (values.size() == 6) {
    inertia(0, 1) = inertia(1, 0) = values[3];
    inertia(0, 2) = inertia(2, 0) = values[4];
    inertia(1, 2) = inertia(2, 1) = values[5];
  }
  return inertia;
}

void set_density_at(const JsonReader& density, BodyEntry& result) {
  try {
    set_density(result.body, result.state, density.number("kg/m³", Range::positive));
  } catch (const InputError& error) {
    const std::string message = error.what();
    if (message.starts_with(density.source() + ": ")) throw;
    density.fail_without_value(message);
  }
}

/// Either a density, which also puts the frame at the centre of mass, or mass and inertia, which leave it where it is.
void read_mass(const JsonReader& entry, BodyEntry& result) {
  Body& body = result.body;
  if (const auto density = entry.find("density")) {
    for (const std::string_view key : {"mass", "inertia"}) {
      if (entry.has(key)) entry.at(key).fail("can't be given beside \"density\": remove one of them");
    }
    if (body.shapes.empty()) {
      density->fail("needs \"shapes\" whose volume it fills: give some, or \"mass\" in place of it", "kg/m³");
    }
    set_density_at(*density, result);
    if (body.kind == BodyKind::particle) body.inertia.setZero();
    return;
  }
  const bool dynamic = body.mobility == Mobility::dynamic;
  if (dynamic && !entry.has("mass")) {
    entry.fail_without_value(body.kind == BodyKind::particle ? "needs \"mass\" or \"density\""
                                                             : "needs \"density\", or \"mass\" and \"inertia\"");
  }
  if (const auto mass = entry.find("mass")) {
    body.mass = mass->number("kg", dynamic ? Range::positive : Range::not_negative);
  }
  if (body.kind == BodyKind::particle) {
    if (entry.has("inertia")) entry.at("inertia").fail("a particle has no inertia: remove it");
    return;
  }
  if (dynamic && !entry.has("inertia")) {
    entry.fail_without_value(
        "has \"mass\" but no \"inertia\": give both, or \"density\" in place of them, by which its shapes get both");
  }
  if (const auto inertia = entry.find("inertia")) body.inertia = read_inertia(*inertia, body.kind);
}

void read_placement(const JsonReader& entry, const Body& body, BodyState& state) {
  if (const auto position = entry.find("position")) state.pose.position = position->vec3("m");
  if (const auto orientation = entry.find("orientation")) state.pose.orientation = orientation->quaternion();
  if (const auto angle = entry.find("angle")) {
    if (body.kind != BodyKind::planar) angle->fail("is for planar bodies: use \"orientation\" [w, x, y, z]", "rad");
    if (entry.has("orientation")) angle->fail("can't be given beside \"orientation\": remove one of them", "rad");
    state.pose.orientation = rotation_from_vector(Vec3(0.0, angle->number("rad"), 0.0));
  }
  if (const auto velocity = entry.find("linear_velocity")) state.linear = velocity->vec3("m/s");
  if (const auto velocity = entry.find("angular_velocity")) state.angular = velocity->vec3("rad/s");
}

VecX flat(const std::vector<Vec3>& points) {
  VecX result(3 * static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) result.segment<3>(3 * static_cast<Eigen::Index>(i)) = points[i];
  return result;
}

Link read_link(const JsonReader& entry, const std::vector<Vec3>& places) {
  entry.expect_object(scene_keys::link);
  const JsonReader nodes = entry.at("nodes");
  const std::vector<JsonReader> ends = nodes.elements();
  if (ends.size() != 2) nodes.fail("must be two nodes, counted from 0");
  Link link;
  for (const auto& [end, node] : {std::pair{&ends[0], &link.first}, std::pair{&ends[1], &link.second}}) {
    *node = end->integer(0);
    if (*node >= static_cast<int>(places.size())) end->fail("no such node");
  }
  link.stiffness = entry.at("stiffness").number("N/m", Range::not_negative);
  link.rest_length =
      (places[static_cast<std::size_t>(link.first)] - places[static_cast<std::size_t>(link.second)]).norm();
  if (const auto length = entry.find("rest_length")) link.rest_length = length->number("m", Range::not_negative);
  if (const auto damping = entry.find("damping")) link.damping = damping->number("N s/m", Range::not_negative);
  return link;
}

/// Its nodes say where a network is and what it weighs.
void read_network(const JsonReader& entry, BodyEntry& result) {
  for (const std::string_view key : {"position", "orientation", "angle", "linear_velocity", "angular_velocity", "mass",
                                     "density", "inertia", "torque", "angular_damping"}) {
    if (entry.has(key)) entry.at(key).fail_without_value("is not for networks: their nodes have places and masses");
  }
  auto network = std::make_shared<NodeNetwork>();
  std::vector<Vec3> places;
  std::vector<Vec3> velocities;
  for (const JsonReader& node : entry.at("nodes").elements()) {
    node.expect_object(scene_keys::node);
    places.push_back(node.at("position").vec3("m"));
    const auto velocity = node.find("velocity");
    velocities.push_back(velocity ? velocity->vec3("m/s") : Vec3(Vec3::Zero()));
    network->masses.push_back(node.at("mass").number("kg", Range::positive));
  }
  if (places.empty()) entry.at("nodes").fail("must have at least one node");
  if (const auto links = entry.find("links")) {
    for (const JsonReader& link : links->elements()) network->links.push_back(read_link(link, places));
  }
  set_network(std::move(network), flat(places), flat(velocities), result.body, result.state);
}

void read_what_acts(const JsonReader& entry, Body& body) {
  if (const auto damping = entry.find("linear_damping")) {
    body.linear_damping = damping->number("1/s", Range::not_negative);
  }
  if (const auto damping = entry.find("angular_damping")) {
    body.angular_damping = damping->number("1/s", Range::not_negative);
  }
  if (const auto force = entry.find("force")) body.force = force->vec3("N");
  if (const auto torque = entry.find("torque")) body.torque = torque->vec3("N m");
  if (const auto charge = entry.find("charge")) body.charge = charge->number("C");
}

void read_nature(const JsonReader& entry, Body& body) {
  if (const auto kind = entry.find("kind")) body.kind = BodyKind{static_cast<int>(kind->choice(scene_keys::kinds))};
  if (const auto mobility = entry.find("mobility")) {
    body.mobility = Mobility{static_cast<int>(mobility->choice(scene_keys::mobilities, scene_keys::old_mobilities))};
  }
  if (const auto axes = entry.find("axes")) {
    if (body.kind != BodyKind::particle) axes->fail("is for particles only: remove it");
    body.axes = read_axes(*axes);
  }
  if (const auto motion = entry.find("motion")) {
    if (body.mobility != Mobility::kinematic) {
      motion->fail_without_value("is for bodies whose \"mobility\" is \"kinematic\"");
    }
    body.motion = read_motion(*motion);
  } else if (body.mobility == Mobility::kinematic) {
    entry.at("motion");
  }
}

}  // namespace

BodyEntry read_body(const JsonReader& entry, int index, const std::vector<Material>& materials) {
  entry.expect_object(scene_keys::body);
  BodyEntry result;
  Body& body = result.body;
  body.name = fmt::format("body_{}", index);
  if (const auto name = entry.find("name")) {
    body.name = name->text();
    if (body.name.empty() || body.name == scene_keys::world) name->fail("must be neither empty nor \"world\"");
  }
  read_nature(entry, body);
  if (const auto shapes = entry.find("shapes")) {
    for (const JsonReader& shape : shapes->elements()) body.shapes.push_back(read_shape(shape, materials));
  }
  if (body.kind == BodyKind::network) {
    read_network(entry, result);
  } else {
    for (const std::string_view key : {"nodes", "links"}) {
      if (entry.has(key)) entry.at(key).fail_without_value("is for bodies whose \"kind\" is \"network\"");
    }
    read_placement(entry, body, result.state);
    read_mass(entry, result);
  }
  read_what_acts(entry, body);
  return result;
}

Stencil read_stencil(const JsonReader& entry, int body, const State& state) {
  const Eigen::Index numbers = body < 0 ? 0 : state.bodies[static_cast<std::size_t>(body)].nodes.size();
  if (numbers == 0) entry.fail_without_value("is for bodies whose \"kind\" is \"network\"");
  Stencil stencil;
  for (const JsonReader& element : entry.elements()) {
    if (stencil.count == Stencil::most_nodes) entry.fail(fmt::format("must be at most {} nodes", Stencil::most_nodes));
    element.expect_object(scene_keys::weighted_node);
    const JsonReader node = element.at("node");
    const auto end = stencil.node.begin() + stencil.count;
    *end = node.integer(0);
    if (3 * *end >= numbers) node.fail("no such node");
    if (std::find(stencil.node.begin(), end, *end) != end) node.fail("named twice");
    const auto weight = element.find("weight");
    stencil.weight[static_cast<std::size_t>(stencil.count)] = weight ? weight->number({}, Range::not_negative) : 1.0;
    ++stencil.count;
  }
  return stencil;
}

}  // namespace cardhouse
