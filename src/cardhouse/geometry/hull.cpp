// Convex hulls. Qhull (Barber, Dobkin, Huhdanpaa 1996) finds which planes bound the points; the combinatorics is then
// built here from those planes alone: a face is a plane together with all the points on it, sorted around its normal.
// That merges coplanar triangles whatever way Qhull cut them, and leaves out points that lie inside faces and edges.
#include "cardhouse/geometry/hull.h"

#include <fmt/format.h>
#include <libqhull_r/qhull_ra.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "cardhouse/base/error.h"
#include "cardhouse/base/limits.h"

namespace cardhouse {
namespace {

/// Points closer than this to a plane, relative to the size of the set, lie on it: a thousand times the round-off of
/// coordinates that were computed in double precision, a millionth of what could matter to a contact.
constexpr double kCoplanar = 1e-10;

/// Thinner than this, relative to the size, is flat: there the directions of the faces are no longer known well.
constexpr double kFlat = 1e-9;

struct Plane {
  Vec3 normal;
  double offset;
};

struct CloseFile {
  void operator()(FILE* file) const { std::fclose(file); }
};

/// One Qhull run; frees its memory whatever happens.
class QhullRun {
 public:
  explicit QhullRun(std::vector<Vec3>& points) {
    qh_zero(&qh_, nullptr);
    // Qhull writes its complaints to a file. They go nowhere: the exit code says what is needed.
    const std::unique_ptr<FILE, CloseFile> nowhere(std::fopen("/dev/null", "w"));
    char command[] = "qhull Pp";
    exit_code_ = qh_new_qhull(&qh_, 3, static_cast<int>(points.size()), points[0].data(), False, command, nullptr,
                              nowhere.get());
  }
  ~QhullRun() {
    qh_freeqhull(&qh_, !qh_ALL);
    int current = 0;
    int total = 0;
    qh_memfreeshort(&qh_, &current, &total);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;

  bool succeeded() const { return exit_code_ == 0; }

  std::vector<Plane> planes() const {
    std::vector<Plane> result;
    for (const facetT* facet = qh_.facet_list; facet != nullptr && facet->next != nullptr; facet = facet->next) {
      result.push_back({Vec3(facet->normal[0], facet->normal[1], facet->normal[2]), -facet->offset});
    }
    return result;
  }

 private:
  qhT qh_;
  int exit_code_ = 0;
};

/// The distinct points, in the order of their first appearance.
std::vector<Vec3> distinct_points(std::span<const Vec3> points) {
  const auto before = [](const Vec3& p, const Vec3& q) {
    return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3);
  };
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return before(points[i], points[j]); });
  order.erase(std::unique(order.begin(), order.end(), [&](int i, int j) { return points[i] == points[j]; }),
              order.end());
  std::sort(order.begin(), order.end());
  std::vector<Vec3> result;
  for (int i : order) result.push_back(points[i]);
  return result;
}

void check_points(std::span<const Vec3> points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) {
      throw InputError(fmt::format("polytope: points[{}] = ({}, {}, {}) m: must be finite", i, points[i].x(),
                                   points[i].y(), points[i].z()));
    }
    if (points[i].cwiseAbs().maxCoeff() <= limits::length.most) continue;
    throw InputError(fmt::format("polytope: points[{}] = ({}, {}, {}) m: must be within {:g} m ({})", i, points[i].x(),
                                 points[i].y(), points[i].z(), limits::length.most, limits::length.reason));
  }
}

/// Half the diagonal of the box around the points; throws where they lie in a plane, on a line or in one point.
double size_of(const std::vector<Vec3>& points) {
  Vec3 lower = points[0];
  Vec3 upper = points[0];
  for (const Vec3& p : points) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  const double size = 0.5 * (upper - lower).norm();
  Mat3 covariance = Mat3::Zero();
  for (const Vec3& p : points) covariance += p * p.transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(covariance);
  const Vec3 thin = axes.eigenvectors().col(0);
  double low = thin.dot(points[0]);
  double high = low;
  for (const Vec3& p : points) {
    low = std::min(low, thin.dot(p));
    high = std::max(high, thin.dot(p));
  }
  if (!(high - low > kFlat * size)) {
    throw InputError(fmt::format(
        "polytope: its {} points are flat ({:.3g} m thick, {:.3g} m large): they must span a volume; add a point "
        "outside of their plane",
        points.size(), high - low, 2.0 * size));
  }
  return size;
}

