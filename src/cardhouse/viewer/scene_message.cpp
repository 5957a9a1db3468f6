#include "cardhouse/viewer/scene_message.h"

#include <cmath>
#include <limits>

#include "cardhouse/geometry/aabb.h"
#include "cardhouse/io/scene_keys.h"
#include "cardhouse/model/kinds/equations.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/viewer/step_rows.h"

namespace cardhouse::viewer {
namespace {

Json json_of(const Vec2& v) {
  return {v.x(), v.y()};
}
Json json_of(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}
Json json_of(const Quat& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}

template <typename Points>
Json points_json(const Points& points) {
  Json list = Json::array();
  for (const auto& point : points) list.push_back(json_of(point));
  return list;
}

struct GeometryWriter {
  Json& json;

  void operator()(const Sphere& sphere) const { json["radius"] = sphere.radius; }
  void operator()(const Box& box) const { json["half_extents"] = json_of(box.half_extents); }
  void operator()(const Capsule& capsule) const { add_rod(capsule.radius, capsule.half_length); }
  void operator()(const Cylinder& cylinder) const { add_rod(cylinder.radius, cylinder.half_length); }
  void operator()(const Polytope& polytope) const {
    json["vertices"] = points_json(polytope.hull->vertices);
    json["faces"] = Json::array();
    for (const Hull::Face& face : polytope.hull->faces) json["faces"].push_back(face.vertices);
  }
  void operator()(const HalfSpace&) const {}
  void operator()(const Disk& disk) const { json["radius"] = disk.radius; }
  void operator()(const Ellipse& ellipse) const { json["radii"] = {ellipse.semi_axis_x, ellipse.semi_axis_z}; }
  void operator()(const Polygon& polygon) const { json["vertices"] = points_json(polygon.vertices); }
  void operator()(const Segment& segment) const { json["vertices"] = {json_of(segment.start), json_of(segment.end)}; }

  void add_rod(double radius, double half_length) const {
    json["radius"] = radius;
    json["half_length"] = half_length;
  }
};

/// A half-space goes out with its normal along z of its own frame, so that the page needs no normal.
Pose wire_pose(const Shape& shape) {
  const auto* half_space = std::get_if<HalfSpace>(&shape.geometry);
  if (half_space == nullptr) return shape.pose;
  const Quat turn = Quat::FromTwoVectors(Vec3::UnitZ(), half_space->normal);
  return {shape.pose.position, (shape.pose.orientation * turn).normalized()};
}

Json shape_json(const Shape& shape, const std::vector<Material>& materials) {
  const Pose pose = wire_pose(shape);
  Json json;
  json["type"] = shape_name(shape.geometry);
  json["material"] = materials.at(static_cast<std::size_t>(shape.material)).name;
  json["position"] = json_of(pose.position);
  json["orientation"] = json_of(pose.orientation);
  if (shape.node >= 0) json["node"] = shape.node;
  std::visit(GeometryWriter{json}, shape.geometry);
  return json;
}

Json body_json(const Body& body, const BodyState& state, const std::vector<Material>& materials) {
  const Pose& start = state.pose;
  Json json;
  json["name"] = body.name;
  json["kind"] = scene_keys::kinds[static_cast<std::size_t>(body.kind)];
  json["mobility"] = scene_keys::mobilities[static_cast<std::size_t>(body.mobility)];
  json["mass"] = body.mass;
  json["position"] = json_of(start.position);
  json["orientation"] = json_of(start.orientation);
  if (state.nodes.size() > 0) json["nodes"] = state.nodes.size() / 3;
  json["shapes"] = Json::array();
  for (const Shape& shape : body.shapes) json["shapes"].push_back(shape_json(shape, materials));
  return json;
}

Json frame_json(const Pose& frame) {
  return {{"position", json_of(frame.position)}, {"orientation", json_of(frame.orientation)}};
}

Json joint_json(const Joint& joint) {
  Json json;
  json["name"] = joint.name;
  json["type"] = scene_keys::joint_types[static_cast<std::size_t>(joint.kind)];
  json["first"] = joint.first;
  json["second"] = joint.second;
  json["frame_first"] = frame_json(joint.frame_first);
  json["frame_second"] = frame_json(joint.frame_second);
  Json units = Json::array();
  for (int c = 0; c < coordinate_count(joint); ++c) units.push_back(is_angle(joint.kind, c) ? "rad" : "m");
  json["coordinate_units"] = std::move(units);
  return json;
}

/// The box around all bodies but half-spaces; a unit box when there are none.
Json bounds_json(const Scene& scene) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec3 lower = Vec3::Constant(infinity);
  Vec3 upper = Vec3::Constant(-infinity);
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    const BodyState& state = scene.initial.bodies[i];
    if (scene.model.bodies[i].kind == BodyKind::particle) {
      lower = lower.cwiseMin(state.pose.position);
      upper = upper.cwiseMax(state.pose.position);
    }
    for (Eigen::Index n = 0; n < state.nodes.size(); n += 3) {
      lower = lower.cwiseMin(state.nodes.segment<3>(n));
      upper = upper.cwiseMax(state.nodes.segment<3>(n));
    }
    for (const Shape& shape : scene.model.bodies[i].shapes) {
      if (std::holds_alternative<HalfSpace>(shape.geometry)) continue;
      const Aabb box = bounding_box(shape.geometry, shape_pose(shape, state), 0.0);
      lower = lower.cwiseMin(box.lower);
      upper = upper.cwiseMax(box.upper);
    }
  }
  if (!lower.allFinite() || !upper.allFinite()) {
    lower = Vec3::Constant(-0.5);
    upper = Vec3::Constant(0.5);
  }
  return {{"min", json_of(lower)}, {"max", json_of(upper)}};
}

Json runs_json(const std::vector<RunDescription>& runs) {
  Json list = Json::array();
  for (const RunDescription& run : runs) {
    list.push_back({{"solver", run.solver}, {"frames", run.frames}, {"steps", run.steps}, {"duration", run.duration}});
  }
  return list;
}

}  // namespace

bool is_planar_scene(const Model& model) {
  bool planar = false;
  for (const Body& body : model.bodies) {
    if (body.mobility != Mobility::dynamic) continue;
    if (!equations_of(body).in_plane()) return false;
    planar = true;
  }
  return planar;
}

Message scene_message(const Scene& scene, const SceneDescription& description) {
  MessageBuilder message("scene", 0);
  message.set("version", 1);
  message.set("mode", description.mode);
  message.set("session", description.session);
  message.set("title", scene.name);
  message.set("description", scene.description);
  message.set("solvers", solver_names());
  message.set("runs", runs_json(description.runs));
  message.set("step", description.step);
  message.set("tolerance", description.tolerance);
  message.set("frames_per_second", description.frames_per_second);
  message.set("gravity", json_of(scene.model.gravity));
  message.set("planar", is_planar_scene(scene.model));
  message.set("bounds", bounds_json(scene));
  message.set("step_columns", step_column_names(description.diagnosed));
  message.set("initial_kinetic", description.initial.kinetic);
  message.set("initial_potential", description.initial.potential);
  Json bodies = Json::array();
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    bodies.push_back(body_json(scene.model.bodies[i], scene.initial.bodies[i], scene.model.materials));
  }
  message.set("bodies", std::move(bodies));
  if (!scene.model.joints.empty()) {
    Json joints = Json::array();
    for (const Joint& joint : scene.model.joints) joints.push_back(joint_json(joint));
    message.set("joints", std::move(joints));
  }
  return message.finish();
}

}  // namespace cardhouse::viewer
