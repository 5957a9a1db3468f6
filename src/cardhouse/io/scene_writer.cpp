#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "cardhouse/io/same_bits.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/io/scene_keys.h"

namespace cardhouse {
namespace {

bool is_identity(const Quat& q) {
  return same_bits(q.w(), 1.0) && same_bits(q.x(), 0.0) && same_bits(q.y(), 0.0) && same_bits(q.z(), 0.0);
}

/// The shortest text that reads back to the same bits. JSON readers take "-0" for an integer, which has no sign.
std::string text_of(double value) {
  return same_bits(value, -0.0) ? "-0.0" : fmt::format("{}", value);
}
std::string text_of(const Vec2& v) {
  return fmt::format("[{}, {}]", text_of(v.x()), text_of(v.y()));
}
std::string text_of(const Vec3& v) {
  return fmt::format("[{}, {}, {}]", text_of(v.x()), text_of(v.y()), text_of(v.z()));
}
std::string text_of(const Quat& q) {
  return fmt::format("[{}, {}, {}, {}]", text_of(q.w()), text_of(q.x()), text_of(q.y()), text_of(q.z()));
}
std::string text_of(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// An object in the making, on one line.
class Members {
 public:
  void add(std::string_view key, const std::string& value) { list_.push_back(fmt::format("\"{}\": {}", key, value)); }
  void add_name(std::string_view key, std::string_view name) { add(key, text_of(name)); }
  void add_number(std::string_view key, double value) { add(key, text_of(value)); }
  void add_number(std::string_view key, double value, double otherwise) {
    if (!same_bits(value, otherwise)) add_number(key, value);
  }
  void add_vector(std::string_view key, const Vec3& value) { add(key, text_of(value)); }
  void add_vector(std::string_view key, const Vec3& value, const Vec3& otherwise) {
    if (!same_bits(value, otherwise)) add_vector(key, value);
  }
  void add_pose(const Pose& pose) {
    add_vector("position", pose.position, Vec3::Zero());
    if (!is_identity(pose.orientation)) add("orientation", text_of(pose.orientation));
  }
  std::string inline_text() const { return list_.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(list_, ", ")); }
  std::string block_text() const { return fmt::format("{{\n  {}\n}}\n", fmt::join(list_, ",\n  ")); }

 private:
  std::vector<std::string> list_;
};

std::string lines_of(const std::vector<std::string>& entries) {
  return entries.empty() ? "[]" : fmt::format("[\n    {}\n  ]", fmt::join(entries, ",\n    "));
}

template <typename Points>
std::string points_text(const Points& points) {
  std::vector<std::string> list;
  for (const auto& point : points) list.push_back(text_of(point));
  return fmt::format("[{}]", fmt::join(list, ", "));
}

struct GeometryWriter {
  Members& members;

  void operator()(const Sphere& sphere) const { members.add_number("radius", sphere.radius); }
  void operator()(const Box& box) const { members.add_vector("half_extents", box.half_extents); }
  void operator()(const Capsule& capsule) const { add_rod(capsule.radius, capsule.half_length); }
  void operator()(const Cylinder& cylinder) const { add_rod(cylinder.radius, cylinder.half_length); }
  void operator()(const Polytope& polytope) const { members.add("points", points_text(polytope.hull->vertices)); }
  void operator()(const HalfSpace& half_space) const { members.add_vector("normal", half_space.normal); }
  void operator()(const Disk& disk) const { members.add_number("radius", disk.radius); }
  void operator()(const Ellipse& ellipse) const {
    members.add_number("semi_axis_x", ellipse.semi_axis_x);
    members.add_number("semi_axis_z", ellipse.semi_axis_z);
  }
  void operator()(const Polygon& polygon) const { members.add("vertices", points_text(polygon.vertices)); }
  void operator()(const Segment& segment) const {
    members.add("start", text_of(segment.start));
    members.add("end", text_of(segment.end));
  }