/// Newell 1972: twice the area vector of a polygon, exact for planar ones and well conditioned for thin ones.
Vec3 area_vector(const std::vector<Vec3>& points, const std::vector<int>& polygon) {
  Vec3 sum = Vec3::Zero();
  const Vec3& origin = points[polygon[0]];
  for (std::size_t k = 1; k + 1 < polygon.size(); ++k) {
    sum += (points[polygon[k]] - origin).cross(points[polygon[k + 1]] - origin);
  }
  return sum;
}

/// The corners of the convex polygon that the given coplanar points span, counter-clockwise around `normal`
/// (Andrew's monotone chain 1979). Points nearer than `tolerance` to a side are no corners.
std::vector<int> corners(const std::vector<Vec3>& points, const std::vector<int>& on_plane, const Vec3& normal,
                         double tolerance) {
  const Vec3 u = normal.unitOrthogonal();
  const Vec3 v = normal.cross(u);
  std::vector<std::pair<Vec2, int>> flat;
  for (int i : on_plane) flat.emplace_back(Vec2(u.dot(points[i]), v.dot(points[i])), i);
  std::sort(flat.begin(), flat.end(), [](const auto& p, const auto& q) {
    return p.first.x() != q.first.x() ? p.first.x() < q.first.x() : p.first.y() < q.first.y();
  });
  const auto turns_left = [&](const Vec2& a, const Vec2& b, const Vec2& c) {
    const Vec2 ab = b - a;
    const Vec2 ac = c - a;
    return ab.x() * ac.y() - ab.y() * ac.x() > tolerance * ac.norm();
  };
  std::vector<std::pair<Vec2, int>> chain;
  const auto extend = [&](std::size_t base, const std::pair<Vec2, int>& p) {
    while (chain.size() >= base + 2 && !turns_left(chain[chain.size() - 2].first, chain.back().first, p.first)) {
      chain.pop_back();
    }
    chain.push_back(p);
  };
  for (const auto& p : flat) extend(0, p);
  const std::size_t half = chain.size() - 1;
  for (auto p = flat.rbegin() + 1; p != flat.rend(); ++p) extend(half, *p);
  chain.pop_back();
  std::vector<int> polygon;
  for (const auto& p : chain) polygon.push_back(p.second);
  std::rotate(polygon.begin(), std::min_element(polygon.begin(), polygon.end()), polygon.end());
  return polygon;
}

/// The faces as polygons over indices of `points`, sorted, each once.
std::vector<std::vector<int>> polygons_on(const std::vector<Plane>& planes, const std::vector<Vec3>& points,
                                          double size) {
  std::vector<std::vector<int>> polygons;
  for (const Plane& plane : planes) {
    std::vector<int> on_plane;
    for (int i = 0; i < static_cast<int>(points.size()); ++i) {
      if (std::abs(plane.normal.dot(points[i]) - plane.offset) <= kCoplanar * size) on_plane.push_back(i);
    }
    if (on_plane.size() < 3) continue;
    std::vector<int> polygon = corners(points, on_plane, plane.normal, kCoplanar * size);
    if (polygon.size() >= 3) polygons.push_back(std::move(polygon));
  }
  std::sort(polygons.begin(), polygons.end());
  polygons.erase(std::unique(polygons.begin(), polygons.end()), polygons.end());
  return polygons;
}

