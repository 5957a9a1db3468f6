#pragma once

// A slow and plain reference for the narrow phase: compares everything with everything, with no pruning, no Gauss map
// and no tolerance, in long double, so that faces and edges which are parallel but for 1e-12 rad are told apart.

#include <limits>

#include "collision/manifold_helpers.h"

namespace cardhouse::testing {

using Real = long double;
using RVec3 = Eigen::Matrix<Real, 3, 1>;

/// A convex body as all its vertices, edges and faces in the world.
struct Body {
  std::vector<RVec3> vertices;
  std::vector<std::pair<RVec3, RVec3>> edges;
  std::vector<std::vector<RVec3>> faces;
  std::vector<RVec3> normals;
  double radius = 0.0;
};

inline Body body_of(const Geometry& geometry, const Pose& pose) {
  Body body;
  Hull hull;
  if (const auto* box = std::get_if<Box>(&geometry)) hull = box_hull(box->half_extents);
  if (const auto* polytope = std::get_if<Polytope>(&geometry)) hull = *polytope->hull;
  if (const auto* sphere = std::get_if<Sphere>(&geometry)) {
    hull.vertices = {Vec3::Zero()};
    body.radius = sphere->radius;
  }
  if (const auto* capsule = std::get_if<Capsule>(&geometry)) {
    hull.vertices = {Vec3(0, 0, -capsule->half_length), Vec3(0, 0, capsule->half_length)};
    hull.edges = {{{0, 1}, {-1, -1}}};
    body.radius = capsule->radius;
  }
  const auto rotation = pose.orientation.cast<Real>().normalized().toRotationMatrix();
  for (const Vec3& v : hull.vertices) body.vertices.push_back(pose.position.cast<Real>() + rotation * v.cast<Real>());
  for (const auto& e : hull.edges) body.edges.emplace_back(body.vertices[e.vertices[0]], body.vertices[e.vertices[1]]);
  for (const auto& f : hull.faces) {
    body.normals.push_back(rotation * f.normal.cast<Real>());
    body.faces.emplace_back();
    for (int v : f.vertices) body.faces.back().push_back(body.vertices[v]);
  }
  return body;
}

/// A signed distance, the direction from b to a, and how clear the answer is: `runner_up` is the best separation along
/// any face normal or pair of edges in another direction.
struct Answer {
  Real gap = -std::numeric_limits<Real>::infinity();
  RVec3 normal = RVec3::Zero();
  Real runner_up = -std::numeric_limits<Real>::infinity();
};

inline Real separation_along(const Body& a, const Body& b, const RVec3& normal) {
  Real low = std::numeric_limits<Real>::infinity();
  Real high = -low;
  for (const RVec3& v : a.vertices) low = std::min(low, normal.dot(v));
  for (const RVec3& v : b.vertices) high = std::max(high, normal.dot(v));
  return low - high;
}

/// All directions that a facet of the Minkowski difference can have.
inline std::vector<RVec3> directions(const Body& a, const Body& b) {
  std::vector<RVec3> result;
  for (const RVec3& n : a.normals) result.push_back(-n);
  for (const RVec3& n : b.normals) result.push_back(n);
  for (const auto& [p, q] : a.edges) {
    for (const auto& [r, s] : b.edges) {
      const RVec3 cross = (q - p).cross(s - r);
      // Below this, round-off alone makes the axis, and the faces beside the edges say as much.
      if (cross.norm() < 1e-17L * (q - p).norm() * (s - r).norm()) continue;
      result.push_back(cross.normalized());
      result.push_back(-cross.normalized());
    }
  }
  return result;
}

inline RVec3 closest_on_segment(const RVec3& p, const RVec3& q, const RVec3& x) {
  const Real t = (q - p).dot(x - p) / (q - p).squaredNorm();
  return p + std::clamp<Real>(t, 0.0, 1.0) * (q - p);
}

/// Distances of features, each with its direction.
using Candidates = std::vector<std::pair<Real, RVec3>>;

inline void keep(Candidates& found, const RVec3& on_a, const RVec3& on_b) {
  const Real distance = (on_a - on_b).norm();
  found.emplace_back(distance, (on_a - on_b) / distance);
}

inline void vertices_over_faces(const Body& a, const Body& b, bool flip, Candidates& found) {
  for (const RVec3& v : a.vertices) {
    for (std::size_t f = 0; f < b.faces.size(); ++f) {
      const auto& face = b.faces[f];
      const Real height = b.normals[f].dot(v - face[0]);
      bool inside = height > -1e-15L;  // the bodies are apart: below 0 is round-off
      for (std::size_t k = 0; k < face.size(); ++k) {
        const RVec3 along = face[(k + 1) % face.size()] - face[k];
        inside = inside && b.normals[f].cross(along).dot(v - face[k]) >= 0.0;
      }
      if (inside) found.emplace_back(height, flip ? RVec3(-b.normals[f]) : b.normals[f]);
    }
  }
}

inline void edges_with_edges(const Body& a, const Body& b, Candidates& found) {
  for (const auto& [p, q] : a.edges) {
    for (const auto& [r, s] : b.edges) {
      keep(found, p, closest_on_segment(r, s, p));
      keep(found, q, closest_on_segment(r, s, q));
      keep(found, closest_on_segment(p, q, r), r);
      keep(found, closest_on_segment(p, q, s), s);
      Eigen::Matrix<Real, 3, 2> lines;
      lines << (q - p), -(s - r);
      const Eigen::Matrix<Real, 2, 1> t = lines.colPivHouseholderQr().solve(r - p);
      if ((t.array() <= 0.0).any() || (t.array() >= 1.0).any()) continue;
      keep(found, p + t[0] * (q - p), r + t[1] * (s - r));
    }
  }
}

/// The Euclidean distance of cores that are apart. A pair of points that is off by an angle of 1e-9 is farther apart by
/// 1e-18 of the distance, which is lost in round-off; but along its direction the cores are separated by less.
inline Answer distance(const Body& a, const Body& b) {
  Candidates found;
  for (const RVec3& v : a.vertices) {
    for (const RVec3& w : b.vertices) keep(found, v, w);
    for (const auto& [r, s] : b.edges) keep(found, v, closest_on_segment(r, s, v));
  }
  for (const RVec3& w : b.vertices) {
    for (const auto& [p, q] : a.edges) keep(found, closest_on_segment(p, q, w), w);
  }
  vertices_over_faces(a, b, false, found);
  vertices_over_faces(b, a, true, found);
  edges_with_edges(a, b, found);
  const Real least = std::min_element(found.begin(), found.end(), [](const auto& p, const auto& q) {
                       return p.first < q.first;
                     })->first;
  Answer best;
  Real separation = -std::numeric_limits<Real>::infinity();
  for (const auto& [gap, normal] : found) {
    if (gap > least + 1e-15L) continue;  // a hull's own faces are planes to the digits of a double
    const Real along = separation_along(a, b, normal);
    if (along <= separation) continue;
    separation = along;
    best.gap = gap;
    best.normal = normal;
  }
  return best;
}

/// Gap (after the radii) and direction, exact to round-off.
inline Answer exact(const Body& a, const Body& b) {
  Answer best;
  std::vector<std::pair<Real, RVec3>> tried;
  for (const RVec3& n : directions(a, b)) tried.emplace_back(separation_along(a, b, n), n);
  for (const auto& [separation, n] : tried) {
    if (separation > best.gap) {
      best.gap = separation;
      best.normal = n;
    }
  }
  if (best.gap > 0.0 || (a.faces.empty() && b.faces.empty())) best = distance(a, b);
  for (const auto& [separation, n] : tried) {
    if ((n - best.normal).norm() > 1e-8) best.runner_up = std::max(best.runner_up, separation);
  }
  best.gap -= a.radius + b.radius;
  best.runner_up -= a.radius + b.radius;
  return best;
}

}  // namespace cardhouse::testing
