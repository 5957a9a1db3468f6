#include "cardhouse/stepping/schemes/energy_momentum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "cardhouse/base/error.h"
#include "cardhouse/base/stopwatch.h"
#include "cardhouse/stepping/records/outside_impulse.h"
#include "cardhouse/stepping/records/record_step.h"
#include "cardhouse/stepping/rows/mean_rows.h"

namespace cardhouse {
namespace {

/// Passes of one step. They converge by about half the angle that bodies turn in the step.
constexpr int most_mean_passes = 16;
/// Searches for contacts in one step, after which the last one stands.
constexpr int most_mean_searches = 8;
/// Part of the shapes' size (−): a pass that changes places by less is the last.
constexpr double settled_change = 1e-11;
/// Part of the tolerance of gaps (−): a pass that leaves less may be the last, when passes come no nearer to each
/// other. Solves end at their tolerance, so that places tremble.
constexpr double fine_gap = 0.1;
/// Part of a body's kinetic energy (−) that a solve may be off by, because the turn is not linear in what it pushes
/// with. All bodies of a step together gain less than 1e-9 then.
constexpr double fine_energy = 1e-11;
/// The same, of a step that is certified.
constexpr double largest_gain = 1e-9;

/// Cayley's vector over h of a turn with this mean angular velocity.
Vec3 cayley_rate(const Vec3& angular, double h) {
  const double half = 0.5 * h * angular.norm();
  return half < 1e-4 ? Vec3((1.0 + half * half / 3.0) * angular) : Vec3(std::tan(half) / half * angular);
}

/// Of contacts or their records, sorted by key; none: null.
template <class Keyed>
const Keyed* with_key(const std::vector<Keyed>& sorted, const ContactKey& key) {
  const auto before = [](const Keyed& each, const ContactKey& wanted) { return each.key < wanted; };
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), key, before);
  return found == sorted.end() || found->key != key ? nullptr : &*found;
}

/// J, negative: of friction on the mean velocities.
double work_of_friction(const ContactRecord& record) {
  const Vec3 normal = record.normal.normalized();
  const Vec3 slip = record.velocity - normal.dot(record.velocity) * normal;
  return record.impulse.dot(slip);
}

}  // namespace

class EnergyMomentumStep {
 public:
  EnergyMomentumStep(TimeStepping& verbs, const Model& model, State& state)
      : verbs_(verbs), model_(model), state_(state), h_(verbs.settings().step) {}

  const StepReport& take();

 private:
  // The places.
  void begin_path();
  void find_contacts();
  void search_farther();
  void find_places();
  void write_rows();
  void write_joint_rows();
  void solve_places();
  double move_path();
  bool is_felt(const Contact& contact, double push) const;
  EndResidual residual_of_rows() const;
  bool settle(double change);
  double least_size() const;
  double kinetic_of(int body) const;
  double energy_error(int body) const;
  double gain_of_row(std::size_t c) const;
  // The velocities.
  void end_places();
  void predict_end();
  Contact end_contact(const Contact& now, const Contact& pushed, const ContactRecord& record);
  bool keeps_friction(const Contact& contact) const {
    return std::binary_search(keeping_.begin(), keeping_.end(), contact.key);
  }
  bool stops(const Contact& now, const Contact& end) const;
  void take_back(const Contact& contact, const StoredImpulse& impulse);
  void write_end_rows();
  void write_end_joint_rows();
  void solve_velocities();
  void solve_end();
  double gain_of(const Island& island) const;
  bool find_gains();
  void add_records();
  void tell_energy();
  const StepReport& finish(Stopwatch& watch);

  MeanMotion mean_motion() const { return {state_, path_, h_}; }
  StepPath path() const { return {model_, state_, verbs_.settings_, motions_}; }
  template <class Index>
  bool moves(Index body) const {
    return model_.bodies[static_cast<std::size_t>(body)].mobility == Mobility::dynamic;
  }

