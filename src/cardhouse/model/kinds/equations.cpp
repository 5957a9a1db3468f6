#include "cardhouse/model/kinds/equations.h"

#include <algorithm>
#include <limits>

#include "cardhouse/model/kinds/all_kinds.h"

namespace cardhouse {

const BodyEquations& equations_of(BodyKind kind) {
  switch (kind) {
    case BodyKind::spatial:
      return spatial_equations();
    case BodyKind::planar:
      return planar_equations();
    case BodyKind::particle:
      return particle_equations();
    case BodyKind::network:
      break;
  }
  return network_equations();
}

void BodyEquations::stop_time(const Body&, const BodyState& state, Prediction& prediction) const {
  prediction.linear = state.linear;
  prediction.angular = state.angular;
}

double radius_of_gyration(const Body& body) {
  if (body.mobility != Mobility::dynamic) return std::numeric_limits<double>::infinity();
  return equations_of(body).radius_of_gyration(body);
}

double smaller_radius_of_gyration(const Body& a, const Body& b) {
  return std::min(radius_of_gyration(a), radius_of_gyration(b));
}

}  // namespace cardhouse
