#include "cardhouse/optimization/central_cone.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "cardhouse/optimization/central_path.h"
#include "cardhouse/optimization/convex_set.h"

namespace cardhouse {
namespace {

/// Newton steps; twenty to thirty are usual from the axis to the last digits.
constexpr int most_cone_steps = 80;

struct ConeSides {
  std::vector<Vec3> normal;  ///< g_j
  std::vector<double> slack, multiplier;

  ConeSides(int count, double mu) : slack(count), multiplier(count) {
    for (int j = 0; j < count; ++j) {
      const double angle = (2 * j + 1) * std::numbers::pi / count;
      normal.emplace_back(mu * std::cos(std::numbers::pi / count), -std::cos(angle), -std::sin(angle));
    }
  }
  int count() const { return static_cast<int>(normal.size()); }
};

/// [g]ₓ with [g]ₓ x = g × x.
Mat3 cross_matrix(const Vec3& g) {
  Mat3 m;
  m << 0.0, -g.z(), g.y(), g.z(), 0.0, -g.x(), -g.y(), g.x(), 0.0;
  return m;
}

/// (H + κ I)⁻¹ by its adjugate and its determinant, side after side:
///     det(M + h g gᵀ) = det M + h gᵀ adj(M) g,   adj(M + h g gᵀ) = adj M + h [g]ₓ M [g]ₓᵀ.
/// All that is added is positive, so that the stiffest side does not drown the softest.
Mat3 inverse_with(const ConeSides& sides, double proximal) {
  Mat3 sum = proximal * Mat3::Identity();
  Mat3 adjugate = proximal * proximal * Mat3::Identity();
  double determinant = proximal * proximal * proximal;
  for (int j = 0; j < sides.count(); ++j) {
    const Vec3& g = sides.normal[j];
    const double h = sides.multiplier[j] / sides.slack[j];
    const Mat3 cross = cross_matrix(g);
    determinant += h * g.dot(adjugate * g);
    adjugate += h * cross * sum * cross.transpose();
    sum += h * g * g.transpose();
  }
  return adjugate / determinant;
}

/// The longest step, at most 1, that keeps slacks and multipliers positive.
double longest_step(const ConeSides& sides, const Vec3& dx, const std::vector<double>& dmultiplier) {
  double length = 1.0;
  for (int j = 0; j < sides.count(); ++j) {
    const double dslack = sides.normal[j].dot(dx);
    if (dslack < 0.0) length = std::min(length, -stay_inside * sides.slack[j] / dslack);
    if (dmultiplier[j] < 0.0) length = std::min(length, -stay_inside * sides.multiplier[j] / dmultiplier[j]);
  }
  return length;
}

/// On the axis, where x is for z = 0 or as far out as z.
Vec3 start(ConeSides& sides, double epsilon, const Vec3& z) {
  const Vec3 x(std::max(z.norm(), epsilon * std::sqrt(static_cast<double>(sides.count()))), 0.0, 0.0);
  for (int j = 0; j < sides.count(); ++j) {
    sides.slack[j] = sides.normal[j].dot(x);
    sides.multiplier[j] = std::max(epsilon * epsilon / sides.slack[j], z.norm() / sides.count());
  }
  return x;
}

/// Whether all products are ε² and x − z = Σ η g.
bool is_central(const ConeSides& sides, const Vec3& x, double epsilon, const Vec3& z) {
  const double target = epsilon * epsilon;
  Vec3 force = z - x;
  double pushed = 0.0;
  for (int j = 0; j < sides.count(); ++j) {
    if (!(std::abs(sides.slack[j] * sides.multiplier[j] - target) <= central * target)) return false;
    force += sides.multiplier[j] * sides.normal[j];
    pushed += sides.multiplier[j];
  }
  return force.norm() <= central * (z.norm() + epsilon) + multiplier_round_off * pushed;
}

/// A primal–dual Newton step (Wright 1997, chapter 5) towards products of a tenth of their mean, but not below ε².
void take_step(ConeSides& sides, double epsilon, const Vec3& z, Vec3& x) {
  double mean = 0.0;
  for (int j = 0; j < sides.count(); ++j) mean += sides.slack[j] * sides.multiplier[j] / sides.count();
  const double aim = std::max(epsilon * epsilon, 0.1 * mean);
  Vec3 force = z - x;
  for (int j = 0; j < sides.count(); ++j) force += aim / sides.slack[j] * sides.normal[j];
  const Vec3 dx = inverse_with(sides, 1.0) * force;
  std::vector<double> dmultiplier(sides.count());
  for (int j = 0; j < sides.count(); ++j) {
    const double stiffness = sides.multiplier[j] / sides.slack[j];
    dmultiplier[j] = aim / sides.slack[j] - sides.multiplier[j] - stiffness * sides.normal[j].dot(dx);
  }
  const double length = longest_step(sides, dx, dmultiplier);
  x += length * dx;
  for (int j = 0; j < sides.count(); ++j) {
    sides.slack[j] += length * sides.normal[j].dot(dx);
    sides.multiplier[j] += length * dmultiplier[j];
  }
}

/// At ε = 0: inside, on a side, on an edge or at the apex. The derivative is the projector onto that face's span.
CentralCone exact_projection(int sides, double mu, double proximal, const Vec3& z) {
  const ConvexSet cone{.kind = ConvexSet::Kind::polygonal_cone, .radius = mu, .radius_cross = mu, .sides = sides};
  CentralCone result;
  Mat3 derivative;
  project(cone, 3, z.data(), result.point.data(), derivative);
  result.gain = derivative / proximal;
  return result;
}

}  // namespace

CentralCone central_cone(int sides, double mu, double epsilon, double proximal, const Vec3& z) {
  if (!(epsilon > least_smoothing * z.norm())) return exact_projection(sides, mu, proximal, z);
  ConeSides all(sides, mu);
  CentralCone result;
  result.point = start(all, epsilon, z);
  bool last = false;
  for (int step = 0; step < most_cone_steps && !last; ++step) {
    last = is_central(all, result.point, epsilon, z);
    take_step(all, epsilon, z, result.point);
  }
  result.gain = inverse_with(all, proximal);
  return result;
}

}  // namespace cardhouse