  TimeStepping& verbs_;
  const Model& model_;
  State& state_;
  double h_;
  std::vector<Prediction> free_;     ///< without contacts, to the end of the step
  std::vector<Push> pushes_;         ///< by body
  std::vector<MeanStep> path_;       ///< where they lead
  std::vector<BodyMotion> motions_;  ///< the same as constant velocities
  State middle_;                     ///< with the means of the places
  std::vector<Contact> rows_;
  std::vector<ContactRecord> records_;      ///< of the places
  std::vector<JointRecord> joint_records_;  ///< the same
  State end_;                               ///< with its places, and the velocities of the start
  std::vector<Contact> end_rows_;
  std::vector<ContactKey> keeping_;        ///< contacts whose friction of the places stays as it was, sorted
  std::vector<StoredImpulse> taken_back_;  ///< friction of the others, sorted by key
  std::vector<JointRows> spring_rows_;     ///< of implicit springs and potentials, linearised at the start
  Momentum springs_;
  double last_change_ = std::numeric_limits<double>::infinity();  ///< m, of the pass before
  double row_gain_ = 0.0;                                         ///< (−), of the last pass: the largest of all rows
  double energy_error_ = 0.0;  ///< (−), of the last pass: the largest of all bodies
};

const StepReport& EnergyMomentumStep::take() {
  verbs_.begin(state_);
  verbs_.predict(model_, state_);
  verbs_.detect(model_, state_);
  free_.assign(verbs_.predictions().begin(), verbs_.predictions().end());
  for (const JointRows& rows : verbs_.joint_row_builder_.built()) {
    if (rows.joint < 0) spring_rows_.push_back(rows);
  }
  find_places();
  end_places();
  solve_velocities();
  Stopwatch watch;
  return finish(watch);
}

/// At first bodies are thought to move on as they do.
void EnergyMomentumStep::begin_path() {
  pushes_.assign(model_.bodies.size(), {});
  for (std::size_t i = 0; i < pushes_.size(); ++i) {
    if (!moves(i)) continue;
    pushes_[i].linear = free_[i].linear_drag * model_.bodies[i].mass * (state_.bodies[i].linear - free_[i].linear);
  }
  middle_ = state_;
  move_path();
}

/// The path of the pushes. Returns by how much (m) it changes places.
double EnergyMomentumStep::move_path() {
  double change = 0.0;
  path_.resize(pushes_.size());
  motions_.resize(pushes_.size());
  for (std::size_t i = 0; i < pushes_.size(); ++i) {
    const Body& body = model_.bodies[i];
    const BodyState& start = state_.bodies[i];
    MeanStep& step = path_[i];
    if (moves(i)) {
      const MeanStep last = step;
      step = equations_of(body).mean_step(body, start, free_[i], pushes_[i], h_);
      const Vec3 turn = vector_from_rotation(step.end.pose.orientation * start.pose.orientation.conjugate());
      motions_[i] = {step.linear, turn / h_, start.node_velocities};
      change = std::max(change, h_ * ((step.linear - last.linear).norm() +
                                      radius_of_gyration(body) * (step.angular - last.angular).norm()));
    } else {
      motions_[i] = free_[i];
      step.linear = free_[i].linear;
      step.angular = cayley_rate(free_[i].angular, h_);
      step.end = body.mobility == Mobility::kinematic ? free_[i].end : start;
    }
    middle_.bodies[i].pose.position = start.pose.position + 0.5 * h_ * step.linear;
    middle_.bodies[i].pose.orientation = start.pose.orientation.slerp(0.5, step.end.pose.orientation);
  }
  return change;
}

void EnergyMomentumStep::find_contacts() {
  EndContacts& ends = verbs_.end_contacts_;
  ends.begin({model_, state_, verbs_.settings_, verbs_.assumed_}, *verbs_.contacts_, verbs_.report_.passes);
  ends.renew();
  verbs_.end_ = ends.follow(path(), {});
  ends.accept();
}

void EnergyMomentumStep::search_farther() {
  Stopwatch watch;
  verbs_.motions_ = motions_;
  verbs_.assume_faster_motion();
  verbs_.contacts_ = &verbs_.detector_.detect(model_, state_, verbs_.assumed_, verbs_.settings_);
  verbs_.keep_overlaps_of(state_);
  find_contacts();
  verbs_.report_.seconds.collision += watch.lap();
}

void EnergyMomentumStep::find_places() {
  begin_path();
  find_contacts();
  for (int searches = 1;;) {
    write_rows();
    solve_places();
    ++verbs_.report_.passes;
    const double change = move_path();
    if (searches < most_mean_searches && verbs_.detector_.outrun(model_, motions_, verbs_.settings_)) {
      ++searches;
      search_farther();
      continue;
    }
    if (settle(change)) return;
  }
}

