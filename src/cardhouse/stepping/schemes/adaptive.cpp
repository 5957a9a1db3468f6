#include "cardhouse/stepping/schemes/adaptive.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/stepping/records/carried_impulses.h"

namespace cardhouse {
namespace {

constexpr double default_part = 1e-3;    // of the largest step: the least one
constexpr double hair = 1e-9;            // of the time to a collision
constexpr double safety = 0.9;           // of the length that would just meet the tolerance
constexpr double least_shrinking = 0.5;  // of a step that was not kept
constexpr double most_shrinking = 0.1;
constexpr double most_growing = 2.0;
constexpr int most_rejections = 100;  // halvings from the largest step allowed to the least one are 70

/// n·v at the start; bodies that are moved have their velocity of the step.
double start_velocity(const Model& model, const Contact& contact, const State& state,
                      std::span<const Prediction> predictions) {
  const auto velocity = [&](int body, const Stencil& stencil) -> Vec3 {
    const Vec3 arm = contact.point() - origin_of(state.bodies[body], stencil);
    if (model.bodies[body].mobility != Mobility::dynamic) {
      return point_velocity(predictions[body], stencil, arm);
    }
    return point_velocity(state.bodies[body], stencil, arm);
  };
  return contact.normal().dot(velocity(contact.body_a, contact.stencil_a) -
                              velocity(contact.body_b, contact.stencil_b));
}

/// The first t > 0 with gap + t (u + t a) = 0; infinite when there is none.
double first_root(double gap, double u, double a) {
  const double inside = u * u - 4.0 * a * gap;
  if (!(inside >= 0.0)) return std::numeric_limits<double>::infinity();
  const double below = std::sqrt(inside) - u;  // the form without cancellation where the contact approaches
  return below > 0.0 ? 2.0 * gap / below : std::numeric_limits<double>::infinity();
}

double radius_of(const Body& body) {
  double radius = 0.0;
  for (const Shape& shape : body.shapes) {
    const double own = bounding_radius(shape);
    if (std::isfinite(own)) radius = std::max(radius, own);
  }
  return radius;
}

}  // namespace

double least_step(const StepSettings& settings) {
  return settings.least_step > 0.0 ? settings.least_step : default_part * settings.step;
}

double time_to_collision(const Model& model, const State& state, std::span<const Contact> contacts,
                         std::span<const Prediction> predictions, const StepSettings& settings) {
  const double largest = settings.step;
  const double least = least_step(settings);
  const bool moreau_jean = settings.scheme == Scheme::moreau_jean;
  double first = largest;
  for (const Contact& contact : contacts) {
    const double start = start_velocity(model, contact, state, predictions);
    const double acceleration = (normal_velocity(contact, state, predictions) - start) / largest;
    const double t = contact.gap > 0.0 ? first_root(contact.gap, start, (moreau_jean ? 0.5 : 1.0) * acceleration) : 0.0;
    if (!(t < largest)) continue;
    const double approach = -(start + t * acceleration);
    const bool fast = approach > std::abs(acceleration) * largest && approach * largest > settings.error_tolerance;
    if (!fast) continue;
    if (t < least) {
      if (contact.restitution > 0.0 && settings.contact == ContactModel::hard) first = least;
      continue;
    }
    // A hair before the contact, so that rounding does not make it collide within this step; the Moreau–Jean scheme
    // knows contacts only from the surface on.
    first = std::min(first, t * (moreau_jean ? 1.0 + hair : 1.0 - hair));
  }
  return first;
}

AdaptiveStep::AdaptiveStep(const Model& model, const StepSettings& settings) : settings_(settings) {
  for (const Body& body : model.bodies) radii_.push_back(radius_of(body));
}

const StepReport& AdaptiveStep::to_collision(StepProgram program, TimeStepping& verbs, const Model& model,
                                             State& state) {
  verbs.set_step(settings_.step);
  verbs.begin(state);
  verbs.predict(model, state);
  verbs.detect_ahead(model, state);
  const double h = time_to_collision(model, state, verbs.detected(), verbs.predictions(), settings_);
  return step_of_length(h, settings_.step, program, verbs, model, state);
}

double AdaptiveStep::error(const Model& model, const State& from, const State& to, double h) const {
  double worst = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].mobility != Mobility::dynamic) continue;
    const double linear = (to.bodies[i].linear - from.bodies[i].linear).norm();
    const double angular = (to.bodies[i].angular - from.bodies[i].angular).norm();
    const double own = 0.5 * h * (linear + radii_[i] * angular);
    if (!(own <= worst)) worst = own;  // NaN too
    const VecX nodes = to.bodies[i].node_velocities - from.bodies[i].node_velocities;
    for (Eigen::Index n = 0; n < nodes.size(); n += 3) {
      const double of_node = 0.5 * h * nodes.segment<3>(n).norm();
      if (!(of_node <= worst)) worst = of_node;
    }
  }
  return worst;
}

const StepReport& AdaptiveStep::by_error(StepProgram program, TimeStepping& verbs, const Model& model, State& state) {
  const double least = least_step(settings_);
  const auto allowed = [&](double h) { return std::clamp(h, least, settings_.step); };
  const auto wanted = [&](double error) {  // times as long; NaN for NaN
    return error == 0.0 ? most_growing : safety * std::sqrt(settings_.error_tolerance / error);
  };
  double h = allowed(state.next_step > 0.0 ? state.next_step : settings_.step);
  before_ = state;
  for (int rejected = 0;; ++rejected) {
    if (rejected >= most_rejections || verbs.out_of_time()) h = least;
    const StepReport& report = step_of_length(h, settings_.step, program, verbs, model, state);
    const double found = error(model, before_, state, h);
    const bool within = found <= settings_.error_tolerance;
    if (within || h <= least) {
      state.next_step = std::isnan(found) ? least : allowed(h * std::min(wanted(found), most_growing));
      verbs.tell_adaptive(rejected, !within);
      return report;
    }
    state = before_;
    const double factor = std::isnan(found) ? most_shrinking : wanted(found);
    h = allowed(h * std::clamp(factor, most_shrinking, least_shrinking));
  }
}

}  // namespace cardhouse