  void add_rod(double radius, double half_length) const {
    members.add_number("radius", radius);
    members.add_number("half_length", half_length);
  }
};

std::string shape_text(const Shape& shape, const std::vector<Material>& materials) {
  Members members;
  members.add_name("type", scene_keys::shape_types[shape.geometry.index()]);
  std::visit(GeometryWriter{members}, shape.geometry);
  members.add_pose(shape.pose);
  if (shape.material != 0) members.add_name("material", materials.at(static_cast<std::size_t>(shape.material)).name);
  if (shape.node >= 0) members.add("node", std::to_string(shape.node));
  return members.inline_text();
}

struct MotionWriter {
  Members& members;

  void operator()(const ConstantVelocity& motion) const {
    members.add_vector("linear", motion.linear);
    members.add_vector("angular", motion.angular);
  }
  void operator()(const Shaking& motion) const {
    members.add_vector("amplitude", motion.amplitude);
    members.add_number("frequency", motion.frequency);
    members.add_number("phase", motion.phase);
  }
  void operator()(const Tilting& motion) const {
    members.add_vector("axis", motion.axis);
    members.add_vector("pivot", motion.pivot);
    members.add_number("rate", motion.rate);
    members.add_number("start", motion.start);
    members.add_number("ramp", motion.ramp);
    members.add_number("max_angle", motion.max_angle);
  }
  void operator()(const LiftAndShake& motion) const {
    members.add_vector("displacement", motion.displacement);
    members.add_number("start", motion.start);
    members.add_number("time", motion.time);
    members.add_vector("amplitude", motion.amplitude);
    members.add_number("frequency", motion.frequency);
    members.add_number("shake_start", motion.shake_start);
  }
};

std::string motion_text(const Motion& motion) {
  Members members;
  members.add_name("type", scene_keys::motion_types[motion.index()]);
  std::visit(MotionWriter{members}, motion);
  return members.inline_text();
}

/// Explicit mass and inertia, so that reading back neither integrates nor moves the frame again.
void add_mass(Members& members, const Body& body) {
  const bool dynamic = body.mobility == Mobility::dynamic;
  if (dynamic || body.mass != 0.0) members.add_number("mass", body.mass);
  if (body.kind == BodyKind::particle || (!dynamic && body.inertia.isZero(0.0))) return;
  const Mat3& m = body.inertia;
  if (body.kind == BodyKind::planar) {
    members.add_number("inertia", m(1, 1));
    return;
  }
  const Vec3 products(m(0, 1), m(0, 2), m(1, 2));
  if (same_bits(products, Vec3::Zero())) {
    members.add_vector("inertia", m.diagonal());
  } else {
    members.add("inertia", fmt::format("[{}, {}, {}, {}, {}, {}]", text_of(m(0, 0)), text_of(m(1, 1)), text_of(m(2, 2)),
                                       text_of(products.x()), text_of(products.y()), text_of(products.z())));
  }
}

std::string axes_text(const std::array<bool, 3>& axes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i]) names.push_back(text_of(scene_keys::axes[i]));
  }
  return fmt::format("[{}]", fmt::join(names, ", "));
}

void add_network(Members& members, const NodeNetwork& network, const BodyState& state) {
  std::vector<std::string> nodes;
  for (int n = 0; n < network.nodes(); ++n) {
    Members node;
    node.add_vector("position", state.nodes.segment<3>(3 * n));
    node.add_vector("velocity", state.node_velocities.segment<3>(3 * n), Vec3::Zero());
    node.add_number("mass", network.masses[static_cast<std::size_t>(n)]);
    nodes.push_back(node.inline_text());
  }
  members.add("nodes", fmt::format("[{}]", fmt::join(nodes, ", ")));
  std::vector<std::string> links;
  for (const Link& own : network.links) {
    Members link;
    link.add("nodes", fmt::format("[{}, {}]", own.first, own.second));
    link.add_number("stiffness", own.stiffness);
    link.add_number("rest_length", own.rest_length);
    link.add_number("damping", own.damping, 0.0);
    links.push_back(link.inline_text());
  }
  if (!links.empty()) members.add("links", fmt::format("[{}]", fmt::join(links, ", ")));
}

void add_stencil(Members& members, std::string_view key, const Stencil& stencil) {
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < static_cast<std::size_t>(stencil.count); ++i) {
    Members node;
    node.add("node", std::to_string(stencil.node[i]));
    node.add_number("weight", stencil.weight[i], 1.0);
    nodes.push_back(node.inline_text());
  }
  if (!nodes.empty()) members.add(key, fmt::format("[{}]", fmt::join(nodes, ", ")));
}

