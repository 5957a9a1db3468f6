#include "cardhouse/stepping/rows/rolling_torsional_rows.h"

#include <gtest/gtest.h>

#include "cardhouse/contact/residual.h"
#include "cardhouse/stepping/records/warm_start.h"
#include "cardhouse/stepping/rows/assemble.h"
#include "cardhouse/stepping/schemes/detect.h"
#include "cardhouse/stepping/schemes/time_stepping.h"
#include "stepping/bodies.h"

namespace cardhouse {
namespace {

using test::SmallModel;

constexpr double large_radius = 0.1;

int add_ball(SmallModel& setup, const Vec3& position, const Vec3& spin) {
  Body body;
  body.name = "ball" + std::to_string(setup.model.bodies.size());
  body.shapes.push_back({Sphere{large_radius}, Pose{}, 0});
  BodyState s;
  s.pose.position = position;
  set_density(body, s, 1000.0);
  s.angular = spin;
  return setup.add(body, s);
}

SmallModel ball_on_floor() {
  SmallModel setup;
  setup.model.materials[0].mu_rolling = 0.01;
  setup.model.materials[0].mu_torsional = 0.02;
  setup.add_floor();
  add_ball(setup, Vec3(0.0, 0.0, large_radius), Vec3(1.0, 2.0, 3.0));
  return setup;
}

struct AssembledIsland {
  std::vector<Contact> contacts;
  Island island;
  ContactProblem problem;
};

AssembledIsland assemble_island(const SmallModel& setup, const StepSettings& settings) {
  AssembledIsland result;
  Detector detector(setup.model);
  Predictor predictor;
  IslandFinder finder;
  result.contacts = detector.detect(setup.model, setup.state, setup.twists(), settings);
  result.island = finder.find(setup.model, result.contacts, {})[0];
  const std::vector<Prediction>& predictions = predictor.predict(setup.model, setup.state, settings);
  const std::vector<double> biases(result.contacts.size(), 0.0);
  assemble(setup.model, setup.state, predictions, result.contacts, {}, result.island, biases, result.problem);
  return result;
}

TEST(RollingTorsionalRows, FollowTheContactAndGiveTheAngularVelocityAcrossAndAlongItsNormal) {
  const SmallModel setup = ball_on_floor();
  const AssembledIsland now = assemble_island(setup, {});
  ASSERT_EQ(now.problem.groups(), 3);
  EXPECT_TRUE(has_sound_leaders(now.problem));
  EXPECT_EQ(now.problem.laws[1].leader, 0);
  EXPECT_EQ(now.problem.laws[1].mu, 0.01);
  EXPECT_EQ(now.problem.laws[2].mu, 0.02);
  Vec6 v;
  v << setup.state.bodies[1].linear, setup.state.bodies[1].angular;
  VecX u;
  now.problem.j.multiply(v, u);
  // The ball is the first or the second body of the contact: the sign is that of the normal's.
  const Contact& contact = now.contacts[0];
  const Vec3 relative = (contact.body_a == 1 ? 1.0 : -1.0) * setup.state.bodies[1].angular;
  EXPECT_NEAR(u[3], contact.basis.col(1).dot(relative), 1e-15);
  EXPECT_NEAR(u[4], contact.basis.col(2).dot(relative), 1e-15);
  EXPECT_NEAR(u[5], contact.basis.col(0).dot(relative), 1e-15);
}

TEST(RollingTorsionalRows, AreNoneWithoutACoefficientOrABodyThatTurns) {
  SmallModel plain = ball_on_floor();
  plain.model.materials[0] = Material{};
  EXPECT_EQ(assemble_island(plain, {}).problem.groups(), 1);
  SmallModel particle = ball_on_floor();
  particle.model.bodies[1].kind = BodyKind::particle;
  EXPECT_EQ(assemble_island(particle, {}).problem.groups(), 1);
}

TEST(RollingTorsionalRows, StartFromTheLastStepsTorques) {
  SmallModel setup = ball_on_floor();
  const AssembledIsland now = assemble_island(setup, {});
  const Vec3 torque(0.1, -0.2, 0.3);
  setup.state.impulses = {{now.contacts[0].key, Vec3(0.0, 0.0, 1.0), torque}};
  VecX r;
  warm_start(setup.state, now.contacts, {}, now.island, r);
  ASSERT_EQ(r.size(), 6);
  const Mat3& basis = now.contacts[0].basis;
  EXPECT_NEAR(r[0], basis.col(0).z(), 1e-15);
  EXPECT_LE((r.tail<3>() - Vec3(basis.col(1).dot(torque), basis.col(2).dot(torque), basis.col(0).dot(torque))).norm(),
            1e-15);
}

/// Islands are solved apart; put together they name the same contacts, and the same impulses solve the whole.
TEST(RollingTorsionalRows, KeepTheirLeadersWhenIslandsAreJoined) {
  SmallModel setup = ball_on_floor();
  add_ball(setup, Vec3(1.0, 0.0, large_radius), Vec3(-2.0, 0.5, 4.0));
  StepSettings settings;
  TimeStepping stepping(setup.model, settings);
  const StepReport& report = stepping.step(setup.model, setup.state);
  EXPECT_TRUE(report.certified) << report.reason;
  EXPECT_EQ(report.islands, 2);
  const StepProblem whole = stepping.last_problem();
  ASSERT_EQ(whole.problem.groups(), 6);
  EXPECT_TRUE(has_sound_leaders(whole.problem));
  for (const auto& [group, leader] : {std::pair(2, 0), std::pair(3, 0), std::pair(4, 1), std::pair(5, 1)}) {
    EXPECT_EQ(whole.problem.laws[group].leader, leader);
  }
  VecX r = VecX::Zero(whole.problem.rows());
  for (int c = 0; c < 2; ++c) {
    const ContactRecord& record = stepping.contacts()[c];
    Mat3 basis;  // by the detector's rule: rebuilt from what J says
    for (int i = 0; i < 3; ++i) {
      const BlockRows::Entry& entry = whole.problem.j.entries(c)[0];
      basis.col(i) = whole.problem.j.block(c, entry).row(i).head<3>().transpose();
    }
    // On the ball; the record is on body a.
    const int ball = c + 1;
    const double sign = record.body_a == ball ? 1.0 : -1.0;
    r.segment<3>(whole.problem.j.group(c).row) = basis.transpose() * (sign * record.impulse);
    for (int part = 0; part < 2; ++part) {
      const int g = 2 + 2 * c + part;
      const BlockRows::Group& rows = whole.problem.j.group(g);
      const BlockRows::Entry& entry = whole.problem.j.entries(g)[0];
      r.segment(rows.row, rows.dim) = whole.problem.j.block(g, entry).rightCols(3) * (sign * record.turning);
    }
  }
  EXPECT_LE(certify(whole.problem, r).residual, settings.tolerance);
}

TEST(Adhesion, IsSharedByThePointsThatTouch) {
  SmallModel setup;
  setup.model.materials[0].adhesion = 8.0;
  setup.add_floor();
  const int box = setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, 0.1));
  for (const Contact& contact : assemble_island(setup, {}).contacts) EXPECT_EQ(contact.adhesion, 2.0);
  // On one edge: the other two corners are within the margin, but don't touch.
  BodyState& s = setup.state.bodies[box];
  const double tilt = 1e-4;
  s.pose.orientation = rotation_from_vector(Vec3(0.0, tilt, 0.0));
  s.pose.position.z() = 0.1 * (std::cos(tilt) + std::sin(tilt));
  const std::vector<Contact> contacts = assemble_island(setup, {}).contacts;
  ASSERT_EQ(contacts.size(), 4U);
  double sum = 0.0;
  for (const Contact& contact : contacts) {
    EXPECT_TRUE(contact.adhesion == 0.0 || contact.adhesion == 4.0);
    sum += contact.adhesion;
  }
  EXPECT_EQ(sum, 8.0);
}

