#include "cardhouse/stepping/schemes/time_stepping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/base/parallel.h"
#include "cardhouse/base/stopwatch.h"
#include "cardhouse/stepping/records/outside_impulse.h"
#include "cardhouse/stepping/records/outside_work.h"
#include "cardhouse/stepping/records/record_step.h"
#include "cardhouse/stepping/records/warm_start.h"
#include "cardhouse/stepping/rows/assemble.h"

namespace cardhouse {
namespace {

/// Searches for contacts in one step, after which the last one stands.
constexpr int most_searches = 8;

/// The place of an island's group in the whole step's problem: contacts first, then rows of joints. Rolling and
/// torsional friction and pistons count as their contact's.
int group_of_step(const Island& island, const ContactProblem& problem, std::span<const Piston> pistons,
                  std::size_t contacts, int group) {
  if (group < 0) return -1;
  if (is_dependent(problem.laws[group])) return island.contacts[problem.laws[group].leader];
  if (group >= first_piston(problem, pistons)) {
    return island.contacts[pistons[group - first_piston(problem, pistons)].contact];
  }
  const int own = static_cast<int>(island.contacts.size());
  return group < own ? island.contacts[group] : static_cast<int>(contacts) + island.joint_rows[group - own];
}

std::string rows_in_words(const Island& island) {
  std::string words = fmt::format("{} contacts", island.contacts.size());
  if (!island.joint_rows.empty()) words += fmt::format(", {} groups of joint rows", island.joint_rows.size());
  return words;
}

}  // namespace

TimeStepping::TimeStepping(const Model& model, const StepSettings& settings)
    : settings_(settings),
      detector_(model),
      joint_row_builder_(model),
      joint_projector_(model),
      pass_{.budget = settings.max_rescues},
      deadline_(settings.max_step_seconds, settings.stop) {
  make_solver(settings.solver, {});  // an unknown name is an error now, not at the first contact
  if (settings.contact == ContactModel::soft) settings_.soft = complete(settings.soft, model);
}

const StepReport& TimeStepping::step(const Model& model, State& state) {
  begin(state);
  predict(model, state);
  detect(model, state);
  solve(model, state);
  return finish(model, state);
}

void TimeStepping::begin(const State& state) {
  report_ = StepReport{};
  report_.length = settings_.step;
  if (settings_.contact == ContactModel::soft) anchors_.last = state.impulses;
  if (settings_.restitution == Restitution::lagged) last_impulses_ = state.impulses;
  list_pairs(state.impulses, met_);
}

void TimeStepping::predict(const Model& model, State& state) {
  Stopwatch watch;
  std::vector<Prediction>& predicted = predictor_.predict(model, state, settings_);
  update_joints(model, state);
  const std::vector<JointRows>& joint_rows = joint_row_builder_.build(model, state, predicted, settings_);
  report_.indefinite_potentials = joint_row_builder_.indefinite_potentials();
  geometric_stiffness_.hold(model, state, joint_rows, settings_.step, predicted);
  report_.seconds.assembly += watch.lap();
}

void TimeStepping::detect(const Model& model, const State& state) {
  Stopwatch watch;
  assume_free_motion(predictions());
  contacts_ = &detector_.detect(model, state, assumed_, settings_);
  report_.seconds.collision += watch.lap();
}

void TimeStepping::detect_ahead(const Model& model, const State& state) {
  StepSettings ahead = settings_;
  ahead.scheme = Scheme::stewart_trinkle;
  assume_free_motion(predictions());
  contacts_ = &detector_.detect(model, state, assumed_, ahead);
}

void TimeStepping::solve(const Model& model, State& state, std::span<const RestitutedImpulse> restituted) {
  solve_once(model, state, restituted);
  // A contact may have given a body a speed at which it meets others: search again, farther. A chain of such pushes
  // ends when it has gone through all bodies; few are longer than a handful.
  for (int searches = 1; searches < most_searches && detector_.outrun(model, motions_, settings_); ++searches) {
    Stopwatch watch;
    assume_faster_motion();
    contacts_ = &detector_.detect(model, state, assumed_, settings_);
    report_.seconds.collision += watch.lap();
    solve_once(model, state, restituted);
  }
}

void TimeStepping::solve_once(const Model& model, State& state, std::span<const RestitutedImpulse> restituted) {
  Stopwatch watch;
  const std::span<const Contact> contacts = *contacts_;
  const std::span<const JointRows> joint_rows = joint_row_builder_.built();
  const std::span<const Island> islands = island_finder_.find(model, contacts, joint_rows);
  report_.seconds.assembly += watch.lap();

  solve_islands(model, state, restituted);
  count_iterations(islands.size());
  report_.seconds.solve += watch.lap();

  gather_motions(model, predictions(), islands);
  const SolvedIslands solved{islands, solves_};
  record_contacts(solved, contacts, settings_, records_, state.impulses);
  record_joints(solved, model, joint_rows, state, joint_records_);
  report_.seconds.assembly += watch.lap();
}

const StepReport& TimeStepping::finish(const Model& model, State& state) {
  Stopwatch watch;
  if (keeps_previous(settings_)) state.previous = state.bodies;
  start_.bodies = state.bodies;
  start_.joints = state.joints;
  prepare_projection(model, state);
  integrate(model, predictions(), motions_, settings_, state);
  project_onto_joints(model, state);
  summarise(*contacts_, island_finder_.found());
  measure_joints(model, state);
  check_motion(model, predictions(), state);
  report_.work =
      outside_work({model, start_, state, settings_.step, records_, joint_records_, predictor_.outside_forces()});
  report_.momentum = momentum_of(model, state);
  report_.impulse =
      outside_impulse({model, start_, settings_.step, predictor_.forces(), state.bodies, records_, joint_records_});
  report_.impulse += impulse_of_springs({island_finder_.found(), solves_}, model, start_, joint_row_builder_.built());
  report_.seconds.integrate = watch.lap();
  return report_;
}

NormalRowsInput TimeStepping::rows_input(const State& state) const {
  return {state, predictions(), *contacts_, last_impulses_, settings_};
}

bool TimeStepping::any_collision(const State& state) const {
  const NormalRowsInput input = rows_input(state);
  return std::any_of(contacts_->begin(), contacts_->end(), [&](const Contact& contact) {
    return collides(contact, input) && rebounds(contact, input, normal_velocity(contact, state, state.bodies));
  });
}

/// No time passes: only velocities count, and what pushes with a force does nothing.
void TimeStepping::stop_time(const Model& model, const State& state) {
  start_motion_.assign(predictions().begin(), predictions().end());
  for (std::size_t i = 0; i < start_motion_.size(); ++i) {
    if (model.bodies[i].mobility != Mobility::dynamic) continue;
    start_motion_[i].linear = state.bodies[i].linear;
    start_motion_[i].angular = state.bodies[i].angular;
    start_motion_[i].node_velocities = state.bodies[i].node_velocities;
  }
  start_joint_rows_.assign(joint_row_builder_.built().begin(), joint_row_builder_.built().end());
  std::erase_if(start_joint_rows_, [](const JointRows& rows) { return rows.joint < 0; });
  for (JointRows& rows : start_joint_rows_) {
    if (rows.law.kind == Law::Kind::bounded) rows.law.lower = rows.law.upper = 0.0;
  }
}

void TimeStepping::compress(const Model& model, State& state, std::vector<RestitutedImpulse>& restituted) {
  Stopwatch watch;
  const std::span<const Contact> contacts = *contacts_;
  stop_time(model, state);
  const std::span<const Island> islands = island_finder_.find(model, contacts, start_joint_rows_);
  make_room(islands.size());
  const NormalRowsInput input = rows_input(state);
  parallel_for(static_cast<int>(islands.size()), settings_.threads, [&](int i) {
    IslandSolve& s = *solves_[i];
    s.pistons.clear();
    write_compression_biases(input, islands[i], s.biases);
    assemble(model, state, start_motion_, contacts, start_joint_rows_, islands[i], s.biases, s.problem);
    s.guess.setZero(s.problem.rows());  // a collision resembles no step before it
    solve_island(settings_, s);
    rescue_island({settings_, model, contacts, islands[i]}, pass_.without(Rescue::relaxed_overlaps), s);
  });
  count_iterations(islands.size());
  take_compressed(model, islands, state, restituted);
  summarise(contacts, islands);
  report_.seconds.solve += watch.lap();
}

/// The velocities after the compression, and what the decompression gives back.
void TimeStepping::take_compressed(const Model& model, std::span<const Island> islands, State& state,
                                   std::vector<RestitutedImpulse>& restituted) {
  gather_motions(model, start_motion_, islands);
  const std::vector<JointState> kept = state.joints;  // what the decompression starts from
  record_joints({islands, solves_}, model, start_joint_rows_, state, compressed_joints_);
  state.joints = kept;
  restituted.clear();
  for (std::size_t i = 0; i < islands.size(); ++i) {
    collect_restituted(*contacts_, islands[i], solves_[i]->problem, solves_[i]->solution.r, restituted);
  }
  std::sort(restituted.begin(), restituted.end(),
            [](const RestitutedImpulse& a, const RestitutedImpulse& b) { return a.key < b.key; });
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    if (model.bodies[i].mobility != Mobility::dynamic) continue;
    state.bodies[i].linear = motions_[i].linear;
    state.bodies[i].angular = motions_[i].angular;
    state.bodies[i].node_velocities = motions_[i].node_velocities;
  }
}