std::string body_text(const Body& body, const BodyState& state, const std::vector<Material>& materials) {
  Members members;
  members.add_name("name", body.name);
  if (body.kind != BodyKind::spatial) members.add_name("kind", scene_keys::kinds[static_cast<std::size_t>(body.kind)]);
  if (body.mobility != Mobility::dynamic) {
    members.add_name("mobility", scene_keys::mobilities[static_cast<std::size_t>(body.mobility)]);
  }
  if (body.network) {
    add_network(members, *body.network, state);
  } else {
    add_mass(members, body);
    if (body.kind == BodyKind::particle) members.add("axes", axes_text(body.axes));
    members.add_pose(state.pose);
    members.add_vector("linear_velocity", state.linear, Vec3::Zero());
    members.add_vector("angular_velocity", state.angular, Vec3::Zero());
  }
  if (body.motion) members.add("motion", motion_text(*body.motion));
  members.add_number("linear_damping", body.linear_damping, 0.0);
  members.add_number("angular_damping", body.angular_damping, 0.0);
  members.add_vector("force", body.force, Vec3::Zero());
  members.add_vector("torque", body.torque, Vec3::Zero());
  members.add_number("charge", body.charge, 0.0);
  std::vector<std::string> shapes;
  for (const Shape& shape : body.shapes) shapes.push_back(shape_text(shape, materials));
  if (!shapes.empty()) members.add("shapes", fmt::format("[{}]", fmt::join(shapes, ", ")));
  return members.inline_text();
}

std::string bodies_text(const Scene& scene) {
  std::vector<std::string> bodies;
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    bodies.push_back(body_text(scene.model.bodies[i], scene.initial.bodies.at(i), scene.model.materials));
  }
  return lines_of(bodies);
}

std::string materials_text(const std::vector<Material>& materials) {
  std::vector<std::string> entries;
  for (const Material& material : materials) {
    Members members;
    members.add_name("name", material.name);
    members.add_number("mu", material.mu);
    members.add_number("restitution", material.restitution);
    if (material.anisotropy) {
      Members anisotropy;
      anisotropy.add_number("mu_cross", material.anisotropy->mu_cross);
      anisotropy.add_vector("direction", material.anisotropy->direction);
      members.add("anisotropy", anisotropy.inline_text());
    }
    const Material none;
    if (material.mu_static) members.add_number("mu_static", *material.mu_static);
    if (material.slip_velocity != none.slip_velocity) members.add_number("slip_velocity", material.slip_velocity);
    if (material.mu_rolling != 0.0) members.add_number("mu_rolling", material.mu_rolling);
    if (material.mu_torsional != 0.0) members.add_number("mu_torsional", material.mu_torsional);
    if (material.adhesion != 0.0) members.add_number("adhesion", material.adhesion);
    entries.push_back(members.inline_text());
  }
  return lines_of(entries);
}

std::string pairs_text(const Model& model) {
  std::vector<std::string> entries;
  for (const MaterialPair& pair : model.material_pairs) {
    Members members;
    members.add_name("first", model.materials.at(static_cast<std::size_t>(pair.first)).name);
    members.add_name("second", model.materials.at(static_cast<std::size_t>(pair.second)).name);
    members.add_number("mu", pair.mu);
    members.add_number("restitution", pair.restitution);
    if (pair.mu_cross) members.add_number("mu_cross", *pair.mu_cross);
    if (pair.mu_static) members.add_number("mu_static", *pair.mu_static);
    if (pair.slip_velocity) members.add_number("slip_velocity", *pair.slip_velocity);
    if (pair.mu_rolling) members.add_number("mu_rolling", *pair.mu_rolling);
    if (pair.mu_torsional) members.add_number("mu_torsional", *pair.mu_torsional);
    if (pair.adhesion) members.add_number("adhesion", *pair.adhesion);
    entries.push_back(members.inline_text());
  }
  return lines_of(entries);
}

