#include "cardhouse/stepping/schemes/separate_overlaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/base/error.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/model/joint_loops.h"
#include "cardhouse/stepping/rows/assemble.h"
#include "cardhouse/stepping/schemes/detect.h"
#include "cardhouse/stepping/schemes/joint_projection.h"
#include "cardhouse/stepping/schemes/solver_options.h"

namespace cardhouse {
namespace {

constexpr int most_rounds = 50;
constexpr double search_reach = 2.0;      // times the deepest overlap (−): whom a moved body may come to
constexpr double most_turn = 0.3;         // rad in a round: rows are linear and tell little beyond
constexpr double joint_tolerance = 1e-9;  // m and rad
constexpr double aimed_tolerance = 1e-8;  // (−): what the solver aims at
constexpr double round_tolerance = 1e-6;  // (−): what a round takes, since the next one puts the rest right

bool is_spring(const Joint& joint) {
  return joint.compliance.value_or(0.0) > 0.0 || joint.angular_compliance.value_or(0.0) > 0.0;
}

/// m: how far a body was moved.
double distance_moved(const BodyState& from, const BodyState& to) {
  double farthest = (to.pose.position - from.pose.position).norm();
  for (Eigen::Index n = 0; n < to.nodes.size(); n += 3) {
    farthest = std::max(farthest, (to.nodes.segment<3>(n) - from.nodes.segment<3>(n)).norm());
  }
  return farthest;
}

class OverlapSeparator {
 public:
  OverlapSeparator(const Model& model, const StepSettings& settings, State& state)
      : model_(model),
        settings_(settings),
        state_(state),
        detector_(model),
        in_loop_(joints_in_loops(model)),
        was_moved_(model.bodies.size(), false) {
    settings_.scheme = Scheme::stewart_trinkle;
    for (const BodyState& body : state.bodies) at_rest_.push_back(rest_of(body));
    solver_ = make_solver("auto", solver_options(settings, aimed_tolerance, nullptr));
  }

  Separation separate() {
    const std::vector<BodyState> start = state_.bodies;
    Separation result;
    while (move_apart()) {
      if (++result.rounds == most_rounds) break;
    }
    if (const Contact* left = find_contacts()) fail(*left);
    for (std::size_t i = 0; i < start.size(); ++i) {
      const double distance = distance_moved(start[i], state_.bodies[i]);
      if (!(distance > result.distance)) continue;
      result.distance = distance;
      result.body = static_cast<int>(i);
    }
    return result;
  }

 private:
  /// Leaves the contacts in contacts_; the deepest overlap, or null.
  const Contact* detect(double margin) {
    StepSettings settings = settings_;
    settings.margin = margin;
    contacts_ = &detector_.detect(model_, state_, at_rest_, settings);
    const Contact* deepest = nullptr;
    for (const Contact& contact : *contacts_) {
      if (contact.overlaps() && (!deepest || contact.gap < deepest->gap)) deepest = &contact;
    }
    return deepest;
  }

  /// The same with all that bodies may come to when they are moved apart.
  const Contact* find_contacts() {
    const Contact* deepest = detect(settings_.margin);
    return deepest ? detect(std::max(settings_.margin, -search_reach * deepest->gap)) : nullptr;
  }

  /// Only the normal rows count.
  void smooth_contacts() {
    for (Contact& contact : *contacts_) {
      contact.rows = 1;
      contact.law = Law{};
      contact.law.kind = Law::Kind::unilateral;
      contact.static_ratio = 1.0;
      contact.mu_rolling = contact.mu_torsional = 0.0;
    }
  }

  /// Of bodies at rest, in a step of no length: A is made of masses alone.
  void predict_rest() {
    predictions_.assign(model_.bodies.size(), Prediction{});
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      BodyState still = state_.bodies[i];
      still.linear.setZero();
      still.angular.setZero();
      still.node_velocities.setZero();
      static_cast<BodyMotion&>(predictions_[i]) = at_rest_[i];
      const Body& body = model_.bodies[i];
      if (body.mobility == Mobility::dynamic) equations_of(body).predict(body, still, {}, {}, predictions_[i]);
    }
  }

  void add_constraint(const Joint& joint, int index, const JointConstraint& constraint) {
    JointRows rows;
    rows.joint = index;
    rows.first = joint.first;
    rows.second = joint.second;
    rows.stencil_first = joint.stencil_first;
    rows.stencil_second = joint.stencil_second;
    rows.rows = constraint.rows;
    rows.law.kind = Law::Kind::equality;
    rows.b = constraint.violation;
    rows.on_first = constraint.on_first;
    rows.on_second = constraint.on_second;
    rows.compliance = (in_loop_[index] ? loop_softness : tree_softness) *
                      mobility_of(model_, joint, predictions_, rows.on_first, rows.on_second, rows.rows);
    joint_rows_.push_back(rows);
  }

