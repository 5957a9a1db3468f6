#include "cardhouse/stepping/schemes/detect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/base/error.h"
#include "cardhouse/model/kinds/equations.h"

namespace cardhouse {
namespace {

/// Part of the smaller body's size up to which contacts are made even between bodies at rest: far above the gaps that
/// round-off leaves, far below what is seen.
constexpr double default_margin = 1e-3;

/// Fraction of the smaller body's size below which a gap counts as closed in the Moreau–Jean scheme. There a contact
/// exists only while gap ≤ 0, and round-off must not open it.
constexpr double touching = 1e-9;

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

}  // namespace

Detector::Detector(const Model& model) {
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    for (int s = 0; s < static_cast<int>(body.shapes.size()); ++s) {
      const Shape& shape = body.shapes[s];
      pieces_.push_back({b, s, Stencil::at(shape.node), bounding_radius(shape), characteristic_size(shape.geometry)});
    }
    if (!body.network) continue;
    for (const Link& link : body.network->links) {
      linked_.push_back({b, std::min(link.first, link.second), std::max(link.first, link.second)});
    }
  }
  for (const Joint& joint : model.joints) {
    if (!joint.collide && joint.second >= 0) joined_.push_back(std::minmax(joint.first, joint.second));
  }
  std::sort(joined_.begin(), joined_.end());
  std::sort(linked_.begin(), linked_.end());
  pose_.resize(pieces_.size());
  reach_.resize(pieces_.size());
  items_.resize(pieces_.size());
}

/// Bodies of a joint, nodes of a link, and shapes of one node.
bool Detector::never_touch(const Piece& a, const Piece& b) const {
  const std::pair<int, int> bodies = std::minmax(a.body, b.body);
  if (a.body != b.body) return std::binary_search(joined_.begin(), joined_.end(), bodies);
  const auto [low, high] = std::minmax(a.stencil.node[0], b.stencil.node[0]);
  return low == high || std::binary_search(linked_.begin(), linked_.end(), std::array<int, 3>{a.body, low, high});
}

/// The smaller one's. A half-space has no size of its own.
double Detector::size_of(const Piece& a, const Piece& b) {
  return a.size > 0.0 && b.size > 0.0 ? std::min(a.size, b.size) : std::max(a.size, b.size);
}

/// How far any point of a piece of finite size gets in h seconds.
double Detector::reach(const Piece& piece, const BodyMotion& motion, double h) const {
  if (piece.stencil.count > 0) return h * weighted(piece.stencil, motion.node_velocities).norm();
  const double turning = std::isfinite(piece.radius) ? motion.angular.norm() * piece.radius : 0.0;
  return h * (motion.linear.norm() + turning);
}

/// How far a half-space that turns about its centre gets in h seconds where other pieces are.
double Detector::sweep(const State& state, const Piece& half_space, const BodyMotion& motion, double h) const {
  const double rate = motion.angular.norm();
  if (std::isfinite(half_space.radius) || rate == 0.0) return 0.0;
  double farthest = 0.0;
  for (const Piece& piece : pieces_) {
    if (piece.body == half_space.body || !std::isfinite(piece.radius)) continue;
    const Vec3 apart = origin_of(state.bodies[piece.body], piece.stencil) - state.bodies[half_space.body].pose.position;
    farthest = std::max(farthest, apart.norm() + piece.radius);
  }
  return h * rate * farthest;
}

bool Detector::outrun(const Model& model, std::span<const BodyMotion> motions, const StepSettings& settings) const {
  if (settings.scheme == Scheme::moreau_jean) return false;  // contacts exist while they touch, whatever the speed
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const Piece& piece = pieces_[p];
    if (model.bodies[piece.body].mobility != Mobility::dynamic) continue;
    const double margin = settings.margin > 0.0 ? settings.margin : default_margin * piece.size;
    if (reach(piece, motions[piece.body], settings.step) > reach_[p] + margin) return true;
  }
  return false;
}

std::vector<Contact>& Detector::detect(const Model& model, const State& state, std::span<const BodyMotion> motions,
                                       const StepSettings& settings) {
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const Piece& piece = pieces_[p];
    const Body& body = model.bodies[piece.body];
    const Shape& shape = body.shapes[piece.shape];
    const BodyMotion& motion = motions[piece.body];
    pose_[p] = shape_pose(shape, state.bodies[piece.body]);
    reach_[p] = reach(piece, motion, settings.step) + sweep(state, piece, motion, settings.step);
    const double margin = settings.margin > 0.0 ? settings.margin : default_margin * piece.size;
    // Shapes of one body do not meet, unless they move with different nodes.
    const int group = shape.node < 0 ? piece.body : static_cast<int>(model.bodies.size() + p);
    items_[p] = {bounding_box(shape.geometry, pose_[p], margin + reach_[p]), group, body.mobility == Mobility::dynamic};
  }
  contacts_.clear();
  for (const auto& [first, second] : broad_phase_.find_pairs(items_)) add_pair(model, state, settings, first, second);
  std::sort(contacts_.begin(), contacts_.end(), [](const Contact& a, const Contact& b) { return a.key < b.key; });
  return contacts_;
}

