#include "cardhouse/optimization/convex_set.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRoundOff = 1e-13;  // of points within 10 of the origin

struct NamedSet {
  std::string name;
  ConvexSet set;
  int dim;
};
void PrintTo(const NamedSet& set, std::ostream* out) {
  *out << set.name;
}

ConvexSet interval(double lower, double upper) {
  ConvexSet set;
  set.kind = ConvexSet::Kind::interval;
  set.lower = lower;
  set.upper = upper;
  return set;
}

ConvexSet round_set(ConvexSet::Kind kind, double radius, double cross = 0.0, int sides = 0) {
  ConvexSet set;
  set.kind = kind;
  set.radius = radius;
  set.radius_cross = cross;
  set.sides = sides;
  return set;
}

ConvexSet disk(double radius) {
  return round_set(ConvexSet::Kind::disk, radius);
}
ConvexSet ellipse(double a1, double a2) {
  return round_set(ConvexSet::Kind::ellipse, a1, a2);
}
ConvexSet polygon(double radius, int sides) {
  return round_set(ConvexSet::Kind::polygon, radius, 0.0, sides);
}
ConvexSet cone(double m1, double m2) {
  return round_set(ConvexSet::Kind::cone, m1, m2);
}
ConvexSet polygonal_cone(double radius, int sides) {
  return round_set(ConvexSet::Kind::polygonal_cone, radius, 0.0, sides);
}
ConvexSet origin() {
  return round_set(ConvexSet::Kind::origin, 0.0);
}

std::vector<NamedSet> all_sets() {
  return {
      {"Free1", {}, 1},
      {"Free2", {}, 2},
      {"Free3", {}, 3},
      {"HalfLine", ConvexSet::half_line(), 1},
      {"Interval", interval(-0.5, 2.0), 1},
      {"Point", interval(0.3, 0.3), 1},
      {"Origin1", origin(), 1},
      {"Origin2", origin(), 2},
      {"Segment", disk(1.3), 1},
      {"Disk", disk(1.3), 2},
      {"DiskOfRadius0", disk(0.0), 2},
      {"RoundEllipse", ellipse(1.2, 1.2), 2},
      {"Ellipse", ellipse(2.0, 0.5), 2},
      {"TallEllipse", ellipse(0.1, 1.5), 2},
      {"NearlyFlatEllipse", ellipse(1.5, 1e-6), 2},
      {"FlatEllipse", ellipse(1.5, 0.0), 2},
      {"UprightFlatEllipse", ellipse(0.0, 0.7), 2},
      {"EllipseOfRadius0", ellipse(0.0, 0.0), 2},
      {"Square", polygon(1.3, 4), 2},
      {"Octagon", polygon(1.3, 8), 2},
      {"Polygon64", polygon(0.4, 64), 2},
      {"PolygonOfRadius0", polygon(0.0, 8), 2},
      {"Axis", cone(0.0, 0.0), 1},
      {"Wedge", cone(0.6, 0.0), 2},
      {"RoundCone", cone(0.8, 0.8), 3},
      {"SteepCone", cone(0.05, 0.05), 3},
      {"FlatCone", cone(5.0, 5.0), 3},
      {"EllipticCone", cone(0.9, 0.2), 3},
      {"FanCone", cone(0.7, 0.0), 3},
      {"UprightFanCone", cone(0.0, 0.7), 3},
      {"ConeOfRadius0", cone(0.0, 0.0), 3},
      {"Pyramid4", polygonal_cone(0.8, 4), 3},
      {"Pyramid8", polygonal_cone(1.5, 8), 3},
      {"PyramidOfRadius0", polygonal_cone(0.0, 8), 3},
  };
}