void TimeStepping::assume_free_motion(std::span<const Prediction> predictions) {
  assumed_.resize(predictions.size());
  for (std::size_t i = 0; i < assumed_.size(); ++i) assumed_[i] = predictions[i];
}

void TimeStepping::assume_faster_motion() {
  for (std::size_t i = 0; i < assumed_.size(); ++i) {
    // Half as much again, because the next search changes the speeds once more.
    const auto assume = [](const auto& solved, auto&& assumed) {
      if (1.5 * solved.norm() > assumed.norm()) assumed = 1.5 * solved;
    };
    assume(motions_[i].linear, assumed_[i].linear);
    assume(motions_[i].angular, assumed_[i].angular);
    for (Eigen::Index n = 0; n < motions_[i].node_velocities.size(); n += 3) {
      assume(motions_[i].node_velocities.segment<3>(n), assumed_[i].node_velocities.segment<3>(n));
    }
  }
}

/// Motion that no contact law checks: numbers that are not finite, spins that the step cannot follow.
void TimeStepping::check_motion(const Model& model, std::span<const Prediction> predictions, const State& state) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyState& s = state.bodies[i];
    const bool finite = is_finite(s);
    if (finite && predictions[i].converged) continue;
    report_.certified = false;
    report_.hard = false;
    report_.status = SolveStatus::failed;
    report_.reason = fmt::format("the motion of body \"{}\" is {}", model.bodies[i].name,
                                 finite ? "a spin too fast for the step: a shorter one can follow it" : "not finite");
    return;
  }
}