TEST(Adhesion, ShiftsTheProblemByItsImpulse) {
  SmallModel setup;
  setup.model.materials[0].adhesion = 8.0;
  setup.add_floor();
  const int box = setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, 0.1));
  StepSettings settings;
  settings.step = 0.5;
  AssembledIsland now = assemble_island(setup, settings);
  const ContactProblem before = now.problem;
  VecX guess = VecX::Ones(now.problem.rows());
  bias_by_adhesion(now.contacts, now.island, settings.step, now.problem, guess);
  for (int c = 0; c < 4; ++c) EXPECT_EQ(guess[3 * c], 1.0 + 0.5 * 2.0);
  Vec6 change = now.problem.v_free - before.v_free;
  change.z() += 0.5 * 8.0 / setup.model.bodies[box].mass;  // towards the floor
  EXPECT_LE(change.norm(), 1e-14);
  // The same v from r' in the one problem as from r in the other.
  const VecX shifted = VecX::LinSpaced(12, 0.1, 1.2);
  VecX impulses = shifted;
  for (int c = 0; c < 4; ++c) impulses[3 * c] -= 1.0;
  VecX one, other, u, v;
  contact_velocity(now.problem, shifted, v, one);
  contact_velocity(before, impulses, v, other);
  EXPECT_LE((one - other).norm(), 1e-13);
}

}  // namespace
}  // namespace cardhouse
