#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cardhouse/laws/law.h"
#include "cardhouse/math/types.h"

namespace cardhouse {

/// Friction that differs by direction: mu along `direction`, mu_cross across it. Where the direction leaves the contact
/// plane by an angle, mu along its part in the plane is √(mu² cos² + mu_cross² sin²): where it is the normal, all of
/// the plane is across it.
struct Anisotropy {
  double mu_cross = 0.0;           ///< (−), ≥ 0
  Vec3 direction = Vec3::UnitX();  ///< fixed in the body's frame
};

struct Material {
  std::string name = "default";
  double mu = 0.5;           ///< coefficient of friction (−), ≥ 0; the kinetic one when mu_static is given
  double restitution = 0.0;  ///< Newton's coefficient (−), in [0, 1]
  std::optional<Anisotropy> anisotropy;
  std::optional<double> mu_static = {};  ///< (−), ≥ mu: of a contact that sticks; none: mu
  double slip_velocity = 0.01;           ///< m/s, > 0: slip speed at which friction has fallen most of the way to mu
  double mu_rolling = 0.0;               ///< m, ≥ 0: the lever arm of the normal force against rolling
  double mu_torsional = 0.0;             ///< m, ≥ 0: the same against spinning about the normal
  double adhesion = 0.0;                 ///< N, ≥ 0: what it takes to pull two shapes off each other
};

/// Values for one pair of materials, in place of the mixed ones. A value that is not given is mixed; mu_cross and
/// mu_static then keep their ratio to mu.
struct MaterialPair {
  int first = 0;  ///< index into Model::materials
  int second = 0;
  double mu = 0.5;
  double restitution = 0.0;
  std::optional<double> mu_cross = {};  ///< across the grain, if one of the materials has one
  std::optional<double> mu_static = {};
  std::optional<double> slip_velocity = {};
  std::optional<double> mu_rolling = {};
  std::optional<double> mu_torsional = {};
  std::optional<double> adhesion = {};
};

/// mu, mu_cross, mu_static, slip_velocity: geometric means; all else: the larger one; unless a MaterialPair says
/// otherwise.
struct SurfacePair {
  double mu = 0.0;
  double mu_cross = 0.0;
  double restitution = 0.0;
  double static_ratio = 1.0;  ///< mu_static/mu (−), ≥ 1
  double slip_velocity = 0.01;
  double mu_rolling = 0.0;
  double mu_torsional = 0.0;
  double adhesion = 0.0;
  const Anisotropy* anisotropy = nullptr;  ///< null when isotropic
  bool anisotropy_on_first = true;         ///< which side's body carries the direction
};

/// Ratio of the friction at the slip speed `speed` (m/s) to the kinetic friction: 1 + (ratio − 1) exp(−(speed/v_s)²),
/// the falling part of Stribeck's curve (Armstrong-Hélouvry, Dupont & Canudas de Wit 1994, exponent 2).
double friction_factor(double static_ratio, double slip_velocity, double speed);

SurfacePair mix(const std::vector<Material>& materials, const std::vector<MaterialPair>& overrides, int first,
                int second);

}  // namespace cardhouse
