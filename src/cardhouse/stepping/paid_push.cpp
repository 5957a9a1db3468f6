#include "cardhouse/stepping/paid_push.h"

#include <algorithm>
#include <limits>

#include "cardhouse/model/energy.h"
#include "cardhouse/stepping/integrate.h"
#include "cardhouse/stepping/normal_rows.h"

namespace cardhouse {
namespace {

constexpr int most_solves = 8;
/// Below this part of an overlap (−) none is undone, so that the rows of what rests stay the same.
constexpr double least_part = 1e-8;
/// Part of what a step dissipates beside its push (−) that may be left unspent: what is lost of a swing by it.
constexpr double unspent = 1e-2;
constexpr double aim = 1.0 - 0.5 * unspent;
/// Of the tolerance and of the energies in play (−): gains up to this are what the solver leaves.
constexpr double negligible_gain = 1e-5;

/// Energies of one body (J).
struct BodyEnergy {
  double gain = 0.0;   ///< kinetic, less the work of forces
  double scale = 0.0;  ///< kinetic, and what lifts it by its own size
};

/// The impulses of forces are what the prediction has beyond the state.
BodyEnergy body_energy(const Body& body, const BodyState& before, const Prediction& p, const Twist& twist,
                       const StepSettings& settings) {
  const BodyState after = moved_body(body, p, twist, settings, before);
  const Vec3 force = body.mass * (p.linear_drag * p.linear - before.linear);
  const Vec3 torque = p.angular_drag * p.angular_momentum - p.inertia * before.angular;
  const double kinetic = kinetic_energy(body, before);
  BodyEnergy result;
  result.gain = kinetic_energy(body, after) - kinetic - force.dot(twist.linear) - torque.dot(twist.angular);
  result.scale = kinetic + force.norm() / settings.step * radius_of_gyration(body);
  return result;
}

/// Of the island's bodies, with the velocities of the last solve.
BodyEnergy bodies_energy(const PushInput& in, const Island& island, const IslandSolve& s) {
  BodyEnergy sum;
  int offset = 0;
  for (const int body : island.bodies) {
    const Twist twist = solved_twist(in.model.bodies[body], in.predictions[body], s.solution.v, offset);
    const BodyEnergy one =
        body_energy(in.model.bodies[body], in.state.bodies[body], in.predictions[body], twist, in.settings);
    sum.gain += one.gain;
    sum.scale += one.scale;
  }
  return sum;
}

/// J: what is done on the island's bodies by those whose motion is prescribed, whose velocity is what b has beside the
/// shift, and by joints, which have gains and losses of their own.
double work_from_outside(const Island& island, const IslandSolve& s) {
  const int contacts = static_cast<int>(island.contacts.size());
  const int joints_end = contacts + static_cast<int>(island.joint_rows.size());
  double work = -s.problem.b.dot(s.solution.r);
  for (int g = 0; g < joints_end; ++g) {
    const BlockRows::Group& rows = s.problem.j.group(g);
    work += g < contacts ? s.shifts[g] * s.solution.r[rows.row]
                         : s.velocity.segment(rows.row, rows.dim).dot(s.solution.r.segment(rows.row, rows.dim));
  }
  return work;
}

BodyEnergy island_energy(const PushInput& in, const Island& island, const IslandSolve& s) {
  BodyEnergy energy = bodies_energy(in, island, s);
  energy.gain -= work_from_outside(island, s);
  return energy;
}

/// Whether the rows of an island can be scaled. What Poisson's law gives back is a further term of the energy, in steps
/// whose collision pays for any push.
bool may_be_limited(const PushInput& in, const Island& island, const IslandSolve& s) {
  const StepSettings& settings = in.settings;
  if (settings.scheme != Scheme::gap_over_h || settings.contact != ContactModel::hard) return false;
  if (settings.overlaps != Overlaps::paid || settings.gamma < 1.0) return false;
  if (settings.stabilisation == Stabilisation::none || !s.pistons.empty()) return false;
  return std::all_of(island.bodies.begin(), island.bodies.end(),
                     [&](int body) { return in.model.bodies[body].kind == BodyKind::planar; });
}

bool has_met(const PushInput& in, const ContactKey& key) {
  return std::binary_search(in.met.begin(), in.met.end(), ShapePair{key.shape_a, key.shape_b});
}

void collect_pushes(const PushInput& in, const Island& island, IslandSolve& s) {
  s.pushes.clear();
  if (!may_be_limited(in, island, s)) return;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const Contact& contact = in.contacts[island.contacts[k]];
    // Where restitution asks for more, the overlap counts for nothing.
    if (s.shifts[k] < 0.0 && s.shifts[k] == gap_shift(contact, in.settings) && has_met(in, contact.key)) {
      s.pushes.push_back({static_cast<int>(k), -s.shifts[k]});
    }
  }
}

int row_of(const Push& push, const IslandSolve& s) {
  return s.problem.j.group(push.contact).row;
}

void scale_push(double part, IslandSolve& s) {
  for (const Push& push : s.pushes) {
    s.problem.b[row_of(push, s)] += -part * push.speed - s.shifts[push.contact];
    s.shifts[push.contact] = -part * push.speed;
  }
}

/// A push and what it does to an island's energy.
struct PaidPush {
  double work = 0.0;   ///< J: of the rows that push
  double whole = 0.0;  ///< J: what they would do with the same impulses, if they undid all of their overlap
  double loss = 0.0;   ///< J: what the step dissipates beside them
  double none = 0.0;   ///< J: a gain as small is none

