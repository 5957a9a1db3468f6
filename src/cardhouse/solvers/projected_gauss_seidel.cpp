#include "cardhouse/solvers/projected_gauss_seidel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "cardhouse/contact/law_projection.h"

namespace cardhouse {
namespace {

/// Sweeps between two evaluations of the residual, at most.
constexpr int most_unchecked_row_sweeps = 64;

/// Half the width of the box along a tangent, at r_N = 1.
double box_width(const Law& law, int row) {
  return std::max(row == 2 && law.friction == FrictionShape::ellipse ? law.mu_cross : law.mu, 0.0);
}

/// Rolling and torsional friction is swept like a contact with a normal row in front, which is held at the load.
int rows_with_normal(const Law& law, int dim) {
  return is_dependent(law) ? dim + 1 : dim;
}

bool has_friction(const Law& law, int rows_with_normal) {
  return (law.kind == Law::Kind::coulomb || is_dependent(law)) && rows_with_normal > 1;
}

void clamp_to_box(const Law& law, int dim, double* r) {
  for (int i = 1; i < dim; ++i) {
    const double width = box_width(law, i) * r[0];
    r[i] = std::clamp(r[i], -width, width);
  }
}

std::string gap_words(ProjectedGaussSeidelOptions::Friction friction, double error) {
  const bool is_box = friction == ProjectedGaussSeidelOptions::Friction::box;
  char text[160];
  std::snprintf(text, sizeof text, "friction in a %s is solved; the law of the problem is missed by %.1e",
                is_box ? "box" : "pyramid", error);
  return text;
}

}  // namespace

SolveReport ProjectedGaussSeidel::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  const bool is_box = own_.friction == ProjectedGaussSeidelOptions::Friction::box;
  report.methods = {is_box ? "projected-gauss-seidel" : "regularised-gauss-seidel"};
  report.other_law = !is_box || !is_planar(problem);
  guess_ = solution.r;  // before the monitor projects it onto laws that are not these
  if (!monitor_.begin(problem, solution, report)) return report;
  iterate(problem, solution, report);
  monitor_.end(problem, report);
  return report;
}

void ProjectedGaussSeidel::iterate(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  if (problem.groups() == 0) return;
  const double aim = own_.aim_part * options_.tolerance;
  start_from(problem);
  int unchecked = 0;
  int most_unchecked = 1;
  while (monitor_.may_go_on(report)) {
    const double change = sweep(problem);
    ++unchecked;
    const bool last = report.iterations + 1 >= options_.max_iterations || monitor_.out_of_time();
    const bool settled = change <= own_.settled_part * options_.tolerance * monitor_.certifier().scale();
    if (unchecked < most_unchecked && !last && !settled) {
      ++report.iterations;
      continue;
    }
    const double error = monitor_.replace(problem, rows_.impulses(), solution, report);
    if (!std::isfinite(error)) {
      report.reason = "the impulses grow without end";
      return;
    }
    if (error <= aim) return;
    if (settled) {
      report.reason = gap_words(own_.friction, error);
      return;
    }
    unchecked = 0;
    most_unchecked = std::min(2 * most_unchecked, most_unchecked_row_sweeps);
  }
}

void ProjectedGaussSeidel::start_from(const ContactProblem& problem) {
  rows_.set_problem(problem);
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& group = problem.j.group(g);
    const Law& law = problem.laws[g];
    double* r = guess_.data() + group.row;
    const int normals = normal_rows(law, group.dim);
    const ConvexSet set = normal_set(law);
    for (int i = 0; i < normals; ++i) project(set, 1, r + i, r + i);
    if (!(rows_.contact(g).rho() > 0.0)) std::fill(r, r + group.dim, 0.0);
    if (law.kind == Law::Kind::coulomb) clamp_to_box(law, group.dim, r);
    // Before their loads are known, rolling and torsional friction starts from nothing.
    if (is_dependent(law)) std::fill(r, r + group.dim, 0.0);
  }
  rows_.set_impulses(guess_);
  if (own_.friction == ProjectedGaussSeidelOptions::Friction::pyramid) set_pyramids(problem);
}

void ProjectedGaussSeidel::set_pyramids(const ContactProblem& problem) {
  pyramids_.assign(problem.groups(), {});
  corners_.clear();
  for (int g = 0; g < problem.groups(); ++g) {
    const Law& law = problem.laws[g];
    const int dim = rows_with_normal(law, problem.j.group(g).dim);
    const Vec2 axes(box_width(law, 1), box_width(law, 2));
    if (!has_friction(law, dim) || axes.isZero(0.0)) continue;
    Pyramid& pyramid = pyramids_[g];
    pyramid.first = static_cast<int>(corners_.size());
    pyramid.count = dim == 2 ? 2 : law.sides;
    for (int k = 0; k < pyramid.count; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / pyramid.count;
      const double across = dim == 2 ? 0.0 : std::sin(angle);
      corners_.push_back(axes.cwiseProduct(Vec2(std::cos(angle), across)));
    }
    double sum = 0.0;
    const Mat2 tangents = rows_.contact(g).w().block<2, 2>(1, 1);
    for (int k = 0; k < pyramid.count; ++k) {
      const Vec2& d = corners_[pyramid.first + k];
      sum += d.dot(tangents * d);
    }
    pyramid.stiffness = sum / pyramid.count;
  }
  beta_.assign(corners_.size(), 0.0);
  for (int g = 0; g < problem.groups(); ++g) {
    if (pyramids_[g].count > 0 && !is_dependent(problem.laws[g])) start_pyramid(problem, g);
  }
}

