// Bodies with nodes in scene files and recordings.
#include <gtest/gtest.h>

#include "cardhouse/base/error.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/io/hdf5_file.h"
#include "cardhouse/io/problem_dump.h"
#include "cardhouse/io/problem_file.h"
#include "cardhouse/io/recording.h"
#include "cardhouse/io/recording_reader.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/world/world.h"
#include "io/recording_files.h"

namespace cardhouse {
namespace {

Scene held_chain() {
  Scene scene;
  Body floor = testing::make_body("floor", {HalfSpace{}, {}, 0}, 0.0);
  floor.mobility = Mobility::fixed;
  testing::add_body(scene, floor);
  auto network = std::make_shared<NodeNetwork>();
  network->masses = {0.1, 0.2, 0.1, 0.3};
  VecX places(12);
  places << 0.0, 0.0, 0.01, 0.03, 0.01, 0.01, 0.06, -0.01, 0.01, 0.09, 0.0, 0.01;
  Body chain;
  chain.name = "chain";
  for (int n = 0; n < 4; ++n) {
    chain.shapes.push_back({Sphere{0.01}, Pose{}, 0, n});
    if (n > 0) network->links.push_back({n - 1, n, 1e3 / 3.0, 0.03, 0.1});
  }
  BodyState state;
  set_network(network, places, VecX::LinSpaced(12, 0.0, 0.3), chain, state);
  testing::add_body(scene, chain, state);
  Spring spring;
  spring.first = 1;
  spring.stencil_first = {2, {0, 1}, {0.25, 0.75}};
  spring.stiffness = 10.0;
  scene.model.springs = {spring};
  Joint joint;
  joint.name = "nail";
  joint.first = 1;
  joint.stencil_first = Stencil::at(3);
  place_joint(joint, scene.initial, scene.initial.bodies[1].nodes.segment<3>(9));
  scene.model.joints = {joint};
  return scene;
}

TEST(NetworkFiles, ASceneComesBackAsItWas) {
  const Scene scene = held_chain();
  const std::string text = scene_text(scene);
  const Scene back = parse_scene(text, "file");
  EXPECT_EQ(scene_text(back), text);
  EXPECT_EQ(state_hash(back.initial), state_hash(scene.initial));
  ASSERT_TRUE(back.model.bodies[1].network);
  EXPECT_EQ(back.model.bodies[1].mass, scene.model.bodies[1].mass);
  EXPECT_EQ(back.model.bodies[1].network->links.size(), 3U);
  EXPECT_EQ(back.model.bodies[1].shapes[2].node, 2);
  EXPECT_EQ(back.model.springs[0].stencil_first.weight[1], 0.75);
  EXPECT_EQ(back.model.joints[0].stencil_first.node[0], 3);
  World world(back);
  EXPECT_TRUE(world.step().certified);
}

TEST(NetworkFiles, MistakesAreNamed) {
  const auto message = [](const std::string& body, const std::string& rest = "") -> std::string {
    try {
      parse_scene(R"({"bodies": [{"name": "net", "kind": "network", )" + body + "}]" + rest + "}", "file");
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  const std::string nodes = R"("nodes": [{"position": [0, 0, 0], "mass": 1}, {"position": [1, 0, 0], "mass": 1}])";
  EXPECT_EQ(message(nodes), "nothing");
  EXPECT_NE(message(nodes + R"(, "mass": 2)").find("is not for networks"), std::string::npos);
  EXPECT_NE(message(nodes + R"(, "links": [{"nodes": [0, 2], "stiffness": 1}])").find("no such node"),
            std::string::npos);
  EXPECT_NE(message(nodes + R"(, "links": [{"nodes": [0], "stiffness": 1}])").find("must be two nodes"),
            std::string::npos);
  EXPECT_NE(message(R"("links": [])").find("nodes"), std::string::npos);
  const std::string spring = R"(, "springs": [{"first": "net", "second": "world", "stiffness": 1, "nodes_first": )";
  EXPECT_NE(message(nodes, spring + R"([{"node": 5}]}])").find("no such node"), std::string::npos);
  EXPECT_THROW(World(parse_scene(R"({"bodies": [{"name": "net", "kind": "network", )" + nodes + "}]" + spring +
                                     R"([{"node": 1, "weight": 0.5}]}]})",
                                 "file")),
               InputError)
      << "weights that do not sum to 1";
  EXPECT_THROW(parse_scene(R"({"bodies": [{"mobility": "fixed", "nodes": []}]})", "file"), InputError);
  EXPECT_NE(message(nodes, spring + R"([{"node": 1}, {"node": 1, "weight": 0}]}])").find("named twice"),
            std::string::npos);
  EXPECT_NE(message(nodes, spring + R"([{"node": 0, "weight": -1}, {"node": 1, "weight": 2}]}])").find("must be >= 0"),
            std::string::npos);
}

/// A pair of masses and a ball beside it, with something between them.
std::string pair_with(const std::string& what) {
  return R"({"bodies": [{"name": "net", "kind": "network", "nodes": [
             {"position": [0.1, 0, 0], "mass": 1}, {"position": [0.4, 0, 0], "mass": 1}]},
             {"name": "ball", "kind": "particle", "mass": 1, "position": [0, 2, 0]}], )" +
         what + "}";
}

