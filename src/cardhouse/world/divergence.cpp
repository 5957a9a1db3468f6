#include "cardhouse/world/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cardhouse {
namespace {

constexpr double most_sizes = 1e9;   // distances beyond have lost the digits that contacts need
constexpr double most_energy = 1e6;  // times what there was: steps that gain by rounding or large angles stay far below

constexpr double infinity = std::numeric_limits<double>::infinity();

void include(Aabb& box, const Vec3& point) {
  box.lower = box.lower.cwiseMin(point);
  box.upper = box.upper.cwiseMax(point);
}

void include_body(Aabb& box, const Body& body, const BodyState& state) {
  if (body.mobility == Mobility::dynamic || !body.shapes.empty()) include(box, state.pose.position);
  for (Eigen::Index n = 0; n < state.nodes.size(); n += 3) include(box, state.nodes.segment<3>(n));
  for (const Shape& shape : body.shapes) {
    if (std::holds_alternative<HalfSpace>(shape.geometry)) continue;
    const Aabb own = bounding_box(shape.geometry, shape_pose(shape, state), 0.0);
    include(box, own.lower);
    include(box, own.upper);
  }
}

double dynamic_mass(const Model& model) {
  double mass = 0.0;
  for (const Body& body : model.bodies) mass += body.mobility == Mobility::dynamic ? body.mass : 0.0;
  return mass;
}

/// m: of a body with nodes the farthest of these, which its centre may lie amid.
double distance_from(const Vec3& centre, const BodyState& state) {
  double farthest = (state.pose.position - centre).norm();
  for (Eigen::Index n = 0; n < state.nodes.size(); n += 3) {
    farthest = std::max(farthest, (state.nodes.segment<3>(n) - centre).norm());
  }
  return farthest;
}

/// The dynamic body with the most kinetic energy.
int fastest(const Model& model, const State& state) {
  int found = -1;
  double most = -1.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].mobility != Mobility::dynamic) continue;
    const double energy = kinetic_energy(model.bodies[i], state.bodies[i]);
    if (energy <= most) continue;
    most = energy;
    found = static_cast<int>(i);
  }
  return found;
}

std::string name_of(const Model& model, int body) {
  return body < 0 ? "the run" : fmt::format("body \"{}\"", model.bodies[static_cast<std::size_t>(body)].name);
}

}  // namespace

Aabb scene_box(const Model& model, const State& state) {
  Aabb box{Vec3::Constant(infinity), Vec3::Constant(-infinity)};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) include_body(box, model.bodies[i], state.bodies[i]);
  for (const Spring& spring : model.springs) {
    if (spring.second < 0) include(box, spring.point_second);
  }
  for (const Joint& joint : model.joints) {
    if (joint.second < 0) include(box, joint.frame_second.position);
  }
  return (box.lower.array() <= box.upper.array()).all() ? box : Aabb{};
}

double scene_size(const Model& model, const State& state) {
  const Aabb box = scene_box(model, state);
  const double diagonal = (box.upper - box.lower).norm();
  return diagonal > 0.0 ? diagonal : 1.0;
}

DivergenceWatch::DivergenceWatch(const Scene& scene, const State& start, const Energy& energy) {
  // By the scene's own start, so that a continued run is held to the same bounds.
  const Aabb box = scene_box(scene.model, scene.initial);
  centre_ = 0.5 * (box.lower + box.upper);
  size_ = scene_size(scene.model, scene.initial);
  const Energy initial = energy_of(scene.model, scene.initial);
  given_energy_ = initial.kinetic + std::abs(initial.potential);
  if (start.step != scene.initial.step) given_energy_ += energy.kinetic + std::abs(energy.potential);
  const double mass = dynamic_mass(scene.model);
  weights_energy_ = mass * scene.model.gravity.norm() * size_;
  const double crossing = size_ / scene.settings.step;
  crossing_energy_ = 0.5 * mass * crossing * crossing;
}

double DivergenceWatch::energy_bound() const {
  return std::max(most_energy * (given_energy_ + weights_energy_), crossing_energy_);
}

std::optional<Divergence> DivergenceWatch::see(const Model& model, const State& state, const StepReport& report,
                                               const Energy& energy) {
  const auto found = [&](int body, const std::string& what) {
    return Divergence{state.step, body, fmt::format("{} {}", name_of(model, body), what)};
  };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const int body = static_cast<int>(i);
    if (!is_finite(state.bodies[i])) return found(body, "has a position or velocity that is not finite");
    const double distance = distance_from(centre_, state.bodies[i]);
    if (model.bodies[i].mobility != Mobility::dynamic || distance <= most_sizes * size_) continue;
    return found(body, fmt::format("is {:.3g} m away, {:.0e} times the size of the scene, {:.3g} m", distance,
                                   most_sizes, size_));
  }
  given_energy_ += std::abs(report.work);
  const double total = energy.total();
  if (total <= energy_bound()) return std::nullopt;
  const int body = fastest(model, state);
  return found(body, fmt::format("has most of an energy of {:.3g} J, {:.0e} times what there was (bound {:.3g} J)",
                                 total, most_energy, energy_bound()));
}

}  // namespace cardhouse
