#include "cardhouse/optimization/convex_set.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cardhouse {
namespace {

void project_interval(const ConvexSet& set, int dim, const double* z, double* p, Mat3* derivative) {
  if (derivative) derivative->topLeftCorner(dim, dim).setZero();
  for (int i = 0; i < dim; ++i) {
    p[i] = std::clamp(z[i], set.lower, set.upper);
    if (derivative) (*derivative)(i, i) = p[i] == z[i] ? 1.0 : 0.0;
  }
}

void project_origin(int dim, double* p, Mat3* derivative) {
  std::fill(p, p + dim, 0.0);
  if (derivative) derivative->topLeftCorner(dim, dim).setZero();
}

void project_free(int dim, const double* z, double* p, Mat3* derivative) {
  std::copy(z, z + dim, p);
  if (derivative) derivative->topLeftCorner(dim, dim).setIdentity();
}

/// P z = R z/‖z‖ outside; P' = R/‖z‖ (I − ẑ ẑᵀ).
void project_disk(double radius, int dim, const double* z, double* p, Mat3* derivative) {
  double norm = std::abs(z[0]);
  if (dim == 2) norm = std::hypot(z[0], z[1]);
  if (norm <= radius) return project_free(dim, z, p, derivative);
  const double shrink = radius / norm;
  for (int i = 0; i < dim; ++i) p[i] = shrink * z[i];
  if (!derivative) return;
  for (int i = 0; i < dim; ++i) {
    for (int j = 0; j < dim; ++j) (*derivative)(i, j) = shrink * ((i == j ? 1.0 : 0.0) - z[i] * z[j] / (norm * norm));
  }
}

/// A segment along one axis: what is left of an ellipse with one semi-axis of length 0.
void project_flat_ellipse(int long_axis, double radius, const double* z, double* p, Mat3* derivative) {
  p[0] = p[1] = 0.0;
  p[long_axis] = std::clamp(z[long_axis], -radius, radius);
  if (!derivative) return;
  derivative->topLeftCorner<2, 2>().setZero();
  (*derivative)(long_axis, long_axis) = p[long_axis] == z[long_axis] ? 1.0 : 0.0;
}

/// p_i = z_i a_i²/(a_i² + λ) with the λ ≥ 0 that puts p on the ellipse. g(λ) = Σ (a_i z_i/(a_i² + λ))² − 1 is convex
/// and falling, so that Newton from a λ with g ≥ 0 rises to the root without overshooting.
void project_ellipse(double a1, double a2, const double* z, double* p, Mat3* derivative) {
  if (a1 <= 0.0 && a2 <= 0.0) return project_origin(2, p, derivative);
  if (a1 <= 0.0) return project_flat_ellipse(1, a2, z, p, derivative);
  if (a2 <= 0.0) return project_flat_ellipse(0, a1, z, p, derivative);
  const double s1 = z[0] / a1;
  const double s2 = z[1] / a2;
  if (s1 * s1 + s2 * s2 <= 1.0) return project_free(2, z, p, derivative);
  const double a1_squared = a1 * a1;
  const double a2_squared = a2 * a2;
  // A lower bound of the root: each term of g alone is at most 1 there.
  double lambda = std::max({0.0, a1 * std::abs(z[0]) - a1_squared, a2 * std::abs(z[1]) - a2_squared});
  for (int iteration = 0; iteration < 60; ++iteration) {
    const double d1 = a1_squared + lambda;
    const double d2 = a2_squared + lambda;
    const double t1 = a1 * z[0] / d1;
    const double t2 = a2 * z[1] / d2;
    const double g = t1 * t1 + t2 * t2 - 1.0;
    const double slope = -2.0 * (t1 * t1 / d1 + t2 * t2 / d2);
    const double next = lambda - g / slope;
    if (!(next > lambda)) break;  // round-off level: Newton no longer rises
    lambda = next;
  }
  const double w1 = a1_squared / (a1_squared + lambda);
  const double w2 = a2_squared / (a2_squared + lambda);
  p[0] = w1 * z[0];
  p[1] = w2 * z[1];
  if (!derivative) return;
  // (I + λS) P = z with S = diag(1/a²), n = S P: P' = B − B n nᵀ B/(nᵀ B n), B = (I + λS)⁻¹ = diag(w).
  const Vec2 n(p[0] / a1_squared, p[1] / a2_squared);
  const Vec2 bn(w1 * n.x(), w2 * n.y());
  Mat2 result = -bn * bn.transpose() / n.dot(bn);
  result(0, 0) += w1;
  result(1, 1) += w2;
  derivative->topLeftCorner<2, 2>() = result;
}

/// Which side of the regular polygon a direction points at: the one between vertices k and k + 1.
int polygon_side(int sides, double x, double y) {
  const double turn = std::atan2(y, x) / (2.0 * std::numbers::pi);
  const int k = static_cast<int>(std::floor((turn < 0.0 ? turn + 1.0 : turn) * sides));
  return std::min(k, sides - 1);
}

Vec2 polygon_vertex(const ConvexSet& set, int k) {
  const double angle = 2.0 * std::numbers::pi * k / set.sides;
  return set.radius * Vec2(std::cos(angle), std::sin(angle));
}

void project_polygon(const ConvexSet& set, const double* z, double* p, Mat3* derivative) {
  if (set.radius <= 0.0) return project_origin(2, p, derivative);
  const Vec2 point(z[0], z[1]);
  const int k = polygon_side(set.sides, z[0], z[1]);
  const Vec2 start = polygon_vertex(set, k);
  const Vec2 along = polygon_vertex(set, k + 1) - start;
  const Vec2 outward(along.y(), -along.x());
  if (outward.dot(point - start) <= 0.0) return project_free(2, z, p, derivative);
  const double s = along.dot(point - start) / along.squaredNorm();
  const Vec2 nearest = start + std::clamp(s, 0.0, 1.0) * along;
  p[0] = nearest.x();
  p[1] = nearest.y();
  if (!derivative) return;
  derivative->topLeftCorner<2, 2>().setZero();
  if (s > 0.0 && s < 1.0) derivative->topLeftCorner<2, 2>() = along * along.transpose() / along.squaredNorm();
}

void project_cone(const double* m, int dim, const double* z, double* p, Mat3* derivative);

/// A cone without width along one tangent: a flat one in the other coordinates.
void project_flat_cone(const double* m, int dim, int flat, const double* z, double* p, Mat3* derivative) {
  int kept[2] = {0, 0};
  double width[2] = {};
  double z_kept[2];
  double p_kept[2];
  Mat3 change;
  int count = 0;
  for (int i = 0; i < dim; ++i) {
    if (i == flat) continue;
    kept[count] = i;
    width[count] = m[i];
    z_kept[count++] = z[i];
  }
  project_cone(width, count, z_kept, p_kept, derivative ? &change : nullptr);
  p[flat] = 0.0 * z[flat];  // NaN stays NaN
  if (derivative) derivative->topLeftCorner(dim, dim).setZero();
  for (int i = 0; i < count; ++i) {
    p[kept[i]] = p_kept[i];
    for (int k = 0; derivative && k < count; ++k) (*derivative)(kept[i], kept[k]) = change(i, k);
  }
}

/// An elliptic cone Σ (x_i/m_i)² ≤ x_0². On its surface, with p_0 = s, the optimality conditions give
/// p_i = z_i m_i² s/((1 + m_i²) s − z_0) and Σ (m_i z_i/((1 + m_i²) s − z_0))² = 1: convex and falling in s, so that
/// Newton from below rises to the root. m[0] is not used.
void project_cone(const double* m, int dim, const double* z, double* p, Mat3* derivative) {
  double inside = 0.0;
  double polar = 0.0;
  double s = 0.0;
  for (int i = 1; i < dim; ++i) {
    if (!(m[i] > 0.0)) return project_flat_cone(m, dim, i, z, p, derivative);
    const double load = m[i] * z[i];
    inside += (z[i] / m[i]) * (z[i] / m[i]);
    polar += load * load;
    s = std::max(s, (z[0] + std::abs(load)) / (1.0 + m[i] * m[i]));
  }
  if (z[0] >= 0.0 && inside <= z[0] * z[0]) return project_free(dim, z, p, derivative);
  if (z[0] <= 0.0 && polar <= z[0] * z[0]) return project_origin(dim, p, derivative);
  for (int iteration = 0; iteration < 60; ++iteration) {
    double g = -1.0;
    double slope = 0.0;
    for (int i = 1; i < dim; ++i) {
      const double denominator = (1.0 + m[i] * m[i]) * s - z[0];
      const double t = z[i] == 0.0 ? 0.0 : m[i] * z[i] / denominator;
      g += t * t;
      slope -= z[i] == 0.0 ? 0.0 : 2.0 * t * t * (1.0 + m[i] * m[i]) / denominator;
    }
    const double next = s - g / slope;
    if (!(next > s)) break;  // round-off level: Newton no longer rises
    s = next;
  }
  p[0] = s;
  for (int i = 1; i < dim; ++i) p[i] = z[i] == 0.0 ? 0.0 : z[i] * m[i] * m[i] * s / ((1.0 + m[i] * m[i]) * s - z[0]);
  if (!derivative) return;
  // P is homogeneous: P' p = p. Across p, in the tangent plane: t tᵀ/(1 + (ν/s) tᵀ S t) with S = diag(−1, 1/m_1²,
  // 1/m_2²) and the multiplier ν = s − z_0.
  const Eigen::Map<const VecX> point(p, dim);
  derivative->topLeftCorner(dim, dim) = point * point.transpose() / point.squaredNorm();
  if (dim < 3) return;
  const Vec3 normal(-s, p[1] / (m[1] * m[1]), p[2] / (m[2] * m[2]));
  const Vec3 t = normal.cross(Vec3(p[0], p[1], p[2])).normalized();
  const double curvature = -t[0] * t[0] + t[1] * t[1] / (m[1] * m[1]) + t[2] * t[2] / (m[2] * m[2]);
  *derivative += t * t.transpose() / (1.0 + (s - z[0]) / s * curvature);
}

/// The nearest point of a pyramid's surface lies between the two edges whose sector z points into: the pyramid is
/// symmetric about each sector's planes.
void project_polygonal_cone(const ConvexSet& set, const double* z, double* p, Mat3* derivative) {
  const Vec3 point(z[0], z[1], z[2]);
  const int k = polygon_side(set.sides, z[1], z[2]);
  const auto edge = [&](int i) {
    const Vec2 vertex = polygon_vertex(set, i);
    return Vec3(1.0, vertex.x(), vertex.y());
  };
  const Vec3 first = edge(k);
  const Vec3 second = edge(k + 1);
  const Vec3 outward = second.cross(first).normalized();
  if (set.radius > 0.0 && z[0] >= 0.0 && outward.dot(point) <= 0.0) return project_free(3, z, p, derivative);
  const Vec3 on_plane = point - outward.dot(point) * outward;
  Vec3 nearest = on_plane;
  Mat3 change = Mat3::Identity() - outward * outward.transpose();
  const bool on_face =
      set.radius > 0.0 && outward.dot(on_plane.cross(first)) > 0.0 && outward.dot(second.cross(on_plane)) > 0.0;
  if (!on_face) {
    const Vec3& ray = first.dot(point) >= second.dot(point) ? first : second;
    const bool on_ray = ray.dot(point) > 0.0;
    change = on_ray ? Mat3(ray * ray.transpose() / ray.squaredNorm()) : Mat3(Mat3::Zero());
    nearest = change * point;
  }
  for (int i = 0; i < 3; ++i) p[i] = nearest[i];
  if (derivative) *derivative = change;
}

void project_any(const ConvexSet& set, int dim, const double* z, double* p, Mat3* derivative) {
  switch (set.kind) {
    case ConvexSet::Kind::free:
      return project_free(dim, z, p, derivative);
    case ConvexSet::Kind::interval:
      return project_interval(set, dim, z, p, derivative);
    case ConvexSet::Kind::origin:
      return project_origin(dim, p, derivative);
    case ConvexSet::Kind::disk:
      return project_disk(set.radius, dim, z, p, derivative);
    case ConvexSet::Kind::ellipse:
      return project_ellipse(set.radius, set.radius_cross, z, p, derivative);
    case ConvexSet::Kind::polygon:
      return project_polygon(set, z, p, derivative);
    case ConvexSet::Kind::cone: {
      const double widths[3] = {0.0, set.radius, set.radius_cross};
      return project_cone(widths, dim, z, p, derivative);
    }
    case ConvexSet::Kind::polygonal_cone:
      return project_polygonal_cone(set, z, p, derivative);
  }
}

}  // namespace

