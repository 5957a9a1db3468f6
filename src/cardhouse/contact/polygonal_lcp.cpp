#include "cardhouse/contact/polygonal_lcp.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cardhouse/contact/law_projection.h"

namespace cardhouse {
namespace {

/// The pairs of complementary unknowns of one row of a group that is no contact.
struct RowPairs {
  bool free = false;     ///< an equation
  double sign = 1.0;     ///< r = offset + sign z
  double offset = 0.0;   ///< the bound that z is counted from
  bool limited = false;  ///< a second bound, at z = range, with a multiplier
  double range = 0.0;
};

RowPairs pairs_of(const Law& law) {
  RowPairs pairs;
  if (law.kind == Law::Kind::unilateral) return pairs;
  const bool below = std::isfinite(law.lower);
  const bool above = std::isfinite(law.upper);
  pairs.free = law.kind == Law::Kind::equality || (!below && !above);
  if (pairs.free) return pairs;
  pairs.limited = below && above;
  pairs.sign = below ? 1.0 : -1.0;
  pairs.offset = below ? law.lower : law.upper;
  pairs.range = law.upper - law.lower;
  return pairs;
}

bool has_friction(const Law& law) {
  return law.kind == Law::Kind::coulomb || is_dependent(law);
}

/// Rows of friction.
int tangents_of(const Law& law, int dim) {
  return has_friction(law) ? dim - normal_rows(law, dim) : 0;
}

int unknown_count(const Law& law, int dim, int disk_sides) {
  if (!has_friction(law)) return dim * (pairs_of(law).limited ? 2 : 1);
  const std::vector<Vec2> corners = friction_corners(law, tangents_of(law, dim), disk_sides);
  return normal_rows(law, dim) + (corners.empty() ? 0 : 1 + static_cast<int>(corners.size()));
}

bool is_round(const Law& law, int dim) {
  return tangents_of(law, dim) == 2 && law.friction != FrictionShape::polygon && friction_corners(law, 2, 4).size() > 2;
}

/// Whether something moves the group's rows and, of a dependent law, those of its leader.
bool takes_part(const ContactProblem& problem, const std::vector<double>& rho, int g) {
  const Law& law = problem.laws[g];
  return rho[g] > 0.0 && (!is_dependent(law) || rho[law.leader] > 0.0);
}

double longest(const std::vector<Vec2>& corners) {
  double length = 0.0;
  for (const Vec2& corner : corners) length = std::max(length, corner.norm());
  return length;
}

/// J by rows, A⁻¹ by blocks.
SparseRows sparse_rows(const ContactProblem& problem) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      const auto block = problem.j.block(g, entry);
      for (int i = 0; i < rows.dim; ++i) {
        for (int k = 0; k < entry.size; ++k) entries.emplace_back(rows.row + i, entry.column + k, block(i, k));
      }
    }
  }
  SparseRows j(problem.rows(), problem.a.rows());
  j.setFromTriplets(entries.begin(), entries.end());
  return j;
}

/// J A⁻¹, where no body has coupled nodes.
SparseRows sparse_effects(const ContactProblem& problem) {
  std::vector<Eigen::Triplet<double>> entries;
  MatX effect;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      effect.setZero(rows.dim, entry.size);
      problem.a.add_rows_times_inverse(problem.j.block(g, entry), entry.block, 0, entry.size, effect.data());
      for (int i = 0; i < rows.dim; ++i) {
        for (int k = 0; k < entry.size; ++k) entries.emplace_back(rows.row + i, entry.column + k, effect(i, k));
      }
    }
  }
  SparseRows result(problem.rows(), problem.a.rows());
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

/// W as the certificate uses it: the given one, or J A⁻¹ Jᵀ + C.
SparseRows sparse_delassus(const ContactProblem& problem) {
  if (problem.delassus) return problem.delassus->w;
  if (problem.a.has_coupled_bodies()) return explicit_form(problem).delassus->w;
  const SparseRows j = sparse_rows(problem);
  SparseRows springs(problem.rows(), problem.rows());
  springs.reserve(Eigen::VectorXi::Constant(problem.rows(), 1));
  for (int i = 0; i < problem.rows(); ++i) springs.insert(i, i) = problem.compliance[i];
  return SparseRows(sparse_effects(problem) * SparseRows(j.transpose())) + springs;
}

