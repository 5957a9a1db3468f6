#include "cardhouse/report/statistics.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cardhouse/model/kinds/equations.h"
#include "cardhouse/report/body_points.h"

namespace cardhouse {
namespace {

/// The larger one; NaN if either is NaN, so that a run that went wrong cannot look good.
double sticky_max(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return std::max(a, b);
}

void add(RunSummary::MeanMax& figures, double value) {
  figures.mean += value;
  figures.max = sticky_max(figures.max, value);
}

std::vector<int> dynamic_bodies(const Model& model) {
  std::vector<int> dynamic;
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    if (model.bodies[i].mobility == Mobility::dynamic) dynamic.push_back(i);
  }
  return dynamic;
}

/// rad, in [0, pi].
double angle_between(const Quat& a, const Quat& b) {
  const Quat turn = a.conjugate() * b;
  return 2.0 * std::atan2(turn.vec().norm(), std::abs(turn.w()));
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_memory_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;  // Linux counts it in KiB
}

std::vector<int> bodies_of_rule(const Scene& scene) {
  return !scene.stands || scene.stands->bodies.empty() ? dynamic_bodies(scene.model) : scene.stands->bodies;
}

std::optional<Excursion> excursion_of_rule(const Scene& scene, const State& start) {
  if (!scene.stands) return std::nullopt;
  const StandsRule& rule = *scene.stands;
  return Excursion(bodies_of_rule(scene), rule.after, scene, start, rule.relative_to);
}

}  // namespace

Excursion::Excursion(std::vector<int> bodies, double moment, const Scene& scene, const State& start, int frame)
    : bodies_(std::move(bodies)),
      frame_(frame),
      earliest_(moment - 0.5 * scene.settings.step),
      latest_(moment + 0.5 * scene.settings.step) {
  if (moment <= scene.initial.time) {
    reference_ = seen_points(scene.initial.bodies, bodies_, frame_);
    seen_ = true;
  }
  see(start);
}

void Excursion::see(const State& state) {
  if (!seen_) {
    if (!(state.time >= earliest_ && state.time <= latest_)) return;
    reference_ = seen_points(state.bodies, bodies_, frame_);
    seen_ = true;
    return;
  }
  went_on_ = true;
  std::size_t at = 0;
  for (const int body : bodies_) {
    const double before = largest_;
    for (int p = 0; p < point_count(state.bodies[body]); ++p, ++at) {
      largest_ = sticky_max(largest_, (seen_point(state.bodies, body, p, frame_) - reference_[at]).norm());
    }
    if (largest_ != before && !std::isnan(before)) farthest_ = body;
  }
}

std::optional<double> Excursion::largest() const {
  return seen_ ? std::optional(largest_) : std::nullopt;
}

RunStatistics::RunStatistics(const Scene& scene, const State& start, const Energy& energy)
    : dynamic_(dynamic_bodies(scene.model)),
      from_start_(dynamic_, scene.initial.time, scene, start),
      from_first_second_(dynamic_, 1.0, scene, start),
      from_rule_(excursion_of_rule(scene, start)),
      max_stands_displacement_(scene.stands ? scene.stands->max_displacement : 0.0),
      rest_(scene, start, bodies_of_rule(scene), scene.stands ? scene.stands->relative_to : -1),
      last_energy_(energy.total()),
      cpu_start_(cpu_seconds()) {
  for (const int body : dynamic_) start_orientations_.push_back(scene.initial.bodies[body].pose.orientation);
  summary_.has_rule = scene.stands.has_value();
  summary_.scene = scene.name;
  summary_.parameters = scene.parameters;
  summary_.solver = scene.settings.solver;
  summary_.step = scene.settings.step;
  summary_.duration = scene.duration;
  summary_.tolerance = scene.settings.tolerance;
  summary_.max_step_seconds = scene.settings.max_step_seconds;
  summary_.threads = scene.settings.threads;
  summary_.bodies = static_cast<int>(dynamic_.size());
  for (const Body& body : scene.model.bodies) {
    summary_.dofs += dofs_of(body);
    body_names_.push_back(body.name);
  }
  summary_.first_step = start.step;
  summary_.first_time = start.time;
  summary_.energy.initial = energy.total();
  summary_.momentum.initial = summary_.momentum.final = momentum_of(scene.model, start);
  summary_.joints = static_cast<int>(scene.model.joints.size());
  summary_.initial_joint_violation = worst_joint_violation(scene.model, start);
  add_poses(start);
}