std::string springs_text(const Model& model) {
  std::vector<std::string> entries;
  for (const Spring& spring : model.springs) {
    const auto name = [&](int body) {
      return body < 0 ? scene_keys::world : std::string_view(model.bodies.at(static_cast<std::size_t>(body)).name);
    };
    Members members;
    members.add_name("first", name(spring.first));
    members.add_name("second", name(spring.second));
    members.add_vector("point_first", spring.point_first, Vec3::Zero());
    members.add_vector("point_second", spring.point_second, Vec3::Zero());
    members.add_number("stiffness", spring.stiffness);
    members.add_number("rest_length", spring.rest_length, 0.0);
    members.add_number("damping", spring.damping, 0.0);
    if (spring.implicit) members.add("implicit", "true");
    add_stencil(members, "nodes_first", spring.stencil_first);
    add_stencil(members, "nodes_second", spring.stencil_second);
    entries.push_back(members.inline_text());
  }
  return lines_of(entries);
}

std::string motor_text(const JointMotor& motor) {
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  Members members;
  members.add_number(motor.target == JointMotor::Target::position ? "position" : "velocity", motor.value);
  members.add_number("max_force", motor.max_force, unlimited);
  members.add_number("max_speed", motor.max_speed, unlimited);
  members.add_number("stiffness", motor.stiffness, 0.0);
  members.add_number("damping", motor.damping, 0.0);
  return members.inline_text();
}

void add_drive(Members& members, const JointDrive& drive) {
  if (drive.limits) {
    Members limits;
    limits.add_number("lower", drive.limits->lower, JointLimits{}.lower);
    limits.add_number("upper", drive.limits->upper, JointLimits{}.upper);
    members.add("limits", limits.inline_text());
  }
  if (drive.motor) members.add("motor", motor_text(*drive.motor));
  members.add_number("friction", drive.friction, 0.0);
}

std::string frame_text(const Pose& frame) {
  Members members;
  members.add_pose(frame);
  return members.inline_text();
}

std::string joint_text(const Joint& joint, const std::vector<Body>& bodies) {
  Members members;
  members.add_name("name", joint.name);
  members.add_name("type", scene_keys::joint_types[static_cast<std::size_t>(joint.kind)]);
  members.add_name("first", bodies.at(static_cast<std::size_t>(joint.first)).name);
  members.add_name("second", joint.second < 0
                                 ? scene_keys::world
                                 : std::string_view(bodies.at(static_cast<std::size_t>(joint.second)).name));
  members.add("frame_first", frame_text(joint.frame_first));
  members.add("frame_second", frame_text(joint.frame_second));
  add_stencil(members, "nodes_first", joint.stencil_first);
  add_stencil(members, "nodes_second", joint.stencil_second);
  members.add_number("length", joint.length, 0.0);
  if (joint.collide) members.add("collide", "true");
  if (joint.compliance) members.add_number("compliance", *joint.compliance);
  if (joint.angular_compliance) members.add_number("angular_compliance", *joint.angular_compliance);
  add_drive(members, joint.drives[0]);
  if (joint.drives[1].acts()) {
    Members second;
    add_drive(second, joint.drives[1]);
    members.add("second_drive", second.inline_text());
  }
  return members.inline_text();
}

std::string joints_text(const Model& model) {
  std::vector<std::string> entries;
  for (const Joint& joint : model.joints) entries.push_back(joint_text(joint, model.bodies));
  return lines_of(entries);
}

std::string global_forces_text(const GlobalForces& forces) {
  const GlobalForces usual;
  Members members;
  members.add_number("gravitation", forces.gravitation, usual.gravitation);
  members.add_number("electrostatics", forces.electrostatics, usual.electrostatics);
  members.add_number("softening", forces.softening, usual.softening);
  members.add_number("opening_angle", forces.opening_angle, usual.opening_angle);
  if (forces.tree_from != usual.tree_from) members.add("tree_from", std::to_string(forces.tree_from));
  return members.inline_text();
}

std::string soft_text(const SoftContact& soft) {
  Members members;
  members.add_number("normal_stiffness", soft.normal_stiffness);
  members.add_number("tangential_stiffness", soft.tangential_stiffness);
  members.add_name("stick", scene_keys::stick_rules[static_cast<std::size_t>(soft.stick)]);
  members.add_number("viscosity", soft.viscosity);
  members.add("order", std::to_string(soft.order));
  return members.inline_text();
}