/// A point of the boundary, t in [0, 1); two-dimensional bounded sets.
Vec2 boundary(const ConvexSet& set, double t) {
  const Vec2 circle(std::cos(2.0 * kPi * t), std::sin(2.0 * kPi * t));
  switch (set.kind) {
    case ConvexSet::Kind::disk:
      return set.radius * circle;
    case ConvexSet::Kind::ellipse:
      return {set.radius * circle.x(), set.radius_cross * circle.y()};
    case ConvexSet::Kind::polygon: {
      const double place = t * set.sides;
      const double k = std::floor(place);
      const auto vertex = [&](double i) {
        return Vec2(set.radius * std::cos(2.0 * kPi * i / set.sides), set.radius * std::sin(2.0 * kPi * i / set.sides));
      };
      return vertex(k) + (place - k) * (vertex(k + 1.0) - vertex(k));
    }
    default:
      return Vec2::Zero();
  }
}

bool is_cone(const ConvexSet& set) {
  return set.kind == ConvexSet::Kind::cone || set.kind == ConvexSet::Kind::polygonal_cone;
}

/// What a cone spans at height 1, times the height; of dimension one less.
ConvexSet base_of(const ConvexSet& set, int dim, double height = 1.0) {
  ConvexSet base = set;
  base.radius *= height;
  base.radius_cross *= height;
  base.kind = dim == 2                            ? ConvexSet::Kind::disk
              : set.kind == ConvexSet::Kind::cone ? ConvexSet::Kind::ellipse
                                                  : ConvexSet::Kind::polygon;
  return base;
}

bool contains(const ConvexSet& set, int dim, const VecX& x, double slack) {
  if (is_cone(set)) {
    if (dim == 1 || x[0] < 0.0) return x[0] >= -slack && x.tail(dim - 1).norm() <= slack;
    return contains(base_of(set, dim, x[0]), dim - 1, x.tail(dim - 1), slack);
  }
  switch (set.kind) {
    case ConvexSet::Kind::free:
      return true;
    case ConvexSet::Kind::interval:
      return x[0] >= set.lower - slack && x[0] <= set.upper + slack;
    case ConvexSet::Kind::origin:
      return x.norm() <= slack;
    case ConvexSet::Kind::disk:
      return x.norm() <= set.radius + slack;
    case ConvexSet::Kind::ellipse:
      return std::hypot(x[0] / (set.radius + slack), x[1] / (set.radius_cross + slack)) <= 1.0;
    case ConvexSet::Kind::polygon:
      for (int k = 0; k < set.sides; ++k) {
        const double angle = 2.0 * kPi * (k + 0.5) / set.sides;
        const double inner = set.radius * std::cos(kPi / set.sides);
        if (x[0] * std::cos(angle) + x[1] * std::sin(angle) > inner + slack) return false;
      }
      return true;
    case ConvexSet::Kind::cone:
    case ConvexSet::Kind::polygonal_cone:
      break;
  }
  return dim == 0;
}

/// The least value over the boundary: dense sampling, then the best neighbourhood refined by golden sections.
double least_over_boundary(const ConvexSet& set, const std::function<double(const Vec2&)>& value) {
  constexpr int samples = 4096;
  const auto at = [&](double t) { return value(boundary(set, t - std::floor(t))); };
  int best = 0;
  for (int i = 1; i < samples; ++i) {
    if (at(double(i) / samples) < at(double(best) / samples)) best = i;
  }
  double low = (best - 1.0) / samples;
  double high = (best + 1.0) / samples;
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  double least = at(double(best) / samples);
  for (int i = 0; i < 60; ++i) {
    const double left = high - golden * (high - low);
    const double right = low + golden * (high - low);
    least = std::min({least, at(left), at(right)});
    (at(left) < at(right) ? high : low) = at(left) < at(right) ? right : left;
  }
  return least;
}

/// The least over a cone's rays, each given by its point at height 1.
double least_over_rays(const ConvexSet& set, int dim, const std::function<double(const VecX&)>& value) {
  if (dim == 1) return value(VecX::Ones(1));
  if (dim == 2) return std::min(value(Vec2(1.0, set.radius)), value(Vec2(1.0, -set.radius)));
  return least_over_boundary(base_of(set, dim), [&](const Vec2& x) { return value(Vec3(1.0, x.x(), x.y())); });
}

