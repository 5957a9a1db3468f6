#include "cardhouse/contact/residual.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/contact/law_projection.h"
#include "cardhouse/math/constants.h"

namespace cardhouse {
namespace {

/// How far impulses may raise the scale above the free motion's (−): stacks and ratios of mass reach thousands.
constexpr double most_growth = 1e4;
/// Beyond this r − (r − rho u) no longer tells u from nothing to a billionth of the largest scale (−).
constexpr double most_telling_growth = 1e10;

double norm(const double* x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

/// NaN and infinities that a projection may never look at: tangential rows of an open contact, a coefficient of
/// friction.
bool is_sound(const Law& law, int dim, const double* r, const double* u) {
  for (int i = 0; i < dim; ++i) {
    if (!std::isfinite(r[i]) || !std::isfinite(u[i])) return false;
  }
  return !std::isnan(law.mu) && !std::isnan(law.mu_cross) && !std::isnan(law.lower) && !std::isnan(law.upper);
}

/// Without rho the size of u does not matter, only whether the law holds: project with rho = 1.
double weight_of(double rho) {
  return rho > 0.0 ? rho : 1.0;
}

/// ‖r − P(r − rho u)‖, or infinity for NaN. Rows that nothing can move (rho = 0) must hold as they are.
double law_error(const Law& law, int dim, double rho, const double* r, const double* u, double load) {
  if (!is_sound(law, dim, r, u)) return infinity;
  double z[3];
  double p[3];
  for (int i = 0; i < dim; ++i) z[i] = r[i] - weight_of(rho) * u[i];
  project_on_law(law, dim, z, load, p);
  double e[3];
  for (int i = 0; i < dim; ++i) e[i] = r[i] - p[i];
  const double size = norm(e, dim);
  if (!(rho > 0.0)) return size == 0.0 ? 0.0 : infinity;
  return std::isnan(size) ? infinity : size;
}

/// Whether the law has something to do at the free velocity: a contact that closes, a joint row that is not at rest.
bool law_acts(const ContactProblem& problem, int g, const VecX& q) {
  const Law& law = problem.laws[g];
  const BlockRows::Group& rows = problem.j.group(is_dependent(law) ? law.leader : g);
  const double* own = q.data() + rows.row;
  if (law.kind != Law::Kind::equality && law.kind != Law::Kind::bounded) return own[0] < 0.0;
  return std::any_of(own, own + rows.dim, [](double row) { return row != 0.0; });
}

/// How many of a group's rows the law looks at, from the first on.
int acting_rows(const Law& law, int dim) {
  if (law.mu != 0.0 || law.mu_cross != 0.0) return dim;
  if (is_dependent(law)) return 0;
  return law.kind == Law::Kind::coulomb ? 1 : dim;
}

/// Part of the speeds that a row is the difference of which the scale counts at least (−): where a joint has nothing to
/// do, or bodies that touch fall side by side, q is their round-off, and no impulse could be right to a part of that.
constexpr double least_part_of_speeds = 1e-6;

/// What the free velocity counts for in the scale (m/s).
double free_speed(const ContactProblem& problem, int g, const VecX& q, const VecX& terms) {
  const Law& law = problem.laws[g];
  const BlockRows::Group& rows = problem.j.group(g);
  const int dim = acting_rows(law, rows.dim);
  const double speed = norm(q.data() + rows.row, dim);
  if (terms.size() == 0 || is_dependent(law)) return speed;
  return std::max(speed, least_part_of_speeds * norm(terms.data() + rows.row, dim));
}

/// Friction impulses f at the velocities u with the normal impulse that bounds them.
void add_friction_parts(const Law& law, int tangents, double load, const double* f, const double* u, Certificate& c) {
  const ConvexSet set = friction_set(law, tangents, load);
  double p[2];
  double backward[2];
  double excess[2];
  double power = 0.0;
  project(set, tangents, f, p);
  for (int i = 0; i < tangents; ++i) {
    excess[i] = f[i] - p[i];
    backward[i] = -u[i];
    power += f[i] * u[i];
  }
  c.cone_excess = std::max(c.cone_excess, norm(excess, tangents));
  // Maximal dissipation (Eq. 5.9): r_T minimises r_T · u_T over F(r_N).
  c.missing_dissipation = std::max(c.missing_dissipation, support(set, tangents, backward) + power);
}

void add_parts(const Law& law, int dim, const double* r, const double* u, double load, Certificate& c) {
  if (is_dependent(law)) {
    add_friction_parts(law, dim, load, r, u, c);
    return;
  }
  if (law.kind == Law::Kind::equality) {
    c.approach_speed = std::max(c.approach_speed, norm(u, dim));
    return;
  }
  if (law.kind == Law::Kind::bounded) {
    for (int i = 0; i < dim; ++i) {
      double p = 0.0;
      project(normal_set(law), 1, r + i, &p);
      c.cone_excess = std::max(c.cone_excess, std::abs(r[i] - p));
    }
    return;
  }
  c.approach_speed = std::max(c.approach_speed, -u[0]);
  c.complementarity = std::max(c.complementarity, std::abs(r[0] * u[0]));
  c.cone_excess = std::max(c.cone_excess, -r[0]);
  if (law.kind == Law::Kind::coulomb && dim > 1) add_friction_parts(law, dim - 1, r[0], r + 1, u + 1, c);
}

}  // namespace

void Certifier::prepare(const ContactProblem& problem) {
  const int groups = problem.groups();
  shared_ = nullptr;
  own_.rho.resize(groups);
  own_.groups.resize(groups);
  free_velocity(problem, own_.q);
  size_of_terms(problem, terms_);
  group_islands_.find(problem);
  own_.islands = group_islands_.count();
  for (int g = 0; g < groups; ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const double trace = delassus_block(problem, g).trace();
    GroupData& group = own_.groups[g];
    own_.rho[g] = trace > 0.0 ? rows.dim / trace : 0.0;
    group.island = group_islands_.of(g);
    group.root = std::sqrt(own_.rho[g]);
    group.acts = law_acts(problem, g, own_.q);
    group.free_speed = free_speed(problem, g, own_.q, terms_);
  }
}

/// The normal part of the leader's projection: what its own friction is bounded by, too.
double Certifier::projected_load(const ContactProblem& problem, int g, const VecX& r) const {
  const Law& law = problem.laws[g];
  if (!is_dependent(law)) return 0.0;
  const int row = problem.j.group(law.leader).row;
  return std::max(r[row] - weight_of(prepared().rho[law.leader]) * u_[row], 0.0);
}

void Certifier::find_scales(const ContactProblem& problem, const VecX& r) {
  islands_.assign(prepared().islands, IslandData());
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const GroupData& group = prepared().groups[g];
    const double r_norm = norm(r.data() + rows.row, rows.dim);
    if (!(prepared().rho[g] > 0.0) || (r_norm == 0.0 && !group.acts)) continue;
    IslandData& island = islands_[group.island];
    island.scale = std::max(island.scale, r_norm / group.root);
    island.free = std::max(island.free, group.root * group.free_speed);
  }
  growth_ = 0.0;
  largest_scale_ = 0.0;
  for (IslandData& island : islands_) {
    if (island.free > 0.0) {
      growth_ = std::max(growth_, island.scale / island.free);
      const bool telling = island.scale <= most_telling_growth * island.free;
      island.scale = telling ? std::clamp(island.scale, island.free, most_growth * island.free) : 0.0;
    }
    largest_scale_ = std::max(largest_scale_, island.scale);
  }
}

/// One group's part of the residual.
double Certifier::share(const ContactProblem& problem, int g, const VecX& r) const {
  const BlockRows::Group& rows = problem.j.group(g);
  const double load = projected_load(problem, g, r);
  const double rho = prepared().rho[g];
  const GroupData& group = prepared().groups[g];
  const double error = law_error(problem.laws[g], rows.dim, rho, r.data() + rows.row, u_.data() + rows.row, load);
  const IslandData& island = islands_[group.island];
  if (!std::isfinite(error) || (island.scale == 0.0 && island.free > 0.0)) return infinity;
  if (!(error > 0.0)) return 0.0;
  // An error with nothing to measure it by (scale 0) is an error all the same.
  return island.scale > 0.0 ? error / group.root / island.scale : infinity;
}

double Certifier::residual(const ContactProblem& problem, const VecX& r) {
  contact_velocity(problem, r, v_, u_);
  find_scales(problem, r);
  double largest = 0.0;
  for (int g = 0; g < problem.groups(); ++g) largest = std::max(largest, share(problem, g, r));
  return largest;
}

Certificate Certifier::operator()(const ContactProblem& problem, const VecX& r, std::vector<double>* per_group) {
  prepare(problem);
  return certificate(problem, r, per_group);
}

Certificate Certifier::certificate(const ContactProblem& problem, const VecX& r, std::vector<double>* per_group) {
  Certificate result;
  const int groups = problem.groups();
  if (per_group) per_group->assign(groups, 0.0);
  contact_velocity(problem, r, v_, u_);
  find_scales(problem, r);
  for (int g = 0; g < groups; ++g) {
    const double part = share(problem, g, r);
    if (per_group) (*per_group)[g] = part;
    if (part > result.residual || result.worst_group < 0) {
      result.residual = part;
      result.worst_group = g;
    }
    const BlockRows::Group& rows = problem.j.group(g);
    add_parts(problem.laws[g], rows.dim, r.data() + rows.row, u_.data() + rows.row, load_on(problem, g, r), result);
  }
  return result;
}

Certificate certify(const ContactProblem& problem, const VecX& r) {
  Certifier certifier;
  return certifier(problem, r);
}

}  // namespace cardhouse
