#include "cardhouse/contact/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cardhouse/contact/law_projection.h"
#include "cardhouse/contact/matrix_diagnosis.h"
#include "cardhouse/math/decompositions.h"

namespace cardhouse {
namespace {

/// Columns that add less than this part of the largest to the span of the others count as dependent: rows of redundant
/// contacts agree to round-off of the geometry, about 1e-12.
constexpr double rank_tolerance = 1e-9;

MatX select_columns(const MatX& columns, const std::vector<int>& chosen) {
  MatX result(columns.rows(), static_cast<Eigen::Index>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i) result.col(static_cast<Eigen::Index>(i)) = columns.col(chosen[i]);
  return result;
}

double least_angle(const MatX& columns, const ContactProblem& problem) {
  std::vector<int> normal;
  std::vector<int> friction;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const int normals = normal_rows(problem.laws[g], rows.dim);
    for (int i = 0; i < rows.dim; ++i) (i < normals ? normal : friction).push_back(rows.row + i);
  }
  const MatX n = column_space(select_columns(columns, normal), rank_tolerance);
  const MatX d = column_space(select_columns(columns, friction), rank_tolerance);
  if (n.cols() == 0 || d.cols() == 0) return 0.5 * std::numbers::pi;
  const double cosine = singular_values(n.transpose() * d)[0];
  return std::acos(std::clamp(cosine, 0.0, 1.0));
}

/// Painlevé's case is possible where W_nn ≤ mu ‖W_nT‖ (Kaufman 2009, Eq. 2.46, with the norm over both tangents).
double painleve_ratio(const ContactProblem& problem, int group) {
  const Law& law = problem.laws[group];
  const int dim = problem.j.group(group).dim;
  if (law.kind != Law::Kind::coulomb || dim == 1) return 0.0;
  const Mat3 w = delassus_block(problem, group);
  const double mu_cross = law.friction == FrictionShape::ellipse ? law.mu_cross : law.mu;
  const double tangents[2] = {law.mu * w(0, 1), dim == 3 ? mu_cross * w(0, 2) : 0.0};
  return w(0, 0) > 0.0 ? std::hypot(tangents[0], tangents[1]) / w(0, 0) : 0.0;
}

/// The columns without their part in the space of the equality rows, since joints carry any impulse.
MatX beside_joints(const MatX& columns, const ContactProblem& problem) {
  std::vector<int> held;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    if (problem.laws[g].kind != Law::Kind::equality) continue;
    for (int i = 0; i < rows.dim; ++i) held.push_back(rows.row + i);
  }
  if (held.empty()) return columns;
  const MatX basis = column_space(select_columns(columns, held), rank_tolerance);
  return columns - basis * (basis.transpose() * columns);
}

/// The points Jᵀ r, in the kinetic metric, of impulses r with r_N = 1 at one contact and friction within its set there.
class ConeSections {
 public:
  ConeSections(const ContactProblem& problem, const MatX& columns) {
    for (int g = 0; g < problem.groups(); ++g) {
      const Law& law = problem.laws[g];
      const BlockRows::Group& rows = problem.j.group(g);
      const MatX block = columns.middleCols(rows.row, rows.dim);
      const double size = block.norm();
      if (!(size > 0.0)) continue;
      if (law.kind == Law::Kind::coulomb) sections_.push_back({law, block / size});
      if (law.kind != Law::Kind::unilateral) continue;
      for (int i = 0; i < rows.dim; ++i) sections_.push_back({law, block.col(i) / size});
    }
  }

  bool empty() const { return sections_.empty(); }

  /// The point that is least along x.
  VecX least(const VecX& x) const {
    VecX best;
    for (const Section& section : sections_) {
      const VecX point = least(section, x);
      if (best.size() == 0 || x.dot(point) < x.dot(best)) best = point;
    }
    return best;
  }

 private:
  struct Section {
    Law law;
    MatX columns;  ///< normal and tangents
  };

  static VecX least(const Section& section, const VecX& x) {
    const int tangents = static_cast<int>(section.columns.cols()) - 1;
    VecX r = VecX::Zero(1 + tangents);
    r[0] = 1.0;
    const VecX u = section.columns.rightCols(tangents).transpose() * x;
    const double speed = u.norm();
    if (speed > 0.0) {
      // What a set gains most from a direction is where a point far out in that direction is projected to.
      constexpr double far = 1e9;
      const VecX z = -far / speed * u;
      project(friction_set(section.law, tangents, 1.0), tangents, z.data(), r.data() + 1);
    }
    return section.columns * r;
  }

