#include "cardhouse/solvers/staggered_projections.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "cardhouse/contact/law_projection.h"

namespace cardhouse {
namespace {

/// visit(row, whether it belongs to the contact projection)
template <typename Visit>
void for_each_row(const ContactProblem& problem, Visit visit) {
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const int normals = normal_rows(problem.laws[g], rows.dim);
    for (int i = 0; i < rows.dim; ++i) visit(rows.row + i, i < normals);
  }
}

}  // namespace

SolveReport StaggeredProjections::solve(const ContactProblem& problem, ContactSolution& solution) {
  monitor_.restart(problem);
  SolveReport report;
  report.methods = {"staggered-projections"};
  split_rows(problem);
  r_ = solution.r;  // warm start: f⁰ ← fᵗ (and the inner solver starts from alphaᵗ)
  gather(problem, r_);
  anderson_.reset(static_cast<int>(f_.size()), own_.anderson_depth);
  double residual = monitor_.error(problem, r_);
  double best = std::numeric_limits<double>::infinity();
  double change = std::numeric_limits<double>::infinity();
  double milestone = std::numeric_limits<double>::infinity();
  double inner_part = own_.inner_part;
  const double aim = own_.aim_part * options_.tolerance;
  int since_progress = 0;
  int restarts = 0;
  const int depths[3] = {own_.anderson_depth, 5, 3};
  report.status = SolveStatus::iteration_limit;
  while (report.iterations < options_.max_iterations) {
    ++report.iterations;
    const double wanted = inner_part * std::clamp(residual, aim, 1e-2) * monitor_.certifier().scale();
    if (own_.parallel) report.inner_iterations += friction_projection(problem, wanted).newton_iterations;
    const SetQpReport contact = contact_projection(problem, wanted);
    report.inner_iterations += contact.newton_iterations;
    scatter(problem, r_);
    residual = monitor_.error(problem, r_);
    report.residual_history.push_back(residual);
    check(problem, contact, residual, report);
    since_progress = residual < 0.5 * milestone ? 0 : since_progress + 1;
    if (since_progress == 0) milestone = residual;
    if (residual < best || report.iterations == 1) {  // keep the best iterate (5.4.4)
      best = residual;
      solution.r = r_;
      solution.v = monitor_.certifier().v();
    }
    const bool slow = since_progress >= own_.slow_after;
    if (residual <= aim || (best <= options_.tolerance && slow)) report.status = SolveStatus::converged;
    if (report.status != SolveStatus::iteration_limit) break;
    if (monitor_.out_of_time()) {
      report.status = SolveStatus::time_limit;
      report.reason = "out of time";
      break;
    }
    if (change <= own_.friction_change) {
      // Either the projections are too coarse to make progress, or nothing more can be gained.
      inner_part *= 0.1;
      if (inner_part < own_.least_inner_part) {
        report.reason = "the sequence no longer moves";
        break;
      }
    }
    if (since_progress >= own_.patience) {
      report.reason = "the residual has not halved in " + std::to_string(own_.patience) + " iterations";
      break;
    }
    // Sliding contacts can trap the acceleration. A history of another length often escapes.
    if (since_progress > 0 && since_progress % own_.restart_after == 0) {
      anderson_.reset(static_cast<int>(f_.size()), std::min(own_.anderson_depth, depths[++restarts % 3]));
    } else if (residual > 10.0 * best) {
      anderson_.restart();
    }
    if (!own_.parallel) report.inner_iterations += friction_projection(problem, wanted).newton_iterations;
    change = relative_friction_change(problem);
    anderson_.advance(f_, f_next_, friction_weight_);
  }
  const bool gave_up = report.status == SolveStatus::iteration_limit || report.status == SolveStatus::time_limit;
  if (gave_up && best <= options_.tolerance) {
    report.status = SolveStatus::converged;
    report.reason.clear();
  }
  if (report.status == SolveStatus::iteration_limit && report.reason.empty()) {
    report.reason = "residual still above the tolerance after " + std::to_string(report.iterations) + " iterations";
  }
  report.seconds = monitor_.seconds();
  return report;
}

