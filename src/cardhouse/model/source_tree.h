// Sums of 1/r over many points by a tree (Barnes & Hut 1986), for forces that reach through all space.
//
// With weights w_j (masses, charges) at y_j the field is φ(x) = Σ w_j/ρ, ρ² = ‖x − y_j‖² + ε². Points are sorted into
// octants; of each cell its centre c, the radius b of the ball about c that holds its points and the moments
//
//     Q = Σ w_j,   D = Σ w_j (y_j − c),   S = Σ w_j (y_j − c)(y_j − c)ᵀ
//
// are kept. A cell counts as a whole, with d = x − c, where b < θ ‖d‖:
//
//     φ ≈ Q/ρ + D·d/ρ³ + ½ (3 dᵀ S d/ρ⁵ − tr S/ρ³),
//
// and is opened otherwise. The error of the force is about θ⁴/10 of the field: 1e-3 at θ = 0.3. The sum over cells does
// not keep total momentum exactly, as pairs do.
#pragma once

#include <vector>

#include "cardhouse/math/types.h"

namespace cardhouse {

/// φ and its gradient at a point.
struct FieldValue {
  double potential = 0.0;
  Vec3 gradient = Vec3::Zero();
};

class SourceTree {
 public:
  void clear();
  void add(const Vec3& position, double weight);
  int size() const { return static_cast<int>(positions_.size()); }
  /// Sorts the points. Call after the last add(), before evaluate_by_tree().
  void build();

  /// At x, without the source `left_out` (−1: none). `softening` is ε. Sources just at x have no direction: they are
  /// left out when ε is 0.
  FieldValue evaluate_by_tree(const Vec3& x, int left_out, double softening, double opening_angle) const;
  FieldValue evaluate_by_sum(const Vec3& x, int left_out, double softening) const;

 private:
  struct Cell {
    Vec3 centre = Vec3::Zero();
    double radius = 0.0;
    double weight = 0.0;
    Vec3 dipole = Vec3::Zero();
    Mat3 second = Mat3::Zero();
    int begin = 0;  ///< of order_
    int end = 0;
    int first_child = 0;
    int children = 0;
  };

  void split(int cell, int depth);
  void measure(Cell& cell) const;
  void add_source(int source, const Vec3& x, double softening, FieldValue& value) const;
  void add_cell(const Cell& cell, const Vec3& x, int left_out, double softening, double opening_angle,
                FieldValue& value) const;

  std::vector<Vec3> positions_;
  std::vector<double> weights_;
  std::vector<int> order_, scratch_;
  std::vector<Cell> cells_;
};

}  // namespace cardhouse