double brute_force_distance(const ConvexSet& set, int dim, const VecX& z) {
  if (contains(set, dim, z, 0.0)) return 0.0;
  if (is_cone(set)) {
    return least_over_rays(
        set, dim, [&](const VecX& ray) { return (z - std::max(0.0, ray.dot(z)) / ray.squaredNorm() * ray).norm(); });
  }
  if (set.kind == ConvexSet::Kind::interval) return std::min(std::abs(z[0] - set.lower), std::abs(z[0] - set.upper));
  if (set.kind == ConvexSet::Kind::origin) return z.norm();
  if (dim == 1) return std::abs(z[0]) - set.radius;
  return least_over_boundary(set, [&](const Vec2& x) { return (x - z).norm(); });
}

VecX projection(const NamedSet& named, const VecX& z) {
  VecX p = VecX::Constant(named.dim, 1e300);
  project(named.set, named.dim, z.data(), p.data());
  return p;
}

class ConvexSetOfEachKind : public ::testing::TestWithParam<NamedSet> {
 protected:
  ConvexSetOfEachKind()
      : trace_(__FILE__, __LINE__, ::testing::Message() << GetParam().name << ", seed 5"), random(5) {}

  /// Near, at and far from the set.
  VecX point() { return std::pow(10.0, random.uniform(-2.0, 0.7)) * random.vector(GetParam().dim); }

 private:
  ::testing::ScopedTrace trace_;

 protected:
  Random random;
};

TEST_P(ConvexSetOfEachKind, ProjectsToTheNearestPointThatBruteForceFinds) {
  const NamedSet& named = GetParam();
  for (int i = 0; i < 60; ++i) {
    const VecX z = point();
    const VecX p = projection(named, z);
    EXPECT_TRUE(contains(named.set, named.dim, p, kRoundOff)) << "z = " << z.transpose() << ", p = " << p.transpose();
    // A point of the set at the least distance is the nearest one. Brute force finds the least value of a function
    // that is flat there to round-off of the value.
    EXPECT_NEAR((p - z).norm(), brute_force_distance(named.set, named.dim, z), 1e-10) << "z = " << z.transpose();
  }
}

TEST_P(ConvexSetOfEachKind, LeavesItsOwnPointsWhereTheyAre) {
  for (int i = 0; i < 300; ++i) {
    const VecX p = projection(GetParam(), point());
    EXPECT_LE((projection(GetParam(), p) - p).norm(), kRoundOff) << "p = " << p.transpose();
  }
}

TEST_P(ConvexSetOfEachKind, ProjectionNeverDrivesPointsApart) {
  for (int i = 0; i < 500; ++i) {
    const VecX x = point();
    const VecX y = i % 2 ? point() : VecX(x + 1e-3 * random.vector(GetParam().dim));
    const double apart = (projection(GetParam(), x) - projection(GetParam(), y)).norm();
    EXPECT_LE(apart, (x - y).norm() + kRoundOff);
  }
}

TEST_P(ConvexSetOfEachKind, DerivativeIsThatOfFiniteDifferences) {
  const NamedSet& named = GetParam();
  constexpr double step = 1e-6;
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    const VecX z = point();
    Mat3 derivative = Mat3::Constant(7.0);
    VecX p(named.dim);
    project(named.set, named.dim, z.data(), p.data(), derivative);
    EXPECT_EQ(p, projection(named, z));
    MatX central(named.dim, named.dim);
    MatX forward(named.dim, named.dim);
    for (int k = 0; k < named.dim; ++k) {
      VecX ahead = z;
      VecX behind = z;
      ahead[k] += step;
      behind[k] -= step;
      central.col(k) = (projection(named, ahead) - projection(named, behind)) / (2.0 * step);
      forward.col(k) = (projection(named, ahead) - p) / step;
    }
    // Where one-sided and central differences disagree there is a kink or a sharp bend (the tip of a flat ellipse).
    if ((central - forward).norm() > 1e-4) continue;
    ++compared;
    // Central differences: truncation step² times the third derivative, round-off 1e-15/step.
    EXPECT_LE((derivative.topLeftCorner(named.dim, named.dim) - central).norm(), 1e-6) << "z = " << z.transpose();
  }
  EXPECT_GE(compared, 100);
}

