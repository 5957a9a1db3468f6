#include "cardhouse/world/world.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

/// A box resting on a floor, its material and velocity to be set.
Scene box_on_floor() {
  Scene scene;
  Body floor;
  floor.name = "floor";
  floor.mobility = Mobility::fixed;
  floor.shapes.push_back({HalfSpace{}, Pose{}, 0});
  Body box;
  box.name = "box";
  box.shapes.push_back({Box{Vec3(0.2, 0.2, 0.1)}, Pose{}, 0});
  BodyState s;
  s.pose.position = Vec3(0.0, 0.0, 0.1);
  set_density(box, s, 1000.0);
  scene.model.bodies = {floor, box};
  scene.initial.bodies = {BodyState{}, s};
  return scene;
}

void run(World& world, double seconds) {
  const double end = world.state().time + seconds - 0.5 * world.settings().step;
  while (world.state().time < end) world.step();
}

TEST(World, RestoredStateContinuesBitForBit) {
  Scene scene = box_on_floor();
  scene.initial.bodies[1].linear = Vec3(1.0, 0.5, -0.3);
  scene.initial.bodies[1].angular = Vec3(0.3, 0.2, 0.1);
  scene.initial.bodies[1].pose.position.z() = 0.3;
  World world(scene);
  run(world, 0.2);
  const State saved = world.state();
  run(world, 0.2);
  World other(scene);
  run(other, 0.05);  // whatever it did before must not matter
  other.restore(saved);
  run(other, 0.2);
  EXPECT_EQ(state_hash(other.state()), state_hash(world.state()));
}

TEST(World, KeptOverlapsContinueBitForBit) {
  Scene scene = box_on_floor();
  scene.initial.bodies[1].pose.position.z() = 0.095;
  scene.initial.bodies[1].linear = Vec3(0.3, 0.0, 0.2);  // comes out by 2 mm, and falls back onto what is left
  World world(scene);
  run(world, 0.02);
  const State saved = world.state();
  ASSERT_EQ(saved.overlaps.size(), 1U);
  EXPECT_LT(saved.overlaps[0].depth, 4e-3);
  run(world, 0.2);
  World other(scene);
  other.restore(saved);
  run(other, 0.2);
  EXPECT_EQ(state_hash(other.state()), state_hash(world.state()));
  ASSERT_EQ(other.state().overlaps.size(), 1U);
  EXPECT_EQ(other.state().overlaps[0].depth, world.state().overlaps[0].depth);
}

TEST(World, MovesBodiesApartBeforeTheFirstStepWhenAskedTo) {
  Scene scene = box_on_floor();
  scene.initial.bodies[1].pose.position.z() = 0.095;
  scene.initial.bodies[1].linear.x() = 0.5;
  EXPECT_EQ(World(scene).separation().rounds, 0);
  scene.settings.initial_overlaps = InitialOverlaps::separate;
  World world(scene);
  EXPECT_EQ(world.separation().body, 1);
  EXPECT_NEAR(world.separation().distance, 5e-3, 1e-9);
  EXPECT_NEAR(world.state().bodies[1].pose.position.z(), 0.1, 1e-9);
  EXPECT_EQ(world.state().bodies[1].linear, Vec3(0.5, 0.0, 0.0)) << "velocities stay";
  EXPECT_EQ(world.step().kept_overlaps, 0);
  scene.initial.step = 7;
  EXPECT_EQ(World(scene).separation().rounds, 0) << "a run that has begun goes on";
}