TEST(NetworkFiles, NodesHoldTheirPointAndNothingBesideIt) {
  const auto message = [](const std::string& what) -> std::string {
    try {
      World world(parse_scene(pair_with(what), "file"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  const std::string spring = R"("springs": [{"first": "net", "second": "ball", "stiffness": 1,
                                 "nodes_first": [{"node": 0}], )";
  const std::string joint = R"("joints": [{"first": "net", "second": "ball",
                                "nodes_first": [{"node": 0, "weight": 0.25}, {"node": 1, "weight": 0.75}], )";
  EXPECT_EQ(message(spring + R"("point_first": [0, 0, 0]}])"), "nothing");
  EXPECT_NE(
      message(spring + R"("point_first": [0, 0.1, 0]}])").find("springs[0].point_first = [0, 0.1, 0]: nodes hold"),
      std::string::npos);
  EXPECT_EQ(message(joint + R"("type": "ball"}])"), "nothing");
  EXPECT_EQ(message(joint + R"("type": "ball", "anchor": [0.325, 0, 0]}])"), "nothing");
  EXPECT_NE(message(joint + R"("type": "ball", "anchor": [0.325, 1, 0]}])").find("joints[0].anchor = [0.325,1,0]"),
            std::string::npos)
      << message(joint + R"("type": "ball", "anchor": [0.325, 1, 0]}])");
  EXPECT_EQ(message(joint + R"("type": "distance", "anchor_second": [0, 2, 0]}])"), "nothing");
  EXPECT_NE(message(joint + R"("type": "ball", "frame_first": {"position": [0, 0, 1]}, "frame_second": {}}])")
                .find("frame_first.position"),
            std::string::npos);
  EXPECT_NE(message(joint + R"("type": "ball", "point_second": [0, 0, 1]}])").find("is for springs"),
            std::string::npos);
}

TEST(NetworkFiles, AnAnchorThatIsLeftOutIsWhereTheNodesAre) {
  const Scene scene = parse_scene(pair_with(R"("joints": [
      {"type": "ball", "first": "ball", "second": "net", "nodes_second": [{"node": 0, "weight": 0.5},
                                                                           {"node": 1, "weight": 0.5}]},
      {"type": "distance", "first": "net", "second": "world", "anchor_second": [0.4, 3, 0],
       "nodes_first": [{"node": 1}]}])"),
                                  "file");
  EXPECT_EQ(scene.model.joints[0].frame_second.position, Vec3(0.0, 0.0, 0.0));
  EXPECT_LT((scene.model.joints[0].frame_first.position - Vec3(0.25, -2.0, 0.0)).norm(), 1e-15);
  EXPECT_EQ(scene.model.joints[1].length, 3.0);
}

/// Angular momentum is kept where nodes take no force beside them.
TEST(NetworkFiles, ExplicitSpringsOnNodesKeepAngularMomentum) {
  Scene scene = parse_scene(pair_with(R"("gravity": [0, 0, 0], "springs": [{"first": "net", "second": "ball",
      "stiffness": 10, "nodes_first": [{"node": 0, "weight": 0.25}, {"node": 1, "weight": 0.75}]}])"),
                            "file");
  World world(scene);
  const Momentum before = momentum_of(world.model(), world.state());
  for (int step = 0; step < 500; ++step) world.step();
  EXPECT_LT((momentum_of(world.model(), world.state()).angular - before.angular).norm(), 1e-12);
  EXPECT_GT(world.state().bodies[1].linear.norm(), 0.1);
}

/// With checkpoints on the way; the world stays at the end.
void record_thirty_steps(const Scene& scene, const std::filesystem::path& file, World& world) {
  RecordingWriter writer(file, scene, scene_text(scene), {.checkpoint_interval = 0.01});
  writer.begin(world.state(), world.energy());
  for (int step = 0; step < 30; ++step) {
    const StepReport& report = world.step();
    writer.add_step(world.state(), report, world.energy(), world.contacts(), world.joints());
  }
  writer.finish("done");
}

