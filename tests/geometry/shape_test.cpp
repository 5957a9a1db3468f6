#include "cardhouse/geometry/shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string message_of(const Geometry& geometry) {
  try {
    check_geometry(geometry);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Shape, IsNamedAsInSceneFiles) {
  EXPECT_EQ(shape_name(Sphere{}), "sphere");
  EXPECT_EQ(shape_name(HalfSpace{}), "half_space");
  EXPECT_EQ(shape_name(Segment{}), "segment");
}

TEST(Shape, KnowsWhetherItIsPlanar) {
  EXPECT_TRUE(is_planar(Disk{}));
  EXPECT_TRUE(is_planar(Segment{}));
  EXPECT_FALSE(is_planar(HalfSpace{}));
  EXPECT_FALSE(is_planar(Box{}));
}

TEST(Shape, IsAcceptedWhenSound) {
  const Geometry sound[] = {Sphere{1.0},
                            Box{Vec3(1, 2, 3)},
                            Capsule{1.0, 2.0},
                            Cylinder{1.0, 2.0},
                            Polytope{std::make_shared<const Hull>(box_hull(Vec3::Ones()))},
                            HalfSpace{Vec3(1, 2, 3)},
                            Disk{1.0},
                            Ellipse{1.0, 2.0},
                            Polygon{{{0, 0}, {1, 0}, {0, 1}}},
                            Segment{{0, 0}, {1, 0}}};
  for (const Geometry& geometry : sound) EXPECT_EQ(message_of(geometry), "");
}

TEST(Shape, IsRejectedWithTheLengthThatIsWrong) {
  EXPECT_EQ(message_of(Box{Vec3(1, 0, 1)}), "box: half_extents[1] = 0 m: must be > 0");
  EXPECT_EQ(message_of(Box{Vec3(1, 1, kNaN)}), "box: half_extents[2] = nan m: must be finite and > 0");
  EXPECT_EQ(message_of(Sphere{-1.0}), "sphere: radius = -1 m: must be > 0");
  EXPECT_EQ(message_of(Capsule{1.0, 0.0}), "capsule: half_length = 0 m: must be > 0");
  EXPECT_EQ(message_of(Cylinder{INFINITY, 1.0}), "cylinder: radius = inf m: must be finite and > 0");
  EXPECT_EQ(message_of(Disk{0.0}), "disk: radius = 0 m: must be > 0");
  EXPECT_EQ(message_of(Ellipse{1.0, -2.0}), "ellipse: semi_axis_z = -2 m: must be > 0");
  EXPECT_EQ(message_of(Segment{{1, 1}, {1, 1}}), "segment: length = 0 m: must be > 0; move start or end");
  EXPECT_EQ(message_of(HalfSpace{Vec3::Zero()}), "half_space: normal = (0, 0, 0): must be finite and not zero");
  EXPECT_NE(message_of(Polytope{}), "");
}

TEST(Shape, PolygonMustBeConvexAndCounterClockwise) {
  EXPECT_EQ(message_of(Polygon{{{0, 0}, {1, 0}}}), "polygon: 2 vertices: must be at least 3");
  EXPECT_NE(message_of(Polygon{{{0, 0}, {0, 1}, {1, 0}}}).find("counter-clockwise"), std::string::npos);
  const Geometry dart = Polygon{{{0, 0}, {2, 0}, {0.5, 0.5}, {0, 2}}};
  EXPECT_NE(message_of(dart).find("vertices[2] = (0.5, 0.5) m"), std::string::npos) << message_of(dart);
  EXPECT_NE(message_of(Polygon{{{0, 0}, {1, 0}, {2, 0}, {0, 1}}}).find("turn left"), std::string::npos);
  EXPECT_NE(message_of(Polygon{{{0, 0}, {1, 0}, {1, 0}, {0, 1}}}).find("neighbour"), std::string::npos);
  EXPECT_NE(message_of(Polygon{{{0, 0}, {1, kNaN}, {0, 1}}}).find("finite"), std::string::npos);
  Polygon pentagram;
  for (int k = 0; k < 5; ++k) pentagram.vertices.emplace_back(std::cos(k * 2.5132741), std::sin(k * 2.5132741));
  EXPECT_NE(message_of(pentagram).find("goes round 2 times"), std::string::npos) << message_of(pentagram);
}

}  // namespace
}  // namespace cardhouse