TEST(World, RefusesToRestoreWhatNoRunLeaves) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Scene scene = box_on_floor();
  World world(scene);
  world.step();
  const State good = world.state();
  const auto is_refused = [&](auto change) {
    State state = good;
    change(state);
    EXPECT_THROW(world.restore(state), InputError);
    EXPECT_EQ(state_hash(world.state()), state_hash(good)) << "nothing has changed";
  };
  is_refused([](State& s) { s.step = -1; });
  is_refused([](State& s) { s.time = nan; });
  is_refused([](State& s) { s.time = 1e300; });
  is_refused([](State& s) { s.next_step = nan; });
  is_refused([](State& s) { s.initial_poses[0].position.x() = nan; });
  is_refused([](State& s) { s.impulses.at(0).impulse.x() = nan; });
  is_refused([](State& s) { s.bodies[1].linear.x() = 1e300; });
  is_refused([](State& s) { s.overlaps = {{0, 2, 1e-3}}; });
  is_refused([](State& s) { s.overlaps = {{-1, 1, 1e-3}}; });
  is_refused([](State& s) { s.overlaps = {{0, 1, nan}}; });
  is_refused([](State& s) { s.overlaps = {{0, 1, -1e-3}}; });
  is_refused([](State& s) { s.overlaps = {{0, 1, 1e-3}, {0, 1, 1e-3}}; });
  is_refused([](State& s) {
    s.previous = s.bodies;
    s.previous[1].angular.z() = nan;
  });
  world.restore(good);
}

TEST(World, RefusesAStepBelowTheLastDigitOfItsClock) {
  Scene scene = box_on_floor();
  World world(scene);
  State late = world.state();
  late.time = 1e12;
  world.restore(late);
  world.step();  // a millisecond is eight times the last digit of 1e12 s
  StepSettings settings = scene.settings;
  settings.step = 1e-6;
  world.change_settings(settings);
  EXPECT_THROW(world.step(), InputError);
  settings.step = 1.0;
  settings.adaptive = Adaptive::error;
  settings.least_step = 1e-9;
  world.change_settings(settings);
  EXPECT_THROW(world.step(), InputError);
}

TEST(World, RefusesGravityAndStepsOutOfBoundsAndKeepsWhatItHas) {
  World world(box_on_floor());
  EXPECT_THROW(world.change_gravity(Vec3(0.0, 0.0, -1e308)), InputError);
  EXPECT_EQ(world.model().gravity.z(), -9.81);
  for (const double bad : {1e-320, 1e300, 0.0, -1.0}) {
    StepSettings settings = world.settings();
    settings.step = bad;
    EXPECT_THROW(world.change_settings(settings), InputError) << bad;
  }
  EXPECT_EQ(world.settings().step, 1e-3);
}

/// A step is cancelled while it is being taken: the force sets the flag.
TEST(World, AStepThatIsCancelledLeavesTheStateAsItWas) {
  for (const Adaptive adaptive : {Adaptive::none, Adaptive::collision, Adaptive::error}) {
    for (const Restitution law : {Restitution::newton, Restitution::lagged, Restitution::poisson}) {
      Scene scene = box_on_floor();
      scene.initial.bodies[1].linear = Vec3(1.0, 0.5, 0.0);  // it slides, so that every step has contacts
      scene.settings.adaptive = adaptive;
      scene.settings.restitution = law;
      World undisturbed(scene);
      std::atomic<bool> flag = false;
      scene.settings.stop = CancellationToken(flag);
      World world(scene);
      bool cancels = false;
      world.add_force([&](const Model&, const State&, std::span<Wrench>) { flag = cancels; });
      for (int i = 0; i < 30; ++i) {
        const std::uint64_t before = state_hash(world.state());
        cancels = true;
        EXPECT_THROW(world.step(), Cancelled);
        EXPECT_EQ(state_hash(world.state()), before);
        EXPECT_TRUE(world.contacts().empty()) << "of a step that was dropped there are none to tell of";
        cancels = false;
        flag = false;
        world.step();
        undisturbed.step();
        ASSERT_EQ(state_hash(world.state()), state_hash(undisturbed.state())) << "step " << i;
      }
    }
  }
}

