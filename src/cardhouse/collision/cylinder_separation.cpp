// Separating directions of a cylinder: the smooth one- and two-dimensional searches.
//
// With m a unit vector, ρ = |m⊥| its part across the cylinder's axis and m_z its part along it, the cylinder reaches
// h(m) = r ρ + h |m_z|. The function S(x) = x·p − h(x) is concave and homogeneous in x; the separation s(m) is S on
// the unit sphere. Hence, where S > 0, climbing cannot be trapped.
//
// Edge. On the circle m(φ) = cos φ u + sin φ w perpendicular to an edge, m_z = k cos(φ − β) with k² + edge_z² = 1.
// At the angles β + j π/2 the function has its kinks (m_z = 0: the generator touches; ρ least: the cap touches); in
// between it is smooth,
//
//   s'  = m'·p − r ρ' − σ h m'_z,   ρ'  = m⊥·m'⊥ / ρ,
//   s'' = −m·p − r ρ'' + σ h m_z,   ρ'' = (|m'⊥|² − |m⊥|²) / ρ − ρ'² / ρ,       σ = sign m_z.
//
// On the line x = m(β) + τ m(β + π/2) the maximum of the concave S is known, τ = ε q / √(1 − q²) with ε = |edge_z|
// and q = m(β + π/2)·p / r; it is the start that makes the search safe when ε is tiny and the maximum is narrow.
//
// Rims. For fixed signs σ the separation is that of two disks, s = m·d − r_a ρ_a − r_b ρ_b with d between their
// centres. It is smooth but at the two axes, and Newton's method on the sphere, damped, climbs it:
// Hessian on the tangent plane = Bᵀ S'' B − s I. A start near the top comes from Gilbert's (1966) method, which walks
// to the point of the difference of the two solids that is nearest to the origin: slow at the end, but never lost.
#include "cardhouse/collision/cylinder_separation.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>

#include "cardhouse/math/constants.h"

namespace cardhouse {

namespace {

/// The least distance from a kink (rad) at which slopes are evaluated.
constexpr double kBesideKink = 1e-13;

/// Steps shorter than this (rad) are left to the undamped Newton steps at the end.
constexpr double kShortStep = 1e-7;

/// A direction closer than this (as a cosine) to the plane across an axis may touch either rim.
constexpr double kEitherRim = 0.1;

void keep_better(CylinderSeparation& best, const CylinderSeparation& other) {
  if (other.value > best.value) best = other;
}

/// s(φ) on a circle of directions.
class Circle {
 public:
  Circle(const Cylinder& cylinder, const Vec3& p, const Vec3& u, const Vec3& w)
      : cylinder_(cylinder), p_(p), u_(u), w_(w) {}

  Vec3 direction(double phi) const { return std::cos(phi) * u_ + std::sin(phi) * w_; }

  CylinderSeparation at(double phi) const {
    const Vec3 m = direction(phi).normalized();
    return {m, m.dot(p_) - cylinder_reach(cylinder_, m)};
  }

  struct Slope {
    double value = 0.0;
    double first = 0.0;
    double second = 0.0;
  };

  /// `sign` is that of m_z on the smooth piece that φ belongs to.
  Slope slope(double phi, double sign) const {
    const double c = std::cos(phi);
    const double s = std::sin(phi);
    const Vec3 m = c * u_ + s * w_;
    const Vec3 turned = c * w_ - s * u_;
    const double rho = std::max(std::hypot(m.x(), m.y()), std::numeric_limits<double>::min());
    const double rho1 = (m.x() * turned.x() + m.y() * turned.y()) / rho;
    const double across = turned.x() * turned.x() + turned.y() * turned.y();
    const double rho2 = (across - rho * rho - rho1 * rho1) / rho;
    const double r = cylinder_.radius;
    const double h = sign * cylinder_.half_length;
    return {m.dot(p_) - r * rho - h * m.z(), turned.dot(p_) - r * rho1 - h * turned.z(),
            -m.dot(p_) - r * rho2 + h * m.z()};
  }

