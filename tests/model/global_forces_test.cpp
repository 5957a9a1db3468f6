#include "cardhouse/model/global_forces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cardhouse/base/error.h"
#include "cardhouse/model/energy.h"

namespace cardhouse {
namespace {

struct Cloud {
  Model model;
  State state;

  void add(const Vec3& position, double mass, double charge, Mobility mobility = Mobility::dynamic) {
    Body body;
    body.name = "body" + std::to_string(model.bodies.size());
    body.kind = BodyKind::particle;
    body.mobility = mobility;
    body.mass = mass;
    body.charge = charge;
    model.bodies.push_back(body);
    BodyState s;
    s.pose.position = position;
    state.bodies.push_back(s);
  }
  std::vector<Vec3> forces() const {
    std::vector<Wrench> wrenches(model.bodies.size());
    GlobalField().add_forces(model, state, wrenches);
    std::vector<Vec3> result;
    for (const Wrench& wrench : wrenches) result.push_back(wrench.force);
    return result;
  }
};

/// Points in two lumps, with masses and charges of both signs.
Cloud random_cloud(unsigned seed, int count) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.5, 2.0);
  Cloud cloud;
  cloud.model.gravity.setZero();
  for (int i = 0; i < count; ++i) {
    const Vec3 lump = i % 3 == 0 ? Vec3(6.0, 1.0, 0.0) : Vec3::Zero();
    cloud.add(lump + Vec3(normal(generator), normal(generator), normal(generator)), uniform(generator),
              normal(generator), i % 7 == 0 ? Mobility::fixed : Mobility::dynamic);
  }
  return cloud;
}

TEST(GlobalForces, TwoBodiesAttractByMassAndRepelByCharge) {
  Cloud cloud;
  cloud.model.gravity.setZero();
  cloud.add(Vec3(0.0, 0.0, 0.0), 2.0, 0.5);
  cloud.add(Vec3(0.0, 3.0, 4.0), 3.0, 0.7);
  const Vec3 away = Vec3(0.0, 0.6, 0.8);
  cloud.model.global_forces.gravitation = 10.0;
  EXPECT_LT((cloud.forces()[1] + 10.0 * 6.0 / 25.0 * away).norm(), 1e-14);
  EXPECT_NEAR(energy_of(cloud.model, cloud.state).potential, -10.0 * 6.0 / 5.0, 1e-13);
  cloud.model.global_forces.gravitation = 0.0;
  cloud.model.global_forces.electrostatics = 100.0;
  EXPECT_LT((cloud.forces()[1] - 100.0 * 0.35 / 25.0 * away).norm(), 1e-14);
  EXPECT_LT((cloud.forces()[0] + 100.0 * 0.35 / 25.0 * away).norm(), 1e-14);
  EXPECT_NEAR(energy_of(cloud.model, cloud.state).potential, 100.0 * 0.35 / 5.0, 1e-13);
}

TEST(GlobalForces, AreMinusTheGradientOfTheEnergyAlsoByTheTree) {
  for (const int tree_from : {1, 1000}) {
    Cloud cloud = random_cloud(3, 40);
    cloud.model.global_forces = {2.0, 3.0, 0.05, 0.0, tree_from};  // an opening angle of 0 opens every cell
    const std::vector<Vec3> forces = cloud.forces();
    for (const int body : {1, 8, 20}) {
      for (int axis = 0; axis < 3; ++axis) {
        const double e = 1e-5;
        Cloud shifted = cloud;
        shifted.state.bodies[body].pose.position[axis] += e;
        const double above = energy_of(shifted.model, shifted.state).potential;
        shifted.state.bodies[body].pose.position[axis] -= 2.0 * e;
        const double below = energy_of(shifted.model, shifted.state).potential;
        // Central differences: e² of the third derivative, and round-off of some 100 J over e.
        EXPECT_NEAR(forces[body][axis], (below - above) / (2.0 * e), 1e-6 * (1.0 + forces[body].norm()));
      }
    }
  }
}