TEST(World, SettingsThatAreRefusedChangeNothing) {
  Scene scene = box_on_floor();
  scene.initial.bodies[1].linear = Vec3(1.0, 0.5, 0.0);
  World world(scene);
  run(world, 0.05);
  const std::uint64_t before = state_hash(world.state());
  StepSettings wrong = world.settings();
  wrong.step *= 2.0;
  wrong.solver = "none such";
  EXPECT_THROW(world.change_settings(wrong), InputError);
  EXPECT_EQ(state_hash(world.state()), before);
  EXPECT_EQ(world.settings().solver, "auto");
  EXPECT_EQ(world.scene().settings.step, world.settings().step);
  EXPECT_FALSE(world.contacts().empty());
}

TEST(World, SoftContactsContinueBitForBitToo) {
  for (const int order : {1, 2}) {
    Scene scene = box_on_floor();
    scene.settings.contact = ContactModel::soft;
    scene.settings.soft.order = order;
    scene.initial.bodies[1].linear = Vec3(0.4, 0.1, -0.3);
    scene.initial.bodies[1].angular = Vec3(0.3, 0.2, 0.1);
    scene.initial.bodies[1].pose.position.z() = 0.12;
    World world(scene);
    run(world, 0.3);
    const State saved = world.state();
    EXPECT_EQ(saved.previous.empty(), order == 1);
    run(world, 0.2);
    World other(scene);
    run(other, 0.05);
    other.restore(saved);
    run(other, 0.2);
    EXPECT_EQ(state_hash(other.state()), state_hash(world.state())) << order;
  }
}

TEST(World, EveryLawOfRestitutionAndEveryRuleOfStepsContinueBitForBit) {
  for (const Restitution law : {Restitution::newton, Restitution::lagged, Restitution::poisson, Restitution::impact}) {
    for (const Adaptive rule : {Adaptive::none, Adaptive::collision, Adaptive::error}) {
      Scene scene = box_on_floor();
      scene.settings.restitution = law;
      scene.settings.adaptive = rule;
      scene.model.materials[0].restitution = 0.7;
      scene.initial.bodies[1].linear = Vec3(1.0, 0.5, -2.0);
      scene.initial.bodies[1].angular = Vec3(3.0, 2.0, 1.0);
      scene.initial.bodies[1].pose.position.z() = 0.3;
      World world(scene);
      std::vector<State> saved;  // after every step: also between a collision and what is given back of it
      for (int i = 0; i < 120; ++i) {
        world.step();
        saved.push_back(world.state());
      }
      for (std::size_t i = 60; i + 10 < saved.size(); i += 3) {
        World other(scene);
        other.restore(saved[i]);
        for (int k = 0; k < 10; ++k) other.step();
        EXPECT_EQ(state_hash(other.state()), state_hash(saved[i + 10]))
            << static_cast<int>(law) << " " << static_cast<int>(rule) << " " << i;
      }
    }
  }
}

TEST(World, RefusesAdaptiveStepsThatMakeNoSense) {
  Scene scene = box_on_floor();
  scene.settings.adaptive = Adaptive::error;
  scene.settings.least_step = 2e-3;  // longer than the largest
  EXPECT_THROW(World{scene}, InputError);
  scene.settings.least_step = 0.0;
  scene.settings.error_tolerance = 0.0;
  EXPECT_THROW(World{scene}, InputError);
  scene.settings.error_tolerance = 1e-5;
  scene.settings.contact = ContactModel::soft;
  scene.settings.soft.order = 2;  // BDF2 needs equal steps
  EXPECT_THROW(World{scene}, InputError);
  scene.settings.contact = ContactModel::hard;
  World world(scene);
  State state = world.state();
  state.next_step = -1.0;
  EXPECT_THROW(world.restore(state), InputError);
}