  bool is_paid() const { return work - loss <= none; }
  bool is_spent() const { return work >= (1.0 - unspent) * loss - none; }
  /// Where work and loss meet, if neither impulses nor losses change with the push.
  double payable_part() const {
    if (loss >= whole) return 1.0;
    const double part = aim * loss / whole;
    return part < least_part ? 0.0 : part;
  }
};

/// With the impulses of the last solve, or of a guess.
PaidPush judge_push(const PushInput& in, const Island& island, IslandSolve& s) {
  contact_velocity(s.problem, s.solution.r, s.solution.v, s.velocity);
  const BodyEnergy energy = island_energy(in, island, s);
  PaidPush result;
  result.none = negligible_gain * in.settings.tolerance * energy.scale;
  for (const Push& push : s.pushes) {
    const int row = row_of(push, s);
    result.work += s.solution.r[row] * (s.velocity[row] - s.shifts[push.contact]);
    result.whole += push.speed * std::max(s.solution.r[row], 0.0);
  }
  result.loss = result.work - energy.gain;
  return result;
}

/// What is tried next, between the largest part that is known to be paid and the smallest that is known not to be.
double next_part(const PaidPush& push, double paid, double unpaid) {
  const double part = push.payable_part();
  if (part == 0.0 || (part > paid && part < unpaid)) return part;
  return 0.5 * (paid + std::min(unpaid, 1.0));
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
  s.solution.r = s.guess;
  s.push_part = judge_push(input, island, s).payable_part();
  scale_push(s.push_part, s);
}

void limit_push(const PushInput& input, const Island& island, IslandSolve& s) {
  if (s.pushes.empty() || s.relaxed.rows > 0 || s.hairlines.rows > 0) return;
  double paid = 0.0;
  double unpaid = std::numeric_limits<double>::infinity();
  for (int solves = 1; s.certificate.certified(input.settings.tolerance); ++solves) {
    const PaidPush push = judge_push(input, island, s);
    if (push.is_paid() && (s.push_part == 1.0 || push.is_spent())) return;
    (push.is_paid() ? paid : unpaid) = s.push_part;
    const double part = solves < most_solves ? next_part(push, paid, unpaid) : paid;
    if (part == s.push_part) return;
    const Attempt before(s);
    s.push_part = part;
    scale_push(part, s);
    solve_from_here(input.settings, s);
    if (s.certificate.certified(input.settings.tolerance)) continue;
    before.put_back(s);
    return;
  }
}

}  // namespace cardhouse
