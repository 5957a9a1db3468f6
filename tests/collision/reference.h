#pragma once

// A slow and plain reference for the narrow phase: compares everything with everything, with no pruning, no Gauss map
// and no tolerance.

#include <limits>

#include "collision/manifold_helpers.h"

namespace cardhouse::testing {

/// A convex body as all its vertices, edges and faces in the world.
struct Body {
  std::vector<Vec3> vertices;
  std::vector<std::pair<Vec3, Vec3>> edges;
  std::vector<std::vector<Vec3>> faces;
  std::vector<Vec3> normals;
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
  for (const Vec3& v : hull.vertices) body.vertices.push_back(pose.apply(v));
  for (const auto& e : hull.edges) body.edges.emplace_back(body.vertices[e.vertices[0]], body.vertices[e.vertices[1]]);
  for (const auto& f : hull.faces) {
    body.normals.push_back(pose.orientation * f.normal);
    body.faces.emplace_back();
    for (int v : f.vertices) body.faces.back().push_back(body.vertices[v]);
  }
  return body;
}

/// A signed distance, the direction from b to a, and how clear the answer is: `runner_up` is the best separation along
/// any face normal or pair of edges in another direction.
struct Answer {
  double gap = -std::numeric_limits<double>::infinity();
  Vec3 normal = Vec3::Zero();
  double runner_up = -std::numeric_limits<double>::infinity();
};

inline double separation_along(const Body& a, const Body& b, const Vec3& normal) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Vec3& v : a.vertices) low = std::min(low, normal.dot(v));
  for (const Vec3& v : b.vertices) high = std::max(high, normal.dot(v));
  return low - high;
}

/// All directions that a facet of the Minkowski difference can have.
inline std::vector<Vec3> directions(const Body& a, const Body& b) {
  std::vector<Vec3> result;
  for (const Vec3& n : a.normals) result.push_back(-n);
  for (const Vec3& n : b.normals) result.push_back(n);
  for (const auto& [p, q] : a.edges) {
    for (const auto& [r, s] : b.edges) {
      const Vec3 cross = (q - p).cross(s - r);
      if (cross.norm() < 1e-7 * (q - p).norm() * (s - r).norm()) continue;
      result.push_back(cross.normalized());
      result.push_back(-cross.normalized());
    }
  }
  return result;
}

inline Vec3 closest_on_segment(const Vec3& p, const Vec3& q, const Vec3& x) {
  const double t = (q - p).dot(x - p) / (q - p).squaredNorm();
  return p + std::clamp(t, 0.0, 1.0) * (q - p);
}

inline void keep(Answer& best, const Vec3& on_a, const Vec3& on_b) {
  const double distance = (on_a - on_b).norm();
  if (distance >= best.gap) return;
  best.gap = distance;
  best.normal = (on_a - on_b) / distance;
}

inline void vertices_over_faces(const Body& a, const Body& b, bool flip, Answer& best) {
  for (const Vec3& v : a.vertices) {
    for (std::size_t f = 0; f < b.faces.size(); ++f) {
      const auto& face = b.faces[f];
      const double height = b.normals[f].dot(v - face[0]);
      bool inside = height > -1e-12;  // the bodies are apart: below 0 is round-off
      for (std::size_t k = 0; k < face.size(); ++k) {
        const Vec3 along = face[(k + 1) % face.size()] - face[k];
        inside = inside && b.normals[f].cross(along).dot(v - face[k]) >= 0.0;
      }
      if (!inside || height >= best.gap) continue;
      best.gap = height;
      best.normal = flip ? Vec3(-b.normals[f]) : b.normals[f];
    }
  }
}

inline void edges_with_edges(const Body& a, const Body& b, Answer& best) {
  for (const auto& [p, q] : a.edges) {
    for (const auto& [r, s] : b.edges) {
      keep(best, p, closest_on_segment(r, s, p));
      keep(best, q, closest_on_segment(r, s, q));
      keep(best, closest_on_segment(p, q, r), r);
      keep(best, closest_on_segment(p, q, s), s);
      Eigen::Matrix<double, 3, 2> lines;
      lines << (q - p), -(s - r);
      const Vec2 t = lines.colPivHouseholderQr().solve(r - p);
      if ((t.array() <= 0.0).any() || (t.array() >= 1.0).any()) continue;
      keep(best, p + t[0] * (q - p), r + t[1] * (s - r));
    }
  }
}

/// The Euclidean distance of cores that are apart.
inline Answer distance(const Body& a, const Body& b) {
  Answer best;
  best.gap = std::numeric_limits<double>::infinity();
  for (const Vec3& v : a.vertices) {
    for (const Vec3& w : b.vertices) keep(best, v, w);
    for (const auto& [r, s] : b.edges) keep(best, v, closest_on_segment(r, s, v));
  }
  for (const Vec3& w : b.vertices) {
    for (const auto& [p, q] : a.edges) keep(best, closest_on_segment(p, q, w), w);
  }
  vertices_over_faces(a, b, false, best);
  vertices_over_faces(b, a, true, best);
  edges_with_edges(a, b, best);
  return best;
}

/// Gap (after the radii) and direction, exact to round-off.
inline Answer exact(const Body& a, const Body& b) {
  Answer best;
  std::vector<std::pair<double, Vec3>> tried;
  for (const Vec3& n : directions(a, b)) tried.emplace_back(separation_along(a, b, n), n);
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
