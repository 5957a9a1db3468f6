// Random problems that look like piles of boxes.
#pragma once

#include "contact/small_problems.h"

namespace cardhouse::testing {

/// Boxes in layers that rest on boxes of the layer below by up to four points each, under gravity and small pushes.
inline ContactProblem random_pile(unsigned seed, int boxes, const Law& law) {
  Random random(seed);
  ProblemBuilder builder;
  for (int i = 0; i < boxes; ++i) {
    const double mass = random.uniform(0.5, 2.0);
    builder.rigid(mass, mass * random.uniform(0.1, 0.3), Vec3(0, 0, -9.81e-3) + 5e-3 * Vec3(random.vector(3)),
                  5e-3 * Vec3(random.vector(3)));
  }
  constexpr int width = 3;
  for (int i = 0; i < boxes; ++i) {
    const int below = i < width ? -1 : (i / width - 1) * width + random.index(width);
    const Vec3 normal = (Vec3::UnitZ() + 0.2 * Vec3(random.vector(3))).normalized();
    const Mat3 frame = frame_of(normal);
    for (int point = 0; point < 4; ++point) {
      const Vec3 arm(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), -0.5);
      std::vector<std::pair<int, MatX>> sides{{i, ProblemBuilder::rigid_rows(frame, arm)}};
      if (below >= 0) sides.emplace_back(below, -ProblemBuilder::rigid_rows(frame, arm + Vec3::UnitZ()));
      const double gap_rate = point == 3 ? random.uniform(0.0, 0.02) : 0.0;
      builder.rows(law, sides, Vec3(gap_rate, 0, 0));
    }
  }
  return builder.problem;
}

/// Planar blocks on each other, by two points each on faces that need not be parallel, all in motion.
inline ContactProblem planar_pile(unsigned seed, int blocks, double mu) {
  Random random(seed);
  ProblemBuilder builder;
  for (int i = 0; i < blocks; ++i) {
    builder.body(planar_mass(1.0, random.uniform(0.02, 0.3)), Vec3(random.normal(), -1.0, random.normal()));
  }
  for (int i = 0; i < blocks; ++i) {
    for (int point = 0; point < 2; ++point) {
      const double slope = random.uniform(-0.6, 0.6);
      const Vec2 normal(std::sin(slope), std::cos(slope));
      const double x = random.uniform(-0.5, 0.5);
      std::vector<std::pair<int, MatX>> sides{{i, planar_rows(normal, Vec2(x, -0.5))}};
      if (i > 0) sides.emplace_back(i - 1, -planar_rows(normal, Vec2(x, 0.5)));
      builder.rows(coulomb(mu), sides, Vec2::Zero());
    }
  }
  return builder.problem;
}

}  // namespace cardhouse::testing