void TimeStepping::make_room(std::size_t islands) {
  while (solves_.size() < islands) {
    solves_.push_back(std::make_unique<IslandSolve>());
    solves_.back()->deadline = &deadline_;
  }
  for (std::size_t i = 0; i < islands; ++i) solves_[i]->rescues = {};
}

void TimeStepping::solve_islands(const Model& model, const State& state,
                                 std::span<const RestitutedImpulse> restituted) {
  const std::span<const Contact> contacts = *contacts_;
  const std::span<const JointRows> joint_rows = joint_row_builder_.built();
  const std::span<const Island> islands = island_finder_.found();
  make_room(islands.size());
  const NormalRowsInput input = rows_input(state);
  const PushInput push{model, state, predictions(), contacts, met_, settings_};
  parallel_for(static_cast<int>(islands.size()), settings_.threads, [&](int i) {
    IslandSolve& s = *solves_[i];
    write_normal_biases(input, islands[i], s.last, s.biases);
    assemble(model, state, predictions(), contacts, joint_rows, islands[i], s.biases, s.problem);
    warm_start(state, contacts, joint_rows, islands[i], s.guess);
    if (settings_.contact == ContactModel::soft) {
      soften(settings_.soft, settings_.step, state, contacts, islands[i], anchors_, s.anchors, s.problem);
    }
    bias_by_adhesion(contacts, islands[i], settings_.step, s.problem, s.guess);
    s.pistons.clear();
    if (!restituted.empty()) add_restituted(restituted, contacts, islands[i], s.problem, s.guess, s.pistons);
    begin_push(push, islands[i], s);
    solve_island(settings_, s);
    polish_coarse_answer(settings_, s);
    rescue_island({settings_, model, contacts, islands[i]}, pass_, s);
    limit_push(push, islands[i], s);
    if (settings_.diagnose) s.diagnosis = diagnose(s.problem);
  });
}