void EnergyMomentumStep::write_rows() {
  const MeanMotion motion = mean_motion();
  rows_.clear();
  for (const Contact& contact : verbs_.end_contacts_.contacts()) rows_.push_back(mean_contact(contact, motion));
  verbs_.contacts_ = &rows_;
  std::vector<Prediction>& predictions = verbs_.predictor_.changeable();
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const Body& body = model_.bodies[i];
    if (moves(i)) {
      predictions[i] = equations_of(body).predict_mean(body, state_.bodies[i], free_[i], path_[i], pushes_[i]);
    } else {
      predictions[i].linear = path_[i].linear;
      predictions[i].angular = path_[i].angular;
    }
  }
}

void EnergyMomentumStep::write_joint_rows() {
  if (model_.joints.empty()) return;
  JointRowBuilder& builder = verbs_.joint_row_builder_;
  builder.build(model_, middle_, verbs_.predictions(), verbs_.settings_);
  std::vector<JointRows>& rows = builder.changeable();
  std::erase_if(rows, [](const JointRows& each) { return each.joint < 0; });
  meet_joints_at_end(model_, mean_motion(), verbs_.settings_, rows);
  rows.insert(rows.end(), spring_rows_.begin(), spring_rows_.end());
}

void EnergyMomentumStep::solve_places() {
  write_joint_rows();
  verbs_.solve_once(model_, middle_, {});
  const std::vector<BodyMotion>& solved = verbs_.motions_;
  for (std::size_t i = 0; i < pushes_.size(); ++i) {
    const Body& body = model_.bodies[i];
    if (moves(i)) pushes_[i] = equations_of(body).push_of(body, verbs_.predictions()[i], solved[i]);
  }
}

double EnergyMomentumStep::least_size() const {
  double least = std::numeric_limits<double>::infinity();
  for (const Contact& contact : rows_) least = std::min(least, contact.size);
  for (const Joint& joint : model_.joints) {
    const double size = joint.second < 0
                            ? radius_of_gyration(model_.bodies[joint.first])
                            : smaller_radius_of_gyration(model_.bodies[joint.first], model_.bodies[joint.second]);
    if (size > 0.0) least = std::min(least, size);
  }
  return least;
}

/// Whether an impulse (N s) along the normal changes places by more than the tolerance of gaps.
bool EnergyMomentumStep::is_felt(const Contact& contact, double push) const {
  const auto lightness = [&](int body) { return moves(body) ? 1.0 / model_.bodies[body].mass : 0.0; };
  const double way = 0.5 * h_ * push * (lightness(contact.body_a) + lightness(contact.body_b));
  return way > gap_tolerance(verbs_.settings_) * contact.size;
}

/// How far the path's end is off from what the rows asked for.
EndResidual EnergyMomentumStep::residual_of_rows() const {
  EndResidual residual;
  const std::vector<Contact>& now = verbs_.end_contacts_.contacts();
  const auto tell = [&](const Contact& contact, double error) {
    if (!(error > residual.gap * contact.size)) return;
    residual.gap = error / contact.size;
    residual.worst = contact.key;
  };
  // An overlap that the step began with may stay.
  const auto overlap = [](const Contact& contact) { return contact.carried ? 0.0 : std::min(contact.gap, 0.0); };
  for (const Contact& contact : now) tell(contact, overlap(contact) - contact.end_gap);
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    const Contact* const found = with_key(now, rows_[c].key);
    const double push = verbs_.records_[c].impulse.dot(rows_[c].normal()) + h_ * rows_[c].adhesion;
    if (is_felt(rows_[c], push)) tell(rows_[c], found ? found->end_gap : std::numeric_limits<double>::infinity());
  }
  return residual;
}

/// J: the largest on the body's way, without contacts or with them.
double EnergyMomentumStep::kinetic_of(int body) const {
  if (!moves(body)) return 0.0;
  const Body& moved = model_.bodies[body];
  BodyState free = state_.bodies[body];
  free.linear = free_[body].linear;
  free.angular = free_[body].angular;
  const auto kinetic = [&](const BodyState& s) { return equations_of(moved).kinetic_energy(moved, s); };
  return std::max({kinetic(state_.bodies[body]), kinetic(free), kinetic(path_[body].end)});
}

