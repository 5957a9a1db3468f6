// Closest point on an ellipse, and the separation of two ellipses.
//
// Point to ellipse (after Eberly 2013, "Distance from a point to an ellipse"). In the ellipse's axes, with
// e0 ≥ e1 and p in the first quadrant, the foot x obeys p − x = t (x0/e0², x1/e1²). Writing u = t/e1² + 1,
// z = (p0/e0, p1/e1) and k = (e0/e1)² − 1, the foot is on the ellipse where
//
//   F(u) = ((k+1) z0 / (u + k))² + (z1 / u)² − 1 = 0,     u > 0.
//
// F decreases and is convex, so Newton's method inside a bracket cannot miss the root. The variable u rather than
// t keeps full precision where p approaches the long axis and u approaches 0.
//
// Ellipse to ellipse. With n(θ) a unit vector, d = c_a − c_b and reach h(n) = √(nᵀ M n), the separation along n is
//
//   s(θ) = n·d − h_a(n) − h_b(n),
//
// and the answer is its maximum. S(x) = x·d − h_a(x) − h_b(x) is concave and homogeneous: where it is positive
// (ellipses apart) s has one local maximum, so climbing from a point with s > 0 finds it. Such a point comes from
// the concave maximisation along the line x = d/|d| + τ d⊥/|d|. When the ellipses overlap s may have several
// maxima; then the climb also starts at all local maxima of a fixed fan of directions, and the best one wins.
#include "cardhouse/collision/ellipse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "cardhouse/math/constants.h"

namespace cardhouse {

namespace {

/// The root u of F, bracketed between z1 (where the second term is 1) and hypot((k+1) z0, z1), or 1 when inside.
double solve_foot(double k, double z0, double z1, bool outside) {
  const double n0 = (k + 1.0) * z0;
  double low = z1;
  double high = outside ? std::hypot(n0, z1) : 1.0;
  double u = low;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const double q0 = n0 / (u + k);
    const double q1 = z1 / u;
    const double value = q0 * q0 + q1 * q1 - 1.0;
    (value > 0.0 ? low : high) = u;
    const double slope = -2.0 * (q0 * q0 / (u + k) + q1 * q1 / u);
    double next = u - value / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - u) <= epsilon * u) return next;
    u = next;
  }
  return u;
}

/// The foot for e0 ≥ e1 and p in the closed first quadrant.
Vec2 foot_in_quadrant(double e0, double e1, const Vec2& p) {
  if (p[1] > 0.0) {
    if (p[0] == 0.0) return {0.0, e1};
    const double z0 = p[0] / e0;
    const double z1 = p[1] / e1;
    const double k = (e0 - e1) * (e0 + e1) / (e1 * e1);
    const double u = solve_foot(k, z0, z1, z0 * z0 + z1 * z1 > 1.0);
    return {(k + 1.0) * p[0] / (u + k), p[1] / u};
  }
  // On the long axis, between the centres of curvature of its ends, the foot is off the axis.
  const double focal = (e0 - e1) * (e0 + e1);
  if (e0 * p[0] < focal) {
    const double c = e0 * p[0] / focal;
    return {e0 * c, e1 * std::sqrt((1.0 - c) * (1.0 + c))};
  }
  return {e0, 0.0};
}

/// s(θ) with its first two derivatives.
struct Slope {
  double value = 0.0;
  double first = 0.0;
  double second = 0.0;
};

class AngleSearch {
 public:
  AngleSearch(const PlacedEllipse& a, const PlacedEllipse& b)
      : shape_{shape_matrix(a), shape_matrix(b)}, offset_(a.centre - b.centre) {}

  Slope at(double theta) const {
    const Vec2 n(std::cos(theta), std::sin(theta));
    const Vec2 turned(-n[1], n[0]);
    Slope s{n.dot(offset_), turned.dot(offset_), -n.dot(offset_)};
    for (const Mat2& m : shape_) {
      const Vec2 mn = m * n;
      const double h = std::sqrt(n.dot(mn));
      const double h1 = turned.dot(mn) / h;
      s.value -= h;
      s.first -= h1;
      s.second -= (turned.dot(m * turned) - h * h) / h - h1 * h1 / h;
    }
    return s;
  }

