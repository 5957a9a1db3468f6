#include "cardhouse/stepping/schemes/shape_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/base/error.h"
#include "cardhouse/geometry/aabb.h"
#include "cardhouse/model/kinds/equations.h"

namespace cardhouse {
namespace {

/// Part of the smaller body's size up to which contacts are made even between bodies at rest: far above the gaps that
/// round-off leaves, far below what is seen.
constexpr double default_margin = 1e-3;

/// Gap rounding: gaps and overlaps up to this fraction of the smaller body's radius of gyration count as 0. For bodies
/// of a decimetre that is less than an atom's width. Solves leave gaps of this size, and without rounding every step of
/// a structure at rest would be a new problem. Particles do not turn: their gaps are exact.
constexpr double gap_rounding = 1e-9;

bool takes_part_in_plane(const Body& body) {
  return body.mobility == Mobility::dynamic && equations_of(body).in_plane();
}

bool takes_part_in_space(const Body& body) {
  return body.mobility == Mobility::dynamic && !equations_of(body).in_plane();
}

/// Part of the smaller body's size up to which bodies touch, so that adhesion holds them: far above the gaps that
/// solves leave, far below what a body covers in the step in which it comes off.
constexpr double adhesion_range = 1e-6;

bool turns(const Body& body) {
  return body.mobility == Mobility::dynamic && equations_of(body).turns();
}

/// Two unit vectors across n, by a fixed rule, so that the same normal always gives the same basis.
Mat3 basis_from_normal(const Vec3& n) {
  Eigen::Index axis = 0;
  n.cwiseAbs().minCoeff(&axis);
  Mat3 basis;
  basis.col(0) = n;
  basis.col(1) = Vec3::Unit(axis).cross(n).normalized();
  basis.col(2) = n.cross(basis.col(1));
  return basis;
}

/// The first tangent is the direction's part in the contact plane. Where it has next to none, any will do, because
/// friction is then nearly the same in all directions (set_grain).
Mat3 basis_along(const Vec3& n, const Vec3& direction) {
  const Vec3 along = direction - n.dot(direction) * n;
  if (along.norm() < 1e-6 * direction.norm()) return basis_from_normal(n);
  Mat3 basis;
  basis.col(0) = n;
  basis.col(1) = along.normalized();
  basis.col(2) = n.cross(basis.col(1));
  return basis;
}

/// Basis and law of a contact whose friction has a direction (world frame): see Anisotropy.
void set_grain(const Vec3& direction, Contact& contact) {
  const Vec3 n = contact.normal();
  contact.basis = basis_along(n, direction);
  const double out_of_plane = std::min(std::abs(n.dot(direction)) / direction.norm(), 1.0);
  const double in_plane = std::sqrt(1.0 - out_of_plane * out_of_plane);
  contact.law.mu = std::hypot(in_plane * contact.law.mu, out_of_plane * contact.law.mu_cross);
}

Mat3 planar_basis(const Vec3& n) {
  Mat3 basis;
  basis.col(0) = n;
  basis.col(1) = Vec3::UnitY().cross(n);
  basis.col(2) = Vec3::UnitY();
  return basis;
}

Law friction_law(const FrictionModel& friction, const SurfacePair& surface) {
  Law law;
  law.kind = Law::Kind::coulomb;
  law.mu = surface.mu;
  law.mu_cross = surface.mu_cross;
  law.sides = friction.sides;
  law.friction = friction.polygon     ? FrictionShape::polygon
                 : surface.anisotropy ? FrictionShape::ellipse
                                      : FrictionShape::disk;
  return law;
}

/// The least side of the box around it in its own frame. Planar figures have no extent along y.
double least_extent(const Geometry& geometry) {
  if (std::holds_alternative<HalfSpace>(geometry)) return std::numeric_limits<double>::infinity();
  const Aabb box = bounding_box(geometry, Pose{}, 0.0);
  const Vec3 sides = box.upper - box.lower;
  return is_planar(geometry) ? std::min(sides.x(), sides.z()) : sides.minCoeff();
}

/// A planar body and a spatial one have no common contact law.
bool lies_in_plane(const Body& a, const Body& b) {
  const bool planar = takes_part_in_plane(a) || takes_part_in_plane(b);
  if (planar && (takes_part_in_space(a) || takes_part_in_space(b))) {
    throw InputError(
        fmt::format("bodies \"{}\" and \"{}\" touch: a dynamic planar body and a dynamic spatial one cannot; "
                    "both may touch the same fixed or kinematic body",
                    a.name, b.name));
  }
  return planar;
}

}  // namespace

ShapePairs::ShapePairs(const Model& model) {
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    for (int s = 0; s < static_cast<int>(body.shapes.size()); ++s) {
      const Shape& shape = body.shapes[s];
      pieces_.push_back({b, s, Stencil::at(shape.node), bounding_radius(shape), characteristic_size(shape.geometry),
                         least_extent(shape.geometry)});
    }
    for (const auto& [one, other] : equations_of(body).joined_nodes(body)) {
      linked_.push_back({b, std::min(one, other), std::max(one, other)});
    }
  }
  for (const Joint& joint : model.joints) {
    if (!joint.collide && joint.second >= 0) joined_.push_back(std::minmax(joint.first, joint.second));
  }
  std::sort(joined_.begin(), joined_.end());
  std::sort(linked_.begin(), linked_.end());
}