/// Adds the iterations of the island that took the most, and the methods of all islands, to those of earlier solves of
/// the step.
void TimeStepping::count_iterations(std::size_t islands) {
  int most = 0;
  for (std::size_t i = 0; i < islands; ++i) {
    most = std::max(most, solves_[i]->solve_report.iterations);
    add_methods(solves_[i]->solve_report.methods, report_.methods);
    report_.rescues.add(solves_[i]->rescues);
  }
  report_.iterations += most;
}

StepProblem TimeStepping::last_problem() const {
  std::vector<IslandProblem> parts;
  const std::span<const Island> islands = island_finder_.found();
  for (std::size_t i = 0; i < islands.size(); ++i) {
    parts.push_back({islands[i], solves_[i]->problem, solves_[i]->guess});
  }
  return join_islands(parts);
}

void TimeStepping::gather_motions(const Model& model, std::span<const Prediction> predictions,
                                  std::span<const Island> islands) {
  motions_.resize(model.bodies.size());
  for (std::size_t i = 0; i < motions_.size(); ++i) motions_[i] = predictions[i];
  for (std::size_t i = 0; i < islands.size(); ++i) {
    int offset = 0;
    for (int body : islands[i].bodies) {
      const BodyEquations& equations = equations_of(model.bodies[body]);
      equations.take_velocities(model.bodies[body], predictions[body], solves_[i]->solution.v, offset, motions_[body]);
    }
  }
}

void TimeStepping::add_impulses(std::span<const RestitutedImpulse> impulses, State& state) {
  const auto before = [](const ContactRecord& record, const ContactKey& key) { return record.key < key; };
  for (const RestitutedImpulse& given : impulses) {
    const auto found = std::lower_bound(records_.begin(), records_.end(), given.key, before);
    if (found == records_.end() || found->key != given.key) continue;
    found->impulse += given.compression;
    found->turning += given.turning;
    StoredImpulse& stored = state.impulses[static_cast<std::size_t>(found - records_.begin())];
    stored.impulse = found->impulse;
    stored.turning = found->turning;
  }
  add_earlier_joints(compressed_joints_, joint_records_);
}

/// Steps of the projection that the settings ask for.
int TimeStepping::projection_steps() const {
  if (settings_.stabilisation == Stabilisation::projection) return most_projection_steps;
  return settings_.stabilisation == Stabilisation::sqp ? 1 : 0;
}

