// Comparing contact problems bit for bit.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "cardhouse/contact/problem.h"
#include "io/sample_scene.h"

namespace cardhouse::testing {

inline void expect_same_law(const Law& a, const Law& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.friction, b.friction);
  EXPECT_EQ(a.sides, b.sides);
  EXPECT_EQ(a.leader, b.leader);
  EXPECT_TRUE(same_bits(a.mu, b.mu) && same_bits(a.mu_cross, b.mu_cross));
  EXPECT_TRUE(same_bits(a.lower, b.lower) && same_bits(a.upper, b.upper));
}

inline void expect_same_matrix(const SparseRows& a, const SparseRows& b) {
  ASSERT_TRUE(a.rows() == b.rows() && a.cols() == b.cols() && a.nonZeros() == b.nonZeros());
  const auto rows = static_cast<std::size_t>(a.rows());
  const auto entries = static_cast<std::size_t>(a.nonZeros());
  if (entries == 0) return;
  EXPECT_EQ(std::memcmp(a.outerIndexPtr(), b.outerIndexPtr(), (rows + 1) * sizeof(int)), 0);
  EXPECT_EQ(std::memcmp(a.innerIndexPtr(), b.innerIndexPtr(), entries * sizeof(int)), 0);
  EXPECT_EQ(std::memcmp(a.valuePtr(), b.valuePtr(), entries * sizeof(double)), 0);
}

inline void expect_same_mass(const BodyMatrix& a, const BodyMatrix& b) {
  ASSERT_EQ(a.blocks(), b.blocks());
  for (int i = 0; i < a.blocks(); ++i) {
    EXPECT_EQ(a.offset(i), b.offset(i));
    EXPECT_TRUE(same_bits(a.block(i), b.block(i)));
    ASSERT_EQ(a.is_coupled(i), b.is_coupled(i));
    if (!a.is_coupled(i)) {
      EXPECT_TRUE(same_bits(a.kept_inverse(i), b.kept_inverse(i)));
    }
  }
}

inline void expect_same_rows(const BlockRows& a, const BlockRows& b) {
  ASSERT_EQ(a.groups(), b.groups());
  for (int g = 0; g < a.groups(); ++g) {
    const auto left = a.entries(g);
    const auto right = b.entries(g);
    ASSERT_TRUE(a.group(g).dim == b.group(g).dim && a.group(g).row == b.group(g).row && left.size() == right.size());
    for (std::size_t e = 0; e < left.size(); ++e) {
      EXPECT_TRUE(left[e].block == right[e].block && left[e].column == right[e].column &&
                  left[e].size == right[e].size && left[e].data == right[e].data);
      EXPECT_TRUE(same_bits(a.block(g, left[e]), b.block(g, right[e])));
    }
  }
}

inline void expect_same(const ContactProblem& a, const ContactProblem& b) {
  expect_same_mass(a.a, b.a);
  expect_same_rows(a.j, b.j);
  EXPECT_TRUE(same_bits(a.v_free, b.v_free));
  EXPECT_TRUE(same_bits(a.b, b.b));
  EXPECT_TRUE(same_bits(a.compliance, b.compliance));
  ASSERT_EQ(a.laws.size(), b.laws.size());
  for (std::size_t g = 0; g < a.laws.size(); ++g) expect_same_law(a.laws[g], b.laws[g]);
  ASSERT_EQ(a.delassus.has_value(), b.delassus.has_value());
  if (!a.delassus) return;
  expect_same_matrix(a.delassus->w, b.delassus->w);
  EXPECT_TRUE(same_bits(a.delassus->q, b.delassus->q));
}

}  // namespace cardhouse::testing
