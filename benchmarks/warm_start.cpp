// What warm starting saves: every step of a run is solved twice, from the last step's impulses and from nothing, on the
// same problem. The run itself goes on with the world's own (warm) step. `warm_start --help` tells the options.
#include "cardhouse/stepping/records/warm_start.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <map>

#include "bench_tools.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/scenes/library.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/stepping/rows/assemble.h"
#include "cardhouse/stepping/rows/islands.h"
#include "cardhouse/stepping/rows/normal_rows.h"
#include "cardhouse/stepping/schemes/detect.h"
#include "cardhouse/stepping/schemes/predict.h"
#include "cardhouse/world/world.h"

namespace {

using namespace cardhouse;

struct Settings {
  std::string scene = "card_house_hit";
  std::vector<std::string> parameters;
  std::string solver = "auto";
  double seconds = 0.0;  ///< 0: the scene's duration
  double step = 0.0;     ///< 0: the scene's
  std::string csv;
};

/// One way to start, over all islands of a step.
struct StartCost {
  double seconds = 0.0;  ///< CPU
  int iterations = 0;
  double residual = 0.0;  ///< the worst island's
  int fallbacks = 0;      ///< islands that took a second method
};

struct StepCost {
  double time = 0.0;  ///< s, simulated
  int contacts = 0;
  StartCost warm, cold;
};

/// The step's problems as the stepping would write them, solved apart from it.
class Probe {
 public:
  Probe(const Scene& scene)
      : settings_(scene.settings),
        detector_(scene.model),
        warm_(make_solver(settings_.solver, {settings_.tolerance, settings_.max_iterations})),
        cold_(make_solver(settings_.solver, {settings_.tolerance, settings_.max_iterations})) {}

  StepCost measure(const Model& model, const State& state) {
    StepCost cost;
    cost.time = state.time;
    const std::vector<Prediction>& predictions = predictor_.predict(model, state, settings_);
    std::vector<BodyMotion> twists;
    for (const Prediction& prediction : predictions) twists.push_back({prediction.linear, prediction.angular});
    const std::vector<Contact>& contacts = detector_.detect(model, state, twists, settings_);
    cost.contacts = static_cast<int>(contacts.size());
    for (const Island& island : island_finder_.find(model, contacts, {})) {
      write_normal_biases({state, predictions, contacts, state.impulses, settings_}, island, last_, biases_);
      assemble(model, state, predictions, contacts, {}, island, biases_, problem_);
      warm_start(state, contacts, {}, island, solution_.r);
      solve(*warm_, cost.warm);
      solution_.r.setZero(problem_.rows());
      solve(*cold_, cost.cold);
    }
    return cost;
  }

 private:
  void solve(Solver& solver, StartCost& cost) {
    const double start = bench::cpu_seconds();
    const SolveReport report = solver.solve(problem_, solution_);
    cost.seconds += bench::cpu_seconds() - start;
    cost.iterations += report.iterations;
    cost.fallbacks += report.methods.size() > 1 ? 1 : 0;
    cost.residual = std::max(cost.residual, certify(problem_, solution_.r).residual);
  }

  StepSettings settings_;
  Detector detector_;
  Predictor predictor_;
  IslandFinder island_finder_;
  std::unique_ptr<Solver> warm_, cold_;
  VecX last_;
  std::vector<double> biases_;
  ContactProblem problem_;
  ContactSolution solution_;
};

Scene scene_from(const Settings& settings) {
  std::map<std::string, std::string> parameters;
  for (const std::string& text : settings.parameters) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw std::runtime_error(text + ": parameters are name=value");
    parameters[text.substr(0, equals)] = text.substr(equals + 1);
  }
  Scene scene = make_scene(settings.scene, parameters);
  scene.settings.solver = settings.solver;
  if (settings.seconds > 0.0) scene.duration = settings.seconds;
  if (settings.step > 0.0) scene.settings.step = settings.step;
  return scene;
}

