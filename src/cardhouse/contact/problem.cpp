#include "cardhouse/contact/problem.h"

#include <algorithm>
#include <cmath>

#include "cardhouse/base/memory_limit.h"
#include "cardhouse/contact/group_islands.h"

namespace cardhouse {

void ContactProblem::clear() {
  a.clear();
  v_free.resize(0);
  j.clear();
  b.resize(0);
  compliance.resize(0);
  laws.clear();
  delassus.reset();
}

bool has_polygon(const ContactProblem& problem) {
  for (int g = 0; g < problem.groups(); ++g) {
    const Law& law = problem.laws[g];
    const int dim = problem.j.group(g).dim;
    const bool spatial = (law.kind == Law::Kind::coulomb && dim == 3) || (is_dependent(law) && dim == 2);
    if (spatial && law.friction == FrictionShape::polygon) return true;
  }
  return false;
}

bool has_round_friction(const ContactProblem& problem) {
  for (int g = 0; g < problem.groups(); ++g) {
    const Law& law = problem.laws[g];
    const bool in_space = law.kind == Law::Kind::coulomb && problem.j.group(g).dim == 3;
    const bool rubs = law.mu > 0.0 && law.mu_cross > 0.0;
    if (in_space && rubs && law.friction != FrictionShape::polygon) return true;
  }
  return false;
}

bool is_planar(const ContactProblem& problem) {
  for (int g = 0; g < problem.groups(); ++g) {
    const int dim = problem.j.group(g).dim;
    switch (problem.laws[g].kind) {
      case Law::Kind::equality:
        break;
      case Law::Kind::unilateral:
      case Law::Kind::bounded:
        if (dim > 1) return false;
        break;
      case Law::Kind::coulomb:
        if (dim > 2) return false;
        break;
      case Law::Kind::dependent:
        return false;
    }
  }
  return true;
}

bool has_dependent_laws(const ContactProblem& problem) {
  return std::any_of(problem.laws.begin(), problem.laws.end(), is_dependent);
}

bool has_sound_leaders(const ContactProblem& problem) {
  for (int g = 0; g < problem.groups(); ++g) {
    const Law& law = problem.laws[g];
    if (!is_dependent(law)) continue;
    if (problem.j.group(g).dim > 2 || law.leader < 0 || law.leader >= problem.groups()) return false;
    if (problem.laws[law.leader].kind != Law::Kind::coulomb) return false;
    const auto leading = problem.j.entries(law.leader);
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      const auto same = [&](const BlockRows::Entry& other) { return other.block == entry.block; };
      if (std::none_of(leading.begin(), leading.end(), same)) return false;
    }
  }
  return true;
}

bool has_uneven_compliance(const ContactProblem& problem) {
  if (problem.delassus) return false;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    for (int i = 1; i < rows.dim; ++i) {
      if (problem.compliance[rows.row + i] != problem.compliance[rows.row]) return true;
    }
  }
  return false;
}

void free_velocity(const ContactProblem& problem, VecX& q) {
  if (problem.delassus) {
    q = problem.delassus->q;
    return;
  }
  problem.j.multiply(problem.v_free, q);
  q += problem.b;
}

void velocity_from_impulses(const ContactProblem& problem, const VecX& r, VecX& v) {
  if (r.isZero(0.0)) {  // every cold start asks this once
    v = problem.v_free;
    return;
  }
  thread_local VecX impulse;  // scratch without an allocation per call
  impulse.setZero(problem.a.rows());
  problem.j.add_transposed(r, impulse);
  problem.a.solve(impulse, v);
  v += problem.v_free;
}

void contact_velocity(const ContactProblem& problem, const VecX& r, VecX& v, VecX& u) {
  if (problem.delassus) {
    u.noalias() = problem.delassus->w * r;
    u += problem.delassus->q;
    return;
  }
  velocity_from_impulses(problem, r, v);
  problem.j.multiply(v, u);
  u += problem.b;
  u.array() += problem.compliance.array() * r.array();
}

void size_of_terms(const ContactProblem& problem, VecX& terms) {
  if (problem.delassus) {
    terms = problem.delassus->terms;
    return;
  }
  terms = problem.b.cwiseAbs();
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      const BlockRows::Block block = problem.j.block(g, entry);
      for (int k = 0; k < entry.size; ++k) {
        for (int i = 0; i < rows.dim; ++i) {
          terms[rows.row + i] += std::abs(block(i, k) * problem.v_free[entry.column + k]);
        }
      }
    }
  }
}

double entries_of_w(const ContactProblem& problem) {
  std::vector<double> rows_on(static_cast<std::size_t>(problem.a.blocks()), 0.0);  // by the first block of a body
  std::vector<int> seen;
  for (int g = 0; g < problem.groups(); ++g) {
    seen.clear();
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      const int body = problem.a.first_of_body(entry.block);
      if (std::find(seen.begin(), seen.end(), body) == seen.end()) seen.push_back(body);
    }
    for (const int body : seen) rows_on[static_cast<std::size_t>(body)] += problem.j.group(g).dim;
  }
  double sum = 0.0;
  for (const double rows : rows_on) sum += rows * rows;
  return std::min(sum, static_cast<double>(problem.rows()) * problem.rows());
}

ContactProblem explicit_form(const ContactProblem& problem) {
  constexpr double bytes_per_entry = 48.0;  // as triplets and as a compressed matrix, for a moment side by side
  require_memory(bytes_per_entry * entries_of_w(problem), "W of " + std::to_string(problem.rows()) + " rows");
  ContactProblem result;
  for (int g = 0; g < problem.groups(); ++g) result.j.begin_group(problem.j.group(g).dim);
  result.laws = problem.laws;
  ExplicitDelassus& delassus = result.delassus.emplace();
  free_velocity(problem, delassus.q);
  size_of_terms(problem, delassus.terms);
  GroupIslands islands;
  islands.find(problem);
  delassus.islands = islands.of_groups();
  std::vector<Eigen::Triplet<double>> triplets;
  VecX unit = VecX::Zero(problem.rows());
  VecX impulse(problem.a.rows());
  VecX v;
  VecX u;
  for (int row = 0; row < problem.rows(); ++row) {
    unit[row] = 1.0;
    impulse.setZero();
    problem.j.add_transposed(unit, impulse);
    problem.a.solve(impulse, v);
    problem.j.multiply(v, u);
    u[row] += problem.compliance[row];
    for (int i = 0; i < problem.rows(); ++i) {
      if (u[i] != 0.0) triplets.emplace_back(i, row, u[i]);
    }
    unit[row] = 0.0;
  }
  delassus.w.resize(problem.rows(), problem.rows());
  delassus.w.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

Mat3 delassus_block(const ContactProblem& problem, int group) {
  const BlockRows::Group& rows = problem.j.group(group);
  if (problem.delassus) {
    Mat3 result = Mat3::Zero();
    for (int i = 0; i < rows.dim; ++i) {
      for (int k = 0; k < rows.dim; ++k) result(i, k) = problem.delassus->w.coeff(rows.row + i, rows.row + k);
    }
    return result;
  }
  Mat3 result = problem.j.delassus_block(group, problem.a);
  for (int i = 0; i < rows.dim; ++i) result(i, i) += problem.compliance[rows.row + i];
  return result;
}

}  // namespace cardhouse
