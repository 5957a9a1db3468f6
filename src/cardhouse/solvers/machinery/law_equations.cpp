#include "cardhouse/solvers/machinery/law_equations.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "cardhouse/contact/law_projection.h"
#include "cardhouse/solvers/machinery/round_cone.h"

namespace cardhouse {
namespace {

/// Keeps the root's derivative finite where y² + w² touches the cone's boundary: round-off of the squares (−).
constexpr double least_root = 1e-14;

/// An element of the cone's Jordan algebra as the matrix that multiplies by it: [x_0 x_Tᵀ; x_T x_0 I].
Mat3 arrow(int dim, const Vec3& x) {
  Mat3 m = x[0] * Mat3::Identity();
  for (int i = 1; i < dim; ++i) m(0, i) = m(i, 0) = x[i];
  return m;
}

/// The square root in the Jordan algebra, of an element whose eigenvalues are not negative.
Vec3 jordan_root(int dim, const Vec3& x) {
  const double length = dim == 3 ? std::hypot(x[1], x[2]) : dim == 2 ? std::abs(x[1]) : 0.0;
  const double first = std::sqrt(std::max(x[0] - length, 0.0));
  const double second = std::sqrt(std::max(x[0] + length, 0.0));
  Vec3 root(0.5 * (first + second), 0.0, 0.0);
  for (int i = 1; i < dim && length > 0.0; ++i) root[i] = 0.5 * (second - first) * x[i] / length;
  return root;
}

double cone_equation(const RoundCone& cone, double rho, const double* r, const double* u, const double* center,
                     double proximal, NewtonRows* newton) {
  const int dim = cone.dim;
  const double root_rho = std::sqrt(rho);
  Vec3 y = Vec3::Zero();
  Vec3 w = Vec3::Zero();
  double squared_speed = 0.0;
  for (int i = 0; i < dim; ++i) {
    y[i] = cone.scale[i] * r[cone.row[i]] / root_rho;
    w[i] = root_rho * u[cone.row[i]] / cone.scale[i];
    if (i > 0) squared_speed += w[i] * w[i];
  }
  const double speed = std::sqrt(squared_speed);
  Vec3 gradient(1.0, 0.0, 0.0);  // of w_N + ‖w_T‖
  for (int i = 1; i < dim && speed > 0.0; ++i) gradient[i] = w[i] / speed;
  if (dim > 1) w[0] += speed;
  for (int i = 0; i < dim; ++i) {
    w[i] += proximal * cone.scale[i] * (r[cone.row[i]] - center[cone.row[i]]) / root_rho;
  }
  Vec3 squares = Vec3::Zero();
  squares[0] = y.squaredNorm() + w.squaredNorm();
  for (int i = 1; i < dim; ++i) squares[i] = 2.0 * (y[0] * y[i] + w[0] * w[i]);
  const Vec3 error = y + w - jordan_root(dim, squares);
  const double size = error.squaredNorm();
  if (!newton) return size;

  // (L_x − L_y) dy + (L_x − L_w) dw = −L_x E with x = (y² + w²)^½.
  squares[0] += least_root * squares[0];
  const bool at_origin = squares[0] == 0.0;  // where the function has a corner: the derivative of a middle direction
  const Vec3 x = at_origin ? Vec3(Vec3::UnitX()) : jordan_root(dim, squares);
  const Vec3 middle = std::sqrt(0.5) * Vec3::UnitX();
  const Mat3 lx = arrow(dim, x);
  const Mat3 by_w = lx - arrow(dim, at_origin ? middle : w);
  const Mat3 by_y = lx - arrow(dim, at_origin ? middle : y) + proximal * by_w;
  Mat3 sliding = Mat3::Identity();
  sliding.row(0) = gradient.transpose();
  // Coordinates beyond the cone's own must not make the matrix singular.
  Mat3 matrix = Mat3::Identity();
  matrix.topLeftCorner(dim, dim) = by_y.topLeftCorner(dim, dim);
  const Mat3 inverse = matrix.inverse();
  const Mat3 theta = inverse * by_w * sliding;
  const Vec3 step = -(inverse * (lx * error));
  for (int i = 0; i < dim; ++i) {
    newton->step[cone.row[i]] = root_rho * step[i] / cone.scale[i];
    for (int k = 0; k < dim; ++k) {
      newton->theta(cone.row[i], cone.row[k]) = rho * theta(i, k) / (cone.scale[i] * cone.scale[k]);
    }
  }
  return size;
}

}  // namespace

double alart_curnier(const Law& law, int dim, double rho, const double* r, const double* u, double load,
                     const double* center, double proximal, NewtonRows* newton) {
  double z[3];
  double p[3];
  for (int i = 0; i < dim; ++i) z[i] = r[i] - rho * u[i] - proximal * (r[i] - center[i]);
  Mat3 derivative;
  Vec3 by_load;
  if (newton) {
    project_on_law(law, dim, z, load, p, derivative, by_load);
  } else {
    project_on_law(law, dim, z, load, p);
  }
  Vec3 error = Vec3::Zero();
  for (int i = 0; i < dim; ++i) error[i] = r[i] - p[i];
  const double size = error.squaredNorm() / rho;
  if (!newton) return size;
  // (I − (1 − κ) P') dr + rho P' du − ∂P/∂load dload = −E
  const Mat3 inverse = (Mat3::Identity() - (1.0 - proximal) * derivative).inverse();
  newton->theta = rho * inverse * derivative;
  newton->step = -(inverse * error);
  newton->by_load = inverse * by_load;
  return size;
}

double fischer_burmeister(const Law& law, int dim, double rho, const double* r, const double* u, double load,
                          const double* center, double proximal, NewtonRows* newton) {
  const bool complementary = law.kind == Law::Kind::coulomb || (law.kind == Law::Kind::unilateral && dim == 1);
  if (!complementary) return alart_curnier(law, dim, rho, r, u, load, center, proximal, newton);
  const RoundCone cone(law, law.kind == Law::Kind::coulomb ? dim : 1);
  if (newton) {
    newton->theta.setZero();
    newton->step.setZero();
    newton->by_load.setZero();
  }
  double size = 0.0;
  for (int i = 1; i < dim; ++i) {  // tangents without friction: r = 0
    if (cone.has(i)) continue;
    if (newton) newton->step[i] = -r[i];
    size += r[i] * r[i] / rho;
  }
  return size + cone_equation(cone, rho, r, u, center, proximal, newton);
}

}  // namespace cardhouse