  /// The direction where the concave S is largest on the line x = d/|d| + τ d⊥/|d|: there S'(τ) = 0, and S'(τ) falls.
  double direction_of_concave_maximum() const {
    const double middle = std::atan2(offset_[1], offset_[0]);
    const Vec2 across(-std::sin(middle), std::cos(middle));
    double low = -0.5 * pi;
    double high = 0.5 * pi;
    for (int iteration = 0; iteration < 60; ++iteration) {
      const double phi = 0.5 * (low + high);
      const Vec2 n(std::cos(middle + phi), std::sin(middle + phi));
      double slope = 0.0;
      for (const Mat2& m : shape_) slope -= across.dot(m * n) / std::sqrt(n.dot(m * n));
      (slope > 0.0 ? low : high) = phi;
    }
    return middle + 0.5 * (low + high);
  }

 private:
  static Mat2 shape_matrix(const PlacedEllipse& e) {
    const Vec2 squares = e.semi_axes.cwiseProduct(e.semi_axes);
    return e.rotation * squares.asDiagonal() * e.rotation.transpose();
  }

  std::array<Mat2, 2> shape_;
  Vec2 offset_;
};

/// The zero of s' between `up` (s' > 0) and `down` (s' ≤ 0).
double polish(const AngleSearch& s, double up, double down) {
  double theta = 0.5 * (up + down);
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Slope here = s.at(theta);
    (here.first > 0.0 ? up : down) = theta;
    double next = theta - here.first / here.second;
    if (!(next > std::min(up, down) && next < std::max(up, down))) next = 0.5 * (up + down);
    if (std::abs(next - theta) <= 2.0 * epsilon) return next;
    theta = next;
  }
  return theta;
}

/// Goes uphill from θ by growing steps until the slope turns, then polishes. Steps that would cross a valley shrink.
double climb(const AngleSearch& s, double theta) {
  Slope here = s.at(theta);
  if (here.first == 0.0) return theta;
  const double sign = here.first > 0.0 ? 1.0 : -1.0;
  double step = 1e-3;
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double ahead = theta + sign * step;
    const Slope there = s.at(ahead);
    if (there.first * sign <= 0.0) return polish(s, sign > 0.0 ? theta : ahead, sign > 0.0 ? ahead : theta);
    if (there.value >= here.value) {
      theta = ahead;
      here = there;
      step *= 2.0;
    } else {
      step *= 0.25;
    }
  }
  return theta;
}

}  // namespace

double PlacedEllipse::reach(const Vec2& direction) const {
  return (rotation.transpose() * direction).cwiseProduct(semi_axes).norm();
}

Vec2 PlacedEllipse::support(const Vec2& direction) const {
  const Vec2 scaled = (rotation.transpose() * direction).cwiseProduct(semi_axes);
  return centre + rotation * scaled.cwiseProduct(semi_axes) / scaled.norm();
}

EllipseFoot closest_on_ellipse(const PlacedEllipse& ellipse, const Vec2& p) {
  const Vec2 local = ellipse.rotation.transpose() * (p - ellipse.centre);
  const int major = ellipse.semi_axes[0] >= ellipse.semi_axes[1] ? 0 : 1;
  const Vec2 quadrant = foot_in_quadrant(ellipse.semi_axes[major], ellipse.semi_axes[1 - major],
                                         Vec2(std::abs(local[major]), std::abs(local[1 - major])));
  Vec2 foot;
  foot[major] = std::copysign(quadrant[0], local[major]);
  foot[1 - major] = std::copysign(quadrant[1], local[1 - major]);
  const Vec2 normal = foot.cwiseQuotient(ellipse.semi_axes.cwiseProduct(ellipse.semi_axes)).normalized();
  return {ellipse.centre + ellipse.rotation * foot, ellipse.rotation * normal, normal.dot(local - foot)};
}

EllipseSeparation separate_ellipses(const PlacedEllipse& a, const PlacedEllipse& b) {
  const AngleSearch s(a, b);
  const auto result = [&](double theta) {
    const Vec2 n(std::cos(theta), std::sin(theta));
    return EllipseSeparation{n, n.dot(a.centre - b.centre) - a.reach(n) - b.reach(n)};
  };

  const double start = s.direction_of_concave_maximum();
  const bool apart = s.at(start).value > 0.0;
  EllipseSeparation best = result(climb(s, start));
  if (apart) return best;

  constexpr int kFan = 64;
  std::array<double, kFan> values;
  for (int i = 0; i < kFan; ++i) values[i] = s.at(2.0 * pi * i / kFan).value;
  for (int i = 0; i < kFan; ++i) {
    if (values[i] < values[(i + kFan - 1) % kFan] || values[i] < values[(i + 1) % kFan]) continue;
    const EllipseSeparation other = result(climb(s, 2.0 * pi * i / kFan));
    if (other.gap > best.gap + epsilon * a.semi_axes.norm()) best = other;
  }
  return best;
}

}  // namespace cardhouse
