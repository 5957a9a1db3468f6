#include "cardhouse/stepping/records/record_step.h"

#include <algorithm>

#include "cardhouse/stepping/rows/rolling_torsional_rows.h"

namespace cardhouse {
namespace {

/// A contact slips when its friction impulse would have to grow by more than a millionth of the impulse to stop the
/// sliding.
ContactMode mode_of(const IslandSolve& s, int group) {
  const BlockRows::Group& rows = s.problem.j.group(group);
  const auto r = s.solution.r.segment(rows.row, rows.dim);
  if (!(r[0] > s.certifier.rho()[group] * std::max(s.certifier.u()[rows.row], 0.0))) return ContactMode::open;
  const double slide = s.certifier.u().segment(rows.row + 1, rows.dim - 1).norm();
  return s.certifier.rho()[group] * slide > 1e-6 * r.norm() ? ContactMode::slip : ContactMode::stick;
}

/// Of a contact's group, in its own basis.
Vec3 rows_of(const IslandSolve& s, int group, const VecX& x) {
  const BlockRows::Group& rows = s.problem.j.group(group);
  Vec3 found = Vec3::Zero();
  found.head(rows.dim) = x.segment(rows.row, rows.dim);
  return found;
}

void record_contact(const IslandSolve& s, int group, const Contact& contact, const StepSettings& settings,
                    ContactRecord& record) {
  Vec3 r = rows_of(s, group, s.solution.r);
  r[0] -= settings.step * contact.adhesion;  // the solve's is r + a n
  record.key = contact.key;
  record.body_a = contact.body_a;
  record.body_b = contact.body_b;
  record.point = contact.point();
  record.normal = contact.normal();
  record.impulse = contact.basis * r;
  record.velocity = contact.basis * rows_of(s, group, s.certifier.u());
  record.gap = contact.distance();
  record.mu = s.problem.laws[group].mu;
  record.turning.setZero();
  record.residual = s.group_residuals[group];
  record.mode = mode_of(s, group);
  record.painleve_ratio = settings.diagnose ? s.diagnosis.painleve_ratios[group] : 0.0;
}

/// Rolling and torsional friction, whose groups come behind those of contacts and joints.
void add_rolling_torsional(const IslandSolve& s, const Island& island, std::span<const Contact> contacts,
                           std::vector<ContactRecord>& records) {
  int g = static_cast<int>(island.contacts.size() + island.joint_rows.size());
  for_each_rolling_torsional_group(contacts, island, [&](const RollingTorsionalRows& group) {
    ContactRecord& record = records[island.contacts[group.contact]];
    const int row = s.problem.j.group(g).row;
    for (int n = 0; n < group.rows; ++n) record.turning += s.solution.r[row + n] * group.axes.row(n).transpose();
    record.residual = std::max(record.residual, s.group_residuals[g]);
    ++g;
  });
}

/// What Poisson's law gives back comes beside the contacts' own rows.
void add_pistons(const IslandSolve& s, const Island& island, std::span<const Contact> contacts,
                 std::vector<ContactRecord>& records) {
  for (std::size_t p = 0; p < s.pistons.size(); ++p) {
    const int c = island.contacts[s.pistons[p].contact];
    const int group = first_piston(s.problem, s.pistons) + static_cast<int>(p);
    ContactRecord& record = records[c];
    record.impulse += contacts[c].basis * rows_of(s, group, s.solution.r);
    record.residual = std::max(record.residual, s.group_residuals[group]);
    record.mode = mode_of(s, group);
  }
}

/// Sums over the rows of a joint; its torque is about the first body's centre of mass, so far.
void add_joint_rows(const IslandSolve& s, int g, const JointRows& group, JointState& joint, JointRecord& record) {
  const int row = s.problem.j.group(g).row;
  for (int n = 0; n < group.rows; ++n) {
    const double r = s.solution.r[row + n];
    joint.impulse[group.slot + n] = r;
    record.impulse += r * group.on_first.row(n).head<3>().transpose();
    record.torque += r * group.on_first.row(n).tail<3>().transpose();
  }
  record.residual = std::max(record.residual, s.group_residuals[g]);
}

void place_joint(const Joint& joint, const JointState& solved, const State& state, JointRecord& record) {
  record.point = joint_frame_first(joint, state).position;
  record.arm = record.point - origin_of(state.bodies[joint.first], joint.stencil_first);
  record.torque -= record.arm.cross(record.impulse);
  for (int c = 0; c < coordinate_count(joint); ++c) {
    const double* slots = solved.impulse.data() + JointState::constraint_slots + c * JointState::drive_slots;
    record.drive[c] = slots[0] - slots[1] + slots[2] + slots[3];
  }
}

/// The gap is that which it began with, and a contact that pushed does not count as open.
void join(const ContactRecord& before, ContactRecord& record) {
  record.impulse += before.impulse;
  record.turning += before.turning;
  record.gap = before.gap;
  record.residual = std::max(record.residual, before.residual);
  record.painleve_ratio = std::max(record.painleve_ratio, before.painleve_ratio);
  if (record.mode == ContactMode::open) record.mode = before.mode;
}

}  // namespace

void record_contacts(const SolvedIslands& solved, std::span<const Contact> contacts, const StepSettings& settings,
                     std::vector<ContactRecord>& records, std::vector<StoredImpulse>& impulses) {
  records.resize(contacts.size());
  for (std::size_t i = 0; i < solved.islands.size(); ++i) {
    const Island& island = solved.islands[i];
    const IslandSolve& s = *solved.solves[i];
    for (std::size_t k = 0; k < island.contacts.size(); ++k) {
      const int c = island.contacts[k];
      record_contact(s, static_cast<int>(k), contacts[c], settings, records[c]);
      records[c].island = static_cast<int>(i);
    }
    add_rolling_torsional(s, island, contacts, records);
    add_pistons(s, island, contacts, records);
  }
  impulses.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c)
    impulses[c] = {records[c].key, records[c].impulse, records[c].turning};
}