/// Keeps the points that polygons use, in their order, and renumbers the polygons.
std::vector<Vec3> keep_used(const std::vector<Vec3>& points, std::vector<std::vector<int>>& polygons) {
  std::vector<int> number(points.size(), -1);
  for (const auto& polygon : polygons) {
    for (int i : polygon) number[i] = 0;
  }
  std::vector<Vec3> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(kept.size());
    kept.push_back(points[i]);
  }
  for (auto& polygon : polygons) {
    for (int& i : polygon) i = number[i];
  }
  return kept;
}

Hull::Face face_of(const std::vector<Vec3>& vertices, std::vector<int> polygon) {
  Hull::Face face;
  face.normal = area_vector(vertices, polygon).normalized();
  for (int i : polygon) face.offset += face.normal.dot(vertices[i]);
  face.offset /= static_cast<double>(polygon.size());
  face.vertices = std::move(polygon);
  return face;
}

/// Joins the faces along their common sides. Returns false where the sides do not match one to one.
bool join_edges(Hull& hull) {
  std::map<std::pair<int, int>, int> edge_of;
  for (int f = 0; f < static_cast<int>(hull.faces.size()); ++f) {
    Hull::Face& face = hull.faces[f];
    for (std::size_t k = 0; k < face.vertices.size(); ++k) {
      const int u = face.vertices[k];
      const int v = face.vertices[(k + 1) % face.vertices.size()];
      if (edge_of.contains({u, v})) return false;
      const auto twin = edge_of.find({v, u});
      const int edge = twin == edge_of.end() ? static_cast<int>(hull.edges.size()) : twin->second;
      if (twin == edge_of.end()) {
        hull.edges.push_back({{u, v}, {f, -1}});
      } else {
        hull.edges[edge].faces[1] = f;
      }
      edge_of[{u, v}] = edge;
      face.edges.push_back(edge);
    }
  }
  const bool closed = std::all_of(hull.edges.begin(), hull.edges.end(), [](const auto& e) { return e.faces[1] >= 0; });
  return closed && hull.vertices.size() + hull.faces.size() == hull.edges.size() + 2;
}

}  // namespace

Hull hull_of_points(std::span<const Vec3> input) {
  check_points(input);
  const std::vector<Vec3> points = distinct_points(input);
  if (points.size() < 4) {
    throw InputError(fmt::format("polytope: {} distinct points: must be at least 4 to span a volume", points.size()));
  }
  // Planes are found around the centroid, where Qhull's offsets have the least round-off.
  Vec3 centroid = Vec3::Zero();
  for (const Vec3& p : points) centroid += p / static_cast<double>(points.size());
  std::vector<Vec3> centred;
  for (const Vec3& p : points) centred.push_back(p - centroid);
  const double size = size_of(centred);

  const QhullRun run(centred);
  if (!run.succeeded()) {
    throw InputError(
        fmt::format("polytope: its {} points span no volume that can be told from round-off; the set is "
                    "{:.3g} m large",
                    points.size(), 2.0 * size));
  }
  std::vector<std::vector<int>> polygons = polygons_on(run.planes(), centred, size);
  Hull hull;
  hull.vertices = keep_used(points, polygons);
  for (auto& polygon : polygons) hull.faces.push_back(face_of(hull.vertices, std::move(polygon)));
  if (!join_edges(hull)) {
    throw InputError(
        fmt::format("polytope: the hull of its {} points has faces too small or too nearly coplanar to "
                    "tell apart ({:.1g} m); remove points that are closer than that",
                    points.size(), kCoplanar * size));
  }
  return hull;
}

Hull box_hull(const Vec3& half_extents) {
  Hull hull;
  for (int i = 0; i < 8; ++i) {
    const Vec3 sign(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
    hull.vertices.push_back(sign.cwiseProduct(half_extents));
  }
  const std::array<std::vector<int>, 6> polygons{
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
  for (int f = 0; f < 6; ++f) {
    Hull::Face face;
    face.normal = (f % 2 == 0 ? -1.0 : 1.0) * Vec3::Unit(f / 2);
    face.offset = half_extents[f / 2];
    face.vertices = polygons[f];
    hull.faces.push_back(std::move(face));
  }
  join_edges(hull);
  return hull;
}

}  // namespace cardhouse
