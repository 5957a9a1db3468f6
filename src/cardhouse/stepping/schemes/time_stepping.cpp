#include "cardhouse/stepping/schemes/time_stepping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

/// Part of a body's radius of gyration (−) by which a joint may be off at the end of a certified step.
constexpr double most_joint_violation = 0.1;

/// Passes of one step. Those that settle take two or three; more than this means that the step is too long for them.
constexpr int most_passes = 16;

/// (−): a pass that leaves more of the gaps' error than this was solved too briefly to say where the step ends.
constexpr double progress = 0.5;

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

/// Whether a method solves another law than Coulomb's, tried on a particle that slides. The convex relaxation lets
/// bodies hover over what they slide on: what it pushes at is not there where the step ends.
bool solves_other_law(Solver& solver) {
  ContactProblem problem;
  problem.a.add(Mat3::Identity(), Mat3::Identity());
  problem.v_free = Vec3(-1.0, 1.0, 0.0);
  problem.j.begin_group(3);
  problem.j.add(problem.a, 0, Mat3::Identity());
  problem.b.setZero(3);
  problem.compliance.setZero(3);
  Law law;
  law.kind = Law::Kind::coulomb;
  law.mu = law.mu_cross = 0.5;
  problem.laws.push_back(law);
  ContactSolution solution;
  solution.r.setZero(3);
  return solver.solve(problem, solution).other_law;
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
      end_contacts_(detector_.shapes()),
      pass_{.budget = settings.max_rescues},
      deadline_(settings.max_step_seconds, settings.stop) {
  const std::unique_ptr<Solver> solver = make_solver(settings.solver, {});  // an unknown name is an error now
  follows_ = follows_contacts(settings) && !solves_other_law(*solver);
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
  keep_overlaps_of(state);
  report_.seconds.collision += watch.lap();
}

void TimeStepping::detect_ahead(const Model& model, const State& state) {
  StepSettings ahead = settings_;
  ahead.scheme = Scheme::leapfrog;
  assume_free_motion(predictions());
  contacts_ = &detector_.detect(model, state, assumed_, ahead);
  keep_overlaps_of(state);
}

/// From the list of the step's start, so that a second search changes nothing.
void TimeStepping::keep_overlaps_of(const State& state) {
  kept_ = state.overlaps;
  keep_overlaps(settings_, met_, kept_, *contacts_);
  for (const Contact& contact : *contacts_) report_.penetration = std::max(report_.penetration, -contact.distance());
}

/// Passes before the last are solved briefly: their rows ask for what the last pass would have needed, which in
/// structures with redundant contacts agrees with itself only where the step ends.
void TimeStepping::solve(const Model& model, State& state, std::span<const RestitutedImpulse> restituted) {
  choose_contacts(model, state);
  double last_gap = std::numeric_limits<double>::infinity();
  for (int searches = 1;;) {
    solve_once(model, state, restituted);
    ++report_.passes;
    // A contact may have given a body a speed at which it meets others: search again, farther. A chain of such pushes
    // ends when it has gone through all bodies; few are longer than a handful.
    if (searches < most_searches && detector_.outrun(model, motions_, settings_)) {
      ++searches;
      search_farther(model, state);
      continue;
    }
    const bool settled = settle(model, state);
    if (is_last_pass(settled)) break;
    if (!still_) end_contacts_.accept();
    brief_ = !settled && end_.gap <= progress * last_gap;
    last_gap = end_.gap;
  }
}

/// What is solved briefly may have to be solved in full. Where parts of the step are still to be tried, a solve in full
/// that failed is the last one.
bool TimeStepping::is_last_pass(bool settled) const {
  const bool certified = all_certified();
  if (settled) return !brief_ || certified;
  return !brief_ && !certified && pass_.effort != Effort::thorough;
}

bool TimeStepping::all_certified() const {
  const std::size_t islands = island_finder_.found().size();
  return std::all_of(solves_.begin(), solves_.begin() + static_cast<std::ptrdiff_t>(islands),
                     [&](const auto& s) { return s->certificate.certified(settings_.tolerance); });
}

void TimeStepping::search_farther(const Model& model, const State& state) {
  Stopwatch watch;
  assume_faster_motion();
  contacts_ = &detector_.detect(model, state, assumed_, settings_);
  keep_overlaps_of(state);
  report_.seconds.collision += watch.lap();
  choose_contacts(model, state);
}

/// Before the first solve bodies are thought to move on as they did: in the last step they kept clear of each other.
void TimeStepping::choose_contacts(const Model& model, const State& state) {
  brief_ = false;
  end_ = {};
  if (!follows_) return;
  Stopwatch watch;
  think_of_motion(model, state);
  still_ = end_contacts_.are_still({model, state, settings_, thought_}, *contacts_);
  if (!still_) {
    follow_contacts(model, state, report_.passes);
    brief_ = std::any_of(contacts_->begin(), contacts_->end(),
                         [](const Contact& contact) { return contact.bend != 0.0 || !contact.slip.isZero(0.0); });
  }
  report_.seconds.collision += watch.lap();
}

/// What a pass found, if there was one.
void TimeStepping::think_of_motion(const Model& model, const State& state) {
  if (report_.passes > 0) {
    thought_ = motions_;
    return;
  }
  thought_.assign(predictions().begin(), predictions().end());
  for (std::size_t i = 0; i < thought_.size(); ++i) {
    if (model.bodies[i].mobility != Mobility::dynamic) continue;
    thought_[i] = {state.bodies[i].linear, state.bodies[i].angular, state.bodies[i].node_velocities};
  }
}

/// From here on contacts_ are those of the end. Their rows count as written in the pass after these.
void TimeStepping::follow_contacts(const Model& model, const State& state, int passes) {
  free_.assign(predictions().begin(), predictions().end());
  end_contacts_.begin({model, state, settings_, free_}, *contacts_, passes);
  end_contacts_.follow({model, state, settings_, thought_}, {});
  end_contacts_.accept();
  contacts_ = &end_contacts_.contacts();
  still_ = false;
}

/// Whether the contacts of the pass are those of its end, so that the step's own equations hold; else they are taken
/// for the next pass.
bool TimeStepping::settle(const Model& model, const State& state) {
  if (!follows_) return true;
  Stopwatch watch;
  const StepPath path{model, state, settings_, motions_};
  if (still_ && !end_contacts_.are_still(path, *contacts_)) follow_contacts(model, state, report_.passes - 1);
  end_ = still_ ? end_contacts_.residual_of_still(path, *contacts_, records_) : end_contacts_.follow(path, records_);
  report_.gap_residual = end_.gap;
  const bool good_enough = !brief_ && end_.gap <= gap_tolerance(settings_) && !end_.crossed;
  const bool settled = end_.settled || good_enough || report_.passes >= most_passes || deadline_.passed();
  report_.seconds.collision += watch.lap();
  return settled;
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
  const Momentum springs =
      impulse_of_springs({island_finder_.found(), solves_}, model, start_, joint_row_builder_.built());
  tell_step(model, state, springs);
  report_.seconds.integrate = watch.lap();
  return report_;
}

/// What is told of a step whose state is at its end; `start_` is that of its start.
void TimeStepping::tell_step(const Model& model, State& state, const Momentum& springs) {
  tell_geometry(model);
  tell_kept_overlaps(model, state);
  measure_joints(model, state);
  check_motion(model, predictions(), state);
  report_.work =
      outside_work({model, start_, state, settings_.step, records_, joint_records_, predictor_.outside_forces()});
  report_.momentum = momentum_of(model, state);
  report_.impulse =
      outside_impulse({model, start_, settings_.step, predictor_.forces(), state.bodies, records_, joint_records_});
  report_.impulse += springs;
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
    const Body& body = model.bodies[i];
    if (body.mobility == Mobility::dynamic) equations_of(body).stop_time(body, state.bodies[i], start_motion_[i]);
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
    s.effort = pass_.effort;
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
  find_solved(islands);
  const NormalRowsInput input = rows_input(state);
  parallel_for(static_cast<int>(islands.size()), settings_.threads, [&](int i) {
    IslandSolve& s = *solves_[i];
    if (s.is_solved) return;
    write_normal_biases(input, islands[i], s.last, s.biases);
    assemble(model, state, predictions(), contacts, joint_rows, islands[i], s.biases, s.problem);
    warm_start(state, contacts, joint_rows, islands[i], s.guess);
    if (settings_.contact == ContactModel::soft) {
      soften(settings_.soft, settings_.step, state, contacts, islands[i], anchors_, s.anchors, s.problem);
    }
    bias_by_adhesion(contacts, islands[i], settings_.step, s.problem, s.guess);
    s.pistons.clear();
    s.effort = pass_.effort;
    if (!restituted.empty()) add_restituted(restituted, contacts, islands[i], s.problem, s.guess, s.pistons);
    if (brief_ && solve_island_briefly(settings_, s)) return;
    solve_island(settings_, s);
    polish_coarse_answer(settings_, s);
    rescue_island({settings_, model, contacts, islands[i]}, pass_, s);
    if (settings_.diagnose) s.diagnosis = diagnose(s.problem);
  });
}

/// Islands whose rows are all of earlier passes keep their answers. A row that is gone changed others of its pair, or
/// the island's bodies or its number of contacts.
void TimeStepping::find_solved(std::span<const Island> islands) {
  const int pass = report_.passes;
  if (pass == 0) {
    for (const std::unique_ptr<IslandSolve>& s : solves_) s->bodies.clear();
  }
  const auto last_written = [&](const Island& island) {
    int last = 0;
    for (const int c : island.contacts) last = std::max(last, (*contacts_)[c].pass);
    return last;
  };
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const Island& island = islands[i];
    const auto slot = std::find_if(solves_.begin() + static_cast<std::ptrdiff_t>(i), solves_.end(), [&](const auto& s) {
      return s->bodies == island.bodies && s->contacts == island.contacts.size();
    });
    const bool kept = follows_ && pass > 0 && slot != solves_.end() && last_written(island) <= pass &&
                      (*slot)->certificate.certified(settings_.tolerance);
    if (kept) std::swap(*slot, solves_[i]);
    IslandSolve& s = *solves_[i];
    s.is_solved = kept;
    if (kept) s.rescues = {};
    s.bodies = island.bodies;
    s.contacts = island.contacts.size();
  }
}