TEST(World, AnchorsOfSoftContactsHoldWhenTheStepChanges) {
  for (const int order : {1, 2}) {
    Scene scene = box_on_floor();
    scene.settings.contact = ContactModel::soft;
    scene.settings.soft.order = order;
    scene.settings.step = 1e-2;  // whose numerical damping brings it to rest
    scene.model.gravity = Vec3(2.0, 0.0, -9.81);
    World world(scene);
    run(world, 5.0);
    const double place = world.state().bodies[1].pose.position.x();
    const double stretch = place - scene.initial.bodies[1].pose.position.x();
    StepSettings settings = world.settings();
    settings.step = 1e-3;
    world.change_settings(settings);
    run(world, 1.0);
    // The same spring, stretched by the same force.
    EXPECT_NEAR(world.state().bodies[1].pose.position.x(), place, 1e-3 * stretch) << order;
  }
}

TEST(World, RefusesSoftContactsThatMakeNoSense) {
  Scene scene = box_on_floor();
  scene.settings.contact = ContactModel::soft;
  scene.settings.scheme = Scheme::moreau_jean;
  EXPECT_THROW(World{scene}, InputError);
  scene.settings.scheme = Scheme::stewart_trinkle;
  scene.settings.soft.order = 3;
  EXPECT_THROW(World{scene}, InputError);
  scene.settings.soft.order = 2;
  scene.settings.soft.normal_stiffness = -1.0;
  EXPECT_THROW(World{scene}, InputError);
  scene.settings.soft.normal_stiffness = 1e6;
  World world(scene);
  State state = world.state();
  state.previous.resize(1);
  EXPECT_THROW(world.restore(state), InputError);
}

TEST(World, ConstantForceAcceleratesAgainstFriction) {
  Scene scene = box_on_floor();
  scene.model.materials[0].mu = 0.5;
  const double mass = scene.model.bodies[1].mass;
  scene.model.bodies[1].force = Vec3(0.4 * mass * 9.81, 0.0, 0.0);  // below mu m g: holds
  World world(scene);
  run(world, 0.5);
  EXPECT_LT((world.state().bodies[1].pose.position - Vec3(0.0, 0.0, 0.1)).norm(), 1e-9);
  scene.model.bodies[1].force = Vec3(0.7 * mass * 9.81, 0.0, 0.0);
  World sliding(scene);
  run(sliding, 0.5);
  EXPECT_NEAR(sliding.state().bodies[1].linear.x(), 0.2 * 9.81 * 0.5, 1e-6);  // v = (0.7 − 0.5) g t, exact in h
}

TEST(World, CallbacksActLikeForces) {
  World world(box_on_floor());
  world.add_force([](const Model& model, const State&, std::span<Wrench> wrenches) {
    wrenches[1].force += Vec3(0.0, 0.0, 2.0 * model.bodies[1].mass * 9.81);
  });
  run(world, 0.5);
  EXPECT_NEAR(world.state().bodies[1].linear.z(), 9.81 * 0.5, 1e-9);
}

TEST(World, SpringOscillatesWithItsPeriod) {
  Scene scene;
  Body ball;
  ball.name = "ball";
  ball.kind = BodyKind::particle;
  ball.mass = 2.0;
  scene.model.gravity.setZero();
  scene.model.bodies = {ball};
  BodyState s;
  s.pose.position = Vec3(1.1, 0.0, 0.0);
  scene.initial.bodies = {s};
  Spring spring;
  spring.stiffness = 50.0;
  spring.rest_length = 1.0;
  scene.model.springs = {spring};
  scene.settings.step = 1e-4;
  World world(scene);
  run(world, 2.0 * std::numbers::pi / 5.0);  // omega = √(50/2) = 5 rad/s
  EXPECT_NEAR(world.state().bodies[0].pose.position.x(), 1.1, 1e-6);
}