  std::vector<Section> sections_;
};

/// Pointed: 0 does not lie in the convex hull of the cone's sections, so that Jᵀ r = 0 only for r = 0. Wolfe's method
/// (1976) walks to the point x of the hull that is nearest to 0. On the way any x with x · point > 0 for all points is
/// a velocity that opens all contacts faster than friction could hold them, which proves the cone pointed.
bool is_pointed(const ContactProblem& problem, const MatX& all_columns) {
  const ConeSections sections(problem, beside_joints(all_columns, problem));
  if (sections.empty()) return true;
  // Sections have size 1 or less; 1e-7 is the accuracy of the walk.
  constexpr double touching = 1e-7;
  constexpr int max_steps = 2000;
  MatX corners = sections.least(VecX::Zero(all_columns.rows()));
  VecX weights = VecX::Ones(1);
  VecX x = corners.col(0);
  for (int step = 0; step < max_steps && x.norm() > touching; ++step) {
    const VecX next = sections.least(x);
    if (x.dot(next) > touching * x.norm()) return true;
    corners.conservativeResize(Eigen::NoChange, corners.cols() + 1);
    corners.rightCols<1>() = next;
    weights.conservativeResize(weights.size() + 1);
    weights[weights.size() - 1] = 0.0;
    while (true) {
      // The point of the corners' affine hull that is nearest to 0: minimise (1 − Σ w)² + ‖corners w‖².
      MatX system(corners.rows() + 1, corners.cols());
      system << VecX::Ones(corners.cols()).transpose(), corners;
      VecX nearest = least_squares(system, VecX::Unit(system.rows(), 0));
      nearest /= nearest.sum();
      // As far towards it as the weights stay positive; corners whose weight is used up fall away.
      double part = 1.0;
      for (Eigen::Index i = 0; i < nearest.size(); ++i) {
        if (nearest[i] < 0.0) part = std::min(part, weights[i] / (weights[i] - nearest[i]));
      }
      weights += part * (nearest - weights);
      if (part == 1.0) break;
      std::vector<int> kept;
      for (int i = 0; i < static_cast<int>(weights.size()); ++i) {
        if (weights[i] > 1e-14) kept.push_back(i);
      }
      corners = select_columns(corners, kept);
      weights = VecX(weights(kept));
      weights /= weights.sum();
    }
    const VecX nearer = corners * weights;
    if (!(nearer.norm() < x.norm())) break;  // round-off: the walk has arrived
    x = nearer;
  }
  return x.norm() > touching;
}

}  // namespace

Diagnosis diagnose_contacts(const ContactProblem& problem) {
  Diagnosis result;
  result.rows = problem.rows();
  result.painleve_ratios.resize(problem.groups());
  for (int g = 0; g < problem.groups(); ++g) {
    result.painleve_ratios[g] = painleve_ratio(problem, g);
    if (result.painleve_contact < 0 || result.painleve_ratios[g] > result.painleve_ratio) {
      result.painleve_ratio = result.painleve_ratios[g];
      result.painleve_contact = g;
    }
  }
  return result;
}

Diagnosis diagnose(const ContactProblem& problem) {
  Diagnosis result = diagnose_contacts(problem);
  if (problem.rows() == 0) return result;
  const MatX columns = kinetic_factor(problem);
  result.rank = static_cast<int>(column_space(columns, rank_tolerance).cols());
  result.subspace_angle = least_angle(columns, problem);
  result.pointed = is_pointed(problem, columns);
  return result;
}

void merge(Diagnosis& first, const Diagnosis& second) {
  const int groups = static_cast<int>(first.painleve_ratios.size());
  if (second.painleve_contact >= 0 && (first.painleve_contact < 0 || second.painleve_ratio > first.painleve_ratio)) {
    first.painleve_contact = groups + second.painleve_contact;
    first.painleve_ratio = second.painleve_ratio;
  }
  first.painleve_ratios.insert(first.painleve_ratios.end(), second.painleve_ratios.begin(),
                               second.painleve_ratios.end());
  first.subspace_angle = std::min(first.subspace_angle, second.subspace_angle);
  first.rank += second.rank;
  first.rows += second.rows;
  first.pointed = first.pointed && second.pointed;
}

}  // namespace cardhouse