/// What the laws add to the matrix MᵀWM of the impulses: the multipliers and their rows. All in scaled unknowns.
struct Builder {
  PolygonalLcp& lcp;
  std::vector<Eigen::Triplet<double>> map;
  std::vector<Eigen::Triplet<double>> matrix;
  int next = 0;

  int add_impulse(int row, double factor) {
    map.emplace_back(row, next, factor);
    return next++;
  }
  /// Friction in the rows from `row` on, bounded by the unknown alpha, whose impulse is scale_alpha times it.
  void friction(int row, int tangents, const std::vector<Vec2>& corners, double scale, int alpha, double scale_alpha);
  void row(int row, const RowPairs& pairs, double scale);
};

void Builder::friction(int row, int tangents, const std::vector<Vec2>& corners, double scale, int alpha,
                       double scale_alpha) {
  if (corners.empty()) return;
  const double length = longest(corners);
  const int lambda = next + static_cast<int>(corners.size());
  for (const Vec2& corner : corners) {
    for (int i = 0; i < tangents; ++i) map.emplace_back(row + i, next, scale / length * corner[i]);
    matrix.emplace_back(next, lambda, 1.0);
    matrix.emplace_back(lambda, next, -1.0);
    ++next;
  }
  // alpha − Σ beta ≥ 0, times length/scale: betas count in units of scale/length.
  matrix.emplace_back(lambda, alpha, length * scale_alpha / scale);
  ++next;
}

void Builder::row(int row, const RowPairs& pairs, double scale) {
  lcp.offset[row] = pairs.offset;
  if (pairs.free) lcp.mixed.free.push_back(next);
  const int z = add_impulse(row, pairs.sign * scale);
  if (!pairs.limited) return;
  const int s = next++;
  matrix.emplace_back(z, s, 1.0);
  matrix.emplace_back(s, z, -1.0);
  lcp.mixed.lcp.q[s] = pairs.range / scale;
}

/// beta ≥ 0 with Σ beta_k g_k = r_T: on the two corners whose sector holds r_T.
void split_on_corners(const std::vector<Vec2>& corners, const Vec2& r, Eigen::Ref<VecX> beta) {
  beta.setZero();
  const int count = static_cast<int>(corners.size());
  if (count == 2) {
    const double part = r.dot(corners[0]) / corners[0].squaredNorm();
    beta[part > 0.0 ? 0 : 1] = std::abs(part);
    return;
  }
  for (int k = 0; k < count; ++k) {
    const int next = (k + 1) % count;
    Mat2 sector;
    sector << corners[k], corners[next];
    const Vec2 parts = sector.inverse() * r;
    // Of a point on the border of two sectors round-off may be negative in both.
    if (parts.minCoeff() < -1e-12 * parts.cwiseAbs().maxCoeff()) continue;
    beta[k] = std::max(parts[0], 0.0);
    beta[next] = std::max(parts[1], 0.0);
    return;
  }
}

}  // namespace

std::vector<Vec2> friction_corners(const Law& law, int tangents, int disk_sides) {
  if (!has_friction(law) || tangents == 0) return {};
  if (tangents == 1) return law.mu > 0.0 ? std::vector<Vec2>{Vec2(law.mu, 0), Vec2(-law.mu, 0)} : std::vector<Vec2>();
  const bool ellipse = law.friction == FrictionShape::ellipse;
  const Vec2 radii(law.mu, ellipse ? law.mu_cross : law.mu);
  if (!(radii.maxCoeff() > 0.0)) return {};
  if (radii.x() == 0.0) return {Vec2(0, radii.y()), Vec2(0, -radii.y())};
  if (radii.y() == 0.0) return {Vec2(radii.x(), 0), Vec2(-radii.x(), 0)};
  const int sides = law.friction == FrictionShape::polygon ? law.sides : disk_sides;
  std::vector<Vec2> corners(sides);
  for (int k = 0; k < sides; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / sides;
    corners[k] = radii.cwiseProduct(Vec2(std::cos(angle), std::sin(angle)));
  }
  return corners;
}

