// Contacts where the step is thought to end, written as rows of its start: the geometry of the step's own equations
// (docs/contact-model.md, "The step").
//
//     gap(q + h v) ≥ 0 ⊥ r_N ≥ 0          the gap of the end; its force acts along the normal of the start
//     r_T minimises r_T · u_T             with the slip u_T at the middle of the step
//
// With the Jacobian J of the start, and v* the velocities of the last pass, these are linear rows with another bias,
//
//     J_N v + (gap(q) + bend)/h ≥ 0,   bend = gap(q + h v*) − gap(q) − h J_N v*
//     u_T = J_T v + slip,              slip = J_T(middle) v* − J_T v*
//
// repeated until bend and slip stay as they are. This is the constrained leapfrog method (SHAKE): reversible in time,
// so that what rolls and rocks keeps its energy. W is the same in all passes.
//
// Which features touch is decided at the end as well. A box that slides over the seam of two flush blocks is nearest to
// the next block's side as the step begins, but lies on its top as it ends. Where bodies would end deep in each other
// by features that they did not have at the start, or on the other side, the features of their first touch count.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/stepping/schemes/predict.h"
#include "cardhouse/stepping/schemes/shape_pairs.h"

namespace cardhouse {

/// A step's path: from the state of its start with constant velocities.
struct StepPath {
  const Model& model;
  const State& start;
  const StepSettings& settings;
  std::span<const BodyMotion> motions;
};

/// How far the contacts of a solved pass are from those where it ends.
struct EndResidual {
  double gap = 0.0;     ///< of the shape's size (−): overlap at the end, or error of a gap that something pushes at
  bool settled = true;  ///< no further pass is worth its solve
  std::optional<ContactKey> worst;
  std::optional<ContactKey> crossed;  ///< of a pair that passes through each other on the way
};

class EndContacts {
 public:
  explicit EndContacts(const ShapePairs& shapes) : shapes_(shapes) {}

  /// Whether no pair of these contacts moves by more than its rows can follow. Then they are those of the end as well.
  bool are_still(const StepPath& path, std::span<const Contact> contacts) const;
  /// Of such contacts, with what they pushed with.
  EndResidual residual_of_still(const StepPath& path, std::span<const Contact> contacts,
                                std::span<const ContactRecord> solved) const;

  /// The contacts that bodies may come to in the step, found at its start and sorted by key, and the free motion, which
  /// says how far forces can take bodies from where they are thought to end. Passes are counted from `passes` on.
  void begin(const StepPath& free, std::span<const Contact> start, int passes);
  /// From now on all rows are written anew in each pass, and the caller judges them: follow() tells only whether a pair
  /// passes through another.
  void renew() { renews_ = true; }

  /// The contacts of the end of the path, for the next pass. `solved`: what contacts() pushed with on this path;
  /// nothing before the first solve. Pairs that are settled keep their rows.
  EndResidual follow(const StepPath& path, std::span<const ContactRecord> solved);
  /// Makes what the last follow found contacts().
  void accept() { contacts_.swap(next_); }

  std::vector<Contact>& contacts() { return contacts_; }

 private:
  struct Pair;  ///< what is asked about a pair of shapes along a path

  bool moves_as_before(const Pair& pair) const;
  void follow_pair(const Pair& pair);
  void keep_rows(const Pair& pair, std::size_t first);
  void follow_still_pair(const Pair& pair);
  void follow_moving_pair(const Pair& pair);
  bool needs_first_touch(const Pair& pair) const;
  std::optional<double> first_touch(const Pair& pair);
  void take_features(const Pair& pair, double part);
  void carry_to_start(const Pair& pair, double part);
  void leave_as_it_was(const Pair& pair, Contact& contact) const;
  void keep_pushing(const Pair& pair);
  bool passes_through(const Pair& pair, double from);
  bool is_settled(const Pair& pair, std::span<const Contact> found);
  double find_points(const Pair& pair, double part, double margin, std::vector<ManifoldPoint>& points) const;

  const ShapePairs& shapes_;
  int pass_ = 0;
  bool first_ = true;  ///< nothing is solved yet
  bool renews_ = false;
  std::vector<Contact> start_;
  std::vector<Contact> contacts_;
  std::vector<Contact> next_;
  std::span<const ContactRecord> solved_;  ///< of contacts_
  EndResidual residual_;
  std::vector<BodyMotion> followed_;     ///< along which the last follow went; none: it was the first
  std::vector<double> slack_;            ///< m, by body: how far forces take it from its path in the step
  std::vector<ManifoldPoint> end_;       ///< of a pair, where it ends
  std::vector<ManifoldPoint> features_;  ///< those that count
  std::vector<ManifoldPoint> scratch_;
  std::vector<Contact> carried_;  ///< contacts of these features at the start
};

}  // namespace cardhouse
