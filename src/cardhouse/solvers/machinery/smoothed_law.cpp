#include "cardhouse/solvers/machinery/smoothed_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/math/constants.h"
#include "cardhouse/optimization/central_cone.h"
#include "cardhouse/optimization/central_projection.h"
#include "cardhouse/solvers/machinery/round_cone.h"

namespace cardhouse {
namespace {

/// λ = positive − negative with positive · negative = ε², each without cancellation.
struct Parts {
  double positive = 0.0;
  double negative = 0.0;

  Parts(double lambda, double epsilon) {
    const double root = std::sqrt(lambda * lambda + 4.0 * epsilon * epsilon);
    const double larger = 0.5 * (root + std::abs(lambda));
    const double smaller = larger > 0.0 ? epsilon * epsilon / larger : 0.0;
    positive = lambda >= 0.0 ? larger : smaller;
    negative = lambda >= 0.0 ? smaller : larger;
  }
  /// Derivative of `positive`; at ε = λ = 0 any number in [0, 1] is one.
  double slope() const { return positive + negative > 0.0 ? positive / (positive + negative) : 0.5; }
};

/// The eigenvalues that a Newton step divides by and multiplies with, from an eigenvalue s of P': (1 − s + κ s)⁻¹ and
/// that times s. `complement` is 1 − s.
struct Eigenvalue {
  double inverse = 0.0;
  double ratio = 0.0;

