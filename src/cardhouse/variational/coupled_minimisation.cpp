#include "cardhouse/variational/coupled_minimisation.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

/// Rows of one contact over its particle: the unit normal and an orthonormal complement.
using Basis = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, 3>;

Basis contact_rows(const Point& normal, bool friction) {
  const Eigen::Index axes = normal.size();
  Basis rows(friction ? axes : 1, axes);
  rows.row(0) = normal.transpose();
  if (friction && axes == 2) rows.row(1) << -normal[1], normal[0];
  if (friction && axes == 3) {
    const Vec3 n = normal;
    const Vec3 first = n.unitOrthogonal();
    rows.row(1) = first.transpose();
    rows.row(2) = n.cross(first).transpose();
  }
  return rows;
}

bool has_friction(const Obstacle& obstacle) {
  return obstacle.mu > 0.0 && obstacle.first.count > 1;
}

Law law_of(const Obstacle& obstacle) {
  Law law;
  law.kind = has_friction(obstacle) ? Law::Kind::coulomb : Law::Kind::unilateral;
  law.mu = law.mu_cross = obstacle.mu;
  return law;
}

}  // namespace

CoupledMinimisation::CoupledMinimisation(const MechanicalSystem& system, const MinimisationSettings& settings)
    : system_(system), settings_(settings), solver_(make_solver(settings.solver, {0.1 * settings.contact_tolerance})) {
  inverse_mass_ = Cholesky(system.mass).inverse();
}

StepQuality CoupledMinimisation::solve(const StepEquations& equations, VecX& w) {
  StepQuality quality;
  penalty_ = 0.0;
  solution_.r.resize(0);
  for (quality.iterations = 1;; ++quality.iterations) {
    linearise(equations, w);
    solve_linearised();
    direction_ = solution_.v - w;
    const double part = line_search(equations, w);
    w += part * direction_;
    quality.momentum_error = momentum_error(equations, w);
    // Rows are linear in w and hold after a whole step; gaps of curved obstacles also have to be as they were taken.
    const bool solved = part == 1.0 && quality.momentum_error <= settings_.momentum_tolerance &&
                        row_error(equations, w) <= settings_.momentum_tolerance;
    if (solved || quality.iterations >= settings_.max_iterations || !w.allFinite()) {
      quality.converged = solved;
      certify_at(equations, w, quality);
      return quality;
    }
  }
}

const VecX& CoupledMinimisation::potential_gradient(const VecX& q) {
  gradient_.setZero(q.size());
  system_.potential->add_gradient(q, gradient_);
  return gradient_;
}

/// A, v_free and the rows at w. With any A in place of the exact one, A v = p − s ∇V + (A − M) w + Jᵀ r has the same
/// fixed point.
void CoupledMinimisation::linearise(const StepEquations& equations, const VecX& w) {
  place_ = equations.base + equations.reach * w;
  const double factor = equations.force_time * equations.reach;
  matrix_.setZero(w.size(), w.size());
  if (factor != 0.0) system_.potential->add_hessian(place_, matrix_);
  matrix_ *= factor;
  matrix_ += system_.mass;
  if (!factor_.compute(matrix_)) {
    matrix_ -= system_.mass;
    const SymmetricEigen eigen = symmetric_eigen(matrix_);
    matrix_ = eigen.vectors * eigen.values.cwiseMax(0.0).asDiagonal() * eigen.vectors.transpose();
    matrix_ += system_.mass;
    factor_.compute(matrix_);
  }
  inverse_ = factor_.inverse();

  right_side_ = equations.momentum - equations.force_time * potential_gradient(place_);
  right_side_.noalias() += matrix_.lazyProduct(w);
  right_side_.noalias() -= system_.mass.lazyProduct(w);
  problem_.a.clear();
  problem_.a.add(matrix_, inverse_);
  problem_.v_free.noalias() = inverse_.lazyProduct(right_side_);
  assemble_rows(equations, w);
}

