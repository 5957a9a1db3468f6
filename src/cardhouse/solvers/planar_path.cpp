#include "cardhouse/solvers/planar_path.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cardhouse {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Conditions count as met up to this part of the largest free speed (−).
constexpr double round_off = 1e-10;

/// In (0, 1), the same for the same place: the contacts of a regular pile would otherwise all change at the same t.
double scattered(int place) {
  std::uint64_t x = static_cast<std::uint64_t>(place) * 0x9e3779b97f4a7c15u + 0x7f4a7c15u;
  x ^= x >> 31;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 29;
  return (static_cast<double>(x >> 12) + 0.5) / static_cast<double>(std::uint64_t{1} << 52);
}

bool is_contact(const Law& law) {
  return law.kind == Law::Kind::coulomb || law.kind == Law::Kind::unilateral;
}

}  // namespace

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
      default:
        return false;
    }
  }
  return true;
}

bool PlanarPath::sticks_by_friction(int g) const {
  const Law& law = problem_->laws[g];
  return law.kind == Law::Kind::coulomb && problem_->j.group(g).dim > 1 && law.mu > 0.0;
}

/// Calls `visit` for each condition that the group's state rests on.
template <typename Visit>
void PlanarPath::for_conditions(int g, const Visit& visit) const {
  const Law& law = problem_->laws[g];
  const bool friction = sticks_by_friction(g);
  const bool bounded = law.kind == Law::Kind::bounded;
  switch (states_[g]) {
    case State::open:
      visit(Condition::opening);
      break;
    case State::stick:
      if (is_contact(law) && !friction) visit(Condition::pressing);
      if (friction || (bounded && std::isfinite(law.upper))) visit(Condition::forward_reserve);
      if (friction || (bounded && std::isfinite(law.lower))) visit(Condition::backward_reserve);
      break;
    case State::slip_forward:
    case State::slip_backward:
      visit(Condition::pressing);
      visit(Condition::slipping);
      break;
    case State::lower:
    case State::upper:
      visit(Condition::leaving);
      break;
  }
}

PlanarPath::Line PlanarPath::line(int g, Condition condition) const {
  const int row = problem_->j.group(g).row;
  const Law& law = problem_->laws[g];
  const bool bounded = law.kind == Law::Kind::bounded;
  const auto speed = [&](double sign, int i) {
    return Line{sign * root_rho_[g] * u_end_[i], sign * root_rho_[g] * u_way_[i]};
  };
  const auto reserve = [&](double sign, double bound) {
    const double end = bounded ? bound - sign * r_end_[row] : law.mu * r_end_[row] - sign * r_end_[row + 1];
    const double way = bounded ? -sign * r_way_[row] : law.mu * r_way_[row] - sign * r_way_[row + 1];
    return Line{end / root_rho_[g], way / root_rho_[g]};
  };
  switch (condition) {
    case Condition::opening:
      return speed(1.0, row);
    case Condition::pressing:
      return {r_end_[row] / root_rho_[g], r_way_[row] / root_rho_[g]};
    case Condition::slipping:  // friction acts against it
      return speed(states_[g] == State::slip_forward ? -1.0 : 1.0, row + 1);
    case Condition::forward_reserve:
      return reserve(1.0, law.upper);
    case Condition::backward_reserve:
      return reserve(-1.0, -law.lower);
    case Condition::leaving:
      return speed(states_[g] == State::lower ? 1.0 : -1.0, row);
  }
  return {};
}

void PlanarPath::start(const ContactProblem& problem) {
  problem_ = &problem;
  const int groups = problem.groups();
  system_.set_problem(problem);
  root_rho_.resize(groups);
  softness_.resize(groups);
  theta_.assign(groups, Mat3::Zero());
  free_velocity(problem, free_);
  end_ = free_;
  for (VecX* x : {&offset_, &center_, &way_}) x->setZero(problem.rows());
  slack_ = 0.0;
  for (int g = 0; g < groups; ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const double known = judge_.certifier().rho()[g];
    const double rho = known > 0.0 ? known : 1.0;  // nothing moves these rows
    root_rho_[g] = std::sqrt(rho);
    softness_[g] = own_.proximal / rho;
    slack_ = std::max(slack_, round_off * root_rho_[g] * free_.segment(rows.row, rows.dim).norm());
  }
  open_all();
}

