#include "cardhouse/collision/sphere.h"

#include "cardhouse/collision/core.h"
#include "cardhouse/collision/distance.h"

namespace cardhouse {

void collide_sphere(const Sphere& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                    std::vector<ManifoldPoint>& manifold) {
  thread_local Core core;  // scratch memory only
  const Vec3& origin = pose_a.position;
  place_core(b, pose_b, origin, core);
  const ClosestPoints c = closest_to_point(Vec3::Zero(), core);
  const double gap = c.distance - a.radius - core.radius;
  if (!(gap <= margin)) return;
  const Vec3 on_a = origin - a.radius * c.normal;
  manifold.push_back({on_a, on_a - gap * c.normal, c.normal, gap, feature_id({FeatureKind::vertex, 0}, c.feature_b)});
}

}  // namespace cardhouse
