#pragma once

#include <array>
#include <span>

#include "cardhouse/collision/cylinder_patch.h"
#include "cardhouse/geometry/shape.h"

namespace cardhouse {

/// A polytope, a box, or the core of a capsule, seen from the cylinder's frame without copying it.
class CylinderPartner {
 public:
  CylinderPartner(const Hull& hull, const Mat3& rotation, const Vec3& position)
      : rotation_(rotation), position_(position), vertices_(hull.vertices), hull_(&hull), edges_(hull.edges) {}

  CylinderPartner(const Box& box, const Mat3& rotation, const Vec3& position)
      : rotation_(rotation), position_(position) {
    for (std::size_t i = 0; i < 8; ++i) {
      own_[i] = Vec3(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0).cwiseProduct(box.half_extents);
    }
    vertices_ = own_;
    edges_ = kBoxEdges;
    box_ = &box;
  }

  CylinderPartner(const Capsule& capsule, const Mat3& rotation, const Vec3& position)
      : rotation_(rotation), position_(position) {
    own_[0] = Vec3(0.0, 0.0, -capsule.half_length);
    own_[1] = Vec3(0.0, 0.0, capsule.half_length);
    vertices_ = std::span<const Vec3>(own_).first(2);
  }

  CylinderPartner(const CylinderPartner&) = delete;  // the spans may point into own_
  CylinderPartner& operator=(const CylinderPartner&) = delete;

  int vertex_count() const { return static_cast<int>(vertices_.size()); }
  int face_count() const { return hull_ ? static_cast<int>(hull_->faces.size()) : (box_ ? 6 : 0); }
  bool is_line() const { return !hull_ && !box_; }
  std::span<const Hull::Edge> edges() const { return edges_; }
  Vec3 vertex(int i) const { return position_ + rotation_ * vertices_[static_cast<std::size_t>(i)]; }
  std::array<Vec3, 2> line(const std::array<int, 2>& ends) const { return {vertex(ends[0]), vertex(ends[1])}; }

  FlatFace face(int i) const {
    FlatFace face;
    face.vertices = vertices_.data();
    face.rotation = rotation_;
    face.position = position_;
    if (hull_) {
      const Hull::Face& own = hull_->faces[static_cast<std::size_t>(i)];
      face.normal = rotation_ * own.normal;
      face.offset = own.offset + face.normal.dot(position_);
      face.corners = own.vertices;
    } else {
      face.normal = (i % 2 == 0 ? -1.0 : 1.0) * rotation_.col(i / 2);
      face.offset = box_->half_extents[i / 2] + face.normal.dot(position_);
      face.corners = kBoxFaces[static_cast<std::size_t>(i)];
    }
    return face;
  }

  Vec3 face_normal(int i) const {
    if (hull_) return rotation_ * hull_->faces[static_cast<std::size_t>(i)].normal;
    return (i % 2 == 0 ? -1.0 : 1.0) * rotation_.col(i / 2);
  }

  /// The vertex that comes first along m; the lowest index of equals.
  int first_along(const Vec3& m) const {
    const Vec3 local = rotation_.transpose() * m;
    int best = 0;
    for (int i = 1; i < vertex_count(); ++i) {
      if (local.dot(vertices_[static_cast<std::size_t>(i)]) < local.dot(vertices_[static_cast<std::size_t>(best)])) {
        best = i;
      }
    }
    return best;
  }

  /// Half the diagonal of the box around the vertices.
  double size() const {
    Vec3 low = vertices_[0];
    Vec3 high = vertices_[0];
    for (const Vec3& v : vertices_) {
      low = low.cwiseMin(v);
      high = high.cwiseMax(v);
    }
    return 0.5 * (high - low).norm();
  }

 private:
  // Bit k of a vertex's index is its side along axis k; face 2k looks down axis k and face 2k + 1 up.
  static constexpr std::array<std::array<int, 4>, 6> kBoxFaces{
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
  static constexpr std::array<Hull::Edge, 12> kBoxEdges{{{{0, 1}, {2, 4}},
                                                         {{2, 3}, {3, 4}},
                                                         {{4, 5}, {2, 5}},
                                                         {{6, 7}, {3, 5}},
                                                         {{0, 2}, {0, 4}},
                                                         {{1, 3}, {1, 4}},
                                                         {{4, 6}, {0, 5}},
                                                         {{5, 7}, {1, 5}},
                                                         {{0, 4}, {0, 2}},
                                                         {{1, 5}, {1, 2}},
                                                         {{2, 6}, {0, 3}},
                                                         {{3, 7}, {1, 3}}}};

  Mat3 rotation_;
  Vec3 position_;
  std::span<const Vec3> vertices_;
  const Hull* hull_ = nullptr;
  const Box* box_ = nullptr;
  std::span<const Hull::Edge> edges_;
  std::array<Vec3, 8> own_{};
};

}  // namespace cardhouse
