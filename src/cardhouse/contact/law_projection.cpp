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
      break;
  }
  return ConvexSet::half_line();
}

void project_on_law(const Law& law, int dim, const double* z, double* p) {
  if (law.kind != Law::Kind::coulomb) {
    const ConvexSet set = normal_set(law);
    for (int i = 0; i < dim; ++i) project(set, 1, z + i, p + i);
    return;
  }
  p[0] = std::max(z[0], 0.0);
  if (dim > 1) project(friction_set(law, dim - 1, p[0]), dim - 1, z + 1, p + 1);
}

}  // namespace cardhouse
