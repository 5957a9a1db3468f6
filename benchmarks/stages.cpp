// Which stage of `auto` ends which problem, over problems of the library's scenes, at rest and in motion, and of files.
// The scenes run with Newton alone, so that the problems do not depend on `auto`; steps that it leaves are taken on
// purpose. Halves: by the scene with its parameters, or by the file. `stages --help` tells the options.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "bench_tools.h"
#include "cardhouse/base/error.h"
#include "cardhouse/io/problem_file.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/scenes/library.h"
#include "cardhouse/solvers/auto_solver.h"
#include "cardhouse/world/world.h"

namespace {

using namespace cardhouse;
namespace fs = std::filesystem;

struct Settings {
  std::vector<std::string> files;
  std::vector<std::string> stages;
  double max_seconds = 20.0;
  bool quick = false;
  bool alone = false;
  int half = 0;  ///< 0: both
  std::string dump, csv;
};

/// A run that problems are taken from.
struct Run {
  const char* scene;  ///< of the library with its parameters, or a file
  double step;        ///< s; 0: the scene's
  double seconds;     ///< simulated; 0: the scene's duration
};

constexpr int samples_of_a_run = 4;
constexpr int hard_of_a_run = 8;
constexpr long steps_between_hard = 3;
/// s, CPU: after which a run's problems so far are enough.
constexpr double longest_run = 20.0;

// Structures at rest, and the same hit, slippery, too thin or in collapse; heaps; lattices; joints.
const Run runs[] = {
    {"box_stack count=30", 0.0, 0.05},
    {"box_stack count=10 ratio=1000", 0.0, 0.05},
    {"card_house levels=4", 0.0, 0.05},
    {"card_house levels=6", 0.0, 0.03},
    {"card_house levels=4 mu=0.2", 0.002, 0.3},
    {"card_house levels=5 mu=0.25", 0.002, 0.3},
    {"card_house levels=6 mu=0.3", 0.002, 0.3},
    {"card_house levels=4 missing=3", 0.002, 0.3},
    {"card_house_hit levels=3", 0.002, 0.6},
    {"card_house_hit levels=4", 0.002, 0.6},
    {"card_house_hit levels=5 mu=0.5", 0.002, 0.6},
    {"arch voussoirs=101", 0.0, 0.03},
    {"arch voussoirs=21 thickness=0.10", 0.0, 0.6},
    {"arch voussoirs=51 thickness=0.10", 0.0, 0.4},
    {"arch voussoirs=31 mu=0.25", 0.0, 0.4},
    {"arch_hit", 0.002, 1.0},
    {"arch_hit target=leg", 0.002, 1.0},
    {"arch_hit kind=semicircle thickness=0.15", 0.002, 1.0},
    {"log_house layers=6", 0.0, 0.05},
    {"log_house layers=4 speed=1", 0.002, 0.4},
    {"kapla_tower", 0.0, 0.02},
    {"kapla_tower levels=20 ball=5", 0.002, 0.4},
    {"kapla_tower levels=20 mu=0.3 ball=8", 0.002, 0.4},
    {"kapla_tower levels=16 planks=3 twist=4 mu=0.15", 0.002, 0.3},
    {"tilting_plane load=card_house rate=20", 0.002, 1.5},
    {"jam", 0.0, 0.2},
    {"sphere_pile count=40", 0.005, 1.0},
    {"sphere_pile count=80 seed=2", 0.005, 1.0},
    {"box_pile count=30", 0.005, 0.8},
    {"box_pile count=30 mu=0.8 seed=2", 0.005, 0.8},
    {"box_pile count=60 mu=0.3 seed=3", 0.005, 0.8},
    {"rock_pile count=30", 0.005, 1.0},
    {"rock_pile count=30 seed=2", 0.005, 1.0},
    {"rock_pile count=60 seed=3", 0.005, 1.0},
    {"rock_pile count=60 seed=4 mu=0.5", 0.005, 1.0},
    {"rock_pile count=85 seed=11", 0.005, 1.2},
    {"rock_pile count=85 seed=13", 0.005, 1.2},
    {"cannonball", 0.005, 0.3},
    {"cannonball base=8 mu=0.3", 0.005, 0.3},
    {"cannonball base=10 mu=0.4", 0.005, 0.3},
    {"cannonball base=12 mu=0.5", 0.005, 0.3},
    {"cannonball base=14 mu=0.35", 0.005, 0.3},
    {"cannonball base=20 mu=0.15", 0.005, 0.15},
    {"cannonball base=20 mu=0.3", 0.005, 0.1},
    {"cannonball base=20 mu=0.4", 0.005, 0.15},
    {"cannonball base=20 mu=0.5", 0.005, 0.1},
    {"brazil_nut count=61 columns=10", 0.005, 2.0},
    {"brazil_nut count=121 columns=12 mu=0.8", 0.005, 2.0},
    {"painleve_rod", 0.0, 0.3},
    {"chain", 0.0, 0.1},
    {"parallelogram", 0.0, 0.1},
    {"grasp", 0.002, 1.0},
    {"grasp fingers=3 object=capsule", 0.002, 1.0},
    {"newtons_cradle", 0.0, 0.4},
    {"turntable", 0.0, 0.2},
    {"coin", 0.0, 0.2},
};

struct Problem {
  std::string name;  ///< the run, @, the step
  ContactProblem problem;
  VecX guess;  ///< may be 0