void StaggeredProjections::check(const ContactProblem& problem, const SetQpReport& contact, double residual,
                                 SolveReport& report) const {
  if (contact.status == SetQpStatus::failed) {
    report.status = SolveStatus::failed;
    report.reason = "the contact projection broke down (data not finite?)";
  } else if (contact.status == SetQpStatus::infeasible) {
    report.status = SolveStatus::infeasible;
    report.reason = "no velocity satisfies these contacts together";
    for (int n : contact.conflicting_groups) {
      report.conflicting_rows.push_back(problem.j.group(normal_groups_[n]).row);
    }
  } else if (report.iterations > 1 && !std::isfinite(residual)) {
    // A guess may load rows that nothing can move; after the first friction projection there is no such excuse.
    report.status = SolveStatus::failed;
    report.reason = "the residual is not finite (data not finite?)";
  }
}

/// The rows of the contact projection (N and joints) and those of the friction projection (D).
void StaggeredProjections::split_rows(const ContactProblem& problem) {
  normal_rows_.clear();
  friction_rows_.clear();
  normal_sets_.clear();
  friction_groups_.clear();
  normal_groups_.clear();
  load_rows_.clear();
  place_.clear();
  for (int g = 0; g < problem.groups(); ++g) {
    const int dim = problem.j.group(g).dim;
    const int normals = normal_rows(problem.laws[g], dim);
    for (int i = 0; i < dim; ++i) {
      place_.push_back(i < normals ? normal_rows_.rows() + i : friction_rows_.rows() + i - normals);
    }
    if (normals > 0) {  // rolling and torsional friction has none
      normal_rows_.begin_group(normals);
      normal_sets_.push_back(normal_set(problem.laws[g]));
      normal_groups_.push_back(g);
    }
    const bool has_friction = dim > normals;
    if (has_friction) {
      friction_rows_.begin_group(dim - normals);
      friction_groups_.push_back(g);
    }
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      const BlockRows::Block block = problem.j.block(g, entry);
      if (normals > 0) normal_rows_.add(problem.a, entry.block, block.topRows(normals));
      if (has_friction) friction_rows_.add(problem.a, entry.block, block.bottomRows(dim - normals));
    }
  }
  for (const int g : friction_groups_) {
    const Law& law = problem.laws[g];
    load_rows_.push_back(place_[problem.j.group(is_dependent(law) ? law.leader : g).row]);
  }
  for (VecX* x : {&normal_b_, &normal_compliance_, &alpha_}) x->resize(normal_rows_.rows());
  for (VecX* x : {&friction_b_, &friction_compliance_, &f_, &f_next_, &friction_weight_}) {
    x->resize(friction_rows_.rows());
  }
  friction_sets_.resize(friction_groups_.size());
  if (problem.delassus) {
    split_given_w(problem, *problem.delassus);
  } else {
    split_bodies(problem);
  }
  for (int t = 0; t < friction_rows_.groups(); ++t) {
    const BlockRows::Group& rows = friction_rows_.group(t);
    const double rho = friction_qp_.rho()[t];
    friction_weight_.segment(rows.row, rows.dim).setConstant(rho > 0.0 ? 1.0 / std::sqrt(rho) : 0.0);
  }
}

void StaggeredProjections::split_bodies(const ContactProblem& problem) {
  for_each_row(problem, [&](int row, bool normal) {
    (normal ? normal_b_ : friction_b_)[place_[row]] = problem.b[row];
    (normal ? normal_compliance_ : friction_compliance_)[place_[row]] = problem.compliance[row];
  });
  contact_qp_.set_matrices(problem.a, normal_rows_, normal_compliance_);
  friction_qp_.set_matrices(problem.a, friction_rows_, friction_compliance_);
}

