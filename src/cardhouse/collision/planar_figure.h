// A figure of the x–z plane, placed for one pair, and where the points of the pair are written.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cardhouse/collision/ellipse.h"
#include "cardhouse/collision/narrow_phase.h"

namespace cardhouse {

enum class FigureKind { disk, ellipse, outline, half_plane };

struct Figure {
  FigureKind kind = FigureKind::disk;
  Mat2 rotation = Mat2::Identity();
  Vec2 centre = Vec2::Zero();     ///< the origin of the figure's frame
  double radius = 0.0;            ///< disk
  Vec2 semi_axes = Vec2::Zero();  ///< ellipse
  Vec2 normal = Vec2::Zero();     ///< half-plane, unit
  std::array<Vec2, 2> ends{};     ///< segment
  const Vec2* polygon = nullptr;  ///< polygon; null for a segment
  int count = 0;                  ///< vertices of the outline

  int next(int i) const { return i + 1 == count ? 0 : i + 1; }
  int previous(int i) const { return i == 0 ? count - 1 : i - 1; }
  const Vec2& local(int i) const { return polygon ? polygon[i] : ends[static_cast<std::size_t>(i)]; }
  Vec2 vertex(int i) const { return centre + rotation * local(i); }
  bool is_segment() const { return kind == FigureKind::outline && !polygon; }

  /// Outward normal of the face from vertex i to the next.
  Vec2 face_normal(int i) const {
    const Vec2 edge = local(next(i)) - local(i);
    return rotation * Vec2(edge[1], -edge[0]).normalized();
  }

  /// The vertex that is farthest along `direction`; the first of equals.
  int support(const Vec2& direction) const {
    const Vec2 d = rotation.transpose() * direction;
    int best = 0;
    double reach = d.dot(local(0));
    for (int i = 1; i < count; ++i) {
      const double other = d.dot(local(i));
      if (other > reach) {
        reach = other;
        best = i;
      }
    }
    return best;
  }

  /// The mean of the vertices.
  Vec2 middle() const {
    Vec2 sum = Vec2::Zero();
    for (int i = 0; i < count; ++i) sum += local(i);
    return centre + rotation * sum / count;
  }

  /// Half the diagonal of the box around the vertices.
  double size() const {
    Vec2 low = local(0);
    Vec2 high = local(0);
    for (int i = 1; i < count; ++i) {
      low = low.cwiseMin(local(i));
      high = high.cwiseMax(local(i));
    }
    return 0.5 * (high - low).norm();
  }

  PlacedEllipse as_ellipse() const { return {semi_axes, rotation, centre}; }
};

/// Which of a segment's two faces looks at `p`; face 0 when p is on the line.
int facing_side(const Figure& segment, const Vec2& p, double tie);

/// The figure in plane coordinates (x, z) with the world's axes and this origin. Throws InputError for a half-space
/// whose world normal leaves the plane, and for a geometry that is not planar.
Figure place_figure(const Geometry& geometry, const Pose& pose, const Vec3& origin);

/// Writes points to the manifold in the caller's order of figures and in the world frame.
class FigureOutput {
 public:
  FigureOutput(std::vector<ManifoldPoint>& manifold, const Vec3& origin, bool swapped, double margin)
      : manifold_(manifold), origin_(origin), swapped_(swapped), margin_(margin) {}

  double margin() const { return margin_; }

  /// The point on the second figure is on_first − gap · normal.
  void add(const Vec2& on_first, const Vec2& normal, double gap, FeatureId feature) {
    if (!(gap < margin_)) return;
    const Vec3 n(normal[0], 0.0, normal[1]);
    const Vec3 first = origin_ + Vec3(on_first[0], 0.0, on_first[1]);
    const Vec3 second = first - gap * n;
    manifold_.push_back(swapped_ ? ManifoldPoint{second, first, -n, gap, feature}
                                 : ManifoldPoint{first, second, n, gap, feature});
  }

 private:
  std::vector<ManifoldPoint>& manifold_;
  Vec3 origin_;
  bool swapped_;
  double margin_;
};

}  // namespace cardhouse
