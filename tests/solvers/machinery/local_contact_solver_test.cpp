#include "cardhouse/solvers/machinery/local_contact_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cardhouse/contact/law_projection.h"
#include "contact/analytic_problems.h"

namespace cardhouse::testing {
namespace {

struct GroupCase {
  const char* name;
  Law law;
  int dim;
};
void PrintTo(const GroupCase& c, std::ostream* out) {
  *out << c.name;
}

const GroupCase group_cases[] = {
    {"EqualityOfOneRow", of_kind(Law::Kind::equality), 1},
    {"EqualityOfThreeRows", of_kind(Law::Kind::equality), 3},
    {"Unilateral", of_kind(Law::Kind::unilateral), 1},
    {"UnilateralOfTwoRows", of_kind(Law::Kind::unilateral), 2},
    {"UnilateralOfThreeRows", of_kind(Law::Kind::unilateral), 3},
    {"Bounded", bounded(-0.4, 0.7), 1},
    {"BoundedBelow", bounded(-0.4, std::numeric_limits<double>::infinity()), 2},
    {"BoundedOfThreeRows", bounded(-0.4, 0.7), 3},
    {"FrictionlessRow", coulomb(0.0), 1},
    {"FrictionlessInThePlane", coulomb(0.0), 2},
    {"FrictionlessInSpace", coulomb(0.0), 3},
    {"NormalRowWithFrictionThatHasNoTangent", coulomb(0.5), 1},
    {"Planar", coulomb(0.5), 2},
    {"PlanarPolygon", polygonal(0.5), 2},
    {"PlanarEllipse", elliptic(0.5, 0.1), 2},
    {"Disk", coulomb(0.5), 3},
    {"SlipperyDisk", coulomb(1e-3), 3},
    {"RoughDisk", coulomb(5.0), 3},
    {"Ellipse", elliptic(0.8, 0.1), 3},
    {"FlatEllipse", elliptic(0.5, 0.0), 3},
    {"CrossFlatEllipse", elliptic(0.0, 0.5), 3},
    {"Square", polygonal(0.6, 4), 3},
    {"Octagon", polygonal(0.6, 8), 3},
    {"PolygonOfManySides", polygonal(0.6, 32), 3},
    {"Rolling", dependent(0.6, 0), 2},
    {"RollingOnAPolygon", dependent(0.6, 0, FrictionShape::polygon), 2},
    {"Torsional", dependent(0.6, 0), 1},
};

/// N s: the leader's normal impulse, which counts for dependent laws alone.
constexpr double load = 1.5;

VecX velocity(const Mat3& w, const VecX& q, const VecX& r) {
  return w.topLeftCorner(q.size(), q.size()) * r + q;
}

/// ‖r − P(r − rho u)‖, of ‖r‖ + rho ‖q‖: 0 just when the law holds, whatever way r was found.
double law_error(const Law& law, const Mat3& w, const VecX& q, const VecX& r) {
  const int dim = static_cast<int>(q.size());
  const double rho = dim / w.topLeftCorner(dim, dim).trace();
  const VecX z = r - rho * velocity(w, q, r);
  VecX p(dim);
  project_on_law(law, dim, z.data(), load, p.data());
  return (r - p).norm() / (r.norm() + rho * q.norm() + 1e-300);
}

/// Random problems of one group, each from a random guess.
class LocalContactSolverOf : public ::testing::TestWithParam<GroupCase> {
 protected:
  static constexpr int trials = 2000;

  /// `make_w` gives W_ii; returns how many of the solves were refused, but for those in which pushing can pull if
  /// that is allowed.
  template <class MakeW>
  int check(unsigned seed, MakeW make_w, double allowed, bool allow_pulling = false) {
    const auto& [name, law, dim] = GetParam();
    Random random(seed);
    int refused = 0;
    for (int trial = 0; trial < trials; ++trial) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", trial " << trial);
      Mat3 w = Mat3::Constant(std::numeric_limits<double>::quiet_NaN());  // what is outside must not matter
      w.topLeftCorner(dim, dim) = make_w(random, dim);
      const VecX q = random.vector(dim) * std::pow(10.0, random.uniform(-6.0, 3.0));
      VecX r = random.vector(dim);
      const VecX u = velocity(w, q, r);
      LocalContactSolver contact;
      contact.set(law, dim, w);
      if (!contact.solve(u.data(), load, r.data())) {
        const double coupling = std::max(law.mu, law.mu_cross) * w.row(0).segment(1, dim - 1).norm();
        if (allow_pulling && coupling >= w(0, 0)) continue;
        ++refused;
        continue;
      }
      EXPECT_LE(law_error(law, w, q, r), allowed) << name;
    }
    return refused;
  }
};

