#include "cardhouse/stepping/rows/soft_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/geometry/aabb.h"
#include "cardhouse/stepping/records/warm_start.h"

namespace cardhouse {
namespace {

constexpr double sinking = 1e-4;       // part of the smallest body: below what is seen, far above round-off
constexpr double creep = 1e-3;         // m/s
constexpr double least_gravity = 1.0;  // m/s²: where there is none

/// Weight of all that moves (N).
double total_weight(const Model& model) {
  double mass = 0.0;
  for (const Body& body : model.bodies) mass += body.mobility == Mobility::dynamic ? body.mass : 0.0;
  return mass * std::max(model.gravity.norm(), least_gravity);
}

/// Of the smallest shape that moves (m); 1 m where nothing has a size.
double smallest_size(const Model& model) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Body& body : model.bodies) {
    if (body.mobility != Mobility::dynamic) continue;
    for (const Shape& shape : body.shapes) smallest = std::min(smallest, characteristic_size(shape.geometry));
  }
  return std::isfinite(smallest) && smallest > 0.0 ? smallest : 1.0;
}

Vec3 moved_at(const State& state, int body, const Stencil& stencil, const Vec3& point,
              std::span<const BodyMotion> moved) {
  return point_velocity(moved[body], stencil, point - origin_of(state.bodies[body], stencil));
}

/// How far the two sides of a contact have moved against each other, along its rows (m).
Vec3 moved_apart(const State& state, const Contact& contact, std::span<const BodyMotion> moved) {
  if (moved.empty()) return Vec3::Zero();
  const Vec3 point = contact.point();
  return contact.basis.transpose() * (moved_at(state, contact.body_a, contact.stencil_a, point, moved) -
                                      moved_at(state, contact.body_b, contact.stencil_b, point, moved));
}

}  // namespace

SoftContact complete(const SoftContact& given, const Model& model) {
  SoftContact soft = given;
  const double weight = total_weight(model);
  // Without dynamic bodies there are no contacts either; any number will do.
  const double stiffness = weight > 0.0 ? weight / (sinking * smallest_size(model)) : 1.0;
  if (soft.normal_stiffness == 0.0) soft.normal_stiffness = stiffness;
  if (soft.tangential_stiffness == 0.0) soft.tangential_stiffness = soft.normal_stiffness;
  if (soft.viscosity == 0.0) soft.viscosity = weight > 0.0 ? weight / creep : 1.0;
  return soft;
}

void soften(const SoftContact& soft, double h, const State& state, std::span<const Contact> contacts,
            const Island& island, const Anchors& anchors, VecX& impulses, ContactProblem& problem) {
  const double normal = 1.0 / (h * h * soft.normal_stiffness);
  const bool anchored = soft.stick == StickRule::anchored;
  const double tangential = anchored ? 1.0 / (h * h * soft.tangential_stiffness) : 1.0 / (h * soft.viscosity);
  impulses.setZero(problem.rows());
  start_contacts(anchors.last, contacts, island, impulses);
  int row = 0;
  for (const int c : island.contacts) {
    const Contact& contact = contacts[c];
    problem.compliance[row] = normal;
    problem.compliance.segment(row + 1, contact.rows - 1).setConstant(tangential);
    if (anchored) {
      const Vec3 moved = moved_apart(state, contact, anchors.moved);
      for (int i = 1; i < contact.rows; ++i) problem.b[row + i] += moved[i] / h - tangential * impulses[row + i];
    }
    row += contact.rows;
  }
}

double stored_energy(const SoftContact& soft, double h, std::span<const ContactRecord> contacts) {
  double energy = 0.0;
  for (const ContactRecord& contact : contacts) {
    const Vec3 force = contact.impulse / h;
    const double normal = force.dot(contact.normal);
    energy += 0.5 * normal * normal / soft.normal_stiffness;
    if (soft.stick != StickRule::anchored) continue;
    energy += 0.5 * (force - normal * contact.normal).squaredNorm() / soft.tangential_stiffness;
  }
  return energy;
}

}  // namespace cardhouse
