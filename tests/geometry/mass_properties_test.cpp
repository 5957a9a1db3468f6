#include "cardhouse/geometry/mass_properties.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

using std::numbers::pi;

Shape placed(const Geometry& geometry, const Vec3& position = Vec3::Zero(), const Vec3& rotation = Vec3::Zero()) {
  return {geometry, {position, rotation_from_vector(rotation)}, 0};
}

MassProperties of(const Geometry& geometry) {
  const Shape shape = placed(geometry);
  return mass_properties({&shape, 1});
}

Geometry polytope(const Hull& hull) {
  return Polytope{std::make_shared<const Hull>(hull)};
}

/// Round-off of a few dozen operations.
constexpr double kRoundOff = 1e-13;

TEST(MassProperties, OfSphereBoxAndCylinderAreTheTextbookOnes) {
  const MassProperties sphere = of(Sphere{0.5});
  EXPECT_NEAR(sphere.volume, pi / 6.0, kRoundOff);
  EXPECT_TRUE(sphere.inertia.isApprox(0.1 * sphere.volume * Mat3::Identity(), kRoundOff));
  const MassProperties box = of(Box{Vec3(0.5, 1.0, 1.5)});
  EXPECT_NEAR(box.volume, 6.0, kRoundOff);
  EXPECT_TRUE(box.inertia.diagonal().isApprox(Vec3(6.5, 5.0, 2.5), kRoundOff));
  const MassProperties cylinder = of(Cylinder{0.5, 1.0});
  EXPECT_NEAR(cylinder.volume, pi / 2.0, kRoundOff);
  EXPECT_NEAR(cylinder.inertia(2, 2), pi / 16.0, kRoundOff);
  EXPECT_NEAR(cylinder.inertia(0, 0), pi / 2.0 * (3.0 * 0.25 + 4.0) / 12.0, kRoundOff);
}

TEST(MassProperties, OfACapsuleAreThoseOfItsPartsByMonteCarlo) {
  const double radius = 0.4;
  const double half = 0.7;
  const MassProperties capsule = of(Capsule{radius, half});
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  const int samples = 400000;
  double inside = 0.0;
  Vec3 squares = Vec3::Zero();
  for (int i = 0; i < samples; ++i) {
    const Vec3 p(radius * u(engine), radius * u(engine), (radius + half) * u(engine));
    const double above = std::max(std::abs(p.z()) - half, 0.0);
    if (Vec3(p.x(), p.y(), above).squaredNorm() > radius * radius) continue;
    inside += 1.0;
    squares += p.cwiseAbs2();
  }
  const double box = 8.0 * radius * radius * (radius + half);
  // 400000 samples leave about 0.2 %; three times that.
  EXPECT_NEAR(capsule.volume, box * inside / samples, 6e-3 * capsule.volume);
  const Vec3 inertia = box / samples * (squares.sum() - squares.array());
  EXPECT_TRUE(capsule.inertia.diagonal().isApprox(inertia, 6e-3));
}

TEST(MassProperties, OfAPolytopeAreThoseOfTheBoxItIs) {
  const Vec3 half(0.5, 1.0, 1.5);
  std::vector<Vec3> points = box_hull(half).vertices;
  for (Vec3& p : points) p += Vec3(3, -2, 1);
  const MassProperties hull = of(polytope(hull_of_points(points)));
  const MassProperties box = of(Box{half});
  EXPECT_NEAR(hull.volume, box.volume, kRoundOff);
  EXPECT_TRUE(hull.centre.isApprox(Vec3(3, -2, 1), kRoundOff));
  EXPECT_TRUE(hull.inertia.isApprox(box.inertia, kRoundOff));
}

TEST(MassProperties, OfATetrahedronAreExact) {
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const MassProperties t = of(polytope(hull_of_points(points)));
  EXPECT_NEAR(t.volume, 1.0 / 6.0, kRoundOff);
  EXPECT_TRUE(t.centre.isApprox(Vec3::Constant(0.25), kRoundOff));
  EXPECT_NEAR(t.inertia(0, 0), 1.0 / 80.0, kRoundOff);
  EXPECT_NEAR(t.inertia(0, 1), 1.0 / 480.0, kRoundOff);
}

TEST(MassProperties, OfACompoundAreThoseOfTheWhole) {
  // A box cut in two unequal halves, turned as a whole.
  const Vec3 turn(0.3, -0.5, 0.9);
  const Quat q = rotation_from_vector(turn);
  const std::vector<Shape> halves{placed(Box{Vec3(0.3, 1.0, 1.5)}, q * Vec3(-0.2, 0, 0) + Vec3(1, 2, 3), turn),
                                  placed(Box{Vec3(0.2, 1.0, 1.5)}, q * Vec3(0.3, 0, 0) + Vec3(1, 2, 3), turn)};
  const std::vector<Shape> whole{placed(Box{Vec3(0.5, 1.0, 1.5)}, Vec3(1, 2, 3), turn)};
  const MassProperties a = mass_properties(halves);
  const MassProperties b = mass_properties(whole);
  EXPECT_NEAR(a.volume, b.volume, kRoundOff);
  EXPECT_TRUE(a.centre.isApprox(b.centre, kRoundOff));
  EXPECT_TRUE(a.inertia.isApprox(b.inertia, kRoundOff));
}

TEST(MassProperties, OfPlanarFiguresCountTheTurnAboutYAlone) {
  const MassProperties disk = of(Disk{2.0});
  EXPECT_NEAR(disk.volume, 4.0 * pi, kRoundOff);
  EXPECT_NEAR(disk.inertia(1, 1), 8.0 * pi, kRoundOff);
  EXPECT_EQ(disk.inertia(0, 0), 0.0);
  const MassProperties ellipse = of(Ellipse{2.0, 1.0});
  EXPECT_NEAR(ellipse.inertia(1, 1), 2.0 * pi * 5.0 / 4.0, kRoundOff);
  const MassProperties square = of(Polygon{{{1, 1}, {3, 1}, {3, 2}, {1, 2}}});
  EXPECT_NEAR(square.volume, 2.0, kRoundOff);
  EXPECT_TRUE(square.centre.isApprox(Vec3(2, 0, 1.5), kRoundOff));
  EXPECT_NEAR(square.inertia(1, 1), 2.0 * (4.0 + 1.0) / 12.0, kRoundOff);
  const std::vector<Shape> two{placed(Disk{1.0}, Vec3(1, 0, 0)), placed(Disk{1.0}, Vec3(-1, 0, 0))};
  const MassProperties pair = mass_properties(two);
  EXPECT_NEAR(pair.inertia(1, 1), 2.0 * pi * (0.5 + 1.0), kRoundOff);
  EXPECT_EQ(pair.inertia(2, 2), 0.0);
}

TEST(MassProperties, AreRefusedForWhatHasNone) {
  EXPECT_THROW(of(HalfSpace{}), InputError);
  EXPECT_THROW(of(Segment{{0, 0}, {1, 0}}), InputError);
  const std::vector<Shape> mixed{placed(Disk{1.0}), placed(Sphere{1.0})};
  EXPECT_THROW(mass_properties(mixed), InputError);
}

}  // namespace
}  // namespace cardhouse