int polygonal_lcp_size(const ContactProblem& problem, const std::vector<double>& rho, int disk_sides) {
  int size = 0;
  for (int g = 0; g < problem.groups(); ++g) {
    if (takes_part(problem, rho, g)) size += unknown_count(problem.laws[g], problem.j.group(g).dim, disk_sides);
  }
  return size;
}

PolygonalLcp polygonal_lcp(const ContactProblem& problem, const std::vector<double>& rho, int disk_sides) {
  PolygonalLcp result;
  const int size = polygonal_lcp_size(problem, rho, disk_sides);
  result.offset.setZero(problem.rows());
  result.mixed.lcp.q.setZero(size);
  int unknowns = 0;
  for (int g = 0; g < problem.groups(); ++g) {  // leaders may come after those that depend on them
    const bool in = takes_part(problem, rho, g);
    result.first.push_back(in ? unknowns : -1);
    if (in) unknowns += unknown_count(problem.laws[g], problem.j.group(g).dim, disk_sides);
  }
  Builder builder{result, {}, {}};
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const Law& law = problem.laws[g];
    if (result.first[g] < 0) continue;
    result.exact = result.exact && !is_round(law, rows.dim);
    const double scale = std::sqrt(rho[g]);
    if (has_friction(law)) {
      const int tangents = tangents_of(law, rows.dim);
      const std::vector<Vec2> corners = friction_corners(law, tangents, disk_sides);
      const int leader = is_dependent(law) ? law.leader : g;
      if (leader == g) builder.add_impulse(rows.row, scale);
      builder.friction(rows.row + rows.dim - tangents, tangents, corners, scale, result.first[leader],
                       std::sqrt(rho[leader]));
    } else {
      for (int i = 0; i < rows.dim; ++i) builder.row(rows.row + i, pairs_of(law), scale);
    }
  }
  result.map.resize(problem.rows(), size);
  result.map.setFromTriplets(builder.map.begin(), builder.map.end());
  const SparseRows w = sparse_delassus(problem);
  VecX q;
  free_velocity(problem, q);
  q += w * result.offset;
  const SparseRows columns = w * result.map;
  SparseColumns of_laws(size, size);
  of_laws.setFromTriplets(builder.matrix.begin(), builder.matrix.end());
  result.mixed.lcp.m = of_laws + SparseColumns(SparseRows(result.map.transpose()) * columns);
  result.mixed.lcp.q += result.map.transpose() * q;
  return result;
}

VecX unknowns_of(const ContactProblem& problem, const PolygonalLcp& lcp, const std::vector<double>& rho, int disk_sides,
                 const VecX& r) {
  VecX y = VecX::Zero(lcp.mixed.lcp.size());
  VecX u, v;
  contact_velocity(problem, r, v, u);
  for (int g = 0; g < problem.groups(); ++g) {
    if (lcp.first[g] < 0) continue;
    const BlockRows::Group& rows = problem.j.group(g);
    const Law& law = problem.laws[g];
    const double scale = std::sqrt(rho[g]);
    int next = lcp.first[g];
    if (!has_friction(law)) {
      const RowPairs pairs = pairs_of(law);
      for (int i = 0; i < rows.dim; ++i) {
        y[next++] = pairs.sign * (r[rows.row + i] - pairs.offset) / scale;
        if (pairs.limited) y[next++] = std::max(-u[rows.row + i], 0.0) * scale;
      }
      continue;
    }
    if (!is_dependent(law)) y[next++] = r[rows.row] / scale;
    const int tangents = tangents_of(law, rows.dim);
    const std::vector<Vec2> corners = friction_corners(law, tangents, disk_sides);
    if (corners.empty()) continue;
    const int count = static_cast<int>(corners.size());
    const double length = longest(corners);
    Vec2 friction = Vec2::Zero();
    Vec2 slip = Vec2::Zero();
    friction.head(tangents) = r.segment(rows.row + rows.dim - tangents, tangents);
    slip.head(tangents) = u.segment(rows.row + rows.dim - tangents, tangents);
    split_on_corners(corners, friction, y.segment(next, count));
    y.segment(next, count) *= length / scale;
    for (const Vec2& corner : corners) {
      double& lambda = y[next + count];
      lambda = std::max(lambda, -corner.dot(slip) * scale / length);
    }
  }
  return y;
}

}  // namespace cardhouse