/// r is found from q = u − W r, which a guess of size 1 leaves with an error of 1e-16 of that: with ‖q‖ down to 1e-6
/// and W of condition 10, 1e-8 leaves room.
constexpr double round_off = 1e-8;

TEST_P(LocalContactSolverOf, ObeysTheLaw) {
  const auto regular = [](Random& random, int dim) { return MatX(random.positive_definite(dim)); };
  EXPECT_EQ(check(1, regular, round_off), 0);
}

TEST_P(LocalContactSolverOf, ObeysTheLawWithAMatrixThatIsNotQuiteSymmetric) {
  const auto unsymmetric = [](Random& random, int dim) {
    return MatX(random.positive_definite(dim) + 1e-3 * random.matrix(dim, dim));
  };
  EXPECT_EQ(check(2, unsymmetric, round_off), 0);
}

/// Thin bodies: the normal moves far more easily than a tangent, or the other way round, and all are coupled, so that
/// pushing can pull.
TEST_P(LocalContactSolverOf, ObeysTheLawWhenRowsAreStronglyCoupled) {
  const auto coupled = [](Random& random, int dim) {
    const VecX thin = random.vector(dim);
    return MatX(thin * thin.transpose() + 1e-3 * random.positive_definite(dim));
  };
  // The condition number, 1e4, multiplies what round-off leaves of q.
  EXPECT_EQ(check(3, coupled, 1e-5), 0);
}

/// With a singular W_ii a law may have no solution; those that are found must be solutions.
TEST_P(LocalContactSolverOf, ObeysTheLawOrRefusesWhenTheMatrixIsSingular) {
  const auto singular = [](Random& random, int dim) {
    const MatX j = random.matrix(dim, std::max(dim - 1, 1));
    return MatX(j * j.transpose());
  };
  const auto& [name, law, dim] = GetParam();
  if (law.kind == Law::Kind::equality && dim > 1) return;  // u = 0 has no solution for almost any q
  const int refused = check(4, singular, 1e-5, true);
  // A closing contact can be opened unless friction pulls it shut.
  if (law.kind == Law::Kind::coulomb || dim == 1) {
    EXPECT_EQ(refused, 0);
  }
}

TEST_P(LocalContactSolverOf, SticksWhereASingularMatrixAllowsIt) {
  const auto& [name, law, dim] = GetParam();
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(::testing::Message() << "seed 5, trial " << trial);
    const MatX j = random.matrix(dim, std::max(dim - 1, 1));
    Mat3 w = Mat3::Zero();
    w.topLeftCorner(dim, dim) = j * j.transpose();
    VecX wanted = VecX::Zero(dim);  // of every law here, with u = 0
    wanted[0] = 0.5;
    const VecX q = -(w.topLeftCorner(dim, dim) * wanted);
    VecX r = wanted;
    const VecX u = VecX::Zero(dim);
    LocalContactSolver contact;
    contact.set(law, dim, w);
    ASSERT_TRUE(contact.solve(u.data(), load, r.data())) << name;
    EXPECT_LE(law_error(law, w, q, r), 1e-7) << name;
  }
}

TEST_P(LocalContactSolverOf, LeavesASolutionWhereItIs) {
  const auto& [name, law, dim] = GetParam();
  Random random(6);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(::testing::Message() << "seed 6, trial " << trial);
    Mat3 w = Mat3::Zero();
    w.topLeftCorner(dim, dim) = random.positive_definite(dim);
    const VecX q = random.vector(dim);
    LocalContactSolver contact;
    contact.set(law, dim, w);
    VecX r = VecX::Zero(dim);
    ASSERT_TRUE(contact.solve(q.data(), load, r.data()));
    const VecX first = r;
    const VecX u = velocity(w, q, r);
    ASSERT_TRUE(contact.solve(u.data(), load, r.data()));
    // Condition 10 times round-off, and a root found to a few units in the last place.
    EXPECT_LE((r - first).norm(), 1e-12 * (1.0 + first.norm())) << name;
  }
}

