#include "cardhouse/geometry/hull.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

/// Faces closed and outward, edges directed as promised, all vertices behind all faces.
void expect_valid(const Hull& hull, double size) {
  EXPECT_EQ(hull.vertices.size() + hull.faces.size(), hull.edges.size() + 2);
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const Hull::Face& face = hull.faces[f];
    EXPECT_NEAR(face.normal.norm(), 1.0, 1e-15);
    // Points that count as coplanar may be off by 1e-10 of the size.
    for (const Vec3& v : hull.vertices) EXPECT_LE(face.normal.dot(v) - face.offset, 2e-10 * size);
    const std::size_t count = face.vertices.size();
    ASSERT_EQ(face.edges.size(), count);
    for (std::size_t k = 0; k < count; ++k) {
      const Vec3& p = hull.vertices[face.vertices[k]];
      const Vec3& q = hull.vertices[face.vertices[(k + 1) % count]];
      const Vec3& r = hull.vertices[face.vertices[(k + 2) % count]];
      EXPECT_GT((q - p).cross(r - q).dot(face.normal), 0.0);
      const Hull::Edge& edge = hull.edges[face.edges[k]];
      const int side = edge.faces[0] == static_cast<int>(f) ? 0 : 1;
      EXPECT_EQ(edge.faces[side], static_cast<int>(f));
      EXPECT_EQ(edge.vertices[side], face.vertices[k]);
      EXPECT_EQ(edge.vertices[1 - side], face.vertices[(k + 1) % count]);
    }
  }
  for (const Hull::Edge& edge : hull.edges) {
    const Vec3 along = hull.vertices[edge.vertices[1]] - hull.vertices[edge.vertices[0]];
    EXPECT_GT(hull.faces[edge.faces[0]].normal.cross(hull.faces[edge.faces[1]].normal).dot(along), 0.0);
  }
}

std::string message_of(std::span<const Vec3> points) {
  try {
    hull_of_points(points);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Hull, OfABoxHasItsDocumentedOrder) {
  const Hull hull = box_hull(Vec3(1, 2, 3));
  expect_valid(hull, 4.0);
  ASSERT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.vertices[5], Vec3(1, -2, 3));
  ASSERT_EQ(hull.faces.size(), 6u);
  EXPECT_EQ(hull.faces[3].normal, Vec3(0, 1, 0));
  EXPECT_EQ(hull.faces[3].offset, 2.0);
  EXPECT_EQ(hull.edges.size(), 12u);
}

TEST(Hull, OfCornersInnerPointsAndMidpointsKeepsTheCornersAlone) {
  std::vector<Vec3> points;
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) points.emplace_back(x, y, z);
    }
  }
  points.push_back(points[0]);  // and a point that is there twice
  const Hull hull = hull_of_points(points);
  expect_valid(hull, 2.0);
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.faces.size(), 6u);
  for (const Vec3& v : hull.vertices) EXPECT_EQ(v.cwiseAbs(), Vec3::Ones());
}

TEST(Hull, OfAVoussoirHasSixFacesAndItsVerticesBitForBit) {
  for (int i = 0; i < 40; ++i) {
    std::vector<Vec3> points;
    for (double angle : {0.1 * i, 0.1 * i + 0.07}) {
      for (double radius : {10.0, 10.7}) {
        for (double y : {-0.3, 0.3}) points.emplace_back(radius * std::cos(angle), y, 100.0 + radius * std::sin(angle));
      }
    }
    const Hull hull = hull_of_points(points);
    expect_valid(hull, 1.0);
    EXPECT_EQ(hull.vertices, points);
    EXPECT_EQ(hull.faces.size(), 6u) << i;
  }
}

TEST(Hull, OfAPrismHasManySidedFaces) {
  std::vector<Vec3> points;
  for (int i = 0; i < 17; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 17;
    for (double z : {0.0, 0.2}) points.emplace_back(std::cos(angle), std::sin(angle), z);
  }
  const Hull hull = hull_of_points(points);
  expect_valid(hull, 1.5);
  EXPECT_EQ(hull.faces.size(), 19u);
  EXPECT_EQ(hull.vertices.size(), 34u);
}

TEST(Hull, OfRandomPointsIsValidAndTheSameEachTime) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    std::vector<Vec3> points;
    for (int i = 0; i < 5 + static_cast<int>(seed); ++i) {
      points.emplace_back(normal(engine), normal(engine), 1e-3 * normal(engine));
    }
    const Hull hull = hull_of_points(points);
    expect_valid(hull, 4.0);
    const Hull again = hull_of_points(points);
    EXPECT_EQ(hull.vertices, again.vertices);
    for (std::size_t f = 0; f < hull.faces.size(); ++f) EXPECT_EQ(hull.faces[f].vertices, again.faces[f].vertices);
  }
}

TEST(Hull, RejectsWhatSpansNoVolumeAndSaysWhy) {
  const std::vector<Vec3> three{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(message_of(three), "polytope: 3 distinct points: must be at least 4 to span a volume");
  EXPECT_EQ(message_of(std::vector<Vec3>{}), "polytope: 0 distinct points: must be at least 4 to span a volume");
  const std::vector<Vec3> repeated(9, Vec3(1, 2, 3));
  EXPECT_NE(message_of(repeated).find("1 distinct points"), std::string::npos);
  const std::vector<Vec3> flat{{0, 0, 5}, {1, 0, 5}, {0, 1, 5}, {1, 1, 5}, {0.3, 0.2, 5}};
  EXPECT_NE(message_of(flat).find("flat"), std::string::npos) << message_of(flat);
  const std::vector<Vec3> line{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
  EXPECT_NE(message_of(line).find("flat"), std::string::npos) << message_of(line);
  std::vector<Vec3> missing = flat;
  missing[2].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of(missing), "polytope: points[2] = (0, nan, 5) m: must be finite");
}

}  // namespace
}  // namespace cardhouse