TEST(NetworkFiles, ARecordingHasItsNodesAndContinuesBitForBit) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder / "nodes.h5";
  const Scene scene = held_chain();
  World world(scene);
  record_thirty_steps(scene, file, world);
  const RecordingReader reader(file);
  EXPECT_EQ(reader.info().format_version, 3);
  const RecordedFrame last = reader.frame(reader.frames() - 1);
  EXPECT_EQ(last.bodies[1].nodes, world.state().bodies[1].nodes);
  EXPECT_EQ(last.bodies[1].node_velocities, world.state().bodies[1].node_velocities);
  EXPECT_EQ(last.bodies[0].nodes.size(), 0);
  World other(parse_scene(reader.scene_text(), "file"));
  other.restore(reader.checkpoint(15));
  while (other.state().step < world.state().step) other.step();
  EXPECT_EQ(state_hash(other.state()), state_hash(world.state()));
}

TEST(NetworkFiles, ARecordingOfATurningNetworkContinuesBitForBit) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder / "turning.h5";
  Scene scene = held_chain();
  scene.model.joints.clear();
  scene.initial.bodies[1].node_velocities.setZero();
  scene.initial.bodies[1].linear.setZero();
  scene.model.bodies[1].mobility = Mobility::kinematic;
  scene.model.bodies[1].motion = ConstantVelocity{Vec3(0.0, 0.0, 0.1), Vec3(0.0, 0.0, 2.0)};
  World world(scene);
  record_thirty_steps(scene, file, world);
  const RecordingReader reader(file);
  World other(parse_scene(reader.scene_text(), "file"));
  other.restore(reader.checkpoint(15));
  ASSERT_GT(other.state().step, 0);
  while (other.state().step < world.state().step) other.step();
  EXPECT_EQ(state_hash(other.state()), state_hash(world.state()));
}

TEST(NetworkFiles, EverySolverTakesADumpOrSaysThatItDoesNot) {
  const testing::TemporaryFolder folder;
  Scene scene = held_chain();
  scene.model.joints.clear();  // Lemke's method takes contacts alone
  scene.initial.bodies[1].node_velocities.setZero();
  scene.initial.bodies[1].linear.setZero();
  World world(scene);
  ProblemDump dump(ProblemDump::Which::step, 5, folder / "dump", "chain");
  for (int step = 0; step < 5; ++step) {
    world.step();
    dump.see(world);
  }
  dump.finish();
  ASSERT_EQ(dump.files().size(), 1U);
  const ContactProblem problem = read_problem(dump.files()[0]);
  ASSERT_EQ(problem.rows(), world.last_problem().problem.rows());
  const VecX guess = read_problem_guess(dump.files()[0]).value();
  EXPECT_EQ(guess, world.last_problem().guess);
  for (const std::string& name : solver_names()) {
    SolverOptions options;
    options.tolerance = 1e-6;
    options.max_iterations = 20000;
    ContactSolution solution;
    solution.r.setZero(problem.rows());
    const SolveReport report = make_solver(name, options)->solve(problem, solution);
    const bool solves = certify(problem, solution.r).residual <= 1e-6;
    const bool declines = report.status == SolveStatus::unsupported && !report.reason.empty();
    // Methods for other laws than Coulomb's exact one say that theirs is solved.
    const bool other_law =
        report.reason.find("is solved") != std::string::npos || report.reason.starts_with("solved with polygons");
    EXPECT_TRUE(solves || declines || other_law) << name << ": " << status_name(report.status) << ", " << report.reason;
  }
}

TEST(NetworkFiles, TheMomentumLedgerIsInTheRecording) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder / "ledger.h5";
  Scene scene = testing::small_scene();
  scene.initial.bodies[1].linear = Vec3(1.0, 0.0, 0.0);
  World world(scene);
  Momentum start = momentum_of(world.model(), world.state());
  Momentum sum;
  {
    RecordingWriter writer(file, scene, scene_text(scene), {});
    writer.begin(world.state(), world.energy());
    for (int step = 0; step < 10; ++step) {
      const StepReport& report = world.step();
      sum += report.impulse;
      EXPECT_LT((report.momentum.linear - start.linear - sum.linear).norm(), 1e-11) << step;
      EXPECT_LT((report.momentum.angular - start.angular - sum.angular).norm(), 1e-11) << step;
      writer.add_step(world.state(), report, world.energy(), world.contacts(), world.joints());
    }
    writer.finish("done");
  }
  const Hdf5File read = Hdf5File::open(file);
  const std::vector<double> momentum = read.dataset("/steps/momentum").read<double>(9, 1);
  const std::vector<double> impulse = read.dataset("/steps/impulse").read<double>(9, 1);
  EXPECT_EQ(momentum[0], world.last_report().momentum.linear.x());
  EXPECT_EQ(impulse[0], sum.linear.x());
  EXPECT_LT(sum.linear.x(), -1e-3) << "friction brakes it";
}

}  // namespace
}  // namespace cardhouse
