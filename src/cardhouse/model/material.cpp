#include "cardhouse/model/material.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {

SurfacePair mix(const std::vector<Material>& materials, const std::vector<MaterialPair>& overrides, int first,
                int second) {
  const Material& a = materials[first];
  const Material& b = materials[second];
  for (const MaterialPair& pair : overrides) {
    const bool same_order = pair.first == first && pair.second == second;
    const bool swapped = pair.first == second && pair.second == first;
    if (same_order || swapped) return {pair.mu, pair.mu, pair.restitution, nullptr, true};
  }
  SurfacePair result;
  result.mu = std::sqrt(a.mu * b.mu);
  result.mu_cross = result.mu;
  result.restitution = std::max(a.restitution, b.restitution);
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

}  // namespace cardhouse
