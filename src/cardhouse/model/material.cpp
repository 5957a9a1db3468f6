#include "cardhouse/model/material.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

/// Where mu is 0 there is no ratio to keep: what sticks has no friction either.
double ratio_to(double mu, double other) {
  return mu > 0.0 ? other / mu : 1.0;
}

/// Only materials with a mu_static have a velocity to tell.
double mixed_slip_velocity(const Material& a, const Material& b) {
  if (a.mu_static && b.mu_static) return std::sqrt(a.slip_velocity * b.slip_velocity);
  return a.mu_static ? a.slip_velocity : b.slip_velocity;
}

SurfacePair mixture(const Material& a, const Material& b) {
  SurfacePair result;
  result.mu = std::sqrt(a.mu * b.mu);
  result.mu_cross = result.mu;
  result.restitution = std::max(a.restitution, b.restitution);
  result.static_ratio = ratio_to(result.mu, std::sqrt(a.mu_static.value_or(a.mu) * b.mu_static.value_or(b.mu)));
  result.slip_velocity = mixed_slip_velocity(a, b);
  result.mu_rolling = std::max(a.mu_rolling, b.mu_rolling);
  result.mu_torsional = std::max(a.mu_torsional, b.mu_torsional);
  result.adhesion = std::max(a.adhesion, b.adhesion);
  // A direction is fixed in one body; when both materials have one, the first body's counts.
  const Material& grained = a.anisotropy ? a : b;
  if (grained.anisotropy) {
    // Across the grain each side counts with its own coefficient there.
    const auto across = [](const Material& m) { return m.anisotropy ? m.anisotropy->mu_cross : m.mu; };
    result.anisotropy = &*grained.anisotropy;
    result.anisotropy_on_first = a.anisotropy.has_value();
    result.mu_cross = std::sqrt(across(a) * across(b));
  }
  return result;
}

void replace(const MaterialPair& pair, SurfacePair& surface) {
  const double cross_ratio = ratio_to(surface.mu, surface.mu_cross);
  surface.mu = pair.mu;
  surface.mu_cross = surface.anisotropy ? pair.mu_cross.value_or(cross_ratio * pair.mu) : pair.mu;
  surface.restitution = pair.restitution;
  if (pair.mu_static) surface.static_ratio = ratio_to(pair.mu, *pair.mu_static);
  surface.slip_velocity = pair.slip_velocity.value_or(surface.slip_velocity);
  surface.mu_rolling = pair.mu_rolling.value_or(surface.mu_rolling);
  surface.mu_torsional = pair.mu_torsional.value_or(surface.mu_torsional);
  surface.adhesion = pair.adhesion.value_or(surface.adhesion);
}

}  // namespace

double friction_factor(double static_ratio, double slip_velocity, double speed) {
  if (static_ratio == 1.0) return 1.0;
  const double part = speed / slip_velocity;
  return 1.0 + (static_ratio - 1.0) * std::exp(-part * part);
}

SurfacePair mix(const std::vector<Material>& materials, const std::vector<MaterialPair>& overrides, int first,
                int second) {
  SurfacePair result = mixture(materials[first], materials[second]);
  for (const MaterialPair& pair : overrides) {
    const bool same_order = pair.first == first && pair.second == second;
    const bool swapped = pair.first == second && pair.second == first;
    if (!same_order && !swapped) continue;
    replace(pair, result);
    break;
  }
  return result;
}

}  // namespace cardhouse
