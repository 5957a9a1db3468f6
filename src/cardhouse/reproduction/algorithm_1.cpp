#include "cardhouse/reproduction/algorithm_1.h"

#include <cmath>
#include <limits>

#include "cardhouse/contact/law_projection.h"
#include "cardhouse/contact/residual.h"

namespace cardhouse::reproduction {
namespace {

/// The group whose normal impulse bounds the friction of g: of rolling and torsional friction that of its contact.
int leader_of(const ContactProblem& problem, int g) {
  return is_dependent(problem.laws[g]) ? problem.laws[g].leader : g;
}

/// mu lambda: the largest −f · u over the friction f of a unit of load.
double least_lambda(const Law& law, int tangents, const double* u) {
  if (tangents == 0) return 0.0;
  const double backward[2] = {-u[0], tangents == 2 ? -u[1] : 0.0};
  return support(friction_set(law, tangents, 1.0), tangents, backward);
}

}  // namespace

Algorithm1::Algorithm1(const ContactProblem& problem) : problem_(problem) {
  Certifier certifier;
  certifier(problem, VecX::Zero(problem.rows()));
  scale_ = certifier.scale();
  split_rows();
  no_normal_compliance_.setZero(normal_rows_.rows());
  no_friction_compliance_.setZero(friction_rows_.rows());
  contact_qp_.set_matrices(problem.a, normal_rows_, no_normal_compliance_);
  friction_qp_.set_matrices(problem.a, friction_rows_, no_friction_compliance_);
}

void Algorithm1::split_rows() {
  for (int g = 0; g < problem_.groups(); ++g) {
    const int dim = problem_.j.group(g).dim;
    const int normals = normal_rows(problem_.laws[g], dim);
    for (int i = 0; i < dim; ++i) {
      place_.push_back(i < normals ? normal_rows_.rows() + i : friction_rows_.rows() + i - normals);
      is_normal_.push_back(i < normals);
    }
    if (normals > 0) {  // rolling and torsional friction has none
      normal_rows_.begin_group(normals);
      normal_sets_.push_back(normal_set(problem_.laws[g]));
    }
    const bool has_friction = dim > normals;
    if (has_friction) {
      friction_rows_.begin_group(dim - normals);
      friction_groups_.push_back(g);
    }
    for (const BlockRows::Entry& entry : problem_.j.entries(g)) {
      const BlockRows::Block block = problem_.j.block(g, entry);
      if (normals > 0) normal_rows_.add(problem_.a, entry.block, block.topRows(normals));
      if (has_friction) friction_rows_.add(problem_.a, entry.block, block.bottomRows(dim - normals));
    }
  }
  for (const int g : friction_groups_) load_rows_.push_back(place_[problem_.j.group(leader_of(problem_, g)).row]);
  friction_sets_.resize(friction_groups_.size());
  gather(problem_.b, normal_b_, friction_b_);
}

void Algorithm1::gather(const VecX& rows, VecX& normal, VecX& friction) const {
  normal.resize(normal_rows_.rows());
  friction.resize(friction_rows_.rows());
  for (int row = 0; row < problem_.rows(); ++row) (is_normal_[row] ? normal : friction)[place_[row]] = rows[row];
}

Algorithm1::Result Algorithm1::solve(const VecX& guess, const Options& options, const Observe& observe) {
  gather(guess, alpha_, f_);
  alpha_.setZero();
  qp_tolerance_ = options.projection * scale_;
  Result result;
  double change = std::numeric_limits<double>::infinity();
  while (change > options.tolerance && result.iterations < options.max_iterations) {
    options.stop.throw_if_requested();
    ++result.iterations;
    contact_projection();
    f_next_ = f_;
    friction_projection();
    const double moved = friction_energy(f_next_ - f_);
    change = moved == 0.0 ? 0.0 : moved / friction_energy(f_);
    f_ = f_next_;
    if (!observe) continue;
    scatter(result.r);
    observe(result.r);
  }
  result.converged = change <= options.tolerance;
  contact_projection();
  scatter(result.r);
  return result;
}

/// N alpha ← P_C(−M v_free − f)
void Algorithm1::contact_projection() {
  impulse_.setZero(problem_.a.rows());
  friction_rows_.add_transposed(f_, impulse_);
  problem_.a.solve(impulse_, v_shift_);
  v_shift_ += problem_.v_free;
  SetQpOptions options;
  options.tolerance = qp_tolerance_;
  contact_qp_.solve(v_shift_, normal_b_, normal_sets_, options, alpha_, v_);
}

/// f ← P_F(alpha)(−M v_free − N alpha)
void Algorithm1::friction_projection() {
  for (std::size_t t = 0; t < friction_groups_.size(); ++t) {
    const int g = friction_groups_[t];
    const int tangents = friction_rows_.group(static_cast<int>(t)).dim;
    friction_sets_[t] = friction_set(problem_.laws[g], tangents, alpha_[load_rows_[t]]);
  }
  impulse_.setZero(problem_.a.rows());
  normal_rows_.add_transposed(alpha_, impulse_);
  problem_.a.solve(impulse_, v_shift_);
  v_shift_ += problem_.v_free;
  SetQpOptions options;
  options.tolerance = qp_tolerance_;
  friction_qp_.solve(v_shift_, friction_b_, friction_sets_, options, f_next_, v_);
}

double Algorithm1::friction_energy(const VecX& f) {
  impulse_.setZero(problem_.a.rows());
  friction_rows_.add_transposed(f, impulse_);
  return problem_.a.inverse_norm_squared(impulse_);
}

void Algorithm1::scatter(VecX& r) const {
  r.resize(problem_.rows());
  for (int row = 0; row < problem_.rows(); ++row) r[row] = (is_normal_[row] ? alpha_ : f_)[place_[row]];
}

double complementarity_objective(const ContactProblem& problem, const VecX& r) {
  VecX u, v;
  contact_velocity(problem, r, v, u);
  double sum = r.dot(u);
  for (int g = 0; g < problem.groups(); ++g) {
    const Law& law = problem.laws[g];
    if (law.kind != Law::Kind::coulomb && !is_dependent(law)) continue;
    const BlockRows::Group& rows = problem.j.group(g);
    const int normals = normal_rows(law, rows.dim);
    const double load = r[problem.j.group(leader_of(problem, g)).row];
    sum += load * least_lambda(law, rows.dim - normals, u.data() + rows.row + normals);
  }
  return sum;
}

double kinetic_distance(const ContactProblem& problem, const VecX& r, const VecX& other) {
  VecX impulse = VecX::Zero(problem.a.rows());
  problem.j.add_transposed(r - other, impulse);
  return std::sqrt(problem.a.inverse_norm_squared(impulse));
}

}  // namespace cardhouse::reproduction