TEST_P(ConvexSetOfEachKind, DerivativeIsSymmetricWithEigenvaluesFromZeroToOne) {
  const NamedSet& named = GetParam();
  for (int i = 0; i < 300; ++i) {
    const VecX z = point();
    Mat3 derivative;
    VecX p(named.dim);
    project(named.set, named.dim, z.data(), p.data(), derivative);
    const MatX d = derivative.topLeftCorner(named.dim, named.dim);
    ASSERT_TRUE(d.allFinite()) << "z = " << z.transpose();
    EXPECT_LE((d - d.transpose()).norm(), kRoundOff);
    const VecX eigenvalues = Eigen::SelfAdjointEigenSolver<MatX>(d).eigenvalues();
    EXPECT_GE(eigenvalues.minCoeff(), -kRoundOff) << "z = " << z.transpose();
    EXPECT_LE(eigenvalues.maxCoeff(), 1.0 + kRoundOff) << "z = " << z.transpose();
  }
}

TEST_P(ConvexSetOfEachKind, SupportIsTheMostThatItsPointsGain) {
  const NamedSet& named = GetParam();
  for (int i = 0; i < 40; ++i) {
    const VecX d = random.vector(named.dim);
    const double value = support(named.set, named.dim, d.data());
    if (named.set.kind == ConvexSet::Kind::free) {
      EXPECT_EQ(value, kInfinity);
    } else if (is_cone(named.set)) {
      const double most = -least_over_rays(named.set, named.dim, [&](const VecX& ray) { return -d.dot(ray); });
      EXPECT_EQ(value, most > 0.0 ? kInfinity : 0.0);
    } else if (named.set.kind == ConvexSet::Kind::interval) {
      EXPECT_EQ(value, d[0] > 0.0 ? d[0] * named.set.upper : d[0] * named.set.lower);
    } else if (named.dim == 1) {
      EXPECT_NEAR(value, std::abs(d[0]) * named.set.radius, kRoundOff);
    } else {
      const double most = -least_over_boundary(named.set, [&](const Vec2& x) { return -d.dot(x); });
      EXPECT_NEAR(value, most, 1e-12);  // the refinement ends where the function is flat to round-off
    }
  }
}

TEST_P(ConvexSetOfEachKind, SupportOfNoDirectionIsZero) {
  const VecX zero = VecX::Zero(GetParam().dim);
  EXPECT_EQ(support(GetParam().set, GetParam().dim, zero.data()), 0.0);
}

TEST_P(ConvexSetOfEachKind, LetsNaNThroughSoThatItIsSeen) {
  const NamedSet& named = GetParam();
  const VecX nan = VecX::Constant(named.dim, std::numeric_limits<double>::quiet_NaN());
  const VecX p = projection(named, nan);
  EXPECT_TRUE(!p.allFinite() || p.norm() == 0.0) << p.transpose();  // a single point is all that some sets have
  const bool bounded_by_numbers = named.set.radius == 0.0 && !is_cone(named.set);
  EXPECT_TRUE(bounded_by_numbers || !p.allFinite());
}

INSTANTIATE_TEST_SUITE_P(ConvexSets, ConvexSetOfEachKind, ::testing::ValuesIn(all_sets()),
                         [](const auto& test) { return test.param.name; });