/// All contacts open, and a way that opens them: Lemke's covering vector.
void PlanarPath::open_all() {
  const double speed = free_.lpNorm<Eigen::Infinity>();
  states_.resize(static_cast<std::size_t>(problem_->groups()));
  for (int g = 0; g < problem_->groups(); ++g) {
    const BlockRows::Group& rows = problem_->j.group(g);
    const bool contact = is_contact(problem_->laws[g]);
    states_[g] = contact ? State::open : State::stick;
    if (!contact) continue;
    way_[rows.row] = speed * (1.0 + scattered(2 * g));
    if (rows.dim > 1) way_[rows.row + 1] = 0.01 * speed * (scattered(2 * g + 1) - 0.5);
  }
}

/// The lowest t from which on all that is open stays open; infinite where there is none.
double PlanarPath::lowest_open() const {
  double t = 0.0;
  for (int g = 0; g < problem_->groups(); ++g) {
    if (states_[g] != State::open) continue;
    const Line opening = line(g, Condition::opening);
    if (opening.slope <= 0.0) return infinity;
    t = std::max(t, -opening.value / opening.slope);
  }
  return t;
}

/// Another walk, around the answer: with what the compliance took as the way, all states hold at t = 1.
void PlanarPath::soften_around_answer() {
  for (int g = 0; g < problem_->groups(); ++g) {
    const BlockRows::Group& rows = problem_->j.group(g);
    way_.segment(rows.row, rows.dim) =
        softness_[g] * (r_end_.segment(rows.row, rows.dim) - center_.segment(rows.row, rows.dim));
  }
  center_ = r_end_;
  contact_velocity(*problem_, center_, v_, end_);
  top_ = 1.0;
}

/// Θ and the offset of d = offset − Θ (W d + u), the impulses' distance from the centre, whose velocities are u.
void PlanarPath::weigh(int g) {
  const BlockRows::Group& rows = problem_->j.group(g);
  const Law& law = problem_->laws[g];
  const double stiffness = 1.0 / softness_[g];
  const double friction = states_[g] == State::slip_forward ? law.mu : -law.mu;
  const auto center = center_.segment(rows.row, rows.dim);
  auto offset = offset_.segment(rows.row, rows.dim);
  Mat3& theta = theta_[g];
  theta.setZero();
  offset = -center;
  switch (states_[g]) {
    case State::stick:
      theta(0, 0) = stiffness;
      offset[0] = 0.0;
      if (law.kind == Law::Kind::equality || sticks_by_friction(g)) {
        theta = stiffness * Mat3::Identity();
        offset.setZero();
      }
      break;
    case State::slip_forward:
    case State::slip_backward:
      theta(0, 0) = stiffness;
      theta(1, 0) = friction * stiffness;
      offset[0] = 0.0;
      offset[1] += friction * center[0];
      break;
    case State::lower:
      offset[0] += law.lower;
      break;
    case State::upper:
      offset[0] += law.upper;
      break;
    case State::open:
      break;
  }
}

/// Impulses and velocities of the present states, as lines over t.
bool PlanarPath::solve_states() {
  for (int g = 0; g < problem_->groups(); ++g) weigh(g);
  if (!system_.factorise(theta_)) return false;
  // Of the distance from the centre, not of the impulses: what is large about them is never multiplied by the
  // stiffness.
  solve_for(end_, &offset_, r_end_);
  solve_for(way_, nullptr, r_way_);
  u_end_ = r_end_;
  r_end_ += center_;
  soft_velocity(u_end_, r_end_, u_end_);
  soft_velocity(r_way_, r_way_, u_way_);
  u_way_ += way_ - free_;
  return r_end_.allFinite() && r_way_.allFinite();
}

void PlanarPath::solve_for(const VecX& q, const VecX* offset, VecX& x) {
  right_.setZero(problem_->rows());
  if (offset) right_ = *offset;
  for (int g = 0; g < problem_->groups(); ++g) {
    const BlockRows::Group& rows = problem_->j.group(g);
    right_.segment(rows.row, rows.dim).noalias() -=
        theta_[g].topLeftCorner(rows.dim, rows.dim) * q.segment(rows.row, rows.dim);
  }
  system_.solve(right_, x);
}

/// u = the velocity of r, and the compliance times a distance.
void PlanarPath::soft_velocity(const VecX& distance, const VecX& r, VecX& u) {
  right_ = distance;
  contact_velocity(*problem_, r, v_, u);
  for (int g = 0; g < problem_->groups(); ++g) {
    const BlockRows::Group& rows = problem_->j.group(g);
    u.segment(rows.row, rows.dim) += softness_[g] * right_.segment(rows.row, rows.dim);
  }
}

