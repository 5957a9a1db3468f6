#pragma once

#include <vector>

#include "math/random_matrices.h"

namespace cardhouse::testing {

/// A + Jᵀ Θ J as a dense matrix: what the factorisations on the body graph are held against.
inline MatX dense_sum(const BodyMatrix& a, const BlockRows& j, const std::vector<Mat3>& theta) {
  MatX result = dense(a);
  const MatX whole = dense(j, a.rows());
  for (int g = 0; g < j.groups(); ++g) {
    const BlockRows::Group& rows = j.group(g);
    const MatX part = whole.middleRows(rows.row, rows.dim);
    result += part.transpose() * theta[g].topLeftCorner(rows.dim, rows.dim) * part;
  }
  return result;
}

}  // namespace cardhouse::testing
