#include "cardhouse/optimization/central_projection.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "cardhouse/optimization/central_path.h"
#include "cardhouse/optimization/convex_set.h"

namespace cardhouse {
namespace {

/// Newton steps; twenty are usual from the centre to the last digits.
constexpr int most_polygon_steps = 60;
/// R against ε below which the polygon is a point: stiffnesses (ε/R)⁴ would leave the range of numbers.
constexpr double least_radius = 1e-60;

struct PolygonSides {
  std::vector<Vec2> normal;
  std::vector<double> slack, multiplier;

  PolygonSides(int count, double inner_radius) : slack(count, inner_radius), multiplier(count) {
    for (int j = 0; j < count; ++j) {
      const double angle = (2 * j + 1) * std::numbers::pi / count;
      normal.emplace_back(std::cos(angle), std::sin(angle));
    }
  }
  int count() const { return static_cast<int>(normal.size()); }
};

/// H = Σ (η_j/s_j) a_j a_jᵀ. Its determinant is Σ h_j h_k (a_j × a_k)², a sum of positive terms, and keeps its digits
/// however stiff one side is.
struct Stiffness {
  Mat2 matrix = Mat2::Zero();
  double determinant = 0.0;

  explicit Stiffness(const PolygonSides& sides) {
    for (int j = 0; j < sides.count(); ++j) {
      const double h = sides.multiplier[j] / sides.slack[j];
      const Vec2& a = sides.normal[j];
      // PolygonSides before j: det(M + h a aᵀ) = det M + h (a⊥ · M a⊥).
      const Vec2 across(-a.y(), a.x());
      determinant += h * across.dot(matrix * across);
      matrix += h * a * a.transpose();
    }
  }

  /// (I + H)⁻¹ x.
  Vec2 solve_with_identity(const Vec2& x) const {
    Mat2 adjugate;
    adjugate << 1.0 + matrix(1, 1), -matrix(0, 1), -matrix(1, 0), 1.0 + matrix(0, 0);
    return adjugate * x / (1.0 + matrix.trace() + determinant);
  }
};

/// The longest step, at most 1, that keeps slacks and multipliers positive.
double longest_step(const PolygonSides& sides, const Vec2& dx, const std::vector<double>& dmultiplier) {
  double length = 1.0;
  for (int j = 0; j < sides.count(); ++j) {
    const double dslack = -sides.normal[j].dot(dx);
    if (dslack < 0.0) length = std::min(length, -stay_inside * sides.slack[j] / dslack);
    if (dmultiplier[j] < 0.0) length = std::min(length, -stay_inside * sides.multiplier[j] / dmultiplier[j]);
  }
  return length;
}

/// Walks from the centre to the point where all products are ε².
Vec2 find_central_point(PolygonSides& sides, double epsilon, const Vec2& z) {
  const double target = epsilon * epsilon;
  for (int j = 0; j < sides.count(); ++j) {
    sides.multiplier[j] = std::max(target / sides.slack[j], z.norm() / sides.count());
  }
  Vec2 x = Vec2::Zero();
  std::vector<double> dmultiplier(sides.count());
  bool last = false;
  for (int step = 0; step < most_polygon_steps; ++step) {
    double mean = 0.0;
    double off = 0.0;
    double pushed = 0.0;
    Vec2 force = z - x;
    for (int j = 0; j < sides.count(); ++j) {
      const double product = sides.slack[j] * sides.multiplier[j];
      mean += product / sides.count();
      off = std::max(off, std::abs(product - target));
      force -= sides.multiplier[j] * sides.normal[j];
      pushed += sides.multiplier[j];
    }
    if (last) break;
    last = off <= central * target && force.norm() <= central * (z.norm() + epsilon) + multiplier_round_off * pushed;
    const double aim = std::max(target, 0.1 * mean);
    for (int j = 0; j < sides.count(); ++j) {
      force -= (aim / sides.slack[j] - sides.multiplier[j]) * sides.normal[j];
    }
    const Vec2 dx = Stiffness(sides).solve_with_identity(force);
    for (int j = 0; j < sides.count(); ++j) {
      dmultiplier[j] =
          aim / sides.slack[j] - sides.multiplier[j] + sides.multiplier[j] / sides.slack[j] * sides.normal[j].dot(dx);
    }
    const double length = longest_step(sides, dx, dmultiplier);
    x += length * dx;
    for (int j = 0; j < sides.count(); ++j) {
      sides.slack[j] -= length * sides.normal[j].dot(dx);
      sides.multiplier[j] += length * dmultiplier[j];
    }
  }
  return x;
}

/// Eigenvectors, that of the larger eigenvalue first.
Mat2 axes_of(const Mat2& symmetric) {
  const double angle = 0.5 * std::atan2(2.0 * symmetric(0, 1), symmetric(0, 0) - symmetric(1, 1));
  Mat2 axes;
  axes << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  return axes;
}

void differentiate(const PolygonSides& sides, double inner, CentralProjection& result) {
  const Stiffness h(sides);
  Vec2 by_radius = Vec2::Zero();
  for (int j = 0; j < sides.count(); ++j) {
    by_radius += inner * sides.multiplier[j] / sides.slack[j] * sides.normal[j];
  }
  result.axes = axes_of(h.matrix);
  const double larger = 0.5 * h.matrix.trace() + std::hypot(0.5 * (h.matrix(0, 0) - h.matrix(1, 1)), h.matrix(0, 1));
  const Vec2 eigenvalues(larger, larger > 0.0 ? h.determinant / larger : 0.0);
  const Vec2 along = result.axes.transpose() * by_radius;
  for (int i = 0; i < 2; ++i) {
    result.slope[i] = 1.0 / (1.0 + eigenvalues[i]);
    result.complement[i] = eigenvalues[i] * result.slope[i];
    result.slope_radius[i] = along[i] * result.slope[i];
  }
}

/// At ε = 0: inside, on a side, or at a corner. Twice as large a picture has twice as far a point, hence
/// x = ∂x/∂z z + ∂x/∂R R.
CentralProjection exact_projection(int sides, double radius, const Vec2& z) {
  CentralProjection result;
  const ConvexSet polygon{.kind = ConvexSet::Kind::polygon, .radius = radius, .sides = sides};
  Mat3 derivative;
  project(polygon, 2, z.data(), result.point.data(), derivative);
  const Mat2 d = derivative.topLeftCorner<2, 2>();
  result.axes = axes_of(d);
  for (int i = 0; i < 2; ++i) {
    result.slope[i] = std::clamp(result.axes.col(i).dot(d * result.axes.col(i)), 0.0, 1.0);
    result.complement[i] = 1.0 - result.slope[i];
    if (radius > 0.0) result.slope_radius[i] = result.axes.col(i).dot(result.point - d * z) / radius;
  }
  return result;
}

}  // namespace

CentralProjection central_projection(int sides, double radius, double epsilon, const Vec2& z) {
  if (!(radius > least_radius * epsilon) || !(epsilon > least_smoothing * (radius + z.norm())))
    return exact_projection(sides, radius, z);
  const double inner = std::cos(std::numbers::pi / sides);
  PolygonSides all(sides, inner * radius);
  CentralProjection result;
  result.point = find_central_point(all, epsilon, z);
  differentiate(all, inner, result);
  return result;
}

}  // namespace cardhouse