/// Harris's two passes: how far the path may go when every condition may be missed by a little, and of the conditions
/// that end before that the one that falls fastest. So round-off where many meet can't choose a bad pivot.
PlanarPath::Crossing PlanarPath::next_crossing(double t, double direction, int entered) const {
  const auto for_falling = [&](const auto& visit) {
    for (int g = 0; g < problem_->groups(); ++g) {
      for_conditions(g, [&](Condition condition) {
        const Line l = line(g, condition);
        const double rate = direction * l.slope;
        const double value = l.value + l.slope * t;
        if (!(rate < 0.0) || (g == entered && value <= slack_)) return;
        visit(Crossing{g, condition, std::max(value, 0.0) / -rate}, -rate);
      });
    }
  };
  double farthest = infinity;
  for_falling([&](const Crossing& c, double rate) { farthest = std::min(farthest, c.distance + slack_ / rate); });
  Crossing chosen{.distance = infinity};
  double steepest = 0.0;
  for_falling([&](const Crossing& c, double rate) {
    if (c.distance > farthest || rate <= steepest) return;
    chosen = c;
    steepest = rate;
  });
  return chosen;
}

/// Goes over to the state on the other side of a condition; returns the condition of that state which is zero here.
PlanarPath::Condition PlanarPath::change(const Crossing& crossing, double t) {
  const int g = crossing.group;
  if (problem_->laws[g].kind == Law::Kind::bounded) return change_bounded(crossing);
  State& state = states_[g];
  switch (crossing.condition) {
    case Condition::opening: {
      const int tangent = problem_->j.group(g).row + 1;
      state = State::stick;
      if (sticks_by_friction(g)) {
        state = u_end_[tangent] + t * u_way_[tangent] > 0.0 ? State::slip_backward : State::slip_forward;
      }
      return Condition::pressing;
    }
    case Condition::pressing:
      state = State::open;
      return Condition::opening;
    case Condition::forward_reserve:
    case Condition::backward_reserve:
      state = crossing.condition == Condition::forward_reserve ? State::slip_forward : State::slip_backward;
      return Condition::slipping;
    case Condition::slipping:
    case Condition::leaving:
      break;
  }
  const bool forward = state == State::slip_forward;
  state = State::stick;
  return forward ? Condition::forward_reserve : Condition::backward_reserve;
}

PlanarPath::Condition PlanarPath::change_bounded(const Crossing& crossing) {
  State& state = states_[crossing.group];
  if (crossing.condition == Condition::leaving) {
    const bool upper = state == State::upper;
    state = State::stick;
    return upper ? Condition::forward_reserve : Condition::backward_reserve;
  }
  state = crossing.condition == Condition::forward_reserve ? State::upper : State::lower;
  return Condition::leaving;
}

PlanarPath::End PlanarPath::walk(SolveReport& report) {
  double t = top_;
  double direction = -1.0;
  int entered = -1;
  const long most = static_cast<long>(own_.most_changes) * problem_->groups();
  for (long changes = 0; changes < most && !judge_.out_of_time(); ++changes) {
    const Crossing crossing = next_crossing(t, direction, entered);
    if (direction < 0.0 && crossing.distance >= t) return End::arrived;
    if (!std::isfinite(crossing.distance)) return End::ray;
    t += direction * crossing.distance;
    const Condition condition = change(crossing, t);
    if (!solve_states()) return End::gave_up;
    // On from where the new state's own condition rises.
    direction = line(crossing.group, condition).slope > 0.0 ? 1.0 : -1.0;
    entered = crossing.group;
    ++report.inner_iterations;
  }
  return End::gave_up;
}

SolveReport PlanarPath::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {"planar-path"};
  if (!judge_.begin(problem, solution, report)) return report;
  const double aim = own_.aim_part * options_.tolerance;
  if (judge_.best() <= aim) {
    judge_.end(problem, report);
    return report;
  }
  if (!is_planar(problem)) {
    report.status = SolveStatus::unsupported;
    report.reason = "contacts in space: with two tangents the law is not piecewise linear";
    return report;
  }
  start(problem);
  top_ = solve_states() ? lowest_open() : infinity;
  for (int walks = 0; walks < own_.most_walks && judge_.may_go_on(report); ++walks) {
    const End end = std::isfinite(top_) ? walk(report) : End::ray;
    if (end != End::arrived) {
      if (end == End::ray) report.reason = "the path ends in a ray";
      if (end == End::gave_up) report.reason = "the path changes states without coming to its end";
      break;
    }
    judge_.offer(problem, r_end_, solution, report);
    if (judge_.best() <= aim) break;
    soften_around_answer();
    if (!solve_states()) break;
  }
  judge_.end(problem, report);
  return report;
}

}  // namespace cardhouse
