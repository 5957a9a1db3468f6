#pragma once

#include <vector>

#include "cardhouse/collision/broad_phase.h"
#include "cardhouse/collision/narrow_phase.h"
#include "cardhouse/model/model.h"
#include "cardhouse/stepping/contact.h"
#include "cardhouse/stepping/settings.h"

namespace cardhouse {

/// Finds the contacts of a model; keeps what never changes (shape sizes) and its buffers.
class Detector {
 public:
  explicit Detector(const Model& model);

  /// All contacts that may close within a step of h seconds, sorted by key.
  const std::vector<Contact>& detect(const Model& model, const State& state, const StepSettings& settings);

 private:
  struct Piece {  ///< one shape of one body
    int body = 0;
    int shape = 0;
    double radius = 0.0;  ///< m: farthest point from the body's centre of mass
    double size = 0.0;    ///< m: characteristic
  };

  double reach(const Model& model, const State& state, const Piece& piece, double h) const;
  void add_pair(const Model& model, const State& state, const StepSettings& settings, int first, int second);

  std::vector<Piece> pieces_;
  std::vector<double> reach_;  ///< m: how far a piece's points can get in the step
  std::vector<Pose> pose_;
  std::vector<BroadPhase::Item> items_;
  BroadPhase broad_phase_;
  std::vector<ManifoldPoint> manifold_;
  std::vector<Contact> contacts_;
};

}  // namespace cardhouse