TEST(GlobalForces, TheTreeIsNearTheDirectSumAndNearerWithASmallerAngle) {
  constexpr unsigned seed = 1986;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Cloud cloud = random_cloud(seed, 600);
  cloud.model.global_forces = {1.0, 0.0, 0.01, 0.5, 10000};
  const std::vector<Vec3> exact = cloud.forces();
  const double exact_energy = energy_of(cloud.model, cloud.state).potential;
  double scale = 0.0;
  for (const Vec3& force : exact) scale += force.squaredNorm();
  double last = 1.0;
  for (const double angle : {0.8, 0.5, 0.3, 0.2}) {
    cloud.model.global_forces.tree_from = 1;
    cloud.model.global_forces.opening_angle = angle;
    const std::vector<Vec3> tree = cloud.forces();
    double error = 0.0;
    for (std::size_t i = 0; i < tree.size(); ++i) error += (tree[i] - exact[i]).squaredNorm();
    const double relative = std::sqrt(error / scale);
    EXPECT_LT(relative, last);
    EXPECT_LT(relative, 0.2 * std::pow(angle, 4)) << angle;
    EXPECT_NEAR(energy_of(cloud.model, cloud.state).potential, exact_energy, 1e-3 * std::abs(exact_energy));
    last = relative;
  }
}

TEST(GlobalForces, TheTreeSumsChargesOfBothSigns) {
  Cloud cloud = random_cloud(5, 500);
  cloud.model.global_forces = {0.0, 1.0, 0.01, 0.4, 10000};
  const std::vector<Vec3> exact = cloud.forces();
  cloud.model.global_forces.tree_from = 1;
  const std::vector<Vec3> tree = cloud.forces();
  double error = 0.0;
  double scale = 0.0;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    error += (tree[i] - exact[i]).squaredNorm();
    scale += exact[i].squaredNorm();
  }
  EXPECT_LT(std::sqrt(error / scale), 1e-2);  // charges cancel: the error is of what is left
  EXPECT_GT(error, 0.0);                      // it is the tree that answered
}

TEST(GlobalForces, PairsKeepMomentumAndFixedBodiesFeelNothing) {
  Cloud cloud = random_cloud(9, 50);
  for (Body& body : cloud.model.bodies) body.mobility = Mobility::dynamic;
  cloud.model.global_forces = {1.0, 2.0, 0.0, 0.5, 1000};
  Vec3 sum = Vec3::Zero();
  double size = 0.0;
  for (const Vec3& force : cloud.forces()) {
    sum += force;
    size += force.norm();
  }
  EXPECT_LT(sum.norm(), 1e-13 * size);
  cloud.model.bodies[4].mobility = Mobility::fixed;
  EXPECT_EQ(cloud.forces()[4], Vec3::Zero());
}

TEST(GlobalForces, BodiesAtOnePlaceDoNotBreakTheTree) {
  Cloud cloud;
  for (int i = 0; i < 100; ++i) cloud.add(Vec3(1.0, 2.0, 3.0), 1.0, 0.0);
  cloud.add(Vec3(1.0, 2.0, 5.0), 1.0, 0.0);
  cloud.model.global_forces = {1.0, 0.0, 0.0, 0.5, 1};
  const std::vector<Vec3> forces = cloud.forces();
  EXPECT_NEAR(forces.back().z(), -25.0, 1e-12);
  for (const Vec3& force : forces) EXPECT_TRUE(force.allFinite());
}

TEST(GlobalForces, RefusesNumbersOutOfRange) {
  const auto refused = [](const GlobalForces& forces) {
    Cloud cloud;
    cloud.add(Vec3::Zero(), 1.0, 0.0);
    cloud.model.global_forces = forces;
    try {
      check_model(cloud.model, cloud.state);
      return false;
    } catch (const InputError&) {
      return true;
    }
  };
  EXPECT_FALSE(refused({1.0, 1.0, 0.1, 0.9, 1}));
  EXPECT_TRUE(refused({-1.0, 0.0, 0.0, 0.5, 1}));
  EXPECT_TRUE(refused({0.0, -1.0, 0.0, 0.5, 1}));
  EXPECT_TRUE(refused({0.0, 0.0, -0.1, 0.5, 1}));
  EXPECT_TRUE(refused({0.0, 0.0, 0.0, 1.0, 1}));
  EXPECT_TRUE(refused({0.0, 0.0, 0.0, 0.5, 0}));
  EXPECT_TRUE(refused({std::nan(""), 0.0, 0.0, 0.5, 1}));
}

}  // namespace
}  // namespace cardhouse