TEST(World, APlanetStaysOnItsOrbit) {
  // G M = 1: a circle of radius 1 takes 2 π.
  Scene scene;
  scene.model.gravity.setZero();
  scene.model.global_forces.gravitation = 1.0;
  Body sun;
  sun.name = "sun";
  sun.mobility = Mobility::fixed;
  sun.mass = 1.0;
  Body planet;
  planet.name = "planet";
  planet.kind = BodyKind::particle;
  planet.mass = 1e-3;
  BodyState s;
  s.pose.position = Vec3(1.0, 0.0, 0.0);
  s.linear = Vec3(0.0, 1.0, 0.0);
  scene.model.bodies = {sun, planet};
  scene.initial.bodies = {BodyState{}, s};
  scene.settings.step = 2.0 * std::numbers::pi / 2000.0;
  World world(scene);
  const double energy = world.energy().total();
  EXPECT_NEAR(energy, -0.5e-3, 1e-15);
  run(world, 2.0 * std::numbers::pi);
  // The step is of first order, h = 3e-3, and symplectic.
  EXPECT_LT((world.state().bodies[1].pose.position - s.pose.position).norm(), 1e-2);
  EXPECT_NEAR(world.energy().total(), energy, 1e-2 * std::abs(energy));
}

TEST(World, RestitutionBouncesTheVelocityBack) {
  Scene scene = box_on_floor();
  scene.model.materials[0].restitution = 0.5;
  scene.initial.bodies[1].pose.position.z() = 0.6;
  World world(scene);
  double fastest_up = 0.0;
  double fastest_down = 0.0;
  while (world.state().time < 0.45) {
    world.step();
    fastest_up = std::max(fastest_up, world.state().bodies[1].linear.z());
    fastest_down = std::min(fastest_down, world.state().bodies[1].linear.z());
  }
  EXPECT_NEAR(fastest_up, -0.5 * fastest_down, 0.02);  // one step's gravity, g h = 0.01 m/s, on each side
}

TEST(World, TheMoreauJeanSchemeHoldsARestingBoxAndStopsASlidingOne) {
  Scene scene = box_on_floor();
  scene.settings.scheme = Scheme::moreau_jean;
  scene.model.materials[0].mu = 0.3;
  scene.initial.bodies[1].linear = Vec3(2.0, 0.0, 0.0);
  World world(scene);
  run(world, 1.0);
  const BodyState& s = world.state().bodies[1];
  EXPECT_NEAR(s.pose.position.x(), 4.0 / (2.0 * 0.3 * 9.81), 2.0 * 1e-3);  // first order: v h
  EXPECT_LT(s.linear.norm(), 1e-8);
  EXPECT_NEAR(s.pose.position.z(), 0.1, 1e-5);  // the scheme's own drop, g h²/2
}

TEST(World, EllipticFrictionTurnsASlidingBoxTowardsTheEasyDirection) {
  Scene scene = box_on_floor();
  scene.model.materials[0].mu = 0.1;
  scene.model.materials[0].anisotropy = Anisotropy{0.6, Vec3::UnitX()};
  scene.initial.bodies[1].linear = Vec3(1.0, 1.0, 0.0);
  World world(scene);
  run(world, 0.1);
  const Vec3 v = world.state().bodies[1].linear;
  EXPECT_GT(v.x(), v.y() + 0.1);
  EXPECT_TRUE(world.last_report().certified);
}

TEST(World, PolygonalFrictionIsNearTheDisk) {
  Scene scene = box_on_floor();
  scene.model.friction.polygon = true;
  scene.initial.bodies[1].linear = Vec3(1.0, 0.0, 0.0);
  World world(scene);
  run(world, 0.1);
  EXPECT_TRUE(world.last_report().certified);
  // An octagon with its corners on the circle gives between cos(pi/8) and 1 of the disk's friction.
  const double lost = 1.0 - world.state().bodies[1].linear.norm();
  EXPECT_GE(lost, 0.1 * 0.5 * 9.81 * std::cos(std::numbers::pi / 8.0) * (1.0 - 1e-6));
  EXPECT_LE(lost, 0.1 * 0.5 * 9.81 * (1.0 + 1e-6));
}

