#include <fmt/format.h>

#include "cardhouse/base/error.h"
#include "cardhouse/base/nearest.h"
#include "cardhouse/io/body_reader.h"
#include "cardhouse/io/scene_keys.h"

namespace cardhouse {
namespace {

std::vector<Vec3> read_points(const JsonReader& entry) {
  std::vector<Vec3> points;
  for (const JsonReader& point : entry.elements()) points.push_back(point.vec3("m"));
  return points;
}

Polygon read_polygon(const JsonReader& entry) {
  Polygon polygon;
  for (const JsonReader& vertex : entry.at("vertices").elements()) polygon.vertices.push_back(vertex.vec2("m"));
  return polygon;
}

Geometry read_geometry(const JsonReader& entry, std::string_view type) {
  const auto length = [&](std::string_view key) { return entry.at(key).number("m", Range::positive); };
  if (type == "sphere") return Sphere{length("radius")};
  if (type == "box") return Box{entry.at("half_extents").vec3("m", Range::positive)};
  if (type == "capsule") return Capsule{length("radius"), length("half_length")};
  if (type == "cylinder") return Cylinder{length("radius"), length("half_length")};
  if (type == "polytope") {
    return Polytope{std::make_shared<const Hull>(hull_of_points(read_points(entry.at("points"))))};
  }
  if (type == "half_space") return HalfSpace{entry.has("normal") ? entry.at("normal").unit_vector() : Vec3::UnitZ()};
  if (type == "disk") return Disk{length("radius")};
  if (type == "ellipse") return Ellipse{length("semi_axis_x"), length("semi_axis_z")};
  if (type == "polygon") return read_polygon(entry);
  return Segment{entry.at("start").vec2("m"), entry.at("end").vec2("m")};
}

/// Geometry knows nothing of files: its errors get the path here.
Geometry read_checked_geometry(const JsonReader& entry, std::string_view type) {
  try {
    Geometry geometry = read_geometry(entry, type);
    check_geometry(geometry);
    return geometry;
  } catch (const InputError& error) {
    const std::string message = error.what();
    if (message.starts_with(entry.source() + ": ")) throw;
    entry.fail_without_value(message);
  }
}

void expect_shape_keys(const JsonReader& entry, std::size_t type) {
  std::vector<std::string_view> keys(scene_keys::shape_common.begin(), scene_keys::shape_common.end());
  keys.insert(keys.end(), scene_keys::shapes[type].begin(), scene_keys::shapes[type].end());
  entry.expect_object(keys);
}

}  // namespace

int material_index(const JsonReader& name, const std::vector<Material>& materials) {
  const std::string wanted = name.text();
  std::vector<std::string_view> names;
  for (const Material& material : materials) {
    if (material.name == wanted) return static_cast<int>(names.size());
    names.push_back(material.name);
  }
  const std::string_view near = nearest(wanted, names);
  name.fail(near.empty() ? "no such material in \"materials\""
                         : fmt::format("no such material in \"materials\"; did you mean \"{}\"?", near));
}

Shape read_shape(const JsonReader& entry, const std::vector<Material>& materials) {
  entry.expect_any_object();
  const std::size_t type = entry.at("type").choice(scene_keys::shape_types);
  expect_shape_keys(entry, type);
  Shape shape;
  shape.geometry = read_checked_geometry(entry, scene_keys::shape_types[type]);
  if (const auto position = entry.find("position")) shape.pose.position = position->vec3("m");
  if (const auto orientation = entry.find("orientation")) shape.pose.orientation = orientation->quaternion();
  if (const auto material = entry.find("material")) shape.material = material_index(*material, materials);
  if (const auto node = entry.find("node")) shape.node = node->integer(0);
  return shape;
}

}  // namespace cardhouse
