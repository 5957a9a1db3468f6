#include "cardhouse/stepping/rows/assemble.h"

#include <algorithm>

namespace cardhouse {
namespace {

/// Rows on the velocity along the basis of the point at an arm from a frame's origin, v + w × arm.
FrameRows point_rows(const Mat3& basis, const Vec3& arm) {
  FrameRows rows;
  rows.leftCols<3>() = basis.transpose();
  rows.rightCols<3>() = -basis.transpose() * cross_matrix(arm);
  return rows;
}

/// A body's velocity at a point at the start of the step. For a kinematic body it is that of the step, since its
/// earlier velocity is not known in the first step.
Vec3 velocity_before(const Model& model, const State& state, std::span<const Prediction> predictions, int body,
                     const Stencil& stencil, const Vec3& point) {
  const BodyState& s = state.bodies[body];
  const Vec3 arm = point - origin_of(s, stencil);
  if (model.bodies[body].mobility == Mobility::dynamic) return point_velocity(s, stencil, arm);
  return point_velocity(predictions[body], stencil, arm);
}

/// The law with the friction that belongs to the slip at the start of the step: explicit, so that every solver stays
/// exact for the law of the step.
Law law_at_slip(const Model& model, const State& state, std::span<const Prediction> predictions,
                const Contact& contact) {
  Law law = contact.law;
  if (contact.static_ratio == 1.0) return law;
  const Vec3 velocity = velocity_before(model, state, predictions, contact.body_a, contact.stencil_a, contact.point()) -
                        velocity_before(model, state, predictions, contact.body_b, contact.stencil_b, contact.point());
  const double slip = (contact.basis.transpose() * velocity).segment(1, contact.rows - 1).norm();
  const double factor = friction_factor(contact.static_ratio, contact.slip_velocity, slip);
  law.mu *= factor;
  law.mu_cross *= factor;
  return law;
}

/// Writes the groups of an island's problem, one after the other.
class Assembler {
 public:
  Assembler(const Model& model, const State& state, std::span<const Prediction> predictions, const Island& island,
            ContactProblem& problem, std::vector<int>& first_block)
      : model_(model),
        state_(state),
        predictions_(predictions),
        island_(island),
        problem_(problem),
        first_block_(first_block) {}

  void add_bodies() {
    int offset = 0;
    first_block_.clear();
    for (int i : island_.bodies) {
      const Body& body = model_.bodies[i];
      first_block_.push_back(problem_.a.blocks());
      equations_of(body).add_block(body, predictions_[i], problem_.a, problem_.v_free, offset);
    }
  }

  void add(const Contact& contact, double bias) {
    // One point for both sides: equal and opposite impulses then keep the angular momentum.
    const Vec3 arm_a = contact.point() - origin_of(state_.bodies[contact.body_a], contact.stencil_a);
    const Vec3 arm_b = contact.point() - origin_of(state_.bodies[contact.body_b], contact.stencil_b);
    begin(contact.rows, law_at_slip(model_, state_, predictions_, contact));
    add_side(contact.body_a, contact.stencil_a, point_rows(contact.basis, arm_a));
    add_side(contact.body_b, contact.stencil_b, -point_rows(contact.basis, arm_b));
    b_ += contact.slip;
    b_[0] += bias;
    end();
  }

  void add(const JointRows& rows) {
    begin(rows.rows, rows.law);
    b_ = rows.b;
    add_side(rows.first, rows.stencil_first, rows.on_first);
    if (rows.second >= 0) add_side(rows.second, rows.stencil_second, rows.on_second);
    problem_.compliance.segment(row_, count_).setConstant(rows.compliance);
    end();
  }

  void add(const RollingTorsionalRows& rows, const Contact& contact) {
    FrameRows spins = FrameRows::Zero();
    spins.rightCols<3>() = rows.axes;
    begin(rows.rows, rows.law);
    add_side(contact.body_a, contact.stencil_a, spins);
    add_side(contact.body_b, contact.stencil_b, -spins);
    end();
  }

