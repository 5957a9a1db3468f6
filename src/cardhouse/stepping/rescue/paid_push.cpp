#include "cardhouse/stepping/rescue/paid_push.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/stepping/rescue/island_energy.h"
#include "cardhouse/stepping/rows/normal_rows.h"

namespace cardhouse {
namespace {

/// Fraction of the smaller body's radius of gyration (−) up to which an overlap may stay until it is paid for.
constexpr double waiting_depth = 1e-3;
/// Fraction of it (−) by which a force may act ahead of its contact: half the distance that surfaces roll on each other
/// when they turn by 0.2 rad in a step. In slower steps the fraction is the step's angle (rad).
constexpr double farthest_ahead = 0.1;
/// rad in a step: below this, gains cannot be told from round-off.
constexpr double least_turn = 1e-6;

constexpr int most_solves = 8;
/// Below this fraction of an overlap (−) nothing is removed, so that the rows of bodies at rest stay the same.
constexpr double least_part = 1e-8;
/// Fraction of a step's other dissipation (−) that may stay unused: this much of a swing is lost.
constexpr double unspent = 1e-2;
/// Times the tolerance and the energies involved (−): gains up to this count as none.
constexpr double negligible_gain = 1e-5;
/// Fraction (−) by which the energy taken from rotation may exceed the gain.
constexpr double overpaid = 0.1;

/// Whether the rows of an island can be changed. What Poisson's law gives back is a further term of the energy, in
/// steps whose collision pays for any push.
bool may_be_limited(const StepSettings& settings, const IslandSolve& s) {
  if (settings.scheme != Scheme::stewart_trinkle || settings.contact != ContactModel::hard) return false;
  if (settings.overlaps != Overlaps::paid || settings.gamma < 1.0) return false;
  return settings.stabilisation != Stabilisation::none && s.pistons.empty();
}

/// Bodies with nodes deform: what their contacts do to the energy is not told by the motion of frames.
bool has_nodes(const PushInput& in, const Island& island) {
  return std::any_of(island.bodies.begin(), island.bodies.end(),
                     [&](int body) { return in.state.bodies[body].nodes.size() > 0; });
}

bool has_met(const PushInput& in, const ContactKey& key) {
  return std::binary_search(in.met.begin(), in.met.end(), ShapePair{key.shape_a, key.shape_b});
}

/// rad/s: of the first body against the second, as the step begins.
Vec3 relative_spin(const PushInput& in, const Contact& contact) {
  const auto spin = [&](int body) {
    return in.model.bodies[body].mobility == Mobility::dynamic ? in.state.bodies[body].angular
                                                               : in.predictions[body].angular;
  };
  return spin(contact.body_a) - spin(contact.body_b);
}

Push push_of(const PushInput& in, const Contact& contact, int place, double bias) {
  Push push;
  push.contact = place;
  const double size = smaller_radius_of_gyration(in.model.bodies[contact.body_a], in.model.bodies[contact.body_b]);
  push.open = std::max(bias, 0.0);
  push.speed = std::max(-bias, 0.0);
  push.waiting = waiting_depth * size / in.settings.step;
  const Vec3 n = contact.normal();
  const Vec3 spin = relative_spin(in, contact);
  const Vec3 rolling = spin - n.dot(spin) * n;
  push.turning = rolling.norm();
  if (size == 0.0 || push.turning * in.settings.step < least_turn) push.turning = 0.0;
  if (push.turning > 0.0) push.axis = rolling / push.turning;
  push.farthest = std::min(farthest_ahead, in.settings.step * spin.norm()) * size;
  return push;
}

void collect_pushes(const PushInput& in, const Island& island, IslandSolve& s) {
  s.pushes.clear();
  s.push_part = 1.0;
  s.taken_from_turning = 0.0;
  if (!may_be_limited(in.settings, s) || has_nodes(in, island)) return;
  bool put_there = false;
  bool rebounds = false;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const Contact& contact = in.contacts[island.contacts[k]];
    if (s.biases[k] != gap_bias(contact, in.settings)) {
      rebounds = true;  // restitution asks for more than the overlap
      continue;
    }
    const bool overlaps = s.biases[k] < 0.0;
    if (overlaps && !has_met(in, contact.key)) put_there = true;
    const Push push = push_of(in, contact, static_cast<int>(k), s.biases[k]);
    if (overlaps || push.turning > 0.0) s.pushes.push_back(push);
  }
  if (put_there) s.pushes.clear();  // overlaps removed in full are not for others to pay
  if (!rebounds) return;
  // Energy that laws of restitution gain is not taken from rotation.
  for (Push& push : s.pushes) push.turning = 0.0;
}

int row_of(const Push& push, const IslandSolve& s) {
  return s.problem.j.group(push.contact).row;
}

/// Moves the row by so much farther ahead (m).
void move_ahead(const PushInput& in, const Island& island, const Push& push, double distance, IslandSolve& s) {
  const Contact& contact = in.contacts[island.contacts[push.contact]];
  const auto turn = [&](int body) { return (body == contact.body_a ? -distance : distance) * push.axis; };
  for (const BlockRows::Entry& entry : s.problem.j.entries(push.contact)) {
    const int body = island.bodies[entry.block];  // in an island without nodes, each body has one block
    auto block = s.problem.j.block(push.contact, entry);
    equations_of(in.model.bodies[body]).add_spin(in.model.bodies[body], turn(body), block.row(0));
  }
  for (const int body : {contact.body_a, contact.body_b}) {
    if (in.model.bodies[body].mobility == Mobility::dynamic) continue;
    s.problem.b[row_of(push, s)] += turn(body).dot(in.predictions[body].angular);
  }
}

/// m/s: the part of an overlap beyond the allowed depth that stays when the fraction c is removed.
double excess(const Push& push, double part) {
  return std::max((1.0 - part) * push.speed - push.waiting, 0.0);
}

/// Writes the rows with the fraction c of the overlaps, moved ahead so that rotation also pays for `taken` m/s. Returns
/// whether any row changed.
bool set_rows(const PushInput& in, const Island& island, double part, double taken, IslandSolve& s) {
  bool changed = false;
  s.push_part = part;
  s.taken_from_turning = taken;
  for (Push& push : s.pushes) {
    const double deep = excess(push, part);
    const double ahead = push.turning > 0.0 ? std::min((deep + taken) / push.turning, push.farthest) : 0.0;
    if (ahead != push.ahead) {
      move_ahead(in, island, push, ahead - push.ahead, s);
      push.ahead = ahead;
      changed = true;
    }
    const double bias = push.open - part * push.speed + std::max(ahead * push.turning - deep, 0.0);
    changed = changed || bias != s.biases[push.contact];
    s.problem.b[row_of(push, s)] += bias - s.biases[push.contact];
    s.biases[push.contact] = bias;
  }
  return changed;
}

/// What the rows of an island do to its energy.
struct PaidPush {
  double gain = 0.0;   ///< J: all in all
  double work = 0.0;   ///< J: of the rows
  double whole = 0.0;  ///< J: of overlaps, with c = 1 and the same impulses
  double rest = 0.0;   ///< J: of the rows beside that: open gaps, and what turning pays for
  double grip = 0.0;   ///< N s: by which turning pays
  double loss = 0.0;   ///< J: what the step dissipates beside them; what it gains where this is negative
  double none = 0.0;   ///< J: a gain as small is none