  Eigenvalue(double slope, double complement, double proximal) {
    inverse = 1.0 / (complement + proximal * slope);
    ratio = slope * inverse;
  }
};

/// One row between bounds; infinite ones are not there.
double smoothed_row(double lower, double upper, double rho, double r, double u, double center, const Smoothing& s,
                    double* theta, double* step) {
  const double root = std::sqrt(rho);
  const double y = r / root;
  const double z = y - root * u - s.proximal * (r - center) / root;
  double value = z;
  double slope = 1.0;
  double complement = 0.0;
  if (lower > -infinity) {
    const Parts parts(z - lower / root, s.epsilon);
    value += parts.negative;
    slope = parts.slope();
    complement = 1.0 - slope;
    if (slope > 0.5) complement = parts.negative / (parts.positive + parts.negative);
  }
  if (upper < infinity) {
    const Parts parts(z - upper / root, s.epsilon);
    value -= parts.positive;
    slope -= parts.slope();
    complement += parts.slope();
  }
  const double error = y - value;
  if (theta) {
    const Eigenvalue e(std::max(slope, 0.0), complement, s.proximal);
    *theta = rho * e.ratio;
    *step = -root * error * e.inverse;
  }
  return error * error;
}

/// m = the matrix with eigenvalues first, second along (1, ∓direction) and `across` across it (Jordan frame of L).
void spectral(int dim, const double* direction, double first, double second, double across, Mat3& m) {
  const double mean = 0.5 * (first + second);
  const double half = 0.5 * (second - first);
  m.setZero();
  m(0, 0) = mean;
  for (int i = 1; i < dim; ++i) {
    m(0, i) = m(i, 0) = half * direction[i];
    for (int k = 1; k < dim; ++k) m(i, k) = (i == k ? across : 0.0) + (mean - across) * direction[i] * direction[k];
  }
}

double smoothed_cone(const RoundCone& cone, double rho, const double* r, const double* u, const double* center,
                     const Smoothing& s, NewtonRows* newton) {
  const int dim = cone.dim;
  const double root = std::sqrt(rho);
  double y[3];
  double w[3];
  double z[3];
  double squared_speed = s.delta * s.delta;
  for (int i = 0; i < dim; ++i) {
    y[i] = cone.scale[i] * r[cone.row[i]] / root;
    w[i] = root * u[cone.row[i]] / cone.scale[i];
    if (i > 0) squared_speed += w[i] * w[i];
  }
  const double speed = s.relaxed ? 0.0 : std::sqrt(squared_speed);
  if (!s.relaxed) w[0] += speed - s.delta;
  double squared = 0.0;
  for (int i = 0; i < dim; ++i) {
    z[i] = y[i] - w[i] - s.proximal * cone.scale[i] * (r[cone.row[i]] - center[cone.row[i]]) / root;
    if (i > 0) squared += z[i] * z[i];
  }
  const double length = std::sqrt(squared);
  double direction[3] = {0.0, 1.0, 0.0};
  for (int i = 1; length > 0.0 && i < dim; ++i) direction[i] = z[i] / length;
  const Parts first(z[0] - length, s.epsilon);
  const Parts second(z[0] + length, s.epsilon);
  double e[3];
  e[0] = y[0] - 0.5 * (first.positive + second.positive);
  for (int i = 1; i < dim; ++i) e[i] = y[i] - 0.5 * (second.positive - first.positive) * direction[i];
  double size = 0.0;
  for (int i = 0; i < dim; ++i) size += e[i] * e[i];
  if (!newton) return size;

  const auto complement = [](const Parts& p) {
    return p.positive + p.negative > 0.0 ? p.negative / (p.positive + p.negative) : 0.5;
  };
  const double total = first.positive + second.positive + first.negative + second.negative;
  const double across = total > 0.0 ? (first.positive + second.positive) / total : 0.5;
  const double across_complement = total > 0.0 ? (first.negative + second.negative) / total : 0.5;
  const Eigenvalue one(first.slope(), complement(first), s.proximal);
  const Eigenvalue two(second.slope(), complement(second), s.proximal);
  const Eigenvalue other(across, across_complement, s.proximal);
  Mat3 ratio;
  Mat3 inverse;
  spectral(dim, direction, one.ratio, two.ratio, other.ratio, ratio);
  spectral(dim, direction, one.inverse, two.inverse, other.inverse, inverse);
  // dw_N also has the change of the sliding speed.
  double gradient[3] = {1.0, 0.0, 0.0};
  for (int i = 1; speed > 0.0 && i < dim; ++i) gradient[i] = w[i] / speed;
  for (int i = 0; i < dim; ++i) {
    double step = 0.0;
    for (int k = 0; k < dim; ++k) {
      step -= inverse(i, k) * e[k];
      const double entry = k == 0 ? ratio(i, 0) : ratio(i, k) + ratio(i, 0) * gradient[k];
      newton->theta(cone.row[i], cone.row[k]) = rho * entry / (cone.scale[i] * cone.scale[k]);
    }
    newton->step[cone.row[i]] = root * step / cone.scale[i];
  }
  return size;
}

/// Friction in the disk of radius mu load.
double smoothed_disk(const Law& law, int dim, double rho, const double* r, const double* u, double load,
                     const double* center, const Smoothing& s, NewtonRows* newton) {
  const double root = std::sqrt(rho);
  const double radius = law.mu * std::max(load, 0.0) / root;
  double z[2] = {0.0, 0.0};
  for (int i = 0; i < dim; ++i) z[i] = r[i] / root - root * u[i] - s.proximal * (r[i] - center[i]) / root;
  const double length = std::hypot(z[0], z[1]);
  const double direction[2] = {length > 0.0 ? z[0] / length : 1.0, length > 0.0 ? z[1] / length : 0.0};
  const Parts low(length + radius, s.epsilon);
  const Parts high(length - radius, s.epsilon);
  const double shortened = length + low.negative - high.positive;
  double e[2] = {0.0, 0.0};
  for (int i = 0; i < dim; ++i) e[i] = r[i] / root - shortened * direction[i];
  const double size = e[0] * e[0] + e[1] * e[1];
  if (!newton) return size;

  const double complement = (1.0 - low.slope()) + high.slope();
  const double across = length > 0.0 ? std::clamp(shortened / length, 0.0, 1.0) : 1.0 - complement;
  const Eigenvalue along(std::max(1.0 - complement, 0.0), complement, s.proximal);
  const Eigenvalue aside(across, 1.0 - across, s.proximal);
  const double by_radius = load > 0.0 ? low.slope() + high.slope() - 1.0 : 0.0;
  for (int i = 0; i < dim; ++i) {
    newton->by_load[i] = law.mu * along.inverse * by_radius * direction[i];
    for (int k = 0; k < dim; ++k) {
      const double both = direction[i] * direction[k];
      const double other = (i == k ? 1.0 : 0.0) - both;
      newton->theta(i, k) = rho * (along.ratio * both + aside.ratio * other);
      newton->step[i] -= root * (along.inverse * both + aside.inverse * other) * e[k];
    }
  }
  return size;
}

/// Two rows of friction in the polygon of radius R (√J): e = y − x with the central projection x of z. `by_radius`
/// gets the change of a Newton step with R.
struct PolygonRows {
  double size = 0.0;
  Mat2 theta = Mat2::Zero();
  Vec2 step = Vec2::Zero();
  Vec2 by_radius = Vec2::Zero();

