#pragma once

#include <cmath>

#include "cardhouse/laws/law.h"

namespace cardhouse {

/// Coordinates in which a contact's cone is the round one; tangents along which there is no friction are left out.
struct RoundCone {
  int dim = 1;
  int row[3] = {0, 0, 0};         ///< the group's row of each coordinate
  double scale[3] = {1.0, 0, 0};  ///< T

  RoundCone(const Law& law, int rows) {
    const double along[2] = {law.mu, law.friction == FrictionShape::ellipse ? law.mu_cross : law.mu};
    double product = 1.0;
    int count = 0;
    for (int i = 0; i + 1 < rows; ++i) {
      if (!(along[i] > 0.0)) continue;
      row[dim++] = i + 1;
      product *= along[i];
      ++count;
    }
    if (count == 0) return;
    const double mean = count == 1 ? product : std::sqrt(product);
    scale[0] = mean;
    for (int i = 1; i < dim; ++i) scale[i] = mean / along[row[i] - 1];
  }

  /// Whether a tangent row is one of the cone's coordinates.
  bool has(int tangent) const { return (dim > 1 && row[1] == tangent) || (dim > 2 && row[2] == tangent); }
};

}  // namespace cardhouse