void TimeStepping::prepare_projection(const Model& model, const State& state) {
  projectable_ = projection_steps() > 0 && !model.joints.empty() && joint_projector_.linearise(model, state);
}

void TimeStepping::project_onto_joints(const Model& model, State& state) {
  if (projectable_) {
    joint_projector_.descend(model, state, projection_steps(), settings_.step);
    add_projection_impulses(joint_row_builder_.built());
  }
  update_joints(model, state);
}

/// What the projection pushed with belongs to the joints' forces; the next solve does not start from it.
void TimeStepping::add_projection_impulses(std::span<const JointRows> joint_rows) {
  for (const JointRows& group : joint_rows) {
    if (group.joint < 0 || group.slot >= JointState::constraint_slots) continue;
    JointRecord& record = joint_records_[group.joint];
    for (int n = 0; n < group.rows; ++n) {
      const double r = joint_projector_.push(group.joint)[group.slot + n] / settings_.step;
      const Vec3 linear = r * group.on_first.row(n).head<3>().transpose();
      record.impulse += linear;
      record.torque += r * group.on_first.row(n).tail<3>().transpose() - record.arm.cross(linear);
    }
  }
}

void TimeStepping::measure_joints(const Model& model, const State& state) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    JointRecord& record = joint_records_[j];
    record.violation = joint_violation(joint_geometry(model.joints[j], state));
    record.coordinate = state.joints[j].coordinate;
    JointViolation& worst = report_.joint_violation;
    worst.length = std::max(worst.length, record.violation.length);
    worst.angle = std::max(worst.angle, record.violation.angle);
  }
}

void TimeStepping::summarise(std::span<const Contact> contacts, std::span<const Island> islands) {
  report_.contacts = static_cast<int>(contacts.size());
  report_.islands = static_cast<int>(islands.size());
  for (const Contact& contact : contacts) report_.penetration = std::max(report_.penetration, -contact.gap);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const IslandSolve& s = *solves_[i];
    Certificate certificate = s.certificate;
    certificate.worst_group = group_of_step(islands[i], s.problem, s.pistons, contacts.size(), certificate.worst_group);
    report_.certificate.include(certificate);
    if (!s.certificate.certified(settings_.tolerance)) tell_uncertified(islands[i], s);
    tell_changed_rows(islands[i], s);
    if (settings_.diagnose) report_.include(s.diagnosis);
  }
}

void TimeStepping::tell_uncertified(const Island& island, const IslandSolve& s) {
  report_.hard = (report_.certified || report_.hard) && is_hard(settings_, s);
  if (!report_.certified) return;
  report_.certified = false;
  report_.status = s.solve_report.status;
  report_.reason = fmt::format("island of {} bodies, {}: {} ({})", island.bodies.size(), rows_in_words(island),
                               status_name(s.solve_report.status), s.solve_report.reason);
}

/// Rows that were changed because nothing solves them as they are.
void TimeStepping::tell_changed_rows(const Island& island, const IslandSolve& s) {
  report_.relaxed_rows += s.relaxed.rows;
  report_.overlap_left = std::max(report_.overlap_left, s.relaxed.left);
  report_.hairline_rows += s.hairlines.rows;
  report_.hairline_gap = std::max(report_.hairline_gap, s.hairlines.largest);
  std::string words;
  if (s.relaxed.rows > 0) {
    words =
        fmt::format("overlaps that cannot all be removed in one step: {} rows are relaxed, {:.3g} m of overlap stays",
                    s.relaxed.rows, s.relaxed.left);
  } else if (s.hairlines.rows > 0) {
    words = fmt::format("too hard as it is: {} hairline gaps and overlaps of up to {:.3g} m are taken for closed",
                        s.hairlines.rows, s.hairlines.largest);
  }
  if (words.empty() || !report_.warning.empty()) return;
  report_.warning = fmt::format("island of {} bodies, {}: {}", island.bodies.size(), rows_in_words(island), words);
}

}  // namespace cardhouse