void CoupledMinimisation::assemble_rows(const StepEquations& equations, const VecX& w) {
  problem_.j.clear();
  problem_.laws.clear();
  int rows = 0;
  for (const StepContact& contact : equations.contacts) {
    const Obstacle& obstacle = system_.obstacles[contact.obstacle];
    rows += has_friction(obstacle) ? obstacle.first.count : 1;
  }
  problem_.b.setZero(rows);
  problem_.compliance.setZero(rows);
  int row = 0;
  for (const StepContact& contact : equations.contacts) {
    assemble_contact(system_.obstacles[contact.obstacle], contact, equations, w, row);
  }
}

void CoupledMinimisation::assemble_contact(const Obstacle& obstacle, const StepContact& contact,
                                           const StepEquations& equations, const VecX& w, int& row) {
  const Point x = place_of(obstacle, equations.position_rows ? place_ : equations.contact_place);
  const Point gradient = obstacle.gap->gradient(x);
  const double length = gradient.norm();
  const Basis basis = contact_rows(gradient / length, has_friction(obstacle));
  rows_.setZero(basis.rows(), w.size());  // the whole system is one block of A
  rows_.middleCols(obstacle.first.first, obstacle.first.count) = basis;
  if (obstacle.second.count > 0) rows_.middleCols(obstacle.second.first, obstacle.second.count) = -basis;
  problem_.j.begin_group(static_cast<int>(basis.rows()));
  problem_.j.add(problem_.a, 0, rows_);
  problem_.laws.push_back(law_of(obstacle));
  problem_.b[row] = equations.position_rows ? obstacle.gap->value(x) / (length * equations.reach) - rows_.row(0).dot(w)
                                            : contact.bias;
  row += static_cast<int>(basis.rows());
}

/// solution_, impulse_ and the friction's part of it.
void CoupledMinimisation::solve_linearised() {
  impulse_.setZero(problem_.v_free.size());
  friction_impulse_.setZero(problem_.v_free.size());
  if (problem_.groups() == 0) {
    solution_.v = problem_.v_free;
    return;
  }
  if (solution_.r.size() != problem_.rows()) solution_.r.setZero(problem_.rows());
  solve_within_memory(*solver_, problem_, solution_);
  velocity_from_impulses(problem_, solution_.r, solution_.v);
  problem_.j.add_transposed(solution_.r, impulse_);
  friction_impulse_ = impulse_;
  for (int g = 0; g < problem_.groups(); ++g) {
    const BlockRows::Group& rows = problem_.j.group(g);
    double normal[3] = {solution_.r[rows.row], 0.0, 0.0};
    penalty_ = std::max(penalty_, 2.0 * normal[0]);
    normal[0] = -normal[0];
    problem_.j.add_transposed_group(g, normal, friction_impulse_);
  }
}

/// Sum over the contacts of how far u_N(w) is below 0 (m/s).
double CoupledMinimisation::violation(const StepEquations& equations, const VecX& w) const {
  double sum = 0.0;
  for (int g = 0; g < problem_.groups(); ++g) {
    const Obstacle& obstacle = system_.obstacles[equations.contacts[g].obstacle];
    double u = 0.0;
    if (equations.position_rows) {
      u = distance_to(obstacle, equations.base + equations.reach * w) / equations.reach;
    } else {
      double rows[3];
      problem_.j.multiply_group(g, w, rows);
      u = rows[0] + equations.contacts[g].bias;
    }
    sum += std::max(0.0, -u);
  }
  return sum;
}