void project(const ConvexSet& set, int dim, const double* z, double* p) {
  project_any(set, dim, z, p, nullptr);
}

void project(const ConvexSet& set, int dim, const double* z, double* p, Mat3& derivative) {
  project_any(set, dim, z, p, &derivative);
}

ConvexSet recession_cone(const ConvexSet& set) {
  switch (set.kind) {
    case ConvexSet::Kind::free:
    case ConvexSet::Kind::cone:
    case ConvexSet::Kind::polygonal_cone:
      return set;
    case ConvexSet::Kind::interval: {
      ConvexSet cone = set;
      if (std::isfinite(set.lower)) cone.lower = 0.0;
      if (std::isfinite(set.upper)) cone.upper = 0.0;
      return cone;
    }
    case ConvexSet::Kind::origin:
    case ConvexSet::Kind::disk:
    case ConvexSet::Kind::ellipse:
    case ConvexSet::Kind::polygon:
      break;
  }
  return {ConvexSet::Kind::origin};
}

double support(const ConvexSet& set, int dim, const double* d) {
  const double infinity = std::numeric_limits<double>::infinity();
  switch (set.kind) {
    case ConvexSet::Kind::free: {
      for (int i = 0; i < dim; ++i) {
        if (d[i] != 0.0) return infinity;
      }
      return 0.0;
    }
    case ConvexSet::Kind::interval: {
      double sum = 0.0;
      for (int i = 0; i < dim; ++i) sum += d[i] == 0.0 ? 0.0 : std::max(set.lower * d[i], set.upper * d[i]);
      return sum;
    }
    case ConvexSet::Kind::origin:
      return 0.0;
    case ConvexSet::Kind::disk:
      return set.radius * (dim == 2 ? std::hypot(d[0], d[1]) : std::abs(d[0]));
    case ConvexSet::Kind::ellipse:
      return std::hypot(set.radius * d[0], set.radius_cross * d[1]);
    case ConvexSet::Kind::polygon: {
      const int k = polygon_side(set.sides, d[0], d[1]);
      const Vec2 direction(d[0], d[1]);
      return std::max(direction.dot(polygon_vertex(set, k)), direction.dot(polygon_vertex(set, k + 1)));
    }
    case ConvexSet::Kind::cone:
    case ConvexSet::Kind::polygonal_cone: {  // a cone gains nothing along its polar, all elsewhere
      double p[3];
      project(set, dim, d, p);
      return p[0] == 0.0 ? 0.0 : infinity;
    }
  }
  return infinity;
}

}  // namespace cardhouse
