#include "cardhouse/contact/law_projection.h"

#include <algorithm>

namespace cardhouse {

ConvexSet friction_set(const Law& law, int tangents, double normal_impulse) {
  ConvexSet set;
  const double load = std::max(normal_impulse, 0.0);
  set.radius = law.mu * load;
  set.radius_cross = law.mu_cross * load;
  set.sides = law.sides;
  set.kind = ConvexSet::Kind::disk;
  if (tangents == 2 && law.friction == FrictionShape::ellipse) set.kind = ConvexSet::Kind::ellipse;
  if (tangents == 2 && law.friction == FrictionShape::polygon) set.kind = ConvexSet::Kind::polygon;
  if (!(set.radius > 0.0) && !(set.kind == ConvexSet::Kind::ellipse && set.radius_cross > 0.0)) {
    set.kind = ConvexSet::Kind::origin;
  }
  return set;
}

ConvexSet normal_set(const Law& law) {
  switch (law.kind) {
    case Law::Kind::equality:
      return {};
    case Law::Kind::bounded: {
      ConvexSet set;
      set.kind = ConvexSet::Kind::interval;
      set.lower = law.lower;
      set.upper = law.upper;
      return set;
    }
    case Law::Kind::unilateral:
    case Law::Kind::coulomb:
    case Law::Kind::dependent:
      break;
  }
  return ConvexSet::half_line();
}

ConvexSet impulse_set(const Law& law, int dim, double load) {
  if (is_dependent(law)) return friction_set(law, dim, load);
  if (law.kind != Law::Kind::coulomb) return normal_set(law);
  ConvexSet set = friction_set(law, dim - 1, 1.0);
  const bool polygon = dim == 3 && set.kind == ConvexSet::Kind::polygon;
  if (set.kind != ConvexSet::Kind::ellipse) set.radius_cross = set.radius;
  set.kind = polygon ? ConvexSet::Kind::polygonal_cone : ConvexSet::Kind::cone;
  return set;
}

double sliding_speed(const Law& law, int dim, const double* u) {
  if (law.kind != Law::Kind::coulomb || dim == 1) return 0.0;
  const double backward[2] = {-u[1], dim == 3 ? -u[2] : 0.0};
  return support(friction_set(law, dim - 1, 1.0), dim - 1, backward);
}

namespace {

/// p_T = the projection of z_T onto F(load), with its derivatives by z_T and by the load.
void project_friction(const Law& law, int tangents, const double* z, double load, double* p, Mat3& by_z,
                      Vec3& by_load) {
  by_load.setZero();
  project(friction_set(law, tangents, load), tangents, z, p, by_z);
  if (!(load > 0.0)) return;
  // The projection onto load · F(1) is homogeneous in (load, z): load ∂P/∂load + P' z = P.
  for (int i = 0; i < tangents; ++i) {
    double along = 0.0;
    for (int k = 0; k < tangents; ++k) along += by_z(i, k) * z[k];
    by_load[i] = (p[i] - along) / load;
  }
}

}  // namespace

void project_on_law(const Law& law, int dim, const double* z, double load, double* p) {
  if (is_dependent(law)) {
    project(friction_set(law, dim, load), dim, z, p);
    return;
  }
  if (law.kind != Law::Kind::coulomb) {
    const ConvexSet set = normal_set(law);
    for (int i = 0; i < dim; ++i) project(set, 1, z + i, p + i);
    return;
  }
  p[0] = std::max(z[0], 0.0);
  if (dim > 1) project(friction_set(law, dim - 1, p[0]), dim - 1, z + 1, p + 1);
}

void project_on_law(const Law& law, int dim, const double* z, double load, double* p, Mat3& derivative, Vec3& by_load) {
  derivative.setZero();
  by_load.setZero();
  Mat3 part;
  if (is_dependent(law)) {
    project_friction(law, dim, z, load, p, part, by_load);
    derivative.topLeftCorner(dim, dim) = part.topLeftCorner(dim, dim);
    return;
  }
  if (law.kind != Law::Kind::coulomb) {
    const ConvexSet set = normal_set(law);
    for (int i = 0; i < dim; ++i) {
      project(set, 1, z + i, p + i, part);
      derivative(i, i) = part(0, 0);
    }
    return;
  }
  p[0] = std::max(z[0], 0.0);
  derivative(0, 0) = z[0] > 0.0 ? 1.0 : 0.0;
  const int tangents = dim - 1;
  if (tangents == 0) return;
  Vec3 by_normal;
  project_friction(law, tangents, z + 1, p[0], p + 1, part, by_normal);
  derivative.block(1, 1, tangents, tangents) = part.topLeftCorner(tangents, tangents);
  for (int i = 0; i < tangents; ++i) derivative(1 + i, 0) = by_normal[i];
}

}  // namespace cardhouse
