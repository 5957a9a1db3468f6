// The dense kernel that sparse factorisations spend their time in.
#pragma once

namespace cardhouse {

/// A view of a dense matrix: column-major, `stride` from column to column.
struct DenseView {
  const double* data = nullptr;
  int stride = 0;
};

/// c −= a bᵀ for a of m × k, b of n × k and c of m × n with columns c_stride apart. Uses the widest vectors that the
/// machine has, and gives the same bits whatever they are: each sum is taken in the order of the columns, without fused
/// products. Allocates nothing.
void subtract_product(int m, int n, int k, DenseView a, DenseView b, double* c, int c_stride);

}  // namespace cardhouse