  bool is_paid() const { return gain <= none; }
  bool is_spent() const { return work >= loss - unspent * std::abs(loss) - none; }
};

/// J: of rows that push while they open or close: the solver's error.
double left_by_solver(const Island& island, const IslandSolve& s) {
  double sum = 0.0;
  for (int k = 0; k < static_cast<int>(island.contacts.size()); ++k) {
    const int row = s.problem.j.group(k).row;
    sum += std::abs(s.solution.r[row] * s.velocity[row]);
  }
  return sum;
}

/// With the impulses of the last solve, or of a guess.
PaidPush judge_push(const PushInput& in, const Island& island, IslandSolve& s) {
  const EnergyGain energy = island_energy(in.model, in.state, in.predictions, in.contacts, in.settings, island, s);
  PaidPush result;
  result.gain = energy.gain;
  result.none = negligible_gain * in.settings.tolerance * energy.scale + left_by_solver(island, s);
  for (const Push& push : s.pushes) {
    const int row = row_of(push, s);
    result.work += s.solution.r[row] * (s.velocity[row] - s.biases[push.contact]);
    const double impulse = std::max(s.solution.r[row], 0.0);
    result.whole += impulse * push.speed;
    result.rest -= impulse * (s.biases[push.contact] + s.push_part * push.speed);
    if (push.turning > 0.0) result.grip += impulse;
  }
  result.loss = result.work - energy.gain;
  return result;
}

/// The c at which work equals loss, if impulses and losses did not change with the push.
double payable_part(const PaidPush& push) {
  if (push.loss >= push.rest + push.whole) return 1.0;
  const double aim = push.loss - 0.5 * unspent * std::abs(push.loss);
  const double part = (aim - push.rest) / push.whole;
  return part < least_part ? 0.0 : std::min(part, 1.0);
}

/// The next c to try, between the largest that is known to be paid for and the smallest that is not.
double next_part(const PaidPush& push, double paid, double unpaid) {
  const double next = payable_part(push);
  if (next == 0.0 || (next > paid && next < unpaid)) return next;
  return 0.5 * (paid + std::min(unpaid, 1.0));
}

/// Solves with other rows. The old ones are restored where the answer is not certified. Returns false also where no row
/// changed.
bool solve_with(const PushInput& in, const Island& island, double part, double taken, IslandSolve& s) {
  const Attempt before(s);
  const double part_before = s.push_part;
  const double taken_before = s.taken_from_turning;
  if (!set_rows(in, island, part, taken, s)) return false;
  solve_from_here(in.settings, s);
  if (s.certificate.certified(in.settings.tolerance)) return true;
  set_rows(in, island, part_before, taken_before, s);
  before.put_back(s);
  return false;
}

/// Finds the largest c that is paid for, and the energy of the rows with it.
PaidPush find_part(const PushInput& in, const Island& island, IslandSolve& s) {
  double paid = 0.0;
  double unpaid = std::numeric_limits<double>::infinity();
  for (int solves = 1;; ++solves) {
    const PaidPush push = judge_push(in, island, s);
    if (push.whole == 0.0) return push;
    if (push.is_paid() && (s.push_part == 1.0 || push.is_spent())) return push;
    (push.is_paid() ? paid : unpaid) = s.push_part;
    const double part = solves < most_solves ? next_part(push, paid, unpaid) : paid;
    if (part == s.push_part || !solve_with(in, island, part, s.taken_from_turning, s)) return push;
  }
}

/// Takes a gain without a push from the rotation, and no more than that.
void take_from_turning(const PushInput& in, const Island& island, PaidPush push, IslandSolve& s) {
  for (int solves = 1; solves < most_solves; ++solves) {
    const double allowed = overpaid * s.taken_from_turning * push.grip + push.none;
    if (push.grip <= 0.0 || (push.gain <= push.none && push.gain >= -allowed)) return;
    const double taken = std::max(s.taken_from_turning + push.gain / push.grip, 0.0);
    if (taken == s.taken_from_turning || !solve_with(in, island, s.push_part, taken, s)) return;
    push = judge_push(in, island, s);
  }
}

}  // namespace

void list_pairs(std::span<const StoredImpulse> impulses, std::vector<ShapePair>& pairs) {
  pairs.clear();
  for (const StoredImpulse& stored : impulses) {
    const ShapePair pair{stored.key.shape_a, stored.key.shape_b};
    if (pairs.empty() || pairs.back() != pair) pairs.push_back(pair);
  }
}

void begin_push(const PushInput& input, const Island& island, IslandSolve& s) {
  collect_pushes(input, island, s);
  if (s.pushes.empty()) return;
  if (std::none_of(s.pushes.begin(), s.pushes.end(), [](const Push& push) { return push.speed > 0.0; })) return;
  s.solution.r = s.guess;
  const PaidPush push = judge_push(input, island, s);
  if (push.whole > 0.0) set_rows(input, island, payable_part(push), 0.0, s);
}

void limit_push(const PushInput& input, const Island& island, IslandSolve& s) {
  if (s.pushes.empty() || s.relaxed.rows > 0 || s.hairlines.rows > 0) return;
  if (!s.certificate.certified(input.settings.tolerance)) return;
  take_from_turning(input, island, find_part(input, island, s), s);
}

}  // namespace cardhouse
