#pragma once

#include <span>
#include <vector>

#include "cardhouse/collision/broad_phase.h"
#include "cardhouse/model/body_motion.h"
#include "cardhouse/model/model.h"
#include "cardhouse/stepping/schemes/shape_pairs.h"

namespace cardhouse {

/// Finds the contacts of a model; keeps what never changes (shape sizes) and its buffers.
class Detector {
 public:
  explicit Detector(const Model& model);

  /// All contacts that may close within the step, sorted by key, when bodies move with no more than these velocities.
  std::vector<Contact>& detect(const Model& model, const State& state, std::span<const BodyMotion> motions,
                               const StepSettings& settings);

  /// Whether a body moves farther than the last search looked for its contacts.
  bool outrun(const Model& model, std::span<const BodyMotion> motions, const StepSettings& settings) const;

  const ShapePairs& shapes() const { return shapes_; }

 private:
  double reach(const ShapePiece& piece, const BodyMotion& motion, double h) const;
  double sweep(const State& state, const ShapePiece& half_space, const BodyMotion& motion, double h) const;
  void add_pair(const Model& model, const State& state, const StepSettings& settings, int first, int second);

  ShapePairs shapes_;
  std::vector<double> reach_;  ///< m: how far a piece's points can get in the step
  std::vector<Pose> pose_;
  std::vector<BroadPhase::Item> items_;
  BroadPhase broad_phase_;
  std::vector<ManifoldPoint> manifold_;
  std::vector<Contact> contacts_;
};

}  // namespace cardhouse
