#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cardhouse/laws/law.h"
#include "cardhouse/math/types.h"

namespace cardhouse {

/// Friction that differs by direction: mu along `direction`, mu_cross across it.
struct Anisotropy {
  double mu_cross = 0.0;           ///< (−), ≥ 0
  Vec3 direction = Vec3::UnitX();  ///< fixed in the body's frame; its part in the contact plane counts
};

struct Material {
  std::string name = "default";
  double mu = 0.5;           ///< coefficient of friction (−), ≥ 0
  double restitution = 0.0;  ///< Newton's coefficient (−), in [0, 1]
  std::optional<Anisotropy> anisotropy;
};

/// What holds between two materials instead of their mixture.
struct MaterialPair {
  int first = 0;  ///< index into Model::materials
  int second = 0;
  double mu = 0.5;
  double restitution = 0.0;
};

/// mu: geometric mean; restitution: the larger one; unless a MaterialPair says otherwise.
struct SurfacePair {
  double mu = 0.0;
  double mu_cross = 0.0;
  double restitution = 0.0;
  const Anisotropy* anisotropy = nullptr;  ///< null when isotropic
  bool anisotropy_on_first = true;         ///< which side's body carries the direction
};

SurfacePair mix(const std::vector<Material>& materials, const std::vector<MaterialPair>& overrides, int first,
                int second);

}  // namespace cardhouse