double CoupledMinimisation::merit(const StepEquations& equations, const VecX& w, double& size) const {
  const double kinetic = 0.5 * w.dot(system_.mass.lazyProduct(w));
  const double given = w.dot(equations.momentum + friction_impulse_);
  double potential = 0.0;
  if (equations.force_time > 0.0) {
    potential =
        equations.force_time / equations.reach * system_.potential->energy(equations.base + equations.reach * w);
  }
  const double rows = problem_.groups() > 0 ? penalty_ * violation(equations, w) : 0.0;
  size = std::abs(kinetic) + std::abs(given) + std::abs(potential) + rows;
  return kinetic - given + potential + rows;
}

/// The part of the step to take: the first of 1, ½, ¼, … with the decrease that Armijo asks for.
double CoupledMinimisation::line_search(const StepEquations& equations, const VecX& w) {
  constexpr double asked = 1e-4;  // part of the decrease that the slope promises
  constexpr double rounding = 1e-14;
  // Slope of the objective at w: M w − p − f + s ∇V, where linearise() left ∇V.
  residual_ = equations.force_time * gradient_ - equations.momentum - friction_impulse_;
  residual_.noalias() += system_.mass.lazyProduct(w);
  double size_before = 0.0;
  double size_after = 0.0;
  const double before = merit(equations, w, size_before);
  const double slope = residual_.dot(direction_) - penalty_ * violation(equations, w);
  for (double part = 1.0; part > 1e-6; part *= 0.5) {
    trial_ = w + part * direction_;
    const double after = merit(equations, trial_, size_after);
    if (after <= before + asked * part * slope + rounding * (size_before + size_after)) return part;
  }
  return 1.0;  // no decrease to be seen: friction that changes its mind; the whole step is Newton's
}

/// ‖M w − p + s ∇V − Jᵀ r‖ against the sum of the parts' norms, in the metric of M⁻¹.
double CoupledMinimisation::momentum_error(const StepEquations& equations, const VecX& w) {
  const auto norm = [this](const VecX& x) {
    divide_by_mass(x, scaled_);
    return std::sqrt(std::max(0.0, x.dot(scaled_)));
  };
  place_ = equations.base + equations.reach * w;
  residual_ = equations.force_time * potential_gradient(place_);
  double scale = norm(residual_) + norm(equations.momentum) + norm(impulse_);
  residual_ -= equations.momentum + impulse_;
  residual_.noalias() += system_.mass.lazyProduct(w);
  const double error = norm(residual_);
  return scale > 0.0 ? error / scale : error;
}

/// How far the gaps are from their linearisation, as speeds against the system's.
double CoupledMinimisation::row_error(const StepEquations& equations, const VecX& w) const {
  if (!equations.position_rows || problem_.groups() == 0) return 0.0;
  double error = 0.0;
  for (int g = 0; g < problem_.groups(); ++g) {
    const Obstacle& obstacle = system_.obstacles[equations.contacts[g].obstacle];
    double rows[3];
    problem_.j.multiply_group(g, w, rows);
    const int row = problem_.j.group(g).row;
    const double exact = distance_to(obstacle, place_) / equations.reach;
    const double linear = rows[0] + problem_.b[row];
    // An open contact's gap only has to be positive.
    error = std::max(error, solution_.r[row] == 0.0 ? -exact : std::abs(exact - linear));
  }
  const double speed = w.norm() + equations.momentum.norm() * inverse_mass_.norm();
  return speed > 0.0 ? error / speed : error;
}

/// The contact problem with M alone and the force at w: its solution is (w, r) when all is solved.
void CoupledMinimisation::certify_at(const StepEquations& equations, const VecX& w, StepQuality& quality) {
  if (problem_.groups() == 0) return;
  problem_.a.clear();
  problem_.a.add(system_.mass, inverse_mass_);
  right_side_ = equations.momentum - equations.force_time * gradient_;  // ∇V at w, of momentum_error()
  divide_by_mass(right_side_, problem_.v_free);
  assemble_rows(equations, w);
  quality.certificate = certifier_(problem_, solution_.r);
  quality.converged = quality.converged && quality.certificate.certified(settings_.contact_tolerance);
}

}  // namespace cardhouse