/// Adds the iterations of the island that took the most, and the methods of all islands, to those of earlier solves of
/// the step.
void TimeStepping::count_iterations(std::size_t islands) {
  int most = 0;
  for (std::size_t i = 0; i < islands; ++i) {
    if (solves_[i]->is_solved) continue;
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

/// Rows of joints are linearised once. Where bodies turn so far in the step that a joint comes off by a good part of
/// them, its answer means nothing.
void TimeStepping::check_joint(const Model& model, const Joint& joint, double violation) {
  const double size = joint.second < 0
                          ? radius_of_gyration(model.bodies[joint.first])
                          : smaller_radius_of_gyration(model.bodies[joint.first], model.bodies[joint.second]);
  const bool soft = joint.compliance.value_or(0.0) > 0.0 || settings_.stabilisation == Stabilisation::none;
  if (!follows_ || soft || !report_.certified || !(size > 0.0) || violation <= most_joint_violation * size) return;
  report_.certified = false;
  report_.hard = true;
  report_.status = SolveStatus::iteration_limit;
  report_.reason = fmt::format("joint \"{}\" is off by {:.2g} m at the end: bodies turn too far for the step",
                               joint.name, violation);
}

void TimeStepping::measure_joints(const Model& model, const State& state) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    JointRecord& record = joint_records_[j];
    record.violation = joint_violation(joint_geometry(model.joints[j], state));
    record.coordinate = state.joints[j].coordinate;
    check_joint(model, model.joints[j], record.violation.length);
    JointViolation& worst = report_.joint_violation;
    worst.length = std::max(worst.length, record.violation.length);
    worst.angle = std::max(worst.angle, record.violation.angle);
  }
}