/// (−), of the body's kinetic energy: the work that its pushes do on the path beyond that in the solve, which the laws
/// made a loss.
double EnergyMomentumStep::energy_error(int body) const {
  const Vec3 off = path_[body].angular - verbs_.motions_[body].angular;
  const double work = std::abs(pushes_[body].angular.dot(off));
  return work == 0.0 ? 0.0 : work / kinetic_of(body);
}

/// (−), of the kinetic energy of its bodies: the work of a row that had to ask for more than a stop.
double EnergyMomentumStep::gain_of_row(std::size_t c) const {
  const Contact& row = rows_[c];
  const double asked = std::max(row.gap, 0.0) + row.bend;
  const double push = verbs_.records_[c].impulse.dot(row.normal());
  if (asked >= 0.0 || !is_felt(row, push)) return 0.0;
  return -asked / h_ * push / (kinetic_of(row.body_a) + kinetic_of(row.body_b));
}

/// Whether the rows are those of the path that they led to; if not, the contacts of that path are taken for the next
/// pass.
bool EnergyMomentumStep::settle(double change) {
  Stopwatch watch;
  EndContacts& ends = verbs_.end_contacts_;
  const EndResidual crossing = ends.follow(path(), verbs_.records_);
  ends.accept();
  verbs_.end_ = residual_of_rows();
  verbs_.end_.crossed = crossing.crossed;
  verbs_.report_.gap_residual = verbs_.end_.gap;
  energy_error_ = 0.0;
  for (std::size_t i = 0; i < path_.size(); ++i) {
    if (moves(i)) energy_error_ = std::max(energy_error_, energy_error(static_cast<int>(i)));
  }
  row_gain_ = 0.0;
  for (std::size_t c = 0; c < rows_.size(); ++c) row_gain_ = std::max(row_gain_, gain_of_row(c));
  const bool stays = change > 0.5 * last_change_ && verbs_.end_.gap <= fine_gap * gap_tolerance(verbs_.settings_);
  const bool settled = energy_error_ <= fine_energy && (change <= settled_change * least_size() || stays);
  last_change_ = change;
  verbs_.report_.seconds.collision += watch.lap();
  return settled || verbs_.report_.passes >= most_mean_passes || verbs_.deadline_.passed();
}

// The velocities.

/// What is told of the solve of the places.
void EnergyMomentumStep::end_places() {
  const std::span<const Island> islands = verbs_.island_finder_.found();
  verbs_.start_.bodies = state_.bodies;
  verbs_.start_.joints = state_.joints;
  verbs_.summarise(rows_, islands);
  springs_ = impulse_of_springs({islands, verbs_.solves_}, model_, verbs_.start_, verbs_.joint_row_builder_.built());
  records_ = verbs_.records_;
  joint_records_ = verbs_.joint_records_;
}

/// With the velocities that the places led to; what pushes in no time has no drag.
void EnergyMomentumStep::predict_end() {
  std::vector<Prediction>& predictions = verbs_.predictor_.changeable();
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const Body& body = model_.bodies[i];
    predictions[i] = free_[i];
    if (!moves(i)) continue;
    equations_of(body).predict(body, path_[i].end, Wrench{}, StepRule{}, predictions[i]);
    predictions[i].converged = free_[i].converged && path_[i].converged;
  }
}

/// The contact where the step ends. `pushed` is its row on the mean velocities, and `record` what that pushed with.
/// What it may take back along the normal counts as adhesion.
Contact EnergyMomentumStep::end_contact(const Contact& now, const Contact& pushed, const ContactRecord& record) {
  Contact end = now;
  if (now.ends) {
    end.basis = Quat::FromTwoVectors(now.normal(), now.end_normal).toRotationMatrix() * now.basis;
    end.on_a = end.on_b = now.end_point;
  }
  end.gap = end.bend = 0.0;
  end.slip.setZero();
  const Vec3 r = pushed.basis.inverse() * record.impulse;
  const double normal = std::max(r[0] + h_ * pushed.adhesion, 0.0);
  end.adhesion = normal / h_;
  if (pushed.law.mu <= 0.0 || normal == 0.0) return end;
  if (!keeps_friction(now)) {
    const Vec3 friction = record.impulse - r[0] * pushed.basis.col(0);
    end_.impulses.push_back({now.key, friction, record.turning});
    take_back(end, end_.impulses.back());
    return end;
  }
  const double across = pushed.law.mu_cross > 0.0 ? r[2] / pushed.law.mu_cross : 0.0;
  const double used = std::hypot(r[1] / pushed.law.mu, across) / normal;
  const double left = std::max(1.0 - used, 0.0);
  end.law.mu *= left;
  end.law.mu_cross *= left;
  end.mu_rolling *= left;
  end.mu_torsional *= left;
  return end;
}

