#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "cardhouse/collision/broad_phase.h"
#include "cardhouse/collision/narrow_phase.h"
#include "cardhouse/model/body_motion.h"
#include "cardhouse/model/model.h"
#include "cardhouse/stepping/rows/contact.h"
#include "cardhouse/stepping/schemes/settings.h"

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

 private:
  struct Piece {  ///< one shape of one body
    int body = 0;
    int shape = 0;
    Stencil stencil;      ///< what it moves with
    double radius = 0.0;  ///< m: farthest point from the origin of the frame that it moves with
    double size = 0.0;    ///< m: characteristic
  };

  bool never_touch(const Piece& a, const Piece& b) const;
  static double size_of(const Piece& a, const Piece& b);
  double reach(const Piece& piece, const BodyMotion& motion, double h) const;
  double sweep(const State& state, const Piece& half_space, const BodyMotion& motion, double h) const;
  static bool lies_in_plane(const Body& a, const Body& b);
  void find_points(const Model& model, const StepSettings& settings, int first, int second);
  Contact contact_of(const Model& model, const SurfacePair& surface, int first, int second) const;
  void add_pair(const Model& model, const State& state, const StepSettings& settings, int first, int second);

  std::vector<Piece> pieces_;
  std::vector<std::pair<int, int>> joined_;  ///< bodies whose joint keeps them from touching, sorted, first < second
  std::vector<std::array<int, 3>> linked_;   ///< body and nodes of its links, sorted, lower node first
  std::vector<double> reach_;                ///< m: how far a piece's points can get in the step
  std::vector<Pose> pose_;
  std::vector<BroadPhase::Item> items_;
  BroadPhase broad_phase_;
  std::vector<ManifoldPoint> manifold_;
  std::vector<Contact> contacts_;
};

}  // namespace cardhouse
