#include "cardhouse/math/dense_product.h"

#include <algorithm>
#include <cstring>

namespace cardhouse {
namespace {

/// Columns of a and b taken at once, so that strips of both stay in the nearest cache.
constexpr int most_depth = 48;
/// Rows of a that are kept near while b passes by.
constexpr int rows_kept = 96;
/// A tile of c that is summed in registers: twelve vectors of sums, of the sixteen that there are.
constexpr int tile_columns = 4;
constexpr int tile_vectors = 3;

/// The compiler makes them of what the machine has.
using Pair [[gnu::vector_size(16)]] = double;
using Quad [[gnu::vector_size(32)]] = double;

/// c −= a bᵀ for one whole tile.
template <typename Vector>
[[gnu::always_inline]] inline void subtract_tile(int k, DenseView a, DenseView b, double* c, int c_stride) {
  constexpr int lanes = sizeof(Vector) / sizeof(double);
  Vector sum[tile_columns][tile_vectors] = {};
  for (int l = 0; l < k; ++l) {
    Vector column[tile_vectors];
#pragma GCC unroll tile_vectors
    for (int i = 0; i < tile_vectors; ++i) std::memcpy(&column[i], a.data + i * lanes, sizeof(Vector));
#pragma GCC unroll tile_columns
    for (int j = 0; j < tile_columns; ++j) {
#pragma GCC unroll tile_vectors
      for (int i = 0; i < tile_vectors; ++i) sum[j][i] += column[i] * b.data[j];
    }
    a.data += a.stride;
    b.data += b.stride;
  }
#pragma GCC unroll tile_columns
  for (int j = 0; j < tile_columns; ++j) {
#pragma GCC unroll tile_vectors
    for (int i = 0; i < tile_vectors; ++i) {
      double* place = c + static_cast<long>(j) * c_stride + i * lanes;
      Vector old;
      std::memcpy(&old, place, sizeof(Vector));
      old -= sum[j][i];
      std::memcpy(place, &old, sizeof(Vector));
    }
  }
}

/// The first `rows` rows of k columns, filled up with zeros to `strip` rows.
DenseView padded(DenseView x, int rows, int strip, int k, double* memory) {
  for (int l = 0; l < k; ++l) {
    const double* column = x.data + static_cast<long>(l) * x.stride;
    for (int i = 0; i < strip; ++i) memory[l * strip + i] = i < rows ? column[i] : 0.0;
  }
  return {memory, strip};
}

/// c −= a bᵀ where k is at most most_depth.
template <typename Vector>
[[gnu::always_inline]] inline void subtract_tiles(int m, int n, int k, DenseView a, DenseView b, double* c,
                                                  int c_stride) {
  constexpr int tile_rows = tile_vectors * static_cast<int>(sizeof(Vector) / sizeof(double));
  double a_rest[tile_rows * most_depth];
  double b_rest[tile_columns * most_depth];
  const int whole = m / tile_rows * tile_rows;
  const DenseView last_a = whole < m ? padded({a.data + whole, a.stride}, m - whole, tile_rows, k, a_rest) : a;
  for (int first = 0; first < m; first += rows_kept) {
    for (int j = 0; j < n; j += tile_columns) {
      const int columns = std::min(tile_columns, n - j);
      DenseView strip_b{b.data + j, b.stride};
      if (columns < tile_columns) strip_b = padded(strip_b, columns, tile_columns, k, b_rest);
      for (int i = first; i < std::min(m, first + rows_kept); i += tile_rows) {
        const int rows = std::min(tile_rows, m - i);
        const DenseView strip_a = rows == tile_rows ? DenseView{a.data + i, a.stride} : last_a;
        double* target = c + i + static_cast<long>(j) * c_stride;
        if (rows == tile_rows && columns == tile_columns) {
          subtract_tile<Vector>(k, strip_a, strip_b, target, c_stride);
          continue;
        }
        double tile[tile_rows * tile_columns] = {};
        subtract_tile<Vector>(k, strip_a, strip_b, tile, tile_rows);
        for (int q = 0; q < columns; ++q) {
          for (int p = 0; p < rows; ++p) target[p + static_cast<long>(q) * c_stride] += tile[p + q * tile_rows];
        }
      }
    }
  }
}

using Kernel = void (*)(int, int, int, DenseView, DenseView, double*, int);

void subtract_in_pairs(int m, int n, int k, DenseView a, DenseView b, double* c, int c_stride) {
  subtract_tiles<Pair>(m, n, k, a, b, c, c_stride);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void subtract_in_quads(int m, int n, int k, DenseView a, DenseView b, double* c, int c_stride) {
  subtract_tiles<Quad>(m, n, k, a, b, c, c_stride);
}

Kernel widest_kernel() {
  return __builtin_cpu_supports("avx2") != 0 ? subtract_in_quads : subtract_in_pairs;
}
#else
Kernel widest_kernel() {
  return subtract_in_pairs;
}
#endif

}  // namespace

void subtract_product(int m, int n, int k, DenseView a, DenseView b, double* c, int c_stride) {
  static const Kernel kernel = widest_kernel();
  for (int l = 0; l < k; l += most_depth) {
    const DenseView a_part{a.data + static_cast<long>(l) * a.stride, a.stride};
    const DenseView b_part{b.data + static_cast<long>(l) * b.stride, b.stride};
    kernel(m, n, std::min(most_depth, k - l), a_part, b_part, c, c_stride);
  }
}

}  // namespace cardhouse