/// From the velocities that the problem of the end starts from.
void EnergyMomentumStep::take_back(const Contact& contact, const StoredImpulse& impulse) {
  const auto take = [&](int body, const Stencil& stencil, double sign) {
    if (!moves(body)) return;
    Prediction& p = verbs_.predictor_.changeable()[static_cast<std::size_t>(body)];
    const Vec3 arm = contact.point() - origin_of(end_.bodies[body], stencil);
    p.linear -= sign / model_.bodies[body].mass * impulse.impulse;
    p.angular -= sign * p.inverse_inertia * (arm.cross(impulse.impulse) + impulse.turning);
  };
  take(contact.body_a, contact.stencil_a, 1.0);
  take(contact.body_b, contact.stencil_b, -1.0);
}

/// Whether the contact is one of the end: it pushed, or it touched at the start and does so now. What comes as close as
/// the tolerance of gaps without it, such as the edge of a flush block, may pass by.
bool EnergyMomentumStep::stops(const Contact& now, const Contact& end) const {
  if (begins_to_touch(now, mean_motion())) return is_felt(now, h_ * end.adhesion);
  return end.adhesion > 0.0 || now.end_gap <= gap_tolerance(verbs_.settings_) * now.size;
}

void EnergyMomentumStep::write_end_rows() {
  std::vector<Contact> rows;
  end_.impulses.clear();
  for (const Contact& contact : verbs_.end_contacts_.contacts()) {
    const Contact* const pushed = with_key(rows_, contact.key);
    const ContactRecord* const record = with_key(records_, contact.key);
    const Contact end = pushed && record ? end_contact(contact, *pushed, *record) : end_contact(contact, contact, {});
    if (stops(contact, end)) rows.push_back(end);
  }
  end_rows_.swap(rows);
  taken_back_ = end_.impulses;
}

void EnergyMomentumStep::write_end_joint_rows() {
  JointRowBuilder& builder = verbs_.joint_row_builder_;
  builder.changeable().clear();
  if (model_.joints.empty()) return;
  builder.build(model_, end_, verbs_.predictions(), verbs_.settings_);
  rest_joints_at_end(model_, middle_.joints, builder.changeable());
  for (JointState& joint : end_.joints) joint.impulse.fill(0.0);
}

void EnergyMomentumStep::solve_velocities() {
  end_ = state_;
  for (std::size_t i = 0; i < end_.bodies.size(); ++i) end_.bodies[i].pose = path_[i].end.pose;
  update_joints(model_, end_);
  solve_end();
  if (find_gains()) solve_end();
  add_records();
  add_earlier_joints(joint_records_, verbs_.joint_records_);
  for (std::size_t j = 0; j < end_.joints.size(); ++j) {
    for (int k = 0; k < JointState::slots; ++k) end_.joints[j].impulse[k] += middle_.joints[j].impulse[k];
  }
}

void EnergyMomentumStep::solve_end() {
  predict_end();
  write_end_rows();
  write_end_joint_rows();
  verbs_.contacts_ = &end_rows_;
  verbs_.solve_once(model_, end_, {});
}

/// J: what the island's bodies got in the solve of the velocities beyond what its friction took in that of the places.
/// Less than round-off counts as none.
double EnergyMomentumStep::gain_of(const Island& island) const {
  double gain = 0.0;
  double kinetic = 0.0;
  for (const int body : island.bodies) {
    const BodyEquations& equations = equations_of(model_.bodies[body]);
    BodyState now = path_[body].end;
    const double before = equations.kinetic_energy(model_.bodies[body], now);
    now.linear = verbs_.motions_[body].linear;
    now.angular = verbs_.motions_[body].angular;
    gain += equations.kinetic_energy(model_.bodies[body], now) - before;
    kinetic += before;
  }
  for (const int c : island.contacts) {
    if (const ContactRecord* const record = with_key(records_, end_rows_[c].key)) gain += work_of_friction(*record);
  }
  return gain <= fine_energy * kinetic ? 0.0 : gain;
}

