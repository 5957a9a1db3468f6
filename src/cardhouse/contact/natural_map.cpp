#include "cardhouse/contact/natural_map.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "cardhouse/contact/law_projection.h"

namespace cardhouse {
namespace {

double tangential_norm(int dim, const double* x) {
  double sum = 0.0;
  for (int i = 1; i < dim; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

/// The nearest point of the cone ‖p_T‖ ≤ mu p_N.
void project_on_cone(double mu, int dim, const double* z, double* p) {
  const double t = tangential_norm(dim, z);
  if (mu * t <= -z[0]) {
    std::fill(p, p + dim, 0.0);
  } else if (t <= mu * z[0]) {
    std::copy(z, z + dim, p);
  } else {
    const double s = (z[0] + mu * t) / (1.0 + mu * mu);
    p[0] = s;
    for (int i = 1; i < dim; ++i) p[i] = mu * s * z[i] / t;
  }
}

bool has_round_cone(const Law& law, int dim) {
  return law.kind == Law::Kind::coulomb && (law.friction == FrictionShape::disk || dim <= 2);
}

bool has_nan(const Law& law) {
  return std::isnan(law.mu) || std::isnan(law.mu_cross) || std::isnan(law.lower) || std::isnan(law.upper);
}

/// The square of one group's share.
double error_squared(const Law& law, int dim, double load, const double* r, const double* u) {
  double z[3];
  double p[3];
  for (int i = 0; i < dim; ++i) z[i] = r[i] - u[i];
  if (has_round_cone(law, dim)) {
    z[0] -= law.mu * tangential_norm(dim, u);
    project_on_cone(law.mu, dim, z, p);
  } else {
    project_on_law(law, dim, z, load, p);
  }
  double sum = 0.0;
  for (int i = 0; i < dim; ++i) {
    if (!std::isfinite(z[i])) return std::numeric_limits<double>::infinity();  // a projection may hide it
    sum += (r[i] - p[i]) * (r[i] - p[i]);
  }
  return has_nan(law) ? std::numeric_limits<double>::infinity() : sum;
}

double divided(double error, double scale) {
  return scale < DBL_EPSILON ? error : error / scale;
}

}  // namespace

NaturalMap natural_map_error(const ContactProblem& problem, const VecX& r) {
  VecX q;
  VecX v;
  VecX u;
  free_velocity(problem, q);
  contact_velocity(problem, r, v, u);
  return natural_map_error(problem, r, q, u);
}

NaturalMap natural_map_error(const ContactProblem& problem, const VecX& r, const VecX& q, const VecX& u) {
  double sum = 0.0;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const double load = load_on(problem, g, r);
    sum += error_squared(problem.laws[g], rows.dim, load, r.data() + rows.row, u.data() + rows.row);
  }
  const double error = std::sqrt(sum);
  if (!std::isfinite(error)) return {error, error, error};
  const double q_norm = q.norm();
  return {error, divided(error, std::max({q_norm, r.norm(), u.norm()})), divided(error, q_norm)};
}

}  // namespace cardhouse