/// β from the guess, along the two directions beside it, and the λ that a sliding contact must have.
void ProjectedGaussSeidel::start_pyramid(const ContactProblem& problem, int g) {
  Pyramid& pyramid = pyramids_[g];
  const int dim = problem.j.group(g).dim;
  const double* r = rows_.impulse(g);
  const Vec2 friction(r[1], dim == 3 ? r[2] : 0.0);
  double sum = 0.0;
  for (int k = 0; k < pyramid.count; ++k) {
    const int next = (k + 1) % pyramid.count;
    const Vec2& d = corners_[pyramid.first + k];
    const Vec2& e = corners_[pyramid.first + next];
    const double determinant = d.x() * e.y() - d.y() * e.x();
    double x = 0.0;
    double z = 0.0;
    if (determinant > 0.0) {
      x = (friction.x() * e.y() - friction.y() * e.x()) / determinant;
      z = (d.x() * friction.y() - d.y() * friction.x()) / determinant;
    } else if (dim == 2) {
      x = friction.x() / d.x();
    }
    if (x < 0.0 || z < 0.0 || x + z == 0.0) continue;
    beta_[pyramid.first + k] = x;
    beta_[pyramid.first + next] = z;
    sum = x + z;
    break;
  }
  constexpr double sliding_part = 0.999;  // of the cone: what a guess near a slip is taken for
  if (!(sum >= sliding_part * r[0]) || r[0] == 0.0) return;
  double u[3];
  rows_.velocity(g, u);
  for (int k = 0; k < pyramid.count; ++k) {
    const Vec2& d = corners_[pyramid.first + k];
    pyramid.multiplier = std::max(pyramid.multiplier, -d.x() * u[1] - (dim == 3 ? d.y() * u[2] : 0.0));
  }
}

double ProjectedGaussSeidel::sweep(const ContactProblem& problem) {
  const bool is_box = own_.friction == ProjectedGaussSeidelOptions::Friction::box;
  double largest = 0.0;
  for (int g = 0; g < rows_.groups(); ++g) {
    const double rho = rows_.contact(g).rho();
    if (!(rho > 0.0)) continue;
    const Law& law = problem.laws[g];
    const int dim = rows_with_normal(law, rows_.dim(g));
    const int first = dim - rows_.dim(g);
    const double* old = rows_.impulse(g);
    double u[3] = {0.0, 0.0, 0.0};
    double r[3] = {std::max(rows_.load(g), 0.0), 0.0, 0.0};
    rows_.velocity(g, u + first);
    std::copy(old, old + dim - first, r + first);
    relax_normal(law, g, r, u);
    double squared = 0.0;
    if (has_friction(law, dim)) {
      if (is_box) {
        relax_box(law, g, dim, r, u);
      } else {
        const double change = relax_pyramid(g, dim, r, u);
        squared += rho * rho * change * change;
      }
    }
    for (int i = 0; i < dim - first; ++i) squared += (r[first + i] - old[i]) * (r[first + i] - old[i]);
    rows_.set_impulse(g, r + first);
    largest = std::max(largest, squared / rho);
  }
  return std::sqrt(largest);
}

void ProjectedGaussSeidel::change_row(int g, int row, double value, double* r, double* u) const {
  const Mat3& w = rows_.contact(g).w();
  const double change = value - r[row];
  r[row] = value;
  for (int i = 0; i < 3; ++i) u[i] += w(i, row) * change;
}

void ProjectedGaussSeidel::relax_normal(const Law& law, int g, double* r, double* u) const {
  const Mat3& w = rows_.contact(g).w();
  const ConvexSet set = normal_set(law);
  for (int i = 0; i < normal_rows(law, rows_.dim(g)); ++i) {
    if (!(w(i, i) > 0.0)) continue;
    const double wanted = r[i] - u[i] / w(i, i);
    double value = 0.0;
    project(set, 1, &wanted, &value);
    change_row(g, i, value, r, u);
  }
}

void ProjectedGaussSeidel::relax_box(const Law& law, int g, int dim, double* r, double* u) const {
  const Mat3& w = rows_.contact(g).w();
  for (int i = 1; i < dim; ++i) {
    const double width = box_width(law, i) * r[0];
    const double wanted = w(i, i) > 0.0 ? r[i] - u[i] / w(i, i) : r[i];
    change_row(g, i, std::clamp(wanted, -width, width), r, u);
  }
}

/// Rows β_k, then λ. Returns by how much λ changes.
double ProjectedGaussSeidel::relax_pyramid(int g, int dim, double* r, double* u) {
  Pyramid& pyramid = pyramids_[g];
  if (pyramid.count == 0) {
    for (int i = 1; i < dim; ++i) change_row(g, i, 0.0, r, u);
    return 0.0;
  }
  const Mat2 w = rows_.contact(g).w().block<2, 2>(1, 1);
  Eigen::Map<Vec2> friction(r + 1);
  double sum = 0.0;
  for (int k = pyramid.first; k < pyramid.first + pyramid.count; ++k) {
    const Vec2& d = corners_[k];
    const Vec2 wd = w * d;
    const double diagonal = d.dot(wd);
    if (diagonal > 0.0) {
      const double slack = d.dot(Eigen::Map<const Vec2>(u + 1)) + pyramid.multiplier;
      const double value = std::max(beta_[k] - slack / diagonal, 0.0);
      const double change = value - beta_[k];
      beta_[k] = value;
      friction += change * d;
      u[0] += change * (rows_.contact(g).w().block<1, 2>(0, 1) * d).value();
      Eigen::Map<Vec2>(u + 1) += change * wd;
    }
    sum += beta_[k];
  }
  const double before = pyramid.multiplier;
  pyramid.multiplier = std::max(before + pyramid.stiffness / own_.regularisation * (sum - r[0]), 0.0);
  return pyramid.multiplier - before;
}

}  // namespace cardhouse