void RunStatistics::add_step(const State& state, const StepReport& report, const Energy& energy) {
  ++summary_.steps;
  add_length(report);
  add(summary_.contacts, report.contacts);
  add(summary_.iterations, report.iterations);
  add(summary_.passes, report.passes);
  summary_.gap_residual = std::max(summary_.gap_residual, report.gap_residual);
  for (const std::string& method : report.methods) ++summary_.methods[method];
  add_certificate(state, report);
  summary_.joint_violation.length = sticky_max(summary_.joint_violation.length, report.joint_violation.length);
  summary_.joint_violation.angle = sticky_max(summary_.joint_violation.angle, report.joint_violation.angle);
  summary_.max_penetration = sticky_max(summary_.max_penetration, report.penetration);
  add_poses(state);
  add_energy(energy.total());
  summary_.momentum.outside += report.impulse;
  summary_.momentum.final = report.momentum;
  summary_.seconds.collision += report.seconds.collision;
  summary_.seconds.assembly += report.seconds.assembly;
  summary_.seconds.solve += report.seconds.solve;
  summary_.seconds.integrate += report.seconds.integrate;
}

void RunStatistics::add_length(const StepReport& report) {
  const bool first = summary_.steps == 1;
  summary_.least_length = first ? report.length : std::min(summary_.least_length, report.length);
  summary_.most_length = std::max(summary_.most_length, report.length);
  summary_.rejected += report.rejected;
  summary_.over_tolerance += report.over_tolerance ? 1 : 0;
  summary_.relaxed_steps += report.relaxed_rows > 0 ? 1 : 0;
  summary_.overlap_left = std::max(summary_.overlap_left, report.overlap_left);
  summary_.kept_overlaps = std::max(summary_.kept_overlaps, report.kept_overlaps);
  summary_.kept_depth = std::max(summary_.kept_depth, report.kept_depth);
  summary_.split_steps += report.parts > 1 ? 1 : 0;
  summary_.most_parts = std::max(summary_.most_parts, report.parts);
  summary_.hairline_steps += report.hairline_rows > 0 ? 1 : 0;
  summary_.hairline_gap = std::max(summary_.hairline_gap, report.hairline_gap);
  summary_.rescues.add(report.rescues);
}

void RunStatistics::add_certificate(const State& state, const StepReport& report) {
  const double residual = report.certificate.residual;
  add(summary_.residual, residual);
  if (report.certified) {
    ++summary_.certified_steps;
    return;
  }
  ++summary_.uncertified_steps;
  auto& worst = summary_.worst_uncertified;
  const bool is_worse = !worst || (!std::isnan(worst->residual) && !(residual <= worst->residual));
  if (is_worse) worst = UncertifiedStep{state.step, residual, report.reason};
}

void RunStatistics::add_energy(double total) {
  const double gain = total - last_energy_;
  last_energy_ = total;
  if (gain <= 0.0) return;
  summary_.energy.max_gain = sticky_max(summary_.energy.max_gain, gain);
  summary_.energy.total_gain += gain;
}

void RunStatistics::add_poses(const State& state) {
  from_start_.see(state);
  from_first_second_.see(state);
  if (from_rule_) from_rule_->see(state);
  date_fall(state);
  rest_.see(state);
  for (std::size_t i = 0; i < dynamic_.size(); ++i) {
    const double angle = angle_between(start_orientations_[i], state.bodies[dynamic_[i]].pose.orientation);
    summary_.max_rotation = sticky_max(summary_.max_rotation, angle);
  }
}

/// A position that is not a number is a fall.
void RunStatistics::date_fall(const State& state) {
  if (summary_.fell_at || !from_rule_ || !from_rule_->largest()) return;
  if (*from_rule_->largest() <= max_stands_displacement_) return;
  summary_.fell_at = state.time;
  if (from_rule_->farthest() >= 0) summary_.fell_body = body_names_[from_rule_->farthest()];
}

bool RunStatistics::is_at_rest() const {
  return rest_.at_rest() && (!from_rule_ || from_rule_->went_on());
}

RunSummary RunStatistics::summary(RunEnd end, const State& state) const {
  RunSummary result = summary_;
  const double steps = static_cast<double>(std::max<std::int64_t>(result.steps, 1));
  result.contacts.mean /= steps;
  result.iterations.mean /= steps;
  result.passes.mean /= steps;
  result.residual.mean /= steps;
  result.end = end;
  result.time = state.time;
  result.max_displacement = from_start_.largest().value_or(0.0);
  if (from_start_.farthest() >= 0) result.farthest_body = body_names_[from_start_.farthest()];
  if (from_first_second_.went_on()) result.max_displacement_after_1s = from_first_second_.largest();
  // A run without a step says nothing about standing.
  if (from_rule_ && from_rule_->largest() && result.steps > 0) result.stands = !has_fallen();
  result.speed = rest_.speed();
  if (rest_.fastest() >= 0) result.fastest_body = body_names_[rest_.fastest()];
  result.energy.final = last_energy_;
  result.seconds.total = stopwatch_.seconds();
  result.cpu_seconds = cpu_seconds() - cpu_start_;
  result.peak_memory_mb = peak_memory_mb();
  result.state_hash = state_hash(state);
  return result;
}

}  // namespace cardhouse
