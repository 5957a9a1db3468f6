// Bodies with many nodes: how the cost of a step grows with them, and which way of solving is quicker for how many
// contacts. `networks --help` tells the options.
//
//   chain   the library's chain_body: every mass touches the ground
//   nets    square nets, of which k nodes touch the ground: each problem is solved cold by Newton's method in two ways
//             nodes       the elimination goes on inside the body, to its nodes (the problem as it is)
//             condensed   the body is condensed to W of the rows that touch it, and the second form is solved; forming
//                         W counts
//           Up to 30 rows the library forms W by itself (solvers/machinery/row_system.cpp), in both ways.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bench_tools.h"
#include "cardhouse/scenes/building.h"
#include "cardhouse/scenes/library.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/world/world.h"

namespace {

using namespace cardhouse;

struct Settings {
  std::vector<int> chains = {300, 1000, 3000, 10000, 30000};
  std::vector<int> sides = {10, 30, 100};
  std::vector<int> contacts = {3, 10, 30, 100, 300};
  int steps = 20;
};

constexpr double radius = 0.004;    // m
constexpr double spacing = 0.01;    // m
constexpr double node_mass = 1e-3;  // kg

/// A level net with links along its sides and across its squares. Every so many nodes hang down to the ground.
Scene net(int side, int contacts) {
  Scene scene;
  scene.model.materials = {Material{.name = "all", .mu = 0.5, .restitution = 0.0, .anisotropy = std::nullopt}};
  scenes::add(scene, scenes::still("ground", HalfSpace{}), {});
  auto network = std::make_shared<NodeNetwork>();
  const int nodes = side * side;
  network->masses.assign(static_cast<std::size_t>(nodes), node_mass);
  VecX places(3 * nodes);
  VecX velocities(3 * nodes);
  Body body;
  body.name = "net";
  const int every = std::max(nodes / contacts, 1);
  int touching = 0;
  for (int n = 0; n < nodes; ++n) {
    const bool touches = n % every == every / 2 && touching < contacts;
    touching += touches ? 1 : 0;
    places.segment<3>(3 * n) = Vec3(spacing * (n % side), spacing * (n / side), touches ? radius : 0.02);
    velocities.segment<3>(3 * n) = Vec3(0.3, 0.1, -1.0);
    body.shapes.push_back({Sphere{radius}, Pose{}, 0, n});
  }
  const auto link = [&](int a, int b) {
    const double length = (places.segment<3>(3 * a) - places.segment<3>(3 * b)).norm();
    network->links.push_back({a, b, 1e3, length, 1e-2});
  };
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const int n = row * side + column;
      if (column + 1 < side) link(n, n + 1);
      if (row + 1 < side) link(n, n + side);
      if (column + 1 < side && row + 1 < side) link(n, n + side + 1);
    }
  }
  BodyState state;
  set_network(std::move(network), places, velocities, body, state);
  scene.model.bodies.push_back(std::move(body));
  scene.initial.bodies.push_back(std::move(state));
  scene.initial.initial_poses.push_back(scene.initial.bodies.back().pose);
  return scene;
}

struct Solved {
  double seconds = 0.0;  ///< CPU
  SolveStatus status = SolveStatus::failed;
  VecX r;
};

Solved solve(const ContactProblem& problem, bool condense) {
  Solved result;
  ContactSolution solution;
  solution.r.setZero(problem.rows());
  const std::unique_ptr<Solver> newton = make_solver("newton", {});
  const double start = bench::cpu_seconds();
  const SolveReport report =
      condense ? newton->solve(explicit_form(problem), solution) : newton->solve(problem, solution);
  result.seconds = bench::cpu_seconds() - start;
  result.status = report.status;
  result.r = solution.r;
  return result;
}

void measure_nets(const Settings& settings) {
  fmt::print("\nnets: Newton's method from zero, CPU time of one solve\n");
  fmt::print("  nodes  contacts        nodes    condensed  condensed/nodes   difference of r     per step\n");
  for (const int side : settings.sides) {
    for (const int contacts : settings.contacts) {
      if (contacts > side * side) continue;
      World world(net(side, contacts));
      world.step();
      const double begin = bench::cpu_seconds();
      for (int step = 0; step < 5; ++step) world.step();
      const double per_step = (bench::cpu_seconds() - begin) / 5.0;
      const ContactProblem problem = world.last_problem().problem;
      const Solved nodes = solve(problem, false);
      const Solved condensed = solve(problem, true);
      fmt::print(
          "{:7} {:9} {:>12} {:>12} {:16.2f} {:17.1e} {:>12}{}\n", side * side, problem.groups(),
          bench::time_text(nodes.seconds), bench::time_text(condensed.seconds), condensed.seconds / nodes.seconds,
          (nodes.r - condensed.r).norm() / nodes.r.norm(), bench::time_text(per_step),
          nodes.status == SolveStatus::converged && condensed.status == SolveStatus::converged ? "" : "  not solved");
      std::fflush(stdout);
    }
  }
}

void measure_chains(const Settings& settings) {
  fmt::print("chain_body: CPU time per step, mean of {} after the first\n", settings.steps);
  fmt::print("  masses     per step   certified\n");
  std::vector<double> counts;
  std::vector<double> times;
  for (const int count : settings.chains) {
    World world(make_scene("chain_body", {{"count", std::to_string(count)}}));
    world.step();
    const double start = bench::cpu_seconds();
    int certified = 0;
    for (int step = 0; step < settings.steps; ++step) certified += world.step().certified ? 1 : 0;
    counts.push_back(count);
    times.push_back((bench::cpu_seconds() - start) / settings.steps);
    fmt::print("{:8} {:>12} {:>7} of {}\n", count, bench::time_text(times.back()), certified, settings.steps);
    std::fflush(stdout);
  }
  fmt::print("time grows as masses^{:.2f}\n", bench::fitted_exponent(counts, times));
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_program("networks", [&] {
    Settings settings;
    CLI::App app("The cost of bodies with many nodes");
    app.add_option("--chains", settings.chains, "Masses of the chains")->delimiter(',');
    app.add_option("--sides", settings.sides, "Nodes along a side of the nets")->delimiter(',');
    app.add_option("--contacts", settings.contacts, "Nodes of a net that touch the ground")->delimiter(',');
    app.add_option("--steps", settings.steps, "Steps of a chain that are measured");
    CLI11_PARSE(app, argc, argv);
    fmt::print("{}\n", bench::processor());
    measure_chains(settings);
    measure_nets(settings);
    return 0;
  });
}
