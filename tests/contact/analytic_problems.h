// Problems whose exact solution is known: every law, sticking, slipping and taking off.
#pragma once

#include <cmath>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

#include "contact/small_problems.h"

namespace cardhouse::testing {

struct NamedProblem {
  std::string name;
  SolvedProblem solved;
};
inline void PrintTo(const NamedProblem& problem, std::ostream* out) {
  *out << problem.name;
}

/// Friction on the boundary of an ellipse opposes a velocity along the ellipse's normal there.
inline SolvedProblem slipping_on_ellipse(double mu, double mu_cross, double phi) {
  const Vec3 r(1.5, 1.5 * mu * std::cos(phi), 1.5 * mu_cross * std::sin(phi));
  const Vec3 u(0.0, -0.3 * std::cos(phi) / mu, -0.3 * std::sin(phi) / mu_cross);
  return particle_with(elliptic(mu, mu_cross), r, u);
}

/// On a side of the polygon, anywhere between its ends: the velocity is square to the side.
inline SolvedProblem slipping_on_polygon(double mu, int sides, int side, double part) {
  const auto vertex = [&](int k) {
    const double angle = 2.0 * std::numbers::pi * k / sides;
    return Vec2(1.5 * mu * std::cos(angle), 1.5 * mu * std::sin(angle));
  };
  const double middle = 2.0 * std::numbers::pi * (side + 0.5) / sides;
  Vec3 r;
  r << 1.5, (1.0 - part) * vertex(side) + part * vertex(side + 1);
  return particle_with(polygonal(mu, sides), r, Vec3(0.0, -0.7 * std::cos(middle), -0.7 * std::sin(middle)));
}

inline std::vector<NamedProblem> analytic_problems() {
  return {
      {"StickingParticle", particle_with(coulomb(0.5), Vec3(1.0, -0.2, 0.1), Vec3::Zero())},
      {"SlippingParticle", particle_with(coulomb(0.5), Vec3(1.0, -0.3, 0.4), Vec3(0, 0.6, -0.8))},
      {"ParticleTakingOff", particle_with(coulomb(0.5), Vec3::Zero(), Vec3(1.0, 2.0, -3.0))},
      {"FrictionlessParticle", particle_with(coulomb(0.0), Vec3(1, 0, 0), Vec3(0, 5, -7))},
      {"ParticleStickingOnEllipse", particle_with(elliptic(0.5, 0.1), Vec3(1.0, 0.4, 0.05), Vec3::Zero())},
      {"ParticleSlippingOnEllipse", slipping_on_ellipse(0.6, 0.2, 0.8)},
      {"ParticleSlippingAlongTheLongAxis", slipping_on_ellipse(0.6, 0.2, 0.0)},
      {"ParticleOnFlatEllipse", particle_with(elliptic(0.5, 0.0), Vec3(1.0, 0.5, 0), Vec3(0, -0.4, 9.0))},
      {"StripOfNodes", strip_of_nodes(7, 0.0)},
      {"SlippingStripOfNodes", strip_of_nodes(7, 0.02)},
      {"ParticleSlippingOnPolygon", slipping_on_polygon(0.5, 8, 2, 0.3)},
      {"ParticleSlippingOnLastSideOfPolygon", slipping_on_polygon(0.5, 6, 5, 0.9)},
      {"ParticleAtPolygonVertex", particle_with(polygonal(0.5, 8), Vec3(1, 0.5, 0), Vec3(0, -1.0, 0.2))},
      {"StickingPlanarParticle", particle_with(coulomb(0.5), Vec2(1.0, -0.2), Vec2::Zero())},
      {"SlippingPlanarParticle", particle_with(coulomb(0.5), Vec2(1.0, -0.5), Vec2(0, 0.6))},
      {"UnilateralRow", particle_with(of_kind(Law::Kind::unilateral), VecX::Ones(1), VecX::Zero(1))},
      {"EqualityRows", particle_with(of_kind(Law::Kind::equality), Vec3(1, -2, 3), Vec3::Zero())},
      {"RowWithinItsBounds", particle_with(bounded(-1, 2), VecX::Constant(1, 1.5), VecX::Zero(1))},
      {"RowAtItsLowerBound", particle_with(bounded(-1, 2), VecX::Constant(1, -1.0), VecX::Constant(1, 3.0))},
      {"RowAtItsUpperBound", particle_with(bounded(-1, 2), VecX::Constant(1, 2.0), VecX::Constant(1, -3.0))},
      {"BoxStack", box_stack(5)},
      {"HeavyTopOnBoxStack", box_stack(4, 100.0)},
      {"BoxStackWithPolygons", box_stack(3, 1.0, polygonal(0.4))},
      {"SlidingBox", sliding_box(0.6)},
      {"LeaningCards", leaning_cards(0.3, 0.8)},
      // Rolling and torsional friction: mu_rolling = 0.02 m, mu_torsional = 0.03 m at a normal impulse of 0.5 N s.
      {"BallThatRollsAndSpins", ball_on_floor({.contact = Vec3(0.5, 0.05, -0.02),
                                               .rolling = Vec2(0.006, -0.008),
                                               .torsional = 0.015,
                                               .angular_velocity = Vec3(-0.9, 1.2, -3.0)},
                                              0.4, 0.02, 0.03)},
      {"BallThatSlipsRollsAndSpins", ball_on_floor({.contact = Vec3(0.5, -0.12, 0.16),
                                                    .rolling = Vec2(-0.01, 0.0),
                                                    .torsional = -0.015,
                                                    .slip = Vec2(0.3, -0.4),
                                                    .angular_velocity = Vec3(2.0, 0.0, 5.0)},
                                                   0.4, 0.02, 0.03)},
      {"BallHeldByRollingFriction",
       ball_on_floor({.contact = Vec3(0.5, 0.05, -0.02), .rolling = Vec2(0.003, 0.007), .torsional = -0.01}, 0.4, 0.02,
                     0.03)},
      {"BallThatLiftsOff",
       ball_on_floor({.contact = Vec3::Zero(), .rolling = Vec2::Zero(), .angular_velocity = Vec3(1, 2, 3)}, 0.4, 0.02,
                     0.03)},
      {"BallThatRollsOnAPolygon", ball_on_floor({.contact = Vec3(0.5, 0.05, -0.02),
                                                 .rolling = Vec2(0.01, 0.0),
                                                 .torsional = 0.015,
                                                 .angular_velocity = Vec3(-1.5, 0.1, -3.0)},
                                                0.4, 0.02, 0.03, FrictionShape::polygon)},
      {"BrakedWheel", braked_wheel(0.6, 0.03)},
  };
}

}  // namespace cardhouse::testing
