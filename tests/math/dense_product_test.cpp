#include "cardhouse/math/dense_product.h"

#include <gtest/gtest.h>

#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

struct Sizes {
  int m, n, k;
};

class DenseProduct : public ::testing::TestWithParam<Sizes> {};

/// The kernel promises each sum in the order of the columns: to the bit what the plain loop gives, on any machine.
TEST_P(DenseProduct, IsThePlainLoopToTheBit) {
  const auto [m, n, k] = GetParam();
  Random random(7);
  const MatX a = random.matrix(m + 2, k);
  const MatX b = random.matrix(n + 1, k);
  MatX c = random.matrix(m + 3, n);
  MatX expected = c;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int first = 0; first < k; first += 48) {  // columns come in batches of 48
        double sum = 0.0;
        for (int l = first; l < std::min(k, first + 48); ++l) sum += a(i, l) * b(j, l);
        expected(i, j) -= sum;
      }
    }
  }
  subtract_product(m, n, k, {a.data(), m + 2}, {b.data(), n + 1}, c.data(), m + 3);
  EXPECT_TRUE((c.array() == expected.array()).all()) << "rows beyond m must stay as they are, too";
}

INSTANTIATE_TEST_SUITE_P(Shapes, DenseProduct,
                         ::testing::Values(Sizes{1, 1, 1}, Sizes{6, 6, 6}, Sizes{12, 4, 48}, Sizes{13, 5, 49},
                                           Sizes{24, 8, 3}, Sizes{96, 4, 12}, Sizes{97, 7, 100}, Sizes{200, 48, 48},
                                           Sizes{11, 3, 0}, Sizes{0, 4, 4}, Sizes{5, 0, 4}));

}  // namespace
}  // namespace cardhouse::testing
