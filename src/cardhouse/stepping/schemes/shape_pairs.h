// The shapes of a model as collision sees them, and the contacts that a pair's points become.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "cardhouse/collision/narrow_phase.h"
#include "cardhouse/model/model.h"
#include "cardhouse/stepping/rows/contact.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

/// One shape of one body. Shapes are counted over all bodies, as in ContactKey.
struct ShapePiece {
  int body = 0;
  int shape = 0;
  Stencil stencil;         ///< what it moves with
  double radius = 0.0;     ///< m: farthest point from the origin of the frame that it moves with
  double size = 0.0;       ///< m: characteristic; 0 for a half-space
  double thickness = 0.0;  ///< m: least extent; infinite for a half-space
};

class ShapePairs {
 public:
  explicit ShapePairs(const Model& model);

  std::span<const ShapePiece> pieces() const { return pieces_; }
  const Shape& shape(const Model& model, int piece) const {
    return model.bodies[pieces_[piece].body].shapes[pieces_[piece].shape];
  }

  /// Bodies of a joint, nodes of a link, and shapes of one node.
  bool never_touch(int first, int second) const;
  /// m: the smaller one's. A half-space has no size of its own.
  double size_of(int first, int second) const;
  /// m: the mean of both. Bodies overlap by about as much halfway through each other.
  double thickness_of(int first, int second) const;
  /// m: up to which contacts are made even between bodies at rest.
  static double margin(const StepSettings& settings, double size);

  /// The points of a pair that are closer than `margin` at these poses. Throws InputError for pairs that cannot touch.
  void find_points(const Model& model, int first, int second, const Pose& pose_first, const Pose& pose_second,
                   double margin, std::vector<ManifoldPoint>& points) const;
  /// Appends the contacts of a pair's points.
  void make_contacts(const Model& model, const State& state, int first, int second,
                     std::span<const ManifoldPoint> points, std::vector<Contact>& contacts) const;

 private:
  Contact contact_of(const Model& model, const SurfacePair& surface, int first, int second) const;

  std::vector<ShapePiece> pieces_;
  std::vector<std::pair<int, int>> joined_;  ///< bodies whose joint keeps them from touching, sorted, first < second
  std::vector<std::array<int, 3>> linked_;   ///< body and nodes of its links, sorted, lower node first
};

}  // namespace cardhouse