  /// By the run, so that steps of one run are together. FNV-1a, as the standard's hash is another one on each machine.
  int half() const {
    std::uint32_t hash = 2166136261U;
    for (const char c : name.substr(0, name.find('@'))) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return 1 + static_cast<int>((hash >> 16U) & 1U);
  }
};

Scene scene_of(const std::string& words) {
  std::istringstream in(words);
  std::string name;
  in >> name;
  std::map<std::string, std::string> parameters;
  for (std::string word; in >> word;) parameters[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  return fs::exists(name) ? read_scene(name) : make_scene(name, parameters);
}

void take_problems(const Run& run, bool quick, const std::function<void(Problem&&)>& take) {
  Scene scene = scene_of(run.scene);
  const double seconds = run.seconds > 0.0 ? run.seconds : scene.duration;
  scene.settings.solver = "newton";
  if (run.step > 0.0) scene.settings.step = run.step;
  scene.settings.max_rescues = 4;
  World world(scene);
  scene.settings.max_rescues = 0;
  World probe(scene);  // takes single steps of the same run as they are
  const long count = std::max(1L, std::lround((quick ? 0.5 : 1.0) * seconds / scene.settings.step));
  const std::string name = fs::exists(run.scene) ? fs::path(run.scene).stem().string() : run.scene;
  const double start = bench::cpu_seconds();
  int hard = 0;
  long last_hard = -steps_between_hard;
  for (long i = 0; i < count && bench::cpu_seconds() - start < longest_run; ++i) {
    const State before = world.state();
    const StepReport& report = world.step();
    bool rescued = !report.certified || report.parts > 1;
    for (const RescueRow& row : rescue_table()) rescued = rescued || report.rescues.of(row.rescue).tried > 0;
    const bool is_hard = rescued && hard < hard_of_a_run && i - last_hard >= steps_between_hard;
    const bool sample = i * samples_of_a_run / count != (i - 1) * samples_of_a_run / count || i == 0;
    if (report.contacts == 0 || !(is_hard || sample)) continue;
    if (is_hard) last_hard = i;
    hard += is_hard ? 1 : 0;
    probe.restore(before);
    probe.step();
    StepProblem step = probe.last_problem();
    if (step.problem.rows() == 0) continue;
    take({fmt::format("{} @{}{}", name, i, is_hard ? " hard" : ""), std::move(step.problem), std::move(step.guess)});
  }
}

/// The named files, and those of the named folders.
std::vector<fs::path> all_files(const std::vector<std::string>& words) {
  std::vector<fs::path> files;
  for (const std::string& word : words) {
    if (!fs::exists(word)) {
      fmt::print(stderr, "{}: is not there; left out\n", word);
    } else if (!fs::is_directory(word)) {
      files.emplace_back(word);
    } else {
      for (const auto& entry : fs::directory_iterator(word)) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Problem problem_from(const fs::path& file) {
  Problem problem{file.stem(), read_problem(file), {}};
  if (file.extension() == ".hdf5") problem.guess = read_problem_guess(file).value_or(VecX());
  if (problem.guess.size() != problem.problem.rows()) problem.guess.setZero(problem.problem.rows());
  return problem;
}

std::vector<Problem> corpus(const Settings& settings) {
  std::vector<Problem> all;
  const auto take_run = [&](const Run& run) {
    const double start = bench::cpu_seconds();
    const std::size_t before = all.size();
    try {
      take_problems(run, settings.quick, [&](Problem&& problem) { all.push_back(std::move(problem)); });
    } catch (const InputError& error) {
      fmt::print(stderr, "{}; left out\n", error.what());
      return;
    }
    fmt::print(stderr, "{}: {} problems, {}\n", run.scene, all.size() - before,
               bench::time_text(bench::cpu_seconds() - start));
  };
  for (const fs::path& file : all_files(settings.files)) {
    const std::string end = file.extension();
    if (end == ".json") take_run({file.c_str(), 0.0, 0.0});
    if (end == ".hdf5" || end == ".dat") all.push_back(problem_from(file));
  }
  if (!settings.files.empty()) return all;
  for (const Run& run : runs) take_run(run);
  return all;
}

/// One solve: a problem from its guess or from none.
struct Case {
  const Problem* problem;
  bool warm;
  double tolerance;

  std::string name() const { return fmt::format("{} {} {:.0e}", problem->name, warm ? "warm" : "cold", tolerance); }
};

std::vector<Case> cases_of(const std::vector<Problem>& problems, const Settings& settings) {
  std::vector<Case> cases;
  for (const Problem& problem : problems) {
    if (settings.half != 0 && problem.half() != settings.half) continue;
    for (const double tolerance : {1e-8, 1e-4}) {
      if (settings.alone && tolerance > 1e-6) continue;
      const bool has_guess = !problem.guess.isZero(0.0);
      if (!has_guess || !settings.alone) cases.push_back({&problem, false, tolerance});
      if (has_guess) cases.push_back({&problem, true, tolerance});
    }
  }
  return cases;
}

struct Solved {
  SolveReport report;
  VecX r;
  double seconds = 0.0;  ///< CPU
};

Solved solve(const Case& one, const VecX* from, std::span<const AutoStage> stages, double max_seconds) {
  SolverOptions options;
  options.tolerance = one.tolerance;
  options.max_seconds = max_seconds;
  AutoSolver solver(options, stages);
  ContactSolution solution;
  solution.r = from ? *from : (one.warm ? one.problem->guess : VecX::Zero(one.problem->problem.rows()));
  const double start = bench::cpu_seconds();
  Solved solved;
  solved.report = solver.solve(one.problem->problem, solution);
  solved.seconds = bench::cpu_seconds() - start;
  solved.r = std::move(solution.r);
  return solved;
}

bool ended(const SolveReport& report) {
  return report.status == SolveStatus::converged || report.status == SolveStatus::infeasible;
}

/// What the stages did for the cases of one half at one tolerance.
struct Tally {
  struct Stage {
    int runs = 0, ends = 0;
    double seconds = 0.0;  ///< wall
  };
  std::map<std::string_view, Stage> stages;
  int cases = 0, left = 0;
  double seconds = 0.0;  ///< CPU
  std::string slowest, names_left;
  double longest = 0.0;
};

void count(const Case& one, const Solved& solved, Tally& tally) {
  ++tally.cases;
  tally.seconds += solved.seconds;
  if (solved.seconds > tally.longest) {
    tally.longest = solved.seconds;
    tally.slowest = one.name();
  }
  for (const StageReport& stage : solved.report.stages) {
    Tally::Stage& row = tally.stages[stage.name];
    ++row.runs;
    row.seconds += stage.seconds;
  }
  if (ended(solved.report)) {
    if (!solved.report.stages.empty()) ++tally.stages[solved.report.stages.back().name].ends;
    return;
  }
  double least = INFINITY;
  for (const StageReport& stage : solved.report.stages) least = std::min(least, stage.residual);
  ++tally.left;
  tally.names_left += fmt::format("  {} ({:.1e})\n", one.name(), least);
}

void print(const Tally& tally, std::span<const AutoStage> stages, int half, double tolerance) {
  fmt::print("\nhalf {}, tolerance {:.0e}: {} of {} ended, {} in all; slowest {} ({})\n", half, tolerance,
             tally.cases - tally.left, tally.cases, bench::time_text(tally.seconds), bench::time_text(tally.longest),
             tally.slowest);
  fmt::print("{:22} {:>6} {:>6} {:>10}\n", "stage", "runs", "ends", "time");
  for (const AutoStage& stage : stages) {
    const auto found = tally.stages.find(stage.name);
    const Tally::Stage row = found == tally.stages.end() ? Tally::Stage() : found->second;
    fmt::print("{:22} {:>6} {:>6} {:>10}\n", stage.name, row.runs, row.ends, bench::time_text(row.seconds));
  }
  if (tally.left > 0) fmt::print("left, with the least residual:\n{}", tally.names_left);
}

/// Auto as it is.
void measure_auto(const std::vector<Case>& cases, std::span<const AutoStage> stages, const Settings& settings,
                  std::ostream* csv) {
  std::map<std::pair<int, double>, Tally> tallies;
  if (csv) *csv << "problem,half,rows,warm,tolerance,ended,seconds,last_stage\n";
  for (const Case& one : cases) {
    const Solved solved = solve(one, nullptr, stages, settings.max_seconds);
    count(one, solved, tallies[{one.problem->half(), one.tolerance}]);
    if (!csv) continue;
    *csv << fmt::format("{},{},{},{},{:g},{},{:.6g},{}\n", one.problem->name, one.problem->half(),
                        one.problem->problem.rows(), one.warm ? 1 : 0, one.tolerance, ended(solved.report) ? 1 : 0,
                        solved.seconds, solved.report.stages.empty() ? "" : solved.report.stages.back().name);
    csv->flush();
  }
  for (const auto& [key, tally] : tallies) print(tally, stages, key.first, key.second);
}

/// Each stage by itself, on what the stages up to the first Newton leave.
void measure_alone(const std::vector<Case>& cases, std::span<const AutoStage> stages, const Settings& settings,
                   std::ostream* csv) {
  const auto newton = std::find_if(stages.begin(), stages.end(), [](const AutoStage& s) { return s.name == "newton"; });
  if (newton == stages.end()) throw std::runtime_error("--alone needs the stage \"newton\"");
  const std::size_t first = static_cast<std::size_t>(newton - stages.begin()) + 1;
  std::map<std::string_view, Tally::Stage> alone;
  int hard = 0;
  if (csv) *csv << "problem,half,rows,warm,stage,ended,seconds,residual\n";
  for (const Case& one : cases) {
    const Solved begun = solve(one, nullptr, stages.first(first), settings.max_seconds);
    if (ended(begun.report)) continue;
    ++hard;
    fmt::print(stderr, "{}: hard, {} rows\n", one.name(), one.problem->problem.rows());
    for (const AutoStage& stage : stages.subspan(first)) {
      const Solved solved = solve(one, &begun.r, {&stage, 1}, settings.max_seconds);
      if (solved.report.stages.empty()) continue;  // not for this problem
      Tally::Stage& row = alone[stage.name];
      ++row.runs;
      row.ends += ended(solved.report) ? 1 : 0;
      row.seconds += solved.report.stages.back().seconds;
      if (!csv) continue;
      *csv << fmt::format("{},{},{},{},{},{},{:.6g},{:.3g}\n", one.problem->name, one.problem->half(),
                          one.problem->problem.rows(), one.warm ? 1 : 0, stage.name, ended(solved.report) ? 1 : 0,
                          solved.report.stages.back().seconds, solved.report.stages.back().residual);
      csv->flush();
    }
  }
  fmt::print("{} of {} are left by the first stages; each of the others by itself:\n", hard, cases.size());
  fmt::print("{:22} {:>6} {:>6} {:>10}\n", "stage", "runs", "ends", "time");
  for (const AutoStage& stage : stages.subspan(first)) {
    const Tally::Stage row = alone[stage.name];
    fmt::print("{:22} {:>6} {:>6} {:>10}\n", stage.name, row.runs, row.ends, bench::time_text(row.seconds));
  }
}

std::vector<AutoStage> chosen_stages(const std::vector<std::string>& names) {
  const std::span<const AutoStage> all = auto_stages();
  if (names.empty()) return {all.begin(), all.end()};
  std::vector<AutoStage> chosen;
  for (const std::string& name : names) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const AutoStage& s) { return s.name == name; });
    if (found == all.end()) throw std::runtime_error(name + ": no such stage");
    chosen.push_back(*found);
  }
  return chosen;
}

void dump(const std::vector<Problem>& problems, const fs::path& folder) {
  fs::create_directories(folder);
  for (const Problem& problem : problems) {
    write_problem(folder / (problem.name + ".hdf5"), problem.problem, &problem.guess);
  }
}

int run(const Settings& settings) {
  const std::vector<AutoStage> stages = chosen_stages(settings.stages);
  const std::vector<Problem> problems = corpus(settings);
  if (!settings.dump.empty()) {
    dump(problems, settings.dump);
    return 0;
  }
  std::ofstream csv;
  if (!settings.csv.empty()) csv.open(settings.csv);
  const std::vector<Case> cases = cases_of(problems, settings);
  fmt::print("# {}; {} problems, {} solves, limit {:g} s\n", bench::processor(), problems.size(), cases.size(),
             settings.max_seconds);
  (settings.alone ? measure_alone : measure_auto)(cases, stages, settings, csv.is_open() ? &csv : nullptr);
  return 0;
}

int start(int argc, char** argv) {
  Settings settings;
  CLI::App app("which stage of auto ends which problem");
  app.add_option("files", settings.files,
                 "problem files, scene files or folders of them (default: scenes of the library)");
  app.add_option("--stages", settings.stages, "only these of the table, in this order (default: all)")->delimiter(',');
  app.add_flag("--alone", settings.alone, "each stage by itself on what Newton leaves");
  app.add_option("--half", settings.half, "1: the half to choose on, 2: the half to report on (default both)");
  app.add_option("--max-seconds", settings.max_seconds, "of one solve (default 20)");
  app.add_flag("--quick", settings.quick, "runs of half the length");
  app.add_option("--dump", settings.dump, "writes the problems to this folder, and solves none");
  app.add_option("--csv", settings.csv, "writes every solve");
  CLI11_PARSE(app, argc, argv);
  return run(settings);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_program("stages", [&] { return start(argc, argv); });
}
