#include "cardhouse/report/rest_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cardhouse/geometry/aabb.h"
#include "cardhouse/report/body_points.h"
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

/// m/s: of the fastest point. Shapes do not turn about their nodes.
double speed_in_world(const BodyState& s, double radius) {
  if (s.nodes.size() == 0) return s.linear.norm() + radius * s.angular.norm();
  const Eigen::Map<const Eigen::Matrix3Xd> velocities(s.node_velocities.data(), 3, s.node_velocities.size() / 3);
  return velocities.colwise().norm().maxCoeff<Eigen::PropagateNaN>();
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
  if (frame_ >= 0) last_points_ = seen_points(start.bodies, bodies_, frame_);
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

double RestWatch::speed_of(const State& state, int body, std::size_t& at) const {
  const BodyState& own = state.bodies[body];
  if (frame_ < 0) return speed_in_world(own, radii_[body]);
  const double passed = state.time - time_;
  const double turning = radii_[body] * (own.angular - state.bodies[frame_].angular).norm();
  double speed = 0.0;
  for (int p = 0; p < point_count(own); ++p, ++at) {
    const Vec3 way = seen_point(state.bodies, body, p, frame_) - last_points_[at];
    const double now = (passed > 0.0 ? way.norm() / passed : 0.0) + turning;
    if (now <= speed) continue;
    speed = now;
    if (std::isnan(now)) break;
  }
  return speed;
}

void RestWatch::see(const State& state) {
  speed_ = 0.0;
  fastest_ = -1;
  std::size_t at = 0;
  for (const int body : bodies_) {
    const double own = speed_of(state, body, at);
    if (own <= speed_) continue;  // a speed that is not a number is the fastest
    speed_ = own;
    fastest_ = body;
    if (std::isnan(own)) break;
  }
  time_ = state.time;
  if (frame_ >= 0) last_points_ = seen_points(state.bodies, bodies_, frame_);
  const auto is_slow = [&](int body) { return speed_in_world(state.bodies[body], radii_[body]) <= rest_speed; };
  const bool still = frame_ >= 0 || std::all_of(moved_.begin(), moved_.end(), is_slow);
  if (!(speed_ <= rest_speed) || !still || time_ < last_beginning_) quiet_since_ = time_;
}

bool RestWatch::at_rest() const {
  // Times are sums of steps: a hair less than the time is the time.
  return time_ - quiet_since_ >= (1.0 - 1e-9) * rest_time;
}

}  // namespace cardhouse
