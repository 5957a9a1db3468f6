// Quadratic programs over sets whose answers are known, and a KKT error that shares no code with the solver.
#pragma once

#include <vector>

#include "cardhouse/optimization/set_qp.h"
#include "math/random_matrices.h"

namespace cardhouse::testing {

struct SetQpCase {
  BodyMatrix a;
  BlockRows j;
  VecX compliance, v0, b;
  std::vector<ConvexSet> sets;
  VecX r, v;  ///< the answer

  MatX dense_j() const { return dense(j, a.rows()); }
  MatX inverse_a() const { return dense(a).inverse(); }
  VecX velocity(const VecX& impulses) const { return v0 + inverse_a() * dense_j().transpose() * impulses; }
  VecX rows_at(const VecX& impulses) const {
    return dense_j() * velocity(impulses) + b + compliance.cwiseProduct(impulses);
  }
};

inline ConvexSet random_set(Random& random, int dim) {
  ConvexSet set;
  set.radius = random.uniform(0.2, 2.0);
  set.radius_cross = random.uniform(0.2, 2.0);
  set.sides = 2 * (2 + random.index(6));
  const ConvexSet::Kind one_row[] = {ConvexSet::Kind::interval, ConvexSet::Kind::interval, ConvexSet::Kind::free,
                                     ConvexSet::Kind::disk, ConvexSet::Kind::origin};
  const ConvexSet::Kind two_rows[] = {ConvexSet::Kind::disk, ConvexSet::Kind::ellipse, ConvexSet::Kind::polygon,
                                      ConvexSet::Kind::free, ConvexSet::Kind::origin};
  const ConvexSet::Kind three_rows[] = {ConvexSet::Kind::cone, ConvexSet::Kind::cone, ConvexSet::Kind::polygonal_cone,
                                        ConvexSet::Kind::free, ConvexSet::Kind::origin};
  const int choice = random.index(5);
  set.kind = dim == 1 ? one_row[choice] : dim == 2 ? two_rows[choice] : three_rows[choice];
  if (set.kind == ConvexSet::Kind::interval) {
    set.lower = choice == 0 ? 0.0 : -random.uniform(0.0, 1.0);
    if (choice == 1) set.upper = random.uniform(0.1, 1.0);
  }
  return set;
}

/// Any z gives an answer: r = P(z) with u = r − z, since z − P(z) lies in the set's normal cone at P(z). Then b
/// follows.
inline void give_answer(Random& random, SetQpCase& qp, bool copies_share = false) {
  qp.r.resize(qp.j.rows());
  VecX u(qp.j.rows());
  for (int g = 0; g < qp.j.groups(); ++g) {
    const BlockRows::Group& rows = qp.j.group(g);
    const int half = qp.j.groups() / 2;
    if (copies_share && g >= half) {
      qp.r.segment(rows.row, rows.dim) = qp.r.segment(qp.j.group(g - half).row, rows.dim);
      u.segment(rows.row, rows.dim) = u.segment(qp.j.group(g - half).row, rows.dim);
      continue;
    }
    const VecX z = 2.0 * random.vector(rows.dim);
    VecX p(rows.dim);
    project(qp.sets[g], rows.dim, z.data(), p.data());
    qp.r.segment(rows.row, rows.dim) = p;
    u.segment(rows.row, rows.dim) = p - z;
  }
  qp.v0 = random.vector(qp.a.rows());
  qp.v = qp.velocity(qp.r);
  qp.b = u - qp.dense_j() * qp.v - qp.compliance.cwiseProduct(qp.r);
}

/// More dofs than rows: W is positive definite.
inline SetQpCase strictly_convex_case(unsigned seed, double compliance = 0.0) {
  Random random(seed);
  SetQpCase qp;
  qp.a = random_blocks(random, {6, 3, 6, 6, 3, 6, 3, 6});
  for (int g = 0; g < 12; ++g) {
    const int dim = 1 + g % 3;
    const int first = random.index(qp.a.blocks());
    const int second = random.index(qp.a.blocks());
    qp.j.begin_group(dim);
    qp.j.add(qp.a, first, random.matrix(dim, qp.a.size(first)));
    qp.j.add(qp.a, second, random.matrix(dim, qp.a.size(second)));
    qp.sets.push_back(random_set(random, dim));
  }
  qp.compliance = VecX::Constant(qp.j.rows(), compliance);
  give_answer(random, qp);
  return qp;
}

/// Every group twice, and more rows than dofs: W is singular many times over; v is still unique.
inline SetQpCase redundant_case(unsigned seed) {
  Random random(seed);
  SetQpCase qp;
  qp.a = random_blocks(random, {6, 3, 3});
  struct Part {
    int first, second;
    MatX first_block, second_block;
  };
  std::vector<Part> parts;
  for (int g = 0; g < 9; ++g) {
    const int dim = 1 + g % 3;
    const int first = g % 3;
    const int second = (g + 1) % 3;
    parts.push_back({first, second, random.matrix(dim, qp.a.size(first)), random.matrix(dim, qp.a.size(second))});
    qp.sets.push_back(random_set(random, dim));
  }
  for (int copy = 0; copy < 2; ++copy) {
    for (const Part& part : parts) {
      qp.j.begin_group(static_cast<int>(part.first_block.rows()));
      qp.j.add(qp.a, part.first, part.first_block);
      qp.j.add(qp.a, part.second, part.second_block);
    }
  }
  const std::vector<ConvexSet> once = qp.sets;
  qp.sets.insert(qp.sets.end(), once.begin(), once.end());
  qp.compliance = VecX::Zero(qp.j.rows());
  give_answer(random, qp, true);
  return qp;
}

/// max over groups of ‖r − P(r − rho u)‖/√rho, all in dense arithmetic.
inline double kkt_error(const SetQpCase& qp, const VecX& r) {
  const VecX u = qp.rows_at(r);
  const MatX w = qp.dense_j() * qp.inverse_a() * qp.dense_j().transpose();
  double worst = 0.0;
  for (int g = 0; g < qp.j.groups(); ++g) {
    const BlockRows::Group& rows = qp.j.group(g);
    const double trace = w.diagonal().segment(rows.row, rows.dim).sum() + rows.dim * qp.compliance[rows.row];
    const double rho = rows.dim / trace;
    const VecX rg = r.segment(rows.row, rows.dim);
    const VecX z = rg - rho * u.segment(rows.row, rows.dim);
    VecX p(rows.dim);
    project(qp.sets[g], rows.dim, z.data(), p.data());
    worst = std::max(worst, (rg - p).norm() / std::sqrt(rho));
  }
  return worst;
}

}  // namespace cardhouse::testing