std::string settings_text(const StepSettings& settings) {
  Members members;
  members.add_number("step", settings.step);
  if (settings.adaptive != Adaptive::none) {
    members.add_name("adaptive", scene_keys::adaptive_rules[static_cast<std::size_t>(settings.adaptive)]);
    members.add_number("least_step", settings.least_step);
    members.add_number("error_tolerance", settings.error_tolerance);
  }
  members.add_name("scheme", scene_keys::schemes[static_cast<std::size_t>(settings.scheme)]);
  members.add_name("stabilisation", scene_keys::stabilisations[static_cast<std::size_t>(settings.stabilisation)]);
  members.add_number("gamma", settings.gamma);
  if (settings.initial_overlaps != InitialOverlaps::keep) {
    members.add_name("initial_overlaps",
                     scene_keys::initial_overlaps[static_cast<std::size_t>(settings.initial_overlaps)]);
  }
  if (settings.restitution != Restitution::newton) {
    members.add_name("restitution", scene_keys::restitution_laws[static_cast<std::size_t>(settings.restitution)]);
  }
  if (settings.contact == ContactModel::soft) {
    members.add_name("contact", scene_keys::contact_models[1]);
    members.add("soft", soft_text(settings.soft));
  }
  members.add_name("solver", settings.solver);
  members.add_number("tolerance", settings.tolerance);
  members.add("max_iterations", std::to_string(settings.max_iterations));
  if (settings.max_rescues != StepSettings{}.max_rescues) {
    members.add("max_rescues", std::to_string(settings.max_rescues));
  }
  members.add_number("margin", settings.margin);
  return members.inline_text();
}

std::string friction_text(const FrictionModel& friction) {
  Members members;
  members.add_name("cone", scene_keys::cones[friction.polygon ? 1 : 0]);
  if (friction.polygon || friction.sides != FrictionModel{}.sides) members.add("sides", std::to_string(friction.sides));
  return members.inline_text();
}

std::string stands_text(const StandsRule& rule, const std::vector<Body>& bodies) {
  Members members;
  std::vector<std::string> names;
  for (const int body : rule.bodies) names.push_back(text_of(bodies.at(static_cast<std::size_t>(body)).name));
  if (!names.empty()) members.add("bodies", fmt::format("[{}]", fmt::join(names, ", ")));
  members.add_number("max_displacement", rule.max_displacement);
  members.add_number("after", rule.after);
  if (rule.relative_to >= 0)
    members.add_name("relative_to", bodies.at(static_cast<std::size_t>(rule.relative_to)).name);
  return members.inline_text();
}

std::string parameters_text(const std::map<std::string, std::string>& parameters) {
  std::vector<std::string> entries;
  for (const auto& [key, value] : parameters) entries.push_back(fmt::format("{}: {}", text_of(key), text_of(value)));
  return fmt::format("{{ {} }}", fmt::join(entries, ", "));
}

}  // namespace

std::string scene_text(const Scene& scene) {
  const Model& model = scene.model;
  Members top;
  top.add("format_version", std::to_string(scene_keys::format_version));
  top.add_name("name", scene.name);
  if (!scene.description.empty()) top.add_name("description", scene.description);
  if (!scene.parameters.empty()) top.add("parameters", parameters_text(scene.parameters));
  top.add_number("duration", scene.duration);
  top.add("settings", settings_text(scene.settings));
  top.add_vector("gravity", model.gravity);
  top.add("friction", friction_text(model.friction));
  top.add("materials", materials_text(model.materials));
  if (!model.material_pairs.empty()) top.add("material_pairs", pairs_text(model));
  top.add("bodies", bodies_text(scene));
  if (!model.springs.empty()) top.add("springs", springs_text(model));
  if (!model.joints.empty()) top.add("joints", joints_text(model));
  if (const std::string text = global_forces_text(model.global_forces); text != Members().inline_text()) {
    top.add("global_forces", text);
  }
  if (scene.stands) top.add("stands", stands_text(*scene.stands, model.bodies));
  return top.block_text();
}

}  // namespace cardhouse
