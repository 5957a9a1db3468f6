#include "cardhouse/optimization/set_qp.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/math/constants.h"

namespace cardhouse {
namespace {

/// Newton iterations up to which a proximal step counts as easy.
constexpr int quick_newton = 8;

/// Step lengths below this (−) are those of slopes that drown in round-off, or in W's asymmetry.
constexpr double lost_step = 1e-2;

/// Whether rows that nothing can move have a velocity u that the set's law forbids for every impulse.
bool violated_for_good(const ConvexSet& set, const Eigen::Ref<const VecX>& u) {
  if (set.kind == ConvexSet::Kind::cone || set.kind == ConvexSet::Kind::polygonal_cone) {
    const VecX pressed = -u;
    return support(set, static_cast<int>(u.size()), pressed.data()) > 0.0;
  }
  const bool free = set.kind == ConvexSet::Kind::free;
  if (!free && set.kind != ConvexSet::Kind::interval) return false;
  const bool unbounded_above = free || set.upper == infinity;
  const bool unbounded_below = free || set.lower == -infinity;
  return (unbounded_above && (u.array() < 0.0).any()) || (unbounded_below && (u.array() > 0.0).any());
}

}  // namespace

void SetQp::set_matrices(const BodyMatrix& a, const BlockRows& j, const VecX& compliance) {
  a_ = &a;
  j_ = &j;
  w_ = nullptr;
  compliance_ = &compliance;
  resize();
  for (int g = 0; g < j.groups(); ++g) {
    const BlockRows::Group& rows = j.group(g);
    const double trace = j.delassus_block(g, a).trace() + rows.dim * compliance[rows.row];
    rho_[g] = trace == 0.0 ? 0.0 : rows.dim / trace;  // NaN stays NaN: such a row is not one that nothing moves
  }
}

void SetQp::set_matrix(const SparseRows& w, const BlockRows& groups) {
  a_ = nullptr;
  j_ = &groups;
  w_ = &w;
  no_compliance_.setZero(groups.rows());
  compliance_ = &no_compliance_;
  resize();
  for (int g = 0; g < groups.groups(); ++g) {
    const BlockRows::Group& rows = groups.group(g);
    double trace = 0.0;
    for (int i = rows.row; i < rows.row + rows.dim; ++i) trace += w.coeff(i, i);
    rho_[g] = trace == 0.0 ? 0.0 : rows.dim / trace;
  }
}

void SetQp::resize() {
  factorised_ = false;
  analysed_ = false;
  dense_w_.resize(0, 0);
  rho_.resize(j_->groups());
  sigma_.resize(j_->groups());
  weight_.resize(j_->groups());
  theta_.resize(j_->groups());
  factorised_theta_.resize(j_->groups());
}

void SetQp::rows_of(const VecX& x, VecX& y) const {
  if (w_) {
    y.noalias() = *w_ * x;
  } else {
    j_->multiply(x, y);
  }
}

void SetQp::metric(const VecX& x, VecX& y) const {
  if (w_) {
    y.noalias() = *w_ * x;
  } else {
    a_->multiply(x, y);
  }
}

void SetQp::add_impulses(const VecX& r, VecX& x) {
  if (w_) {
    x.noalias() += *w_ * r;
  } else {
    j_->add_transposed(r, x);
  }
}

/// √(rᵀ W r): the kinetic metric's norm of impulses.
double SetQp::impulse_norm(const VecX& r) {
  scratch_.setZero(w_ ? w_->rows() : a_->rows());
  add_impulses(r, scratch_);
  return std::sqrt(w_ ? std::max(r.dot(scratch_), 0.0) : a_->inverse_norm_squared(scratch_));
}

/// v_ = v0 + A⁻¹ Jᵀ r, or r itself where W is given.
void SetQp::velocity_of(const VecX& v0, const VecX& r) {
  if (w_) {
    v_ = r;
    return;
  }
  scratch_.setZero(a_->rows());
  j_->add_transposed(r, scratch_);
  a_->solve(scratch_, v_);
  v_ += v0;
}

void SetQp::prepare_form(SetQpOptions::Form form) {
  if (w_) {
    dual_ = false;
    if (!analysed_) row_lu_.set_matrix(*w_, *j_);
    analysed_ = true;
    return;
  }
  // The dense factorisation of n rows costs n³/3; the sparse one about dofs · 6². Twice fewer rows than dofs is where
  // the dense one wins for chains and piles alike; beyond a few hundred rows it never does.
  const bool few_rows = 2 * j_->rows() <= a_->rows() && j_->rows() <= 300;
  const bool dual = form == SetQpOptions::Form::dual || (form == SetQpOptions::Form::automatic && few_rows);
  if (dual != dual_) factorised_ = false;
  dual_ = dual;
  if (!dual_) {
    cholesky_.analyse(*a_, *j_);
  } else if (dense_w_.rows() != j_->rows()) {
    MatX dense_j = MatX::Zero(j_->rows(), a_->rows());
    for (int g = 0; g < j_->groups(); ++g) {
      const BlockRows::Group& rows = j_->group(g);
      for (const BlockRows::Entry& entry : j_->entries(g)) {
        dense_j.block(rows.row, entry.column, rows.dim, entry.size) += j_->block(g, entry);
      }
    }
    MatX effects(a_->rows(), j_->rows());
    VecX row;
    VecX effect;
    for (int i = 0; i < j_->rows(); ++i) {
      row = dense_j.row(i);
      a_->solve(row, effect);
      effects.col(i) = effect;
    }
    dense_w_.noalias() = dense_j * effects;
  }
}

void SetQp::set_proximal(double proximal) {
  for (int g = 0; g < j_->groups(); ++g) {
    sigma_[g] = proximal / (rho_[g] > 0.0 ? rho_[g] : 1.0);
    weight_[g] = sigma_[g] + (*compliance_)[j_->group(g).row];
  }
}

/// u_ = J v_ + b, without the compliance term.
void SetQp::evaluate_rows(const VecX& b) {
  rows_of(v_, u_);
  u_ += b;
}

/// max over groups of ‖r − P(r − rho u)‖/√rho with u = u_ + C r.
double SetQp::optimality_error(std::span<const ConvexSet> sets, const VecX& r) {
  double worst = 0.0;
  for (int g = 0; g < j_->groups(); ++g) {
    if (sets[g].kind == ConvexSet::Kind::origin) continue;
    const BlockRows::Group& rows = j_->group(g);
    const double weight = rho_[g] > 0.0 ? rho_[g] : 1.0;
    double z[3];
    double p[3];
    double squared = 0.0;
    for (int i = 0; i < rows.dim; ++i) {
      const int row = rows.row + i;
      z[i] = r[row] - weight * (u_[row] + (*compliance_)[row] * r[row]);
    }
    project(sets[g], rows.dim, z, p);
    for (int i = 0; i < rows.dim; ++i) {
      const double e = r[rows.row + i] - p[i];
      squared += e * e;
    }
    const double error = std::sqrt(squared / weight);
    if (!(error <= worst)) worst = std::isnan(error) ? infinity : error;
  }
  return worst;
}

/// p_ = P_K(z) and theta_ = P_K'(z)/(σ + c) at rows u.
void SetQp::project_rows(std::span<const ConvexSet> sets, const VecX& r_center, const VecX& u) {
  for (int g = 0; g < j_->groups(); ++g) {
    const BlockRows::Group& rows = j_->group(g);
    for (int i = rows.row; i < rows.row + rows.dim; ++i) z_[i] = (sigma_[g] * r_center[i] - u[i]) / weight_[g];
    project(sets[g], rows.dim, z_.data() + rows.row, p_.data() + rows.row, theta_[g]);
    theta_[g].topLeftCorner(rows.dim, rows.dim) /= weight_[g];
  }
}

/// The derivative along direction_ at v_ + t direction_ of the function whose gradient F is.
double SetQp::slope_along(std::span<const ConvexSet> sets, double t) {
  double slope = shift_dot_direction_ + t * direction_energy_;
  for (int g = 0; g < j_->groups(); ++g) {
    const BlockRows::Group& rows = j_->group(g);
    double z[3];
    double p[3];
    for (int i = 0; i < rows.dim; ++i) {
      z[i] = z_[rows.row + i] - t * row_direction_[rows.row + i] / weight_[g];
    }
    project(sets[g], rows.dim, z, p);
    for (int i = 0; i < rows.dim; ++i) slope -= row_direction_[rows.row + i] * p[i];
  }
  return slope;
}

/// Whether W is given and the full step leaves at most half of v − P_K(z(v)). For a W that is not quite symmetric, F is
/// no gradient: close to the answer slopes are useless, but Newton's steps still work.
bool SetQp::halves_the_rest(std::span<const ConvexSet> sets) {
  if (!w_) return false;
  double before = 0.0;
  double after = 0.0;
  for (int g = 0; g < j_->groups(); ++g) {
    const BlockRows::Group& rows = j_->group(g);
    double z[3];
    double p[3];
    for (int i = 0; i < rows.dim; ++i) z[i] = z_[rows.row + i] - row_direction_[rows.row + i] / weight_[g];
    project(sets[g], rows.dim, z, p);
    for (int i = 0; i < rows.dim; ++i) {
      const int row = rows.row + i;
      const double rest = v_[row] + direction_[row] - p[i];
      before += (v_[row] - p_[row]) * (v_[row] - p_[row]);
      after += rest * rest;
    }
  }
  return after <= 0.25 * before;
}

/// A step length at which the slope has lost half of its size. Slopes are compared, not values: differences of values
/// reach round-off long before slopes do.
double SetQp::line_search(std::span<const ConvexSet> sets, double slope) {
  const double target = 0.5 * std::abs(slope);
  double low = 0.0;
  double high = 1.0;
  double slope_low = slope;
  double slope_high = slope_along(sets, 1.0);
  if (slope_high <= target) return 1.0;
  double t = 1.0;
  for (int i = 0; i < 40; ++i) {
    // Between the secant and the middle: the slope is monotone and piecewise smooth.
    const double secant = low + (high - low) * (-slope_low) / (slope_high - slope_low);
    t = i % 3 == 2 ? 0.5 * (low + high) : std::clamp(secant, low + 0.01 * (high - low), high - 0.01 * (high - low));
    const double slope_t = slope_along(sets, t);
    if (std::abs(slope_t) <= target) return t;
    if (slope_t < 0.0) {
      low = t;
      slope_low = slope_t;
    } else {
      high = t;
      slope_high = slope_t;
    }
  }
  return t;
}

/// direction_ = −H⁻¹ gradient_ through the rows: with G Gᵀ-type rows of Θ = Gᵀ G,
/// H⁻¹ = A⁻¹ − A⁻¹ Jᵀ Gᵀ (I + G W Gᵀ)⁻¹ G J A⁻¹.
bool SetQp::dual_direction() {
  if (!factorised_) {
    dual_rows_.setZero(j_->rows(), j_->rows());
    for (int g = 0; g < j_->groups(); ++g) {
      const BlockRows::Group& rows = j_->group(g);
      const MatX theta = theta_[g].topLeftCorner(rows.dim, rows.dim);
      const SymmetricEigen eigen = symmetric_eigen(theta);
      const VecX roots = eigen.values.cwiseMax(0.0).cwiseSqrt();
      dual_rows_.block(rows.row, rows.row, rows.dim, rows.dim) = roots.asDiagonal() * eigen.vectors.transpose();
    }
    MatX system = dual_rows_ * dense_w_ * dual_rows_.transpose();
    system.diagonal().array() += 1.0;
    if (!dense_cholesky_.compute(system)) return false;
    factorised_ = true;
  }
  a_->solve(gradient_, direction_);
  direction_ = -direction_;
  j_->multiply(direction_, scratch_rows_);
  const VecX reaction = -(dual_rows_.transpose() * dense_cholesky_.solve(dual_rows_ * scratch_rows_));
  scratch_.setZero(a_->rows());
  j_->add_transposed(reaction, scratch_);
  VecX correction;
  a_->solve(scratch_, correction);
  direction_ += correction;
  return true;
}

bool SetQp::newton_direction(SetQpReport& report) {
  const auto same = [&](int g) {
    const int dim = j_->group(g).dim;
    return theta_[g].topLeftCorner(dim, dim) == factorised_theta_[g].topLeftCorner(dim, dim);
  };
  for (int g = 0; factorised_ && g < j_->groups(); ++g) factorised_ = same(g);
  if (!factorised_) {
    ++report.factorisations;
    factorised_theta_ = theta_;
  }
  if (dual_) return dual_direction();
  const bool sound =
      factorised_ || (w_ ? row_lu_.factorise(theta_)
                         : cholesky_.factorise(*a_, *j_, theta_, BodyGraphFactor::Form::positive_definite));
  if (!sound) return false;
  factorised_ = true;
  if (w_) {
    scratch_ = p_ - v_;
    row_lu_.solve(scratch_, direction_);
    return true;
  }
  cholesky_.solve(gradient_, direction_);
  direction_ = -direction_;
  return true;
}

bool SetQp::newton(const VecX& v0, const VecX& b, std::span<const ConvexSet> sets, const SetQpOptions& options,
                   const VecX& r_center, SetQpReport& report) {
  double previous = infinity;
  double first = 0.0;
  for (int iteration = 0; iteration < options.max_newton_iterations; ++iteration) {
    evaluate_rows(b);
    project_rows(sets, r_center, u_);
    scratch_ = v_ - v0;
    metric(scratch_, a_shift_);
    gradient_ = -a_shift_;
    add_impulses(p_, gradient_);
    gradient_ = -gradient_;
    const double size = w_ ? impulse_norm(v_ - p_) : std::sqrt(a_->inverse_norm_squared(gradient_));
    if (!std::isfinite(size)) return false;
    if (size <= 0.1 * options.precision * options.tolerance) return true;
    // Round-off: full steps no longer reduce the gradient.
    if (iteration == 0) first = size;
    const bool small = size < std::max(1e3 * options.tolerance, 1e-9 * first);
    const bool stalled = iteration > 3 && size > 0.5 * previous && small;
    previous = size;
    if (options.stop && options.stop()) {
      report.status = SetQpStatus::stopped;
      return false;
    }
    if (!newton_direction(report)) return false;
    ++report.newton_iterations;
    rows_of(direction_, row_direction_);
    shift_dot_direction_ = a_shift_.dot(direction_);
    metric(direction_, scratch_);
    direction_energy_ = direction_.dot(scratch_);
    const double slope = gradient_.dot(direction_);
    if (!(slope < 0.0)) return true;
    double t = line_search(sets, slope);
    if (t < lost_step && halves_the_rest(sets)) t = 1.0;
    v_ += t * direction_;
    if (stalled && t == 1.0) return true;
  }
  return false;
}

/// Whether the impulses run off along rows that no velocity can satisfy: a Farkas direction, Jᵀ y = 0, y · free < 0,
/// along which the sets are unbounded. `free` is how the rows move when nothing pushes. Round-off of large impulses
/// also drifts along redundant rows, but back and forth; that does not count.
bool SetQp::infeasible_direction(std::span<const ConvexSet> sets, const VecX& r, const VecX& change, const VecX& free,
                                 SetQpReport& report) {
  const double moved = impulse_norm(change);
  double size = 0.0;
  double impulse = 0.0;
  for (int g = 0; g < j_->groups(); ++g) {
    const BlockRows::Group& rows = j_->group(g);
    if (!(rho_[g] > 0.0)) continue;
    size = std::max(size, change.segment(rows.row, rows.dim).norm() / std::sqrt(rho_[g]));
    impulse = std::max(impulse, r.segment(rows.row, rows.dim).norm() / std::sqrt(rho_[g]));
  }
  if (!(moved <= 1e-6 * size) || report.error <= 1e-9 * impulse) return false;
  if (!(change.dot(free) < -1e-7 * change.cwiseProduct(free).lpNorm<1>())) return false;
  for (int g = 0; g < j_->groups(); ++g) {
    const BlockRows::Group& rows = j_->group(g);
    if (!(rho_[g] > 0.0)) continue;
    Vec3 endless = Vec3::Zero();
    project(recession_cone(sets[g]), rows.dim, change.data() + rows.row, endless.data());
    const double back = (change.segment(rows.row, rows.dim) - endless.head(rows.dim)).norm() / std::sqrt(rho_[g]);
    if (back > 1e-2 * size) return false;
  }
  for (int g = 0; g < j_->groups(); ++g) {
    const BlockRows::Group& rows = j_->group(g);
    const double share = change.segment(rows.row, rows.dim).norm();
    if (rho_[g] > 0.0 && share / std::sqrt(rho_[g]) > 1e-3 * size) report.conflicting_groups.push_back(g);
  }
  return true;
}

SetQpReport SetQp::solve(const VecX& v0, const VecX& b, std::span<const ConvexSet> sets, const SetQpOptions& options,
                         VecX& r, VecX& v) {
  SetQpReport report;
  const int rows = j_->rows();
  for (VecX* x : {&z_, &p_}) x->setZero(rows);
  for (int g = 0; g < j_->groups(); ++g) {
    const BlockRows::Group& group = j_->group(g);
    // An impulse on rows that nothing moves has no effect: none is taken from the guess.
    constexpr double none[3] = {};
    project(sets[g], group.dim, rho_[g] == 0.0 ? none : r.data() + group.row, p_.data() + group.row);
    if (rho_[g] <= 0.0 && violated_for_good(sets[g], b.segment(group.row, group.dim))) {
      report.conflicting_groups.push_back(g);
    }
  }
  if (!report.conflicting_groups.empty()) {
    report.status = SetQpStatus::infeasible;
    report.error = infinity;
    v = v0;
    return report;
  }
  r = p_;
  velocity_of(v0, r);
  evaluate_rows(b);
  report.error = optimality_error(sets, r);
  r_best_ = r;
  v = v_;
  if (!std::isfinite(report.error)) {
    report.status = SetQpStatus::failed;
    return report;
  }
  if (report.error <= options.tolerance) return report;
  prepare_form(options.form);
  report.dual = dual_;
  double best = report.error;
  double proximal = options.proximal;
  int without_progress = 0;
  int stalled = 0;
  bool polishing = false;
  for (int k = 0; k < options.max_proximal_iterations; ++k) {
    set_proximal(proximal);
    const int newton_before = report.newton_iterations;
    const bool converged = newton(v0, b, sets, options, r, report);
    if (!v_.allFinite()) {
      report.status = SetQpStatus::failed;
      break;
    }
    const bool quick = converged && report.newton_iterations - newton_before <= quick_newton;
    const bool falls = quick && !polishing && proximal > options.least_proximal;
    if (falls) proximal = std::max(0.1 * proximal, options.least_proximal);
    if (!converged) proximal = std::min(10.0 * proximal, 1.0);
    evaluate_rows(b);
    project_rows(sets, r, u_);
    scratch_rows_ = p_ - r;
    r = p_;
    velocity_of(v0, r);
    evaluate_rows(b);
    report.error = optimality_error(sets, r);
    without_progress = report.error < 0.9 * best ? 0 : without_progress + 1;
    if (report.error < best) {
      best = report.error;
      r_best_ = r;
      v = v_;
    }
    if (report.status == SetQpStatus::stopped) break;
    if (best <= options.precision * options.tolerance) break;
    if (best <= options.tolerance && without_progress >= 2) break;  // round-off level
    // While the weight still falls, progress is possible: heavy bodies on light ones need a small weight. At the least
    // weight the round-off of u/σ is largest; a larger weight then gains the last digits.
    stalled = without_progress > 0 && !falls ? stalled + 1 : 0;
    if (stalled > 0 && converged) {
      polishing = true;
      proximal = std::min(10.0 * proximal, options.proximal);
    }
    if (stalled >= 5) {
      const VecX change = scratch_rows_;
      velocity_of(v0, VecX::Zero(rows));
      evaluate_rows(b);
      report.status =
          infeasible_direction(sets, r, change, u_, report) ? SetQpStatus::infeasible : SetQpStatus::iteration_limit;
      break;
    }
    if (k + 1 == options.max_proximal_iterations && best > options.tolerance)
      report.status = SetQpStatus::iteration_limit;
  }
  report.error = best;
  r = r_best_;
  return report;
}

}  // namespace cardhouse
