#include "cardhouse/report/rest_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cardhouse/geometry/aabb.h"
#include "cardhouse/world/divergence.h"

namespace cardhouse {
namespace {

/// m; of a half-space the size of the scene, over which it sweeps when it turns.
double radius_of(const Body& body, double scene_size) {
  double radius = 0.0;
  for (const Shape& shape : body.shapes) {
    const double own = bounding_radius(shape);
    radius = std::max(radius, std::isfinite(own) ? own : scene_size);
  }
  return radius;
}

double beginning(const ConstantVelocity&) {
  return 0.0;
}
double beginning(const Shaking&) {
  return 0.0;
}
double beginning(const Tilting& motion) {
  return motion.start;
}
double beginning(const LiftAndShake& motion) {
  return motion.amplitude.isZero(0.0) ? motion.start : std::max(motion.start, motion.shake_start);
}

}  // namespace

RestWatch::RestWatch(const Scene& scene, const State& start, std::vector<int> bodies, int frame)
    : bodies_(std::move(bodies)), frame_(frame), quiet_since_(start.time), time_(start.time) {
  if (frame_ >= 0) {
    for (const int body : bodies_) last_centres_.push_back(seen_centre(start, body));
  }
  const double size = scene_size(scene.model, scene.initial);
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    const Body& body = scene.model.bodies[i];
    radii_.push_back(radius_of(body, size));
    if (!body.motion) continue;
    moved_.push_back(static_cast<int>(i));
    const double begins = std::visit([](const auto& motion) { return beginning(motion); }, *body.motion);
    last_beginning_ = std::max(last_beginning_, begins);
  }
}

Vec3 RestWatch::seen_centre(const State& state, int body) const {
  return state.bodies[frame_].pose.apply_inverse(state.bodies[body].pose.position);
}

double RestWatch::speed_of(const State& state, std::size_t index) const {
  const int body = bodies_[index];
  const BodyState& own = state.bodies[body];
  if (frame_ < 0) return own.linear.norm() + radii_[body] * own.angular.norm();
  const double passed = state.time - time_;
  const double way = passed > 0.0 ? (seen_centre(state, body) - last_centres_[index]).norm() / passed : 0.0;
  return way + radii_[body] * (own.angular - state.bodies[frame_].angular).norm();
}

void RestWatch::see(const State& state) {
  speed_ = 0.0;
  fastest_ = -1;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const double own = speed_of(state, i);
    if (own <= speed_) continue;  // a speed that is not a number is the fastest
    speed_ = own;
    fastest_ = bodies_[i];
    if (std::isnan(own)) break;
  }
  time_ = state.time;
  for (std::size_t i = 0; i < last_centres_.size(); ++i) last_centres_[i] = seen_centre(state, bodies_[i]);
  const auto is_slow = [&](int body) {
    const BodyState& own = state.bodies[body];
    return own.linear.norm() + radii_[body] * own.angular.norm() <= rest_speed;
  };
  const bool still = frame_ >= 0 || std::all_of(moved_.begin(), moved_.end(), is_slow);
  if (!(speed_ <= rest_speed) || !still || time_ < last_beginning_) quiet_since_ = time_;
}

bool RestWatch::at_rest() const {
  // Times are sums of steps: a hair less than the time is the time.
  return time_ - quiet_since_ >= (1.0 - 1e-9) * rest_time;
}

}  // namespace cardhouse