 private:
  void begin(int count, const Law& law) {
    count_ = count;
    b_.setZero();
    problem_.j.begin_group(count);
    problem_.laws.push_back(law);
  }

  void end() {
    problem_.b.segment(row_, count_) = b_.head(count_);
    row_ += count_;
  }

  /// Entries of J for a dynamic body, a share of b for a kinematic one.
  void add_side(int i, const Stencil& stencil, const FrameRows& rows) {
    const Body& body = model_.bodies[i];
    if (body.mobility == Mobility::dynamic) {
      equations_of(body).add_rows(body, stencil, rows, count_, problem_.a, first_block_of(i), problem_.j);
      return;
    }
    const Prediction& p = predictions_[i];
    b_ += rows.leftCols<3>() * (stencil.count == 0 ? p.linear : weighted(stencil, p.node_velocities)) +
          rows.rightCols<3>() * spin_at(p, stencil);
  }

  int first_block_of(int body) const {
    const auto found = std::lower_bound(island_.bodies.begin(), island_.bodies.end(), body);
    return first_block_[static_cast<std::size_t>(found - island_.bodies.begin())];
  }

  const Model& model_;
  const State& state_;
  std::span<const Prediction> predictions_;
  const Island& island_;
  ContactProblem& problem_;
  std::vector<int>& first_block_;  ///< of each of the island's bodies
  int row_ = 0;                    ///< the group's first
  int count_ = 0;                  ///< its rows
  Vec3 b_ = Vec3::Zero();          ///< its b
};

/// Empties the problem and makes room for what the island has.
void make_room(const Model& model, std::span<const Contact> contacts, std::span<const JointRows> joint_rows,
               const Island& island, ContactProblem& problem) {
  problem.a.clear();
  problem.j.clear();
  problem.laws.clear();
  int dofs = 0;
  int rows = 0;
  for (int body : island.bodies) dofs += dofs_of(model.bodies[body]);
  for (int c : island.contacts) rows += contacts[c].rows + rolling_torsional_row_count(contacts[c]);
  for (int k : island.joint_rows) rows += joint_rows[k].rows;
  problem.v_free.resize(dofs);
  problem.b.resize(rows);
  problem.compliance.setZero(rows);
}

}  // namespace

void assemble(const Model& model, const State& state, std::span<const Prediction> predictions,
              std::span<const Contact> contacts, std::span<const JointRows> joint_rows, const Island& island,
              std::span<const double> biases, ContactProblem& problem) {
  make_room(model, contacts, joint_rows, island, problem);
  thread_local std::vector<int> first_block;  // scratch without an allocation per call
  Assembler assembler(model, state, predictions, island, problem, first_block);
  assembler.add_bodies();
  auto bias = biases.begin();
  for (int c : island.contacts) assembler.add(contacts[c], *bias++);
  for (int k : island.joint_rows) assembler.add(joint_rows[k]);
  for_each_rolling_torsional_group(contacts, island, [&](const RollingTorsionalRows& group) {
    assembler.add(group, contacts[island.contacts[group.contact]]);
  });
}

void bias_by_adhesion(std::span<const Contact> contacts, const Island& island, double h, ContactProblem& problem,
                      VecX& guess) {
  thread_local VecX pull;  // scratch without an allocation per call
  thread_local VecX change;
  bool any = false;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const double a = h * contacts[island.contacts[k]].adhesion;
    if (a == 0.0) continue;
    if (!any) pull.setZero(problem.a.rows());
    any = true;
    const int group = static_cast<int>(k);
    const double along_normal[3] = {a, 0.0, 0.0};
    problem.j.add_transposed_group(group, along_normal, pull);
    guess[problem.j.group(group).row] += a;
  }
  if (!any) return;
  problem.a.solve(pull, change);
  problem.v_free -= change;
}

}  // namespace cardhouse