/// Contacts of islands that took back more from friction than it had taken; whether there are any.
bool EnergyMomentumStep::find_gains() {
  for (const Island& island : verbs_.island_finder_.found()) {
    if (gain_of(island) == 0.0) continue;
    for (const int c : island.contacts) keeping_.push_back(end_rows_[c].key);
  }
  std::sort(keeping_.begin(), keeping_.end());
  return !keeping_.empty();
}

/// The impulses of the step are those of both solves. Contacts that are new at the end come last.
void EnergyMomentumStep::add_records() {
  std::vector<ContactRecord> all = records_;
  for (const ContactRecord& later : verbs_.records_) {
    const ContactRecord* const known = with_key(records_, later.key);
    if (!known) {
      all.push_back(later);
      continue;
    }
    ContactRecord& sum = all[static_cast<std::size_t>(known - records_.data())];
    sum.impulse += later.impulse;
    sum.turning += later.turning;
    if (const StoredImpulse* const taken = with_key(taken_back_, later.key)) {
      sum.impulse -= taken->impulse;
      sum.turning -= taken->turning;
    }
    sum.velocity = later.velocity;
    sum.residual = std::max(sum.residual, later.residual);
    sum.mode = later.mode;
  }
  std::sort(all.begin(), all.end(), [](const ContactRecord& a, const ContactRecord& b) { return a.key < b.key; });
  verbs_.records_.swap(all);
}

/// A body that turned another way than the solve had it may have gained energy.
void EnergyMomentumStep::tell_energy() {
  StepReport& report = verbs_.report_;
  if (!report.certified || std::max(energy_error_, row_gain_) <= largest_gain) return;
  report.certified = false;
  report.hard = !verbs_.deadline_.passed();
  report.status = report.hard ? SolveStatus::iteration_limit : SolveStatus::time_limit;
  report.reason =
      fmt::format("the energy of a body is off by {:.2g} of it after {} passes: bodies turn too far for the step",
                  energy_error_, report.passes);
}

const StepReport& EnergyMomentumStep::finish(Stopwatch& watch) {
  for (std::size_t i = 0; i < end_.bodies.size(); ++i) {
    BodyState& s = state_.bodies[i];
    s = path_[i].end;
    if (!moves(i)) continue;
    s.linear = verbs_.motions_[i].linear;
    s.angular = verbs_.motions_[i].angular;
  }
  ++state_.step;
  state_.time += h_;
  state_.impulses.clear();
  for (const ContactRecord& r : verbs_.records_) state_.impulses.push_back({r.key, r.impulse, r.turning});
  state_.joints = end_.joints;
  verbs_.summarise(end_rows_, verbs_.island_finder_.found());
  verbs_.report_.contacts = static_cast<int>(verbs_.records_.size());
  verbs_.tell_step(model_, state_, springs_);
  tell_energy();
  verbs_.report_.seconds.integrate = watch.lap();
  return verbs_.report_;
}

const StepReport& energy_momentum_step(TimeStepping& verbs, const Model& model, State& state) {
  return EnergyMomentumStep(verbs, model, state).take();
}

void check_energy_momentum(const Model& model, const StepSettings& settings) {
  if (settings.scheme != Scheme::energy_momentum) return;
  const auto refuse = [](const char* what) { throw InputError(fmt::format("scheme = energy_momentum: {}", what)); };
  if (settings.contact == ContactModel::soft) refuse("contacts must be hard; soft ones store energy by themselves");
  if (settings.restitution != Restitution::newton) refuse("the only law of restitution is newton");
  const bool projects =
      settings.stabilisation == Stabilisation::projection || settings.stabilisation == Stabilisation::sqp;
  if (projects && !model.joints.empty()) refuse("joints are not projected, since that would gain energy");
  for (const Body& body : model.bodies) {
    if (body.mobility == Mobility::dynamic && !equations_of(body).has_mean_step()) {
      throw InputError(
          fmt::format("scheme = energy_momentum: body \"{}\" has nodes, whose springs do not keep energy "
                      "in it; use leapfrog",
                      body.name));
    }
  }
}

}  // namespace cardhouse