bool ShapePairs::never_touch(int first, int second) const {
  const ShapePiece& a = pieces_[first];
  const ShapePiece& b = pieces_[second];
  const std::pair<int, int> bodies = std::minmax(a.body, b.body);
  if (a.body != b.body) return std::binary_search(joined_.begin(), joined_.end(), bodies);
  const auto [low, high] = std::minmax(a.stencil.node[0], b.stencil.node[0]);
  return low == high || std::binary_search(linked_.begin(), linked_.end(), std::array<int, 3>{a.body, low, high});
}

double ShapePairs::size_of(int first, int second) const {
  const double a = pieces_[first].size;
  const double b = pieces_[second].size;
  return a > 0.0 && b > 0.0 ? std::min(a, b) : std::max(a, b);
}

double ShapePairs::thickness_of(int first, int second) const {
  return 0.5 * (pieces_[first].thickness + pieces_[second].thickness);
}

double ShapePairs::margin(const StepSettings& settings, double size) {
  return settings.margin > 0.0 ? settings.margin : default_margin * size;
}

void ShapePairs::find_points(const Model& model, int first, int second, const Pose& pose_first, const Pose& pose_second,
                             double margin, std::vector<ManifoldPoint>& points) const {
  points.clear();
  lies_in_plane(model.bodies[pieces_[first].body], model.bodies[pieces_[second].body]);
  try {
    collide(shape(model, first).geometry, pose_first, shape(model, second).geometry, pose_second, margin, points);
  } catch (const InputError& error) {
    throw InputError(fmt::format("bodies \"{}\" and \"{}\" come near each other: {}",
                                 model.bodies[pieces_[first].body].name, model.bodies[pieces_[second].body].name,
                                 error.what()));
  }
}

/// What all contacts of the pair have in common.
Contact ShapePairs::contact_of(const Model& model, const SurfacePair& surface, int first, int second) const {
  const Body& body_a = model.bodies[pieces_[first].body];
  const Body& body_b = model.bodies[pieces_[second].body];
  const bool may_turn = turns(body_a) || turns(body_b);
  Contact contact;
  contact.key = {first, second, 0};
  contact.body_a = pieces_[first].body;
  contact.body_b = pieces_[second].body;
  contact.stencil_a = pieces_[first].stencil;
  contact.stencil_b = pieces_[second].stencil;
  contact.size = size_of(first, second);
  contact.gap_rounding = gap_rounding * smaller_radius_of_gyration(body_a, body_b);
  contact.restitution = surface.restitution;
  contact.law = friction_law(model.friction, surface);
  contact.static_ratio = surface.static_ratio;
  contact.slip_velocity = surface.slip_velocity;
  contact.mu_rolling = may_turn ? surface.mu_rolling : 0.0;
  contact.mu_torsional = may_turn ? surface.mu_torsional : 0.0;
  return contact;
}

void ShapePairs::make_contacts(const Model& model, const State& state, int first, int second,
                               std::span<const ManifoldPoint> points, std::vector<Contact>& contacts) const {
  const ShapePiece& a = pieces_[first];
  const ShapePiece& b = pieces_[second];
  const bool planar = lies_in_plane(model.bodies[a.body], model.bodies[b.body]);
  if (points.empty()) return;
  const SurfacePair surface = mix(model.materials, model.material_pairs, model.bodies[a.body].shapes[a.shape].material,
                                  model.bodies[b.body].shapes[b.shape].material);
  const bool grained = !planar && surface.anisotropy;
  const int grained_body = surface.anisotropy_on_first ? a.body : b.body;
  const double size = size_of(first, second);
  const auto touches = [&](const ManifoldPoint& point) { return point.gap <= adhesion_range * size; };
  const auto touching_points = std::count_if(points.begin(), points.end(), touches);
  Contact contact = contact_of(model, surface, first, second);
  const Law law = contact.law;
  contact.rows = planar ? 2 : 3;
  for (const ManifoldPoint& point : points) {
    contact.key.feature = point.feature;
    contact.on_a = point.on_a;
    contact.on_b = point.on_b;
    contact.gap = point.gap;
    contact.law = law;
    contact.adhesion = touches(point) ? surface.adhesion / static_cast<double>(touching_points) : 0.0;
    contact.basis = planar ? planar_basis(point.normal) : basis_from_normal(point.normal);
    if (grained) set_grain(state.bodies[grained_body].pose.orientation * surface.anisotropy->direction, contact);
    contacts.push_back(contact);
  }
}

}  // namespace cardhouse