 private:
  const Cylinder& cylinder_;
  Vec3 p_;
  Vec3 u_;
  Vec3 w_;
};

/// The zero of s' between `up` (s' > 0) and `down` (s' ≤ 0).
double polish(const Circle& circle, double sign, double up, double down) {
  double phi = 0.5 * (up + down);
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Circle::Slope here = circle.slope(phi, sign);
    (here.first > 0.0 ? up : down) = phi;
    double next = phi - here.first / here.second;
    if (!(next > std::min(up, down) && next < std::max(up, down))) next = 0.5 * (up + down);
    if (std::abs(next - phi) <= 2.0 * epsilon) return next;
    phi = next;
  }
  return phi;
}

/// Goes uphill from φ within [low, high] by growing steps until the slope turns or the piece ends.
double climb(const Circle& circle, double sign, double low, double high, double phi, double step) {
  Circle::Slope here = circle.slope(phi, sign);
  const double way = here.first > 0.0 ? 1.0 : -1.0;
  const double end = way > 0.0 ? high : low;
  for (int iteration = 0; iteration < 200; ++iteration) {
    if (phi == end) return end;
    const double ahead = std::clamp(phi + way * step, low, high);
    const Circle::Slope there = circle.slope(ahead, sign);
    if (there.first * way <= 0.0) {
      return polish(circle, sign, way > 0.0 ? phi : ahead, way > 0.0 ? ahead : phi);
    }
    if (there.value >= here.value) {
      phi = ahead;
      here = there;
      step *= 2.0;
    } else {
      step *= 0.25;
    }
  }
  return phi;
}

/// The best separation on [low, high] of the circle spanned by u and w, both perpendicular to `edge`.
CylinderSeparation search_circle(const Cylinder& cylinder, const Vec3& p, const Vec3& edge, const Vec3& u,
                                 const Vec3& w, double low, double high) {
  const Circle circle(cylinder, p, u, w);
  const double beta = std::atan2(w.z(), u.z());
  const double quarter = 0.5 * pi;
  const double epsilon = std::abs(edge.z());
  CylinderSeparation best = circle.at(low);
  keep_better(best, circle.at(high));
  for (double j = std::floor((low - beta) / quarter); beta + j * quarter < high; j += 1.0) {
    const double start = std::max(low, beta + j * quarter);
    const double stop = std::min(high, beta + (j + 1.0) * quarter);
    if (!(stop > start)) continue;
    keep_better(best, circle.at(start));
    const double left = start + kBesideKink;
    const double right = stop - kBesideKink;
    if (!(right > left)) continue;
    const double sign = circle.direction(0.5 * (start + stop)).z() >= 0.0 ? 1.0 : -1.0;

    // The even multiples of a quarter turn are where ρ is least; measure from the one at this piece's end.
    const bool even = std::fmod(std::abs(j), 2.0) == 0.0;
    const double base = beta + (even ? j : j + 1.0) * quarter;
    const double side = even ? 1.0 : -1.0;
    const double q = circle.direction(base + side * quarter).dot(p) / cylinder.radius;
    const double tau = q <= 0.0 ? 0.0 : (q >= 1.0 ? 1e300 : epsilon * q / std::sqrt((1.0 - q) * (1.0 + q)));
    const double concave = std::clamp(base + side * std::atan(tau), left, right);
    for (const double from : {concave, left, right}) {
      const double step = 0.1 * std::max({std::abs(from - base), epsilon, 1e-9});
      keep_better(best, circle.at(climb(circle, sign, left, right, from, step)));
    }
  }
  return best;
}

/// Two unit vectors that complete the unit vector n to an orthonormal basis.
std::array<Vec3, 2> across(const Vec3& n) {
  int least = 0;
  n.cwiseAbs().minCoeff(&least);
  const Vec3 u = n.cross(Vec3::Unit(least)).normalized();
  return {u, n.cross(u)};
}

/// Two disks with axes `axes`, radii r and centres apart by d; see the head of this file.
struct Disks {
  Vec3 d = Vec3::Zero();
  std::array<Vec3, 2> axes{};
  std::array<double, 2> r{};

  double value(const Vec3& m) const {
    double s = m.dot(d);
    for (std::size_t k = 0; k < 2; ++k) s -= r[k] * m.cross(axes[k]).norm();
    return s;
  }

  Vec3 gradient(const Vec3& m, Mat3& hessian) const {
    Vec3 g = d;
    hessian.setZero();
    for (std::size_t k = 0; k < 2; ++k) {
      const Mat3 project = Mat3::Identity() - axes[k] * axes[k].transpose();
      const Vec3 part = project * m;
      const double rho = std::max(part.norm(), 1e-12);
      g -= r[k] * part / rho;
      hessian -= r[k] / rho * (project - part * part.transpose() / (rho * rho));
    }
    return g;
  }
};

/// A step of Newton's method on the sphere. Where s curves upwards (deep overlap) the concave part of the curvature
/// alone gives the step, so that it goes uphill all the same.
struct SphereStep {
  Eigen::Matrix<double, 3, 2> basis;
  Vec2 step = Vec2::Zero();

