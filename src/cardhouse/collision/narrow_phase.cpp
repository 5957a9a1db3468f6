#include "cardhouse/collision/narrow_phase.h"

#include <algorithm>
#include <string>

#include "cardhouse/base/error.h"
#include "cardhouse/collision/cylinder.h"
#include "cardhouse/collision/half_space.h"
#include "cardhouse/collision/planar.h"
#include "cardhouse/collision/polytope.h"
#include "cardhouse/collision/sphere.h"

namespace cardhouse {
namespace {

/// A geometry in the world.
struct Placed {
  const Geometry& geometry;
  const Pose& pose;

  template <class Kind>
  bool is() const {
    return std::holds_alternative<Kind>(geometry);
  }
};

/// Each unordered pair of kinds has one function, for one order of the two. The kind that comes first here is its a.
int precedence(const Placed& side) {
  if (is_planar(side.geometry)) return 0;
  if (side.is<Cylinder>()) return 1;
  if (side.is<Sphere>()) return 2;
  return side.is<HalfSpace>() ? 4 : 3;
}

[[noreturn]] void reject_mixed_pair(const Placed& a, const Placed& b) {
  throw InputError(std::string(shape_name(a.geometry)) + " and " + std::string(shape_name(b.geometry)) +
                   ": a planar figure and a spatial solid cannot touch; give the fixed body a planar figure or a "
                   "half_space instead, or make both bodies spatial");
}

/// With precedence(a) <= precedence(b).
void collide_ordered(const Placed& a, const Placed& b, double margin, std::vector<ManifoldPoint>& manifold) {
  if (is_planar(a.geometry)) {
    if (!is_planar(b.geometry) && !b.is<HalfSpace>()) reject_mixed_pair(a, b);
    collide_planar(a.geometry, a.pose, b.geometry, b.pose, margin, manifold);
  } else if (const auto* cylinder = std::get_if<Cylinder>(&a.geometry)) {
    collide_cylinder(*cylinder, a.pose, b.geometry, b.pose, margin, manifold);
  } else if (const auto* half_space = std::get_if<HalfSpace>(&b.geometry)) {
    // Two half-spaces both belong to bodies that nothing moves.
    if (!a.is<HalfSpace>()) collide_with_half_space(a.geometry, a.pose, *half_space, b.pose, margin, manifold);
  } else if (const auto* sphere = std::get_if<Sphere>(&a.geometry)) {
    collide_sphere(*sphere, a.pose, b.geometry, b.pose, margin, manifold);
  } else {
    collide_polytopes(a.geometry, a.pose, b.geometry, b.pose, margin, manifold);
  }
}

}  // namespace

void collide(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
             std::vector<ManifoldPoint>& manifold) {
  const auto first = static_cast<std::ptrdiff_t>(manifold.size());
  const Placed side_a{a, pose_a};
  const Placed side_b{b, pose_b};
  if (precedence(side_a) <= precedence(side_b)) {
    collide_ordered(side_a, side_b, margin, manifold);
  } else {
    collide_ordered(side_b, side_a, margin, manifold);
    for (auto p = manifold.begin() + first; p != manifold.end(); ++p) {
      std::swap(p->on_a, p->on_b);
      p->normal = -p->normal;
    }
  }
  std::sort(manifold.begin() + first, manifold.end(),
            [](const ManifoldPoint& p, const ManifoldPoint& q) { return p.feature < q.feature; });
}

}  // namespace cardhouse