  PolygonRows(int sides, double radius, double rho, const double* r, const double* u, const double* center,
              const Smoothing& s) {
    const double root = std::sqrt(rho);
    const Vec2 y(r[0] / root, r[1] / root);
    Vec2 z = y;
    for (int i = 0; i < 2; ++i) z[i] -= root * u[i] + s.proximal * (r[i] - center[i]) / root;
    const CentralProjection x = central_projection(sides, radius, s.epsilon, z);
    const Vec2 e = y - x.point;
    size = e.squaredNorm();
    for (int i = 0; i < 2; ++i) {
      const Vec2 axis = x.axes.col(i);
      const Eigenvalue value(x.slope[i], x.complement[i], s.proximal);
      theta += rho * value.ratio * axis * axis.transpose();
      step -= root * value.inverse * axis.dot(e) * axis;
      by_radius += root * value.inverse * x.slope_radius[i] * axis;
    }
  }
};

/// Coulomb's law on a polygon, as the projection of the law has it: the normal row alone, friction in the polygon of
/// radius R = mu times what it is projected on, P. A Newton step changes P by dy_N + e_N, where
/// dy_N = −inverse e_N − ratio dw_N, and 1 − inverse = −(1 − κ) ratio.
double smoothed_polygonal_cone(const Law& law, double rho, const double* r, const double* u, const double* center,
                               const Smoothing& s, NewtonRows* newton) {
  const double root = std::sqrt(rho);
  const Parts normal(r[0] / root - root * u[0] - s.proximal * (r[0] - center[0]) / root, s.epsilon);
  const double e = r[0] / root - normal.positive;
  const PolygonRows friction(law.sides, law.mu * normal.positive, rho, r + 1, u + 1, center + 1, s);
  if (newton) {
    const double sum = normal.positive + normal.negative;
    const Eigenvalue value(normal.slope(), sum > 0.0 ? normal.negative / sum : 0.5, s.proximal);
    newton->theta(0, 0) = rho * value.ratio;
    newton->step[0] = -root * value.inverse * e;
    newton->theta.block<2, 2>(1, 1) = friction.theta;
    newton->theta.block<2, 1>(1, 0) = law.mu * root * value.ratio * friction.by_radius;
    newton->step.tail<2>() = friction.step - law.mu * (1.0 - s.proximal) * value.ratio * e * friction.by_radius;
  }
  return e * e + friction.size;
}

/// The cone program's law on a polygon: E = y − x with the central projection x of z onto the cone. A Newton step is
/// dy + gain dw = −(1 − P' + κ P')⁻¹ e = −(e + (1 − κ) gain e).
double relaxed_polygonal_cone(const Law& law, double rho, const double* r, const double* u, const double* center,
                              const Smoothing& s, NewtonRows* newton) {
  const double root = std::sqrt(rho);
  Vec3 y;
  Vec3 z;
  for (int i = 0; i < 3; ++i) {
    y[i] = r[i] / root;
    z[i] = y[i] - root * u[i] - s.proximal * (r[i] - center[i]) / root;
  }
  const CentralCone x = central_cone(law.sides, law.mu, s.epsilon, s.proximal, z);
  const Vec3 e = y - x.point;
  if (newton) {
    newton->theta = rho * x.gain;
    newton->step = -root * (e + (1.0 - s.proximal) * x.gain * e);
  }
  return e.squaredNorm();
}

/// Friction in the polygon of radius mu load.
double smoothed_polygon(const Law& law, double rho, const double* r, const double* u, double load, const double* center,
                        const Smoothing& s, NewtonRows* newton) {
  const double root = std::sqrt(rho);
  const PolygonRows rows(law.sides, law.mu * std::max(load, 0.0) / root, rho, r, u, center, s);
  if (newton) {
    newton->theta.topLeftCorner<2, 2>() = rows.theta;
    newton->step.head<2>() = rows.step;
    if (load > 0.0) newton->by_load.head<2>() = law.mu / root * rows.by_radius;
  }
  return rows.size;
}

/// A tangent without friction: r = 0.
double without_friction(int row, double rho, const double* r, NewtonRows* newton) {
  if (newton) newton->step[row] = -r[row];
  return r[row] * r[row] / rho;
}

}  // namespace

double smoothed_law(const Law& law, int dim, double rho, const double* r, const double* u, double load,
                    const double* center, const Smoothing& smoothing, NewtonRows* newton) {
  if (newton) {
    newton->theta.setZero();
    newton->step.setZero();
    newton->by_load.setZero();
  }
  const bool polygon = law.friction == FrictionShape::polygon;
  if (is_dependent(law)) {
    if (polygon && dim == 2) return smoothed_polygon(law, rho, r, u, load, center, smoothing, newton);
    return smoothed_disk(law, dim, rho, r, u, load, center, smoothing, newton);
  }
  if (law.kind == Law::Kind::coulomb) {
    if (polygon && dim == 3 && law.mu > 0.0) {
      const auto cone = smoothing.relaxed ? relaxed_polygonal_cone : smoothed_polygonal_cone;
      return cone(law, rho, r, u, center, smoothing, newton);
    }
    const RoundCone cone(law, dim);
    double size = 0.0;
    for (int i = 1; i < dim; ++i) {
      if (!cone.has(i)) size += without_friction(i, rho, r, newton);
    }
    if (cone.dim > 1) return size + smoothed_cone(cone, rho, r, u, center, smoothing, newton);
    return size + smoothed_row(0.0, infinity, rho, r[0], u[0], center[0], smoothing,
                               newton ? &newton->theta(0, 0) : nullptr, newton ? &newton->step[0] : nullptr);
  }
  double lower = -infinity;
  double upper = infinity;
  if (law.kind == Law::Kind::unilateral) lower = 0.0;
  if (law.kind == Law::Kind::bounded) {
    lower = law.lower;
    upper = law.upper;
  }
  double size = 0.0;
  for (int i = 0; i < dim; ++i) {
    size += smoothed_row(lower, upper, rho, r[i], u[i], center[i], smoothing, newton ? &newton->theta(i, i) : nullptr,
                         newton ? &newton->step[i] : nullptr);
  }
  return size;
}

}  // namespace cardhouse
