#pragma once

#include <Eigen/SparseCore>

namespace cardhouse {

/// A sparse matrix by rows.
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

/// The same by columns.
using SparseColumns = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

}  // namespace cardhouse