TEST(World, GravityAndMaterialsChangeFromTheNextStepOn) {
  World world(box_on_floor());
  run(world, 0.05);
  const auto impulses = world.state().impulses.size();
  world.change_gravity(Vec3(2.0, 0.0, -8.0));  // 2 / 8 < mu = 0.5: holds
  EXPECT_EQ(world.state().impulses.size(), impulses);
  run(world, 0.1);
  EXPECT_LT(world.state().bodies[1].linear.norm(), 1e-7);  // the certificate's tolerance
  std::vector<Material> ice = world.model().materials;
  ice[0].mu = 0.0;
  world.change_materials(ice, {});
  run(world, 0.1);
  EXPECT_NEAR(world.state().bodies[1].linear.x(), 0.2, 1e-6);
  EXPECT_TRUE(world.last_report().certified);
}

TEST(World, ChangesThatAreNotAllowedChangeNothing) {
  World world(box_on_floor());
  EXPECT_THROW(world.change_gravity(Vec3(std::nan(""), 0.0, 0.0)), InputError);
  EXPECT_THROW(world.change_materials({}, {}), InputError);
  std::vector<Material> bad = world.model().materials;
  bad[0].mu = -1.0;
  EXPECT_THROW(world.change_materials(bad, {}), InputError);
  EXPECT_EQ(world.model().gravity.z(), -9.81);
  EXPECT_EQ(world.model().materials[0].mu, 0.5);
}

TEST(World, ImpossibleScenesAreRefusedInWords) {
  Scene scene = box_on_floor();
  scene.model.bodies[1].mass = 0.0;
  try {
    World world(scene);
    FAIL() << "a body without mass was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("bodies[1].mass = 0 kg"), std::string::npos) << error.what();
  }
  scene = box_on_floor();
  scene.settings.solver = "magic";
  EXPECT_THROW(World{scene}, InputError);
  scene = box_on_floor();
  scene.settings.step = -1.0;
  EXPECT_THROW(World{scene}, InputError);
}

TEST(World, DiagnosisIsThereWhenAskedFor) {
  Scene scene = box_on_floor();
  World plain(scene);
  EXPECT_FALSE(plain.step().diagnosis.has_value());
  scene.settings.diagnose = true;
  World diagnosed(scene);
  const StepReport& report = diagnosed.step();
  ASSERT_TRUE(report.diagnosis.has_value());
  EXPECT_EQ(report.diagnosis->rows, 12);
  EXPECT_EQ(report.diagnosis->rank, 6);
  EXPECT_TRUE(report.diagnosis->pointed);
  // With I = m (0.2² + 0.1²) / 3 about both level axes, at a corner m W_nn = 1 + (0.2² + 0.2²) m/I = 5.8, and of each
  // tangent m W_nT = 0.2 · 0.1 m/I = 1.2.
  const double mu = scene.model.materials[0].mu;
  ASSERT_EQ(diagnosed.contacts().size(), 4U);
  for (const ContactRecord& contact : diagnosed.contacts()) {
    EXPECT_NEAR(contact.painleve_ratio, mu * std::numbers::sqrt2 * 1.2 / 5.8, 1e-12);  // round-off
  }
  EXPECT_EQ(plain.contacts()[0].painleve_ratio, 0.0);
}

TEST(World, CountsTheEnergyOfContactSpringsAfterAStep) {
  Scene scene = box_on_floor();
  scene.settings.contact = ContactModel::soft;
  scene.settings.soft.normal_stiffness = 1e5;
  scene.settings.step = 1e-2;  // damps by ω² h/2 = 60/s
  World world(scene);
  run(world, 2.0);
  // At rest on four springs that share the weight: (m g/4)²/2k each.
  const double weight = 1000.0 * 0.4 * 0.4 * 0.2 * 9.81;
  const double stored = world.energy().potential - energy_of(world.model(), world.state()).potential;
  EXPECT_NEAR(stored, 4.0 * 0.5 * std::pow(0.25 * weight, 2) / 1e5, 1e-6 * stored);
  world.restore(State(world.state()));
  EXPECT_EQ(world.energy().potential, energy_of(world.model(), world.state()).potential);
}

}  // namespace
}  // namespace cardhouse