  Vec3 from(const Vec3& m) const { return (m + basis * step).normalized(); }
};

SphereStep newton_step(const Disks& disks, const Vec3& m, double s) {
  Mat3 hessian;
  const Vec3 gradient = disks.gradient(m, hessian);
  SphereStep result;
  const auto [u, w] = across(m);
  result.basis << u, w;
  Mat2 curvature = result.basis.transpose() * hessian * result.basis - s * Mat2::Identity();
  if (!(curvature(0, 0) < 0.0 && curvature.determinant() > 0.0)) {
    curvature += (s - std::abs(s) - 1e-6 * (disks.r[0] + disks.r[1])) * Mat2::Identity();
  }
  result.step = -curvature.inverse() * (result.basis.transpose() * gradient);
  const double length = result.step.norm();
  if (!(length < 0.5)) result.step *= 0.5 / length;
  return result;
}

Vec3 climb_disks(const Disks& disks, Vec3 m) {
  double s = disks.value(m);
  for (int iteration = 0; iteration < 100; ++iteration) {
    SphereStep trial = newton_step(disks, m, s);
    while (disks.value(trial.from(m)) <= s && trial.step.norm() > kShortStep) trial.step *= 0.25;
    if (trial.step.norm() <= kShortStep) break;
    m = trial.from(m);
    s = disks.value(m);
  }
  // Near the top the value cannot tell steps apart any more, but the slope still can.
  for (int iteration = 0; iteration < 3; ++iteration) {
    const SphereStep last = newton_step(disks, m, s);
    if (!(last.step.norm() < 1e-6)) break;
    m = last.from(m);
  }
  return m;
}

}  // namespace

CylinderSeparation separate_cylinder_point(const Cylinder& cylinder, const Vec3& p) {
  const double rho = std::hypot(p.x(), p.y());
  const Vec3 radial = rho > 0.0 ? Vec3(p.x() / rho, p.y() / rho, 0.0) : Vec3::UnitX();
  const Vec3 axial(0.0, 0.0, std::copysign(1.0, p.z()));
  const double beside = rho - cylinder.radius;
  const double above = std::abs(p.z()) - cylinder.half_length;
  if (beside > 0.0 && above > 0.0) {
    const double distance = std::hypot(beside, above);
    return {(beside * radial + above * axial) / distance, distance};
  }
  return beside > above ? CylinderSeparation{radial, beside} : CylinderSeparation{axial, above};
}

CylinderSeparation separate_cylinder_edge(const Cylinder& cylinder, const Vec3& p, const Vec3& edge, const Vec3& from,
                                          const Vec3& to) {
  const Vec3 normal = from.cross(to);
  const double angle = std::atan2(normal.norm(), from.dot(to));
  const Vec3 w = (edge.dot(normal) >= 0.0 ? edge : Vec3(-edge)).cross(from).normalized();
  return search_circle(cylinder, p, edge, from, w, 0.0, angle);
}

CylinderSeparation separate_cylinder_line(const Cylinder& cylinder, const Vec3& p, const Vec3& line) {
  const auto [u, w] = across(line);
  return search_circle(cylinder, p, line, u, w, 0.0, 2.0 * pi);
}

Vec3 rough_direction(const Cylinder& a, const Cylinder& b, const Vec3& centre, const Vec3& axis) {
  const auto point_of_a = [&](const Vec3& m) {
    const Vec2 side = a.radius * m.head<2>().stableNormalized();
    return Vec3(side.x(), side.y(), std::copysign(a.half_length, m.z()));
  };
  const auto point_of_b = [&](const Vec3& m) {
    const double along = m.dot(axis);
    return Vec3(centre - b.radius * (m - along * axis).stableNormalized() - std::copysign(b.half_length, along) * axis);
  };
  Vec3 x = centre;
  Vec3 best = x.stableNormalized();
  double value = -std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 60 && x.norm() > 0.0; ++iteration) {
    const Vec3 m = x.normalized();
    const Vec3 y = point_of_b(m) - point_of_a(m);
    if (m.dot(y) > value) {
      value = m.dot(y);
      best = m;
    }
    const double gain = x.dot(x - y);
    if (gain <= 1e-6 * x.squaredNorm()) break;
    x += std::min(1.0, gain / (x - y).squaredNorm()) * (y - x);
  }
  return best;
}

CylinderSeparation separate_rims(const Cylinder& a, const Cylinder& b, const Vec3& centre, const Vec3& axis,
                                 std::span<const Vec3> starts) {
  // A start decides which of its rims each cylinder shows, unless it is nearly perpendicular to the axis.
  const auto shows = [](double sign, double cosine) { return sign * cosine > -kEitherRim; };
  CylinderSeparation best;
  for (const Vec3& start : starts) {
    for (const double sign_a : {-1.0, 1.0}) {
      for (const double sign_b : {-1.0, 1.0}) {
        if (!shows(sign_a, start.z()) || !shows(sign_b, start.dot(axis))) continue;
        const Disks disks{centre - sign_a * a.half_length * Vec3::UnitZ() - sign_b * b.half_length * axis,
                          {Vec3::UnitZ(), axis},
                          {a.radius, b.radius}};
        const Vec3 m = climb_disks(disks, start);
        const double reach_b = b.radius * m.cross(axis).norm() + b.half_length * std::abs(m.dot(axis));
        keep_better(best, {m, m.dot(centre) - cylinder_reach(a, m) - reach_b});
      }
    }
  }
  return best;
}

}  // namespace cardhouse
