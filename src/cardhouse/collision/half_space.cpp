#include "cardhouse/collision/half_space.h"

#include "cardhouse/collision/core.h"
#include "cardhouse/collision/feature.h"

namespace cardhouse {

void collide_with_half_space(const Geometry& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                             double margin, std::vector<ManifoldPoint>& manifold) {
  thread_local Core core;  // scratch memory only
  const Vec3& origin = pose_a.position;
  place_core(a, pose_a, origin, core);
  const Vec3 normal = (pose_b.orientation * b.normal).normalized();
  const double offset = normal.dot(pose_b.position - origin) + core.radius;
  for (int v = 0; v < core.vertex_count(); ++v) {
    const double gap = normal.dot(core.vertices[v]) - offset;
    if (!(gap <= margin)) continue;
    const Vec3 on_a = origin + core.vertices[v] - core.radius * normal;
    manifold.push_back(
        {on_a, on_a - gap * normal, normal, gap, feature_id({FeatureKind::vertex, v}, {FeatureKind::face, 0})});
  }
}

}  // namespace cardhouse