  void linearise_joints() {
    joint_rows_.clear();
    for (int j = 0; j < static_cast<int>(model_.joints.size()); ++j) {
      const Joint& joint = model_.joints[j];
      if (is_spring(joint)) continue;
      const JointGeometry geometry = joint_geometry(joint, state_);
      for (int i = 0; i < geometry.constraint_count; ++i) add_constraint(joint, j, geometry.constraints[i]);
    }
  }

  const Contact* deepest_of(const Island& island) const {
    const Contact* deepest = nullptr;
    for (const int c : island.contacts) {
      const Contact& contact = (*contacts_)[c];
      if (contact.overlaps() && (!deepest || contact.gap < deepest->gap)) deepest = &contact;
    }
    return deepest;
  }

  /// Joints of bodies that an earlier round moved; others may be off as the user left them.
  bool came_off(const Island& island) const {
    return std::any_of(island.joint_rows.begin(), island.joint_rows.end(), [&](int k) {
      const JointRows& rows = joint_rows_[k];
      return was_moved_[rows.first] && rows.b.head(rows.rows).norm() > joint_tolerance;
    });
  }

  /// One round; false when nothing is left to do.
  bool move_apart() {
    find_contacts();
    smooth_contacts();
    predict_rest();
    linearise_joints();
    bool any = false;
    for (const Island& island : island_finder_.find(model_, *contacts_, joint_rows_)) {
      const Contact* deepest = deepest_of(island);
      if (!deepest && !came_off(island)) continue;
      if (!solve(island)) {
        if (deepest) fail(*deepest);
        continue;  // joints that contradict each other stay off
      }
      move(island);
      any = true;
    }
    return any;
  }

  bool solve(const Island& island) {
    biases_.clear();
    for (const int c : island.contacts) {
      const Contact& contact = (*contacts_)[c];
      biases_.push_back(contact.overlaps() ? contact.gap : std::max(contact.gap, 0.0));
    }
    assemble(model_, state_, predictions_, *contacts_, joint_rows_, island, biases_, problem_);
    solution_.r.setZero(problem_.rows());
    solve_within_memory(*solver_, problem_, solution_);
    settings_.stop.throw_if_requested();
    return certifier_(problem_, solution_.r).certified(round_tolerance);
  }

  /// The part of Δ by which no body turns too far.
  double part_of(const Island& island) const {
    double turn = 0.0;
    int offset = 0;
    for (const int i : island.bodies) {
      const Body& body = model_.bodies[i];
      BodyMotion motion;
      equations_of(body).take_velocities(body, predictions_[i], solution_.v, offset, motion);
      turn = std::max(turn, motion.angular.norm());
    }
    return turn > most_turn ? most_turn / turn : 1.0;
  }

  void move(const Island& island) {
    solution_.v = certifier_.v();
    solution_.v *= part_of(island);
    const std::span<const double> all(solution_.v.data(), static_cast<std::size_t>(solution_.v.size()));
    std::size_t first = 0;
    for (const int i : island.bodies) {
      const Body& body = model_.bodies[i];
      const auto count = static_cast<std::size_t>(dofs_of(body));
      equations_of(body).displace(body, all.subspan(first, count), 0.0, state_.bodies[i]);
      was_moved_[i] = true;
      first += count;
    }
  }

  [[noreturn]] void fail(const Contact& contact) const {
    throw InputError(
        fmt::format("initial_overlaps = separate: bodies \"{}\" and \"{}\" overlap by {:.3g} m and cannot be moved "
                    "apart: change the scene, or let overlaps stay with \"keep\"",
                    model_.bodies[contact.body_a].name, model_.bodies[contact.body_b].name, -contact.gap));
  }

  const Model& model_;
  StepSettings settings_;
  State& state_;
  Detector detector_;
  IslandFinder island_finder_;
  std::vector<bool> in_loop_;    ///< of each joint
  std::vector<bool> was_moved_;  ///< of each body
  std::vector<BodyMotion> at_rest_;
  std::vector<Contact>* contacts_ = nullptr;  ///< of this round
  std::vector<Prediction> predictions_;
  std::vector<JointRows> joint_rows_;
  std::vector<double> biases_;  ///< m
  std::unique_ptr<Solver> solver_;
  ContactProblem problem_;
  ContactSolution solution_;
  Certifier certifier_;
};

}  // namespace

Separation separate_overlaps(const Model& model, const StepSettings& settings, State& state) {
  return OverlapSeparator(model, settings, state).separate();
}

}  // namespace cardhouse