void print_start(const char* name, const std::vector<StepCost>& steps, StartCost StepCost::*start, double tolerance) {
  std::vector<double> times;
  std::vector<double> iterations;
  double total = 0.0;
  int certified = 0;
  int fallbacks = 0;
  for (const StepCost& step : steps) {
    const StartCost& cost = step.*start;
    times.push_back(cost.seconds);
    iterations.push_back(cost.iterations);
    total += cost.seconds;
    certified += cost.residual <= tolerance ? 1 : 0;
    fallbacks += cost.fallbacks > 0 ? 1 : 0;
  }
  fmt::print("{:6} {:>12} {:>12} {:>12} {:>12.4g} {:>11.2f} % {:>12}\n", name, bench::time_text(bench::median(times)),
             bench::time_text(*std::max_element(times.begin(), times.end())), bench::time_text(total),
             bench::median(iterations), 100.0 * certified / static_cast<double>(steps.size()), fallbacks);
}

void print_tables(const Scene& scene, const std::vector<StepCost>& steps) {
  fmt::print("# {}; CPU time of the solves alone; {} at h = {:g} ms, {} steps with contacts, tolerance {:g}, {}\n",
             bench::processor(), scene.name, 1e3 * scene.settings.step, steps.size(), scene.settings.tolerance,
             scene.settings.solver);
  fmt::print("{:6} {:>12} {:>12} {:>12} {:>12} {:>13} {:>12}\n", "start", "median", "largest", "whole run",
             "iterations", "certified", "2nd method");
  print_start("warm", steps, &StepCost::warm, scene.settings.tolerance);
  print_start("cold", steps, &StepCost::cold, scene.settings.tolerance);
  std::vector<double> ratios;
  int slower = 0;
  for (const StepCost& step : steps) {
    ratios.push_back(step.cold.seconds / step.warm.seconds);
    slower += step.warm.seconds > step.cold.seconds ? 1 : 0;
  }
  fmt::print("cold / warm, step by step: median {:.3g}; warm is the slower one in {:.2f} % of the steps\n",
             bench::median(ratios), 100.0 * slower / static_cast<double>(steps.size()));
}

void write_csv(const std::string& file, const std::vector<StepCost>& steps) {
  std::ofstream out(file);
  out << "time,contacts,warm_seconds,warm_iterations,warm_residual,cold_seconds,cold_iterations,cold_residual\n";
  for (const StepCost& step : steps) {
    out << fmt::format("{:.9g},{},{:.6g},{},{:.3g},{:.6g},{},{:.3g}\n", step.time, step.contacts, step.warm.seconds,
                       step.warm.iterations, step.warm.residual, step.cold.seconds, step.cold.iterations,
                       step.cold.residual);
  }
  if (!out) throw std::runtime_error(file + ": can't be written");
}

int run(const Settings& settings) {
  const Scene scene = scene_from(settings);
  World world(scene);
  Probe probe(scene);
  std::vector<StepCost> steps;
  const bool show = isatty(STDERR_FILENO) != 0;
  const long count = std::lround(scene.duration / scene.settings.step);
  for (long i = 0; i < count; ++i) {
    const StepCost cost = probe.measure(world.model(), world.state());
    if (cost.contacts > 0) steps.push_back(cost);
    world.step();
    if ((show && i % 20 == 0) || i % 500 == 0) {
      fmt::print(stderr, "{}t = {:.3f} s{}", show ? "\r" : "", world.state().time, show ? " " : "\n");
    }
  }
  if (show) fmt::print(stderr, "\r{:40}\r", "");
  if (steps.empty()) throw std::runtime_error("no step has contacts");
  print_tables(scene, steps);
  if (!settings.csv.empty()) write_csv(settings.csv, steps);
  return 0;
}

int start(int argc, char** argv) {
  Settings settings;
  CLI::App app("the cost of every step's solve, started warm and started cold");
  app.add_option("scene", settings.scene, "of the library (default card_house_hit)");
  app.add_option("parameters", settings.parameters, "name=value");
  app.add_option("--solver", settings.solver, "by name (default auto)");
  app.add_option("--seconds", settings.seconds, "simulated (default: the scene's duration)");
  app.add_option("--step", settings.step, "s (default: the scene's)");
  app.add_option("--csv", settings.csv, "writes every step");
  CLI11_PARSE(app, argc, argv);
  return run(settings);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_program("warm_start", [&] { return start(argc, argv); });
}