TEST(ConvexSet, KeepsTheWholeOfAPointOnItsBoundary) {
  const Vec2 z(1.3, 0.0);
  for (const ConvexSet& set : {disk(1.3), ellipse(1.3, 0.2), polygon(1.3, 8)}) {
    Vec2 p;
    project(set, 2, z.data(), p.data());
    EXPECT_LE((p - z).norm(), kRoundOff);
  }
}

TEST(ConvexSet, CutsAPolygonsCornersFromWhereTheCircleReaches) {
  const double angle = kPi / 8.0;  // the middle of the octagon's first side
  const Vec2 z = 3.0 * Vec2(std::cos(angle), std::sin(angle));
  Vec2 p;
  project(polygon(1.0, 8), 2, z.data(), p.data());
  EXPECT_NEAR(p.norm(), std::cos(angle), kRoundOff);
  EXPECT_NEAR(std::atan2(p.y(), p.x()), angle, kRoundOff);
}

TEST(ConvexSet, ProjectsEllipsesOfAllFlatnessesFromFarAway) {
  // Newton's iteration must arrive for any ratio of the axes and any distance.
  for (double flat : {1.0, 1e-2, 1e-4, 1e-8, 1e-12}) {
    for (double far : {1.0 + 1e-12, 1.5, 1e3, 1e9}) {
      for (double angle : {0.0, 1e-9, 0.3, 1.2, kPi / 2.0}) {
        const ConvexSet set = ellipse(1.0, flat);
        const Vec2 z(far * std::cos(angle), far * std::sin(angle));
        Vec2 p;
        Mat3 derivative;
        project(set, 2, z.data(), p.data(), derivative);
        SCOPED_TRACE(::testing::Message() << "flat " << flat << ", far " << far << ", angle " << angle);
        ASSERT_TRUE(p.allFinite());
        EXPECT_LE(std::hypot(p.x(), p.y() / flat), 1.0 + 1e-10);
        // Optimal: no point of the set gains more along z − p than p does, to round-off of z · p.
        const Vec2 outward = z - p;
        EXPECT_LE(support(set, 2, outward.data()) - outward.dot(p), 1e-10 * far);
        EXPECT_TRUE((derivative.topLeftCorner<2, 2>().allFinite()));
      }
    }
  }
}

TEST(ConvexSet, HasItsRecessionConeWhereItHasNoEnd) {
  const double forth[3] = {1.0, 0.2, 0.0};
  const double back[3] = {-1.0, 0.2, 0.0};
  const auto distance = [](const ConvexSet& set, int dim, const double* direction) {
    double p[3] = {};
    project(recession_cone(set), dim, direction, p);
    double sum = 0.0;
    for (int i = 0; i < dim; ++i) sum += (direction[i] - p[i]) * (direction[i] - p[i]);
    return std::sqrt(sum);
  };
  EXPECT_EQ(distance(ConvexSet::half_line(), 1, forth), 0.0);
  EXPECT_EQ(distance(ConvexSet::half_line(), 1, back), 1.0);
  EXPECT_EQ(distance({ConvexSet::Kind::interval, -3.0, 3.0}, 1, forth), 1.0) << "bounded on both sides";
  EXPECT_EQ(distance({ConvexSet::Kind::interval, 2.0}, 1, forth), 0.0) << "wherever it begins";
  EXPECT_EQ(distance({}, 3, back), 0.0) << "the whole space";
  ConvexSet cone{ConvexSet::Kind::cone};
  cone.radius = cone.radius_cross = 0.5;
  EXPECT_EQ(distance(cone, 3, forth), 0.0);
  EXPECT_GT(distance(cone, 3, back), 0.5);
  ConvexSet disk{ConvexSet::Kind::disk};
  disk.radius = 10.0;
  EXPECT_DOUBLE_EQ(distance(disk, 2, forth), std::hypot(1.0, 0.2));
}

}  // namespace
}  // namespace cardhouse::testing
