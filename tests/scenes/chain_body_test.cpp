// Masses and springs as one body with a sparse block against the same as many bodies.
#include <gtest/gtest.h>

#include <cmath>

#include "cardhouse/base/memory_limit.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/scenes/library.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/world/world.h"

namespace cardhouse {
namespace {

Scene chain(int count, const std::string& body, const std::string& stiffness = "1e5") {
  Scene scene = make_scene("chain_body", {{"count", std::to_string(count)}, {"body", body}, {"stiffness", stiffness}});
  scene.settings.tolerance = 1e-12;  // so that what solves leave does not count
  return scene;
}

TEST(ChainBody, MovesAsParticlesWithImplicitSpringsDo) {
  for (const int count : {2, 3, 30}) {
    SCOPED_TRACE(count);
    World one(chain(count, "one"));
    World many(chain(count, "particles"));
    for (int step = 0; step < 200; ++step) {
      ASSERT_TRUE(one.step().certified) << one.last_report().reason;
      ASSERT_TRUE(many.step().certified) << many.last_report().reason;
      double apart = 0.0;
      for (int n = 0; n < count; ++n) {
        const Vec3 of_node = one.state().bodies[1].node_velocities.segment<3>(3 * n);
        apart = std::max(apart, (of_node - many.state().bodies[1 + n].linear).norm());
      }
      ASSERT_LT(apart, 1e-9) << "m/s after step " << step + 1;
    }
    EXPECT_NEAR(one.energy().total(), many.energy().total(), 1e-9 * many.energy().kinetic + 1e-12);
  }
}

TEST(ChainBodySlow, ALongOneMovesAsItsParticles) {
  World one(chain(300, "one"));
  World many(chain(300, "particles"));
  for (int step = 0; step < 20; ++step) {
    ASSERT_TRUE(one.step().certified) << one.last_report().reason;
    ASSERT_TRUE(many.step().certified) << many.last_report().reason;
  }
  for (int n = 0; n < 300; ++n) {
    const Vec3 of_node = one.state().bodies[1].node_velocities.segment<3>(3 * n);
    EXPECT_LT((of_node - many.state().bodies[1 + n].linear).norm(), 1e-9) << n;
  }
}

TEST(ChainBody, IsRestoredBitForBit) {
  for (const auto contact : {ContactModel::hard, ContactModel::soft}) {
    Scene scene = make_scene("chain_body", {{"count", "30"}});
    scene.settings.contact = contact;
    if (contact == ContactModel::soft) scene.settings.soft.order = 2;
    World world(scene);
    for (int step = 0; step < 20; ++step) world.step();
    const State saved = world.state();
    for (int step = 0; step < 20; ++step) world.step();
    World other(scene);
    other.restore(saved);
    for (int step = 0; step < 20; ++step) other.step();
    EXPECT_EQ(state_hash(other.state()), state_hash(world.state()));
  }
}

TEST(ChainBody, EverySolverTakesItOrSaysThatItDoesNot) {
  World world(make_scene("chain_body", {{"count", "12"}}));
  for (int step = 0; step < 5; ++step) world.step();
  const StepProblem step = world.last_problem();
  ASSERT_TRUE(step.problem.a.has_coupled_bodies());
  for (const std::string& name : solver_names()) {
    SolverOptions options;
    options.tolerance = 1e-6;
    options.max_iterations = 20000;
    ContactSolution solution;
    solution.r.setZero(step.problem.rows());
    const SolveReport report = make_solver(name, options)->solve(step.problem, solution);
    const double residual = certify(step.problem, solution.r).residual;
    const bool solves = residual <= 1e-6;
    const bool declines = report.status == SolveStatus::unsupported && !report.reason.empty();
    // Methods for other laws than Coulomb's exact one end with their own answer.
    const bool other_law = name == "convex-relaxation" || name == "lemke" || name == "sqp" ||
                           name == "projected-gauss-seidel" || name == "regularised-gauss-seidel";
    EXPECT_TRUE(solves || declines || other_law) << name << ": " << status_name(report.status) << ", " << residual;
    EXPECT_TRUE(solution.r.allFinite()) << name;
  }
}

TEST(ChainBody, ALimitOfMemoryIsToldBeforeItIsPassed) {
  World world(make_scene("chain_body", {{"count", "300"}}));
  world.step();
  const StepProblem step = world.last_problem();
  set_memory_limit(1e6);
  SolverOptions options;
  ContactSolution solution;
  solution.r.setZero(step.problem.rows());
  const std::unique_ptr<Solver> sweeps = make_solver("gauss-seidel", options);
  const SolveReport report = solve_within_memory(*sweeps, step.problem, solution);
  EXPECT_EQ(report.status, SolveStatus::unsupported);
  EXPECT_NE(report.reason.find("W of 900 rows needs about 0.0389 GB, and the limit is 0.001 GB"), std::string::npos)
      << report.reason;
  set_memory_limit(1e4);
  EXPECT_THROW(world.step(), MemoryError) << "the body's own factor does not fit";
  set_memory_limit(0.0);
  EXPECT_TRUE(world.step().certified) << "and the state is as it was";
}

/// A refusal must leave a solver as it was: the same one is asked again in the next attempt and the next step.
TEST(ChainBody, EverySolverIsRefusedMemoryAsOftenAsItAsks) {
  World world(make_scene("chain_body", {{"count", "50"}}));
  world.step();
  const StepProblem step = world.last_problem();
  for (const std::string& name : solver_names()) {
    SolverOptions options;
    options.max_iterations = 100;
    const std::unique_ptr<Solver> solver = make_solver(name, options);
    for (const double limit : {1e3, 1e4, 3e4, 1e5, 1e6}) {
      for (int time = 0; time < 2; ++time) {
        set_memory_limit(limit);
        ContactSolution solution;
        solution.r.setZero(step.problem.rows());
        const SolveReport report = solve_within_memory(*solver, step.problem, solution);
        set_memory_limit(0.0);
        EXPECT_TRUE(solution.r.allFinite()) << name << " " << limit;
        EXPECT_TRUE(report.status != SolveStatus::unsupported || !report.reason.empty()) << name << " " << limit;
      }
    }
  }
}

TEST(ChainBody, ARunWithTooLittleMemoryGoesOnOrSaysSo) {
  for (const std::string& name : solver_names()) {
    for (const double limit : {1e4, 4e4, 2e5}) {
      Scene scene = make_scene("chain_body", {{"count", "50"}});
      scene.settings.solver = name;
      scene.settings.max_iterations = 100;
      World world(scene);
      set_memory_limit(limit);
      try {
        for (int step = 0; step < 2; ++step) world.step();
      } catch (const MemoryError& error) {
        EXPECT_NE(std::string(error.what()).find("--max-memory"), std::string::npos) << name << " " << limit;
      }
      set_memory_limit(0.0);
      EXPECT_TRUE(world.state().bodies[1].nodes.allFinite()) << name << " " << limit;
    }
  }
}

/// The chain thrown against the ground: nodes hit it one after the other, and those that links draw along.
Scene thrown_chain(const std::string& body, Restitution law) {
  // The free motion tells which contacts collide. Of particles, implicit springs are no part of it: soft links, so that
  // they do not decide.
  Scene scene = chain(8, body, "100");
  scene.settings.restitution = law;
  for (Material& material : scene.model.materials) material.restitution = 0.6;
  const auto lift = [](int n) { return n % 2 == 0 ? 0.5e-3 : 2.5e-3; };
  for (BodyState& s : scene.initial.bodies) {
    for (Eigen::Index n = 0; n < s.nodes.size() / 3; ++n) {
      s.nodes[3 * n + 2] += lift(static_cast<int>(n));
      s.node_velocities[3 * n + 2] = -1.0;
    }
  }
  if (body == "particles") {
    for (std::size_t i = 1; i < scene.initial.bodies.size(); ++i) {
      scene.initial.bodies[i].pose.position.z() += lift(static_cast<int>(i) - 1);
      scene.initial.bodies[i].linear.z() = -1.0;
    }
  }
  return scene;
}

TEST(ChainBody, ReboundsAsParticlesDoByEveryLaw) {
  for (const auto law : {Restitution::newton, Restitution::lagged, Restitution::poisson, Restitution::impact}) {
    SCOPED_TRACE(static_cast<int>(law));
    World one(thrown_chain("one", law));
    World many(thrown_chain("particles", law));
    double fastest = 0.0;
    for (int step = 0; step < 30; ++step) {
      ASSERT_TRUE(one.step().certified) << one.last_report().reason;
      ASSERT_TRUE(many.step().certified) << many.last_report().reason;
      for (int n = 0; n < 8; ++n) {
        const Vec3 of_node = one.state().bodies[1].node_velocities.segment<3>(3 * n);
        const Vec3 of_particle = many.state().bodies[1 + n].linear;
        ASSERT_LT((of_node - of_particle).norm(), 1e-9) << "m/s of node " << n << " after step " << step + 1;
        fastest = std::max(fastest, of_node.z());
      }
    }
    EXPECT_GT(fastest, 0.1) << "m/s: it rebounds";
  }
}

/// A chain bent to a ring whose ends fly towards each other: nodes 0 and 5 will touch.
Scene bent_chain() {
  Scene scene;
  scene.model.gravity.setZero();
  auto network = std::make_shared<NodeNetwork>();
  network->masses.assign(6, 0.1);
  VecX places(18);
  VecX velocities = VecX::Zero(18);
  Body body;
  body.name = "chain";
  for (int n = 0; n < 6; ++n) {
    const double angle = n * 1.0471975511965976;
    places.segment<3>(3 * n) = Vec3(std::cos(angle), std::sin(angle), 0.0);
    body.shapes.push_back({Sphere{0.2}, Pose{}, 0, n});
    if (n > 0) network->links.push_back({n - 1, n, 1.0, 1.0, 0.1});
  }
  const Vec3 towards = places.segment<3>(15) - places.segment<3>(0);
  velocities.segment<3>(0) = 2.0 * towards;
  velocities.segment<3>(15) = -2.0 * towards;
  BodyState state;
  set_network(network, places, velocities, body, state);
  scene.model.bodies = {body};
  scene.initial.bodies = {state};
  scene.initial.initial_poses = {state.pose};
  return scene;
}

TEST(ChainBody, TouchesItselfButNotAlongItsLinks) {
  World world(bent_chain());
  bool touched = false;
  const Momentum before = momentum_of(world.model(), world.state());
  for (int step = 0; step < 1000; ++step) {
    ASSERT_TRUE(world.step().certified) << world.last_report().reason;
    for (const ContactRecord& contact : world.contacts()) {
      EXPECT_EQ(contact.key.shape_a, 0);
      EXPECT_EQ(contact.key.shape_b, 5);
      touched = touched || contact.impulse.norm() > 0.0;
    }
    const VecX& x = world.state().bodies[0].nodes;
    EXPECT_GT((x.segment<3>(0) - x.segment<3>(15)).norm(), 0.4 - 1e-6);
  }
  EXPECT_TRUE(touched);
  EXPECT_LT((momentum_of(world.model(), world.state()).linear - before.linear).norm(), 1e-13);
}

TEST(ChainBody, JointsAndSpringsHoldItsNodes) {
  Scene scene = bent_chain();
  scene.initial.bodies[0].node_velocities.setZero();
  scene.model.gravity = Vec3(0.0, 0.0, -10.0);
  Joint joint;
  joint.name = "nail";
  joint.kind = JointKind::ball;
  joint.first = 0;
  joint.stencil_first = {2, {2, 3}, {0.5, 0.5}};
  place_joint(joint, scene.initial, origin_of(scene.initial.bodies[0], joint.stencil_first));
  scene.model.joints = {joint};
  Spring spring;
  spring.first = 0;
  spring.stencil_first = Stencil::at(0);
  spring.point_second = Vec3(1.0, 0.0, 0.0);
  spring.stiffness = 1e3;
  spring.damping = 1.0;
  for (const bool implicit : {false, true}) {
    spring.implicit = implicit;
    scene.model.springs = {spring};
    World world(scene);
    for (int step = 0; step < 3000; ++step) ASSERT_TRUE(world.step().certified) << world.last_report().reason;
    const BodyState& end = world.state().bodies[0];
    EXPECT_LT((origin_of(end, joint.stencil_first) - origin_of(scene.initial.bodies[0], joint.stencil_first)).norm(),
              1e-6);
    EXPECT_LT((end.nodes.segment<3>(0) - spring.point_second).norm(), 0.05) << "by the weight of some nodes over k";
  }
}

TEST(ChainBody, OneThatIsMovedPushesWhatItTouches) {
  Scene scene = bent_chain();
  scene.initial.bodies[0].node_velocities.setZero();
  scene.initial.bodies[0].linear.setZero();
  scene.model.bodies[0].mobility = Mobility::kinematic;
  scene.model.bodies[0].motion = ConstantVelocity{Vec3(0.0, 0.0, 1.0), Vec3::Zero()};
  Body ball;
  ball.name = "ball";
  ball.shapes.push_back({Sphere{0.2}, Pose{}, 0});
  BodyState state;
  state.pose.position = Vec3(1.0, 0.0, 0.5);
  set_density(ball, state, 1000.0);
  scene.model.bodies.push_back(ball);
  scene.initial.bodies.push_back(state);
  scene.initial.initial_poses.push_back(state.pose);
  World world(scene);
  for (int step = 0; step < 500; ++step) ASSERT_TRUE(world.step().certified) << world.last_report().reason;
  EXPECT_NEAR(world.state().bodies[0].nodes[2], 0.5, 1e-9);
  EXPECT_NEAR(world.state().bodies[1].linear.z(), 1.0, 1e-6);
  EXPECT_NEAR(world.state().bodies[1].pose.position.z(), 0.9, 2e-3);
}

}  // namespace
}  // namespace cardhouse