void TimeStepping::summarise(std::span<const Contact> contacts, std::span<const Island> islands) {
  report_.contacts = static_cast<int>(contacts.size());
  report_.islands = static_cast<int>(islands.size());
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

/// Contacts that are not those of the step's end: the laws hold, but not for the bodies as they are.
void TimeStepping::tell_geometry(const Model& model) {
  if (!report_.certified) return;  // what is not solved ends anywhere
  const auto pair = [&](const ContactKey& key) {
    const std::span<const ShapePiece> pieces = detector_.shapes().pieces();
    return fmt::format("\"{}\" and \"{}\"", model.bodies[pieces[key.shape_a].body].name,
                       model.bodies[pieces[key.shape_b].body].name);
  };
  std::string words;
  if (end_.crossed) {
    words = fmt::format("{} pass through each other within the step", pair(*end_.crossed));
  } else if (!(end_.gap <= gap_tolerance(settings_))) {
    words = std::isfinite(end_.gap)
                ? fmt::format("the gap between {} is off by {:.2g} of their size", pair(*end_.worst), end_.gap)
                : fmt::format("what {} push with is not there", pair(*end_.worst));
    words += fmt::format(" at the end of the step, after {} pass{}", report_.passes, report_.passes == 1 ? "" : "es");
  }
  if (words.empty()) return;
  report_.certified = false;
  report_.hard = !deadline_.passed();
  report_.status = report_.hard ? SolveStatus::iteration_limit : SolveStatus::time_limit;
  report_.reason = report_.hard ? words : fmt::format("{} ({})", status_name(report_.status), words);
}

/// Hands the list to the next step.
void TimeStepping::tell_kept_overlaps(const Model& model, State& state) {
  report_.kept_overlaps = static_cast<int>(kept_.size());
  report_.kept_depth = deepest(kept_);
  if (report_.warning.empty()) report_.warning = words_of_new_overlaps(model, state.overlaps, kept_);
  state.overlaps = kept_;
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