/// A planar body and a spatial one have no common contact law.
bool Detector::lies_in_plane(const Body& a, const Body& b) {
  const bool planar = takes_part_in_plane(a) || takes_part_in_plane(b);
  if (planar && (takes_part_in_space(a) || takes_part_in_space(b))) {
    throw InputError(
        fmt::format("bodies \"{}\" and \"{}\" touch: a dynamic planar body and a dynamic spatial one cannot; "
                    "both may touch the same fixed or kinematic body",
                    a.name, b.name));
  }
  return planar;
}

/// Leaves the pair's points in manifold_.
void Detector::find_points(const Model& model, const StepSettings& settings, int first, int second) {
  const Body& body_a = model.bodies[pieces_[first].body];
  const Body& body_b = model.bodies[pieces_[second].body];
  const double size = size_of(pieces_[first], pieces_[second]);
  double margin = settings.margin > 0.0 ? settings.margin : default_margin * size;
  margin += reach_[first] + reach_[second];
  if (settings.scheme == Scheme::moreau_jean) margin = touching * size;
  manifold_.clear();
  try {
    collide(body_a.shapes[pieces_[first].shape].geometry, pose_[first], body_b.shapes[pieces_[second].shape].geometry,
            pose_[second], margin, manifold_);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("bodies \"{}\" and \"{}\" come near each other: {}", body_a.name, body_b.name, error.what()));
  }
}

/// What all contacts of the pair have in common.
Contact Detector::contact_of(const Model& model, const SurfacePair& surface, int first, int second) const {
  const Body& body_a = model.bodies[pieces_[first].body];
  const Body& body_b = model.bodies[pieces_[second].body];
  const bool may_turn = turns(body_a) || turns(body_b);
  Contact contact;
  contact.key = {first, second, 0};
  contact.body_a = pieces_[first].body;
  contact.body_b = pieces_[second].body;
  contact.stencil_a = pieces_[first].stencil;
  contact.stencil_b = pieces_[second].stencil;
  contact.gap_rounding = gap_rounding * smaller_radius_of_gyration(body_a, body_b);
  contact.restitution = surface.restitution;
  contact.law = friction_law(model.friction, surface);
  contact.static_ratio = surface.static_ratio;
  contact.slip_velocity = surface.slip_velocity;
  contact.mu_rolling = may_turn ? surface.mu_rolling : 0.0;
  contact.mu_torsional = may_turn ? surface.mu_torsional : 0.0;
  return contact;
}

void Detector::add_pair(const Model& model, const State& state, const StepSettings& settings, int first, int second) {
  const Piece& a = pieces_[first];
  const Piece& b = pieces_[second];
  if (never_touch(a, b)) return;
  const bool planar = lies_in_plane(model.bodies[a.body], model.bodies[b.body]);
  find_points(model, settings, first, second);
  if (manifold_.empty()) return;
  const SurfacePair surface = mix(model.materials, model.material_pairs, model.bodies[a.body].shapes[a.shape].material,
                                  model.bodies[b.body].shapes[b.shape].material);
  const bool grained = !planar && surface.anisotropy;
  const int grained_body = surface.anisotropy_on_first ? a.body : b.body;
  const double size = size_of(a, b);
  const auto touches = [&](const ManifoldPoint& point) { return point.gap <= adhesion_range * size; };
  const auto touching_points = std::count_if(manifold_.begin(), manifold_.end(), touches);
  Contact contact = contact_of(model, surface, first, second);
  const Law law = contact.law;
  contact.rows = planar ? 2 : 3;
  for (const ManifoldPoint& point : manifold_) {
    contact.key.feature = point.feature;
    contact.on_a = point.on_a;
    contact.on_b = point.on_b;
    contact.gap = point.gap;
    contact.law = law;
    contact.adhesion = touches(point) ? surface.adhesion / static_cast<double>(touching_points) : 0.0;
    contact.basis = planar ? planar_basis(point.normal) : basis_from_normal(point.normal);
    if (grained) set_grain(state.bodies[grained_body].pose.orientation * surface.anisotropy->direction, contact);
    contacts_.push_back(contact);
  }
}

}  // namespace cardhouse
