#include "cardhouse/stepping/rows/normal_rows.h"

#include <algorithm>
#include <cmath>

#include "cardhouse/stepping/records/warm_start.h"

namespace cardhouse {
namespace {

template <class Motion>
double normal_velocity_of(const Contact& contact, const State& places, std::span<const Motion> motions) {
  const auto velocity = [&](int body, const Stencil& stencil) -> Vec3 {
    const Vec3 arm = contact.point() - origin_of(places.bodies[body], stencil);
    return point_velocity(motions[body], stencil, arm);
  };
  return contact.basis.col(0).dot(velocity(contact.body_a, contact.stencil_a) -
                                  velocity(contact.body_b, contact.stencil_b));
}

/// The gap row, or the speed to leave with, whichever asks for more.
double newton_bias(const Contact& contact, const NormalRowsInput& in, double gap_row) {
  const double approach = normal_velocity(contact, in.state, in.state.bodies);
  const bool closes = contact.gap + in.settings.step * approach <= 0.0;
  return approach < 0.0 && closes ? std::min(gap_row, contact.restitution * approach) : gap_row;
}

double impact_bias(const Contact& contact, const NormalRowsInput& in, double gap_row) {
  const double approach = normal_velocity(contact, in.state, in.state.bodies);
  if (!collides(contact, in) || !rebounds(contact, in, approach)) return gap_row;
  return std::min(gap_row, contact.restitution * approach);
}

/// `hit`: the contact pushed in the step before. What is left of the gap counts, as in the slides: in the step after
/// the rebound, which was hit as well, the row then asks for nothing.
double lagged_bias(const Contact& contact, const NormalRowsInput& in, double gap_row, bool hit) {
  if (!hit || in.state.previous.empty()) return gap_row;
  const double approach = normal_velocity(contact, in.state, in.state.previous);
  if (!rebounds(contact, in, approach)) return gap_row;
  const double leave = contact.restitution * approach;
  return gap_row > 0.0 ? gap_row + leave : std::min(gap_row, leave);
}

double bias_of(const Contact& contact, const NormalRowsInput& in, bool hit) {
  const double gap_row = has_gap_rows(in.settings) ? gap_bias(contact, in.settings) : 0.0;
  // Springs bounce by themselves.
  if (in.settings.contact == ContactModel::soft || contact.restitution <= 0.0) return gap_row;
  switch (in.settings.restitution) {
    case Restitution::newton:
      return newton_bias(contact, in, gap_row);
    case Restitution::lagged:
      return lagged_bias(contact, in, gap_row, hit);
    case Restitution::impact:
      return impact_bias(contact, in, gap_row);
    case Restitution::poisson:
      break;
  }
  return gap_row;
}

}  // namespace

double normal_velocity(const Contact& contact, const State& places, std::span<const BodyState> bodies) {
  return normal_velocity_of(contact, places, bodies);
}

double normal_velocity(const Contact& contact, const State& places, std::span<const Prediction> predictions) {
  return normal_velocity_of(contact, places, predictions);
}

bool collides(const Contact& contact, const NormalRowsInput& input) {
  if (!(normal_velocity(contact, input.state, input.state.bodies) < 0.0)) return false;
  return contact.gap + input.settings.step * normal_velocity(contact, input.state, input.predictions) <= 0.0;
}

bool rebounds(const Contact& contact, const NormalRowsInput& input, double approach) {
  const auto forced = [&](int body, const Stencil& stencil) {
    const BodyState& old = input.state.bodies[body];
    const Prediction& p = input.predictions[body];
    if (stencil.count > 0) {
      const Vec3 change = weighted(stencil, p.node_velocities) - weighted(stencil, old.node_velocities);
      return std::abs(contact.normal().dot(change));
    }
    const Vec3 arm = contact.point() - old.pose.position;
    const Vec3 turned = (p.angular - old.angular).cross(arm);
    return std::abs(contact.normal().dot(p.linear - old.linear + turned));
  };
  return -contact.restitution * approach >
         std::max(forced(contact.body_a, contact.stencil_a), forced(contact.body_b, contact.stencil_b));
}

double gap_bias(const Contact& contact, const StepSettings& settings) {
  const double none = settings.contact == ContactModel::soft ? 0.0 : contact.gap_rounding;
  const double gap = contact.gap - std::clamp(contact.gap, -none, none);
  const double gamma = settings.stabilisation == Stabilisation::none ? 0.0 : settings.gamma;
  return ((gap >= 0.0 ? gap : gamma * gap) + contact.bend) / settings.step;
}

void write_normal_biases(const NormalRowsInput& input, const Island& island, VecX& impulses,
                         std::vector<double>& biases) {
  const bool lagged = input.settings.restitution == Restitution::lagged;
  if (lagged) {
    int rows = 0;
    for (const int c : island.contacts) rows += input.contacts[c].rows;
    impulses.setZero(rows);
    start_contacts(input.last, input.contacts, island, impulses);
  }
  biases.clear();
  int row = 0;
  for (const int c : island.contacts) {
    const Contact& contact = input.contacts[c];
    biases.push_back(bias_of(contact, input, lagged && impulses[row] > 0.0));
    row += contact.rows;
  }
}

}  // namespace cardhouse