/// Whatever is asked, it ends: NaN, infinities, rows that nothing moves.
TEST_P(LocalContactSolverOf, EndsOnNumbersThatAreNone) {
  const auto& [name, law, dim] = GetParam();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (double bad : {nan, infinity, -infinity, -1e308}) {
    LocalContactSolver contact;
    contact.set(law, dim, Mat3::Identity());
    VecX u = VecX::Constant(dim, bad);
    VecX r = VecX::Zero(dim);
    contact.solve(u.data(), load, r.data());
    contact.set(law, dim, Mat3::Constant(bad));
    u.setConstant(-1.0);
    r.setZero();
    EXPECT_FALSE(contact.solve(u.data(), load, r.data())) << name;
    EXPECT_TRUE(r.isZero(0.0));
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, LocalContactSolverOf, ::testing::ValuesIn(group_cases),
                         [](const auto& test) { return test.param.name; });

/// With weak coupling the solution is the only one, and projected steps, which know nothing of group_cases, find it
/// too.
TEST(LocalContactSolver, FindsWhatProjectedStepsFind) {
  for (const Law& law : {coulomb(0.3), elliptic(0.3, 0.1), polygonal(0.3, 6)}) {
    Random random(7);
    for (int trial = 0; trial < 200; ++trial) {
      SCOPED_TRACE(::testing::Message() << "seed 7, trial " << trial);
      const Mat3 w = Mat3(Vec3(1.0, random.uniform(0.5, 2.0), random.uniform(0.5, 2.0)).asDiagonal()) +
                     0.05 * Mat3(random.positive_definite(3));
      const Vec3 q = random.vector(3);
      Vec3 r = Vec3::Zero();
      for (int i = 0; i < 2000; ++i) {
        const Vec3 z = r - 0.3 * (w * r + q);
        project_on_law(law, 3, z.data(), load, r.data());
      }
      Vec3 exact = Vec3::Zero();
      LocalContactSolver contact;
      contact.set(law, 3, w);
      ASSERT_TRUE(contact.solve(q.data(), load, exact.data()));
      // The steps contract by 0.9 or better: 2000 of them end at round-off.
      EXPECT_LE((exact - r).norm(), 1e-12 * (1.0 + r.norm()));
    }
  }
}

/// Problems of one group from pencil and paper, from a guess that is far off.
TEST(LocalContactSolver, FindsTheKnownSolutions) {
  int seen = 0;
  for (const NamedProblem& named : analytic_problems()) {
    const ContactProblem& problem = named.solved.problem;
    if (problem.groups() != 1) continue;
    SCOPED_TRACE(named.name);
    ++seen;
    const int dim = problem.rows();
    VecX q;
    free_velocity(problem, q);
    VecX r = VecX::LinSpaced(dim, 3.0, -4.0);
    LocalContactSolver contact;
    const Mat3 w = delassus_block(problem, 0);
    contact.set(problem.laws[0], dim, w);
    const VecX u = velocity(w, q, r);
    ASSERT_TRUE(contact.solve(u.data(), load, r.data()));
    EXPECT_LE((r - named.solved.r).norm(), 1e-13 * named.solved.r.norm() + 1e-14);
  }
  EXPECT_GE(seen, 15);
}

/// Painlevé's rod: the tangent is so coupled to the normal that friction pulls the rod down as it slides. Both sticking
/// and taking off can solve such a case; any of them will do, and none must be missed.
TEST(LocalContactSolver, SolvesPainlevesRodWhereverItSlides) {
  const double lean = 1.2;
  const double moment = std::cos(lean);
  const double height = std::sin(lean);
  Mat3 w = Mat3::Zero();  // thin rod of mass 1, inertia 1/12 at half length 1/2: W = I + 3 arm armᵀ, arm turned
  const Vec2 turn(moment, -height);
  w.topLeftCorner<2, 2>() = Mat2::Identity() + 3.0 * turn * turn.transpose();
  const double mu = 3.0;
  ASSERT_GT(mu * std::abs(w(0, 1)), w(0, 0));
  LocalContactSolver contact;
  contact.set(coulomb(mu), 2, w);
  for (double slide : {-2.0, -0.3, 0.0, 0.3, 2.0}) {
    for (double approach : {-1.0, -1e-3, 0.0, 1e-3, 1.0}) {
      SCOPED_TRACE(::testing::Message() << "slide " << slide << ", approach " << approach);
      const Vec2 q(approach, slide);
      VecX r = VecX::Zero(2);
      ASSERT_TRUE(contact.solve(q.data(), load, r.data()));
      EXPECT_LE(law_error(coulomb(mu), w, q, r), 1e-13);
    }
  }
}

TEST(LocalContactSolver, RefusesAClosingContactThatNothingMovesAlongItsNormal) {
  Mat3 w = Mat3::Zero();
  w(1, 1) = w(2, 2) = 1.0;
  for (const Law& law : {coulomb(0.5), elliptic(0.5, 0.2), polygonal(0.5)}) {
    LocalContactSolver contact;
    contact.set(law, 3, w);
    const Vec3 closing(-1.0, 0.5, 0.0);
    Vec3 r(1.0, 0.1, 0.0);
    EXPECT_FALSE(contact.solve(closing.data(), load, r.data()));
    EXPECT_TRUE(r.isZero(0.0));
    const Vec3 opening(1.0, 0.5, 0.0);
    EXPECT_TRUE(contact.solve(opening.data(), load, r.data()));
  }
}

}  // namespace
}  // namespace cardhouse::testing
