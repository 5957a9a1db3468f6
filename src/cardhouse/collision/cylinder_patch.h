#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cardhouse/collision/narrow_phase.h"

namespace cardhouse {

// The pieces of contact patches between a cylinder and a flat or straight feature of another solid. Everything is in
// the cylinder's frame; m is the unit direction from the cylinder to the other solid along which gaps are measured.

/// Writes points to the manifold in the caller's order of solids and in the world frame.
class PatchWriter {
 public:
  /// `swapped`: the cylinder at hand is the caller's b. `skin` is the radius that wraps the other solid's core
  /// (capsules), so that gaps are given to the core.
  PatchWriter(std::vector<ManifoldPoint>& manifold, const Pose& pose, bool swapped, double skin, double margin)
      : manifold_(manifold), start_(manifold.size()), pose_(pose), swapped_(swapped), skin_(skin), margin_(margin) {}

  double skin() const { return skin_; }

  void add(const Vec3& on_cylinder, double gap_to_core, const Vec3& m, FeatureId feature);

  /// The least gap to the core of the points added so far, those beyond the margin included.
  double least_gap() const { return least_gap_; }

  /// Takes note of the points that another writer has added to the same manifold since.
  void include(const PatchWriter& other) { least_gap_ = std::min(least_gap_, other.least_gap_); }

  /// Takes back all points added so far.
  void rewind();

 private:
  std::vector<ManifoldPoint>& manifold_;
  std::size_t start_;
  Pose pose_;
  bool swapped_;
  double skin_;
  double margin_;
  double least_gap_ = 1e300;
};

/// Which features meet in a point. The numbers go into bits 28–31 of the feature; bit 27 (57 of a wide one) is set
/// where the roles of two cylinders are exchanged; indices fill the rest.
enum class CylinderFeature : std::uint32_t {
  only_point = 0,
  fixed_rim_point = 1,   ///< cap (0 lower, 1 upper), azimuth in quarter turns
  lowest_rim_point = 2,  ///< cap
  corner_on_cap = 3,     ///< vertex
  edge_over_rim = 4,     ///< two vertices, and which of the two crossings
  generator_end = 5,     ///< end (0 lower, 1 upper)
  generator_over_edge = 6,
  line_end_on_side = 7,
  line_end_on_cap = 8,
  other_fixed_rim_point = 9,
  other_lowest_rim_point = 10,
  rim_over_rim = 11,
  deepest = 12,
};

FeatureId cylinder_feature(CylinderFeature kind, int i = 0, int j = 0, int k = 0);

/// A flat face: the plane normal · x = offset with the normal outward, bounded by the polygon `corners` (counter-
/// clockwise seen from outside); without corners, the whole plane.
struct FlatFace {
  Vec3 normal = Vec3::UnitZ();
  double offset = 0.0;
  std::span<const int> corners;
  const Vec3* vertices = nullptr;    ///< of the solid, in its own frame, …
  Mat3 rotation = Mat3::Identity();  ///< … which is turned and
  Vec3 position = Vec3::Zero();      ///< placed so

  int corner_id(std::size_t i) const { return corners[i % corners.size()]; }
  Vec3 corner(std::size_t i) const { return position + rotation * vertices[corner_id(i)]; }
  /// Along m from q to the plane.
  double gap_from(const Vec3& q, const Vec3& m) const { return (offset - normal.dot(q)) / normal.dot(m); }
  bool contains(const Vec3& x, double tie) const;
};

/// A cylinder's cap that is not the one at hand.
struct RoundFace {
  Vec3 centre = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  ///< of its cylinder; the last column is the axis
  double radius = 0.0;
  int cap = 0;
};

/// The straight core of an edge, a capsule or a cylinder.
struct StraightLine {
  std::array<Vec3, 2> ends{};
  double radius = 0.0;  ///< around the core; 0 for an edge and for a capsule, whose radius is the writer's skin
};

struct CylinderPatch {
  const Cylinder& cylinder;
  double tie;  ///< m; what is closer than this counts as touching
  PatchWriter& out;

  void cap_on_face(const Vec3& m, const FlatFace& face) const;
  void cap_on_round_face(const Vec3& m, const RoundFace& face) const;
  void cap_on_line(const Vec3& m, const std::array<Vec3, 2>& ends) const;
  void generator_on_face(const Vec3& m, const FlatFace& face) const;
  void generator_on_line(const Vec3& m, const StraightLine& line) const;

 private:
  std::optional<Vec3> rims_cross(const RoundFace& face, const Vec3& m, double height, double azimuth) const;
  Vec3 fixed_rim_point(int azimuth, double height) const;
  void edge_over_rim(const Vec3& m, const Vec3& one, const Vec3& other, int id_one, int id_other) const;
};

}  // namespace cardhouse
