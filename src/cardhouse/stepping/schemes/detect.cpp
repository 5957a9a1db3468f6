#include "cardhouse/stepping/schemes/detect.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

/// Fraction of the smaller body's size below which a gap counts as closed in the Moreau–Jean scheme. There a contact
/// exists only while gap ≤ 0, and round-off must not open it.
constexpr double touching = 1e-9;

}  // namespace

Detector::Detector(const Model& model)
    : shapes_(model),
      reach_(shapes_.pieces().size()),
      pose_(shapes_.pieces().size()),
      items_(shapes_.pieces().size()) {}

/// How far any point of a piece of finite size gets in h seconds.
double Detector::reach(const ShapePiece& piece, const BodyMotion& motion, double h) const {
  if (piece.stencil.count > 0) return h * weighted(piece.stencil, motion.node_velocities).norm();
  const double turning = std::isfinite(piece.radius) ? motion.angular.norm() * piece.radius : 0.0;
  return h * (motion.linear.norm() + turning);
}

/// How far a half-space that turns about its centre gets in h seconds where other pieces are.
double Detector::sweep(const State& state, const ShapePiece& half_space, const BodyMotion& motion, double h) const {
  const double rate = motion.angular.norm();
  if (std::isfinite(half_space.radius) || rate == 0.0) return 0.0;
  double farthest = 0.0;
  for (const ShapePiece& piece : shapes_.pieces()) {
    if (piece.body == half_space.body || !std::isfinite(piece.radius)) continue;
    const Vec3 apart = origin_of(state.bodies[piece.body], piece.stencil) - state.bodies[half_space.body].pose.position;
    farthest = std::max(farthest, apart.norm() + piece.radius);
  }
  return h * rate * farthest;
}

bool Detector::outrun(const Model& model, std::span<const BodyMotion> motions, const StepSettings& settings) const {
  if (settings.scheme == Scheme::moreau_jean) return false;  // contacts exist while they touch, whatever the speed
  for (std::size_t p = 0; p < shapes_.pieces().size(); ++p) {
    const ShapePiece& piece = shapes_.pieces()[p];
    if (model.bodies[piece.body].mobility != Mobility::dynamic) continue;
    const double margin = ShapePairs::margin(settings, piece.size);
    if (reach(piece, motions[piece.body], settings.step) > reach_[p] + margin) return true;
  }
  return false;
}

std::vector<Contact>& Detector::detect(const Model& model, const State& state, std::span<const BodyMotion> motions,
                                       const StepSettings& settings) {
  for (std::size_t p = 0; p < shapes_.pieces().size(); ++p) {
    const ShapePiece& piece = shapes_.pieces()[p];
    const Body& body = model.bodies[piece.body];
    const Shape& shape = body.shapes[piece.shape];
    const BodyMotion& motion = motions[piece.body];
    pose_[p] = shape_pose(shape, state.bodies[piece.body]);
    reach_[p] = reach(piece, motion, settings.step) + sweep(state, piece, motion, settings.step);
    const double margin = ShapePairs::margin(settings, piece.size);
    // Shapes of one body do not meet, unless they move with different nodes.
    const int group = shape.node < 0 ? piece.body : static_cast<int>(model.bodies.size() + p);
    items_[p] = {bounding_box(shape.geometry, pose_[p], margin + reach_[p]), group, body.mobility == Mobility::dynamic};
  }
  contacts_.clear();
  for (const auto& [first, second] : broad_phase_.find_pairs(items_)) add_pair(model, state, settings, first, second);
  std::sort(contacts_.begin(), contacts_.end(), [](const Contact& a, const Contact& b) { return a.key < b.key; });
  return contacts_;
}

void Detector::add_pair(const Model& model, const State& state, const StepSettings& settings, int first, int second) {
  if (shapes_.never_touch(first, second)) return;
  const double size = shapes_.size_of(first, second);
  double margin = ShapePairs::margin(settings, size) + reach_[first] + reach_[second];
  if (settings.scheme == Scheme::moreau_jean) margin = touching * size;
  shapes_.find_points(model, first, second, pose_[first], pose_[second], margin, manifold_);
  shapes_.make_contacts(model, state, first, second, manifold_, contacts_);
}

}  // namespace cardhouse
