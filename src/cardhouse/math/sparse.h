#pragma once

#include <Eigen/SparseCore>

namespace cardhouse {

/// A sparse matrix by rows.
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

}  // namespace cardhouse