void StaggeredProjections::split_given_w(const ContactProblem& problem, const ExplicitDelassus& given) {
  std::vector<char> is_normal(problem.rows());
  for_each_row(problem, [&](int row, bool normal) {
    is_normal[row] = normal;
    (normal ? normal_b_ : friction_b_)[place_[row]] = given.q[row];
  });
  std::vector<Eigen::Triplet<double>> nn, nt, tn, tt;
  for (int row = 0; row < problem.rows(); ++row) {
    for (SparseRows::InnerIterator w(given.w, row); w; ++w) {
      const bool to_normal = is_normal[w.col()];
      auto& part = is_normal[row] ? (to_normal ? nn : nt) : (to_normal ? tn : tt);
      part.emplace_back(place_[row], place_[w.col()], w.value());
    }
  }
  const int normals = normal_rows_.rows();
  const int frictions = friction_rows_.rows();
  const auto fill = [](SparseRows& matrix, int rows, int columns, const std::vector<Eigen::Triplet<double>>& entries) {
    matrix.resize(rows, columns);
    matrix.setFromTriplets(entries.begin(), entries.end());
  };
  fill(w_nn_, normals, normals, nn);
  fill(w_nt_, normals, frictions, nt);
  fill(w_tn_, frictions, normals, tn);
  fill(w_tt_, frictions, frictions, tt);
  contact_qp_.set_matrix(w_nn_, normal_rows_);
  friction_qp_.set_matrix(w_tt_, friction_rows_);
}

void StaggeredProjections::gather(const ContactProblem& problem, const VecX& r) {
  for_each_row(problem, [&](int row, bool normal) { (normal ? alpha_ : f_)[place_[row]] = r[row]; });
}

void StaggeredProjections::scatter(const ContactProblem& problem, VecX& r) const {
  r.resize(problem.rows());
  for_each_row(problem, [&](int row, bool normal) { r[row] = (normal ? alpha_ : f_)[place_[row]]; });
}

SetQpReport StaggeredProjections::contact_projection(const ContactProblem& problem, double tolerance) {
  SetQpOptions options;
  options.tolerance = tolerance;
  options.stop = [this] { return monitor_.out_of_time(); };
  if (problem.delassus) {
    v_shift_.setZero(alpha_.size());
    scratch_ = normal_b_ + w_nt_ * f_;
    return contact_qp_.solve(v_shift_, scratch_, normal_sets_, options, alpha_, v_);
  }
  impulse_.setZero(problem.a.rows());
  friction_rows_.add_transposed(f_, impulse_);
  problem.a.solve(impulse_, v_shift_);
  v_shift_ += problem.v_free;
  return contact_qp_.solve(v_shift_, normal_b_, normal_sets_, options, alpha_, v_);
}

SetQpReport StaggeredProjections::friction_projection(const ContactProblem& problem, double tolerance) {
  // Friction is solved only where alpha > 0 (5.3.6): elsewhere the set is the origin, and its rows drop out.
  for (std::size_t t = 0; t < friction_groups_.size(); ++t) {
    const int g = friction_groups_[t];
    const int tangents = friction_rows_.group(static_cast<int>(t)).dim;
    friction_sets_[t] = friction_set(problem.laws[g], tangents, alpha_[load_rows_[t]]);
  }
  SetQpOptions options;
  options.tolerance = tolerance;
  options.stop = [this] { return monitor_.out_of_time(); };
  f_next_ = f_;
  if (problem.delassus) {
    v_shift_.setZero(f_.size());
    scratch_ = friction_b_ + w_tn_ * alpha_;
    return friction_qp_.solve(v_shift_, scratch_, friction_sets_, options, f_next_, v_);
  }
  impulse_.setZero(problem.a.rows());
  normal_rows_.add_transposed(alpha_, impulse_);
  problem.a.solve(impulse_, v_shift_);
  v_shift_ += problem.v_free;
  return friction_qp_.solve(v_shift_, friction_b_, friction_sets_, options, f_next_, v_);
}

/// ‖D f‖² in the kinetic metric.
double StaggeredProjections::friction_energy(const ContactProblem& problem, const VecX& f) {
  if (problem.delassus) return std::max(f.dot(w_tt_ * f), 0.0);
  impulse_.setZero(problem.a.rows());
  friction_rows_.add_transposed(f, impulse_);
  return problem.a.inverse_norm_squared(impulse_);
}

/// Eq. 5.21 in the kinetic metric; 0/0 counts as no change.
double StaggeredProjections::relative_friction_change(const ContactProblem& problem) {
  scratch_ = f_next_ - f_;
  const double moved = friction_energy(problem, scratch_);
  if (moved == 0.0) return 0.0;
  const double before = friction_energy(problem, f_);
  return before > 0.0 ? moved / before : std::numeric_limits<double>::infinity();
}

}  // namespace cardhouse