void record_joints(const SolvedIslands& solved, const Model& model, std::span<const JointRows> joint_rows, State& state,
                   std::vector<JointRecord>& records) {
  records.assign(model.joints.size(), JointRecord{});
  for (JointState& joint : state.joints) joint.impulse.fill(0.0);
  for (std::size_t i = 0; i < solved.islands.size(); ++i) {
    const Island& island = solved.islands[i];
    const int contacts = static_cast<int>(island.contacts.size());
    for (std::size_t k = 0; k < island.joint_rows.size(); ++k) {
      const JointRows& group = joint_rows[island.joint_rows[k]];
      if (group.joint < 0) continue;
      const int g = contacts + static_cast<int>(k);
      add_joint_rows(*solved.solves[i], g, group, state.joints[group.joint], records[group.joint]);
    }
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    place_joint(model.joints[j], state.joints[j], state, records[j]);
  }
}

void add_earlier_contacts(std::span<const ContactRecord> earlier, std::vector<ContactRecord>& records) {
  const auto later_count = static_cast<std::ptrdiff_t>(records.size());
  auto later = records.begin();
  std::vector<ContactRecord> gone;
  for (const ContactRecord& before : earlier) {
    later = std::find_if(later, records.end(), [&](const ContactRecord& each) { return each.key >= before.key; });
    if (later != records.end() && later->key == before.key) {
      join(before, *later);
    } else {
      gone.push_back(before);
      gone.back().island = -1;
    }
  }
  records.insert(records.end(), gone.begin(), gone.end());
  std::inplace_merge(records.begin(), records.begin() + later_count, records.end(),
                     [](const ContactRecord& a, const ContactRecord& b) { return a.key < b.key; });
}

void add_earlier_joints(std::span<const JointRecord> earlier, std::span<JointRecord> records) {
  for (std::size_t j = 0; j < records.size(); ++j) {
    const JointRecord& before = earlier[j];
    JointRecord& record = records[j];
    record.impulse += before.impulse;
    record.torque += before.torque;
    for (int c = 0; c < most_joint_coordinates; ++c) record.drive[c] += before.drive[c];
    record.residual = std::max(record.residual, before.residual);
  }
}

}  // namespace cardhouse
