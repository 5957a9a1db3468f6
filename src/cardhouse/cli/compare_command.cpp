#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "cardhouse/base/error.h"
#include "cardhouse/cli/arguments.h"
#include "cardhouse/cli/commands.h"
#include "cardhouse/cli/compare_solvers.h"
#include "cardhouse/cli/places.h"
#include "cardhouse/cli/scene_source.h"
#include "cardhouse/cli/signals.h"
#include "cardhouse/cli/stepping_to.h"
#include "cardhouse/io/problem_file.h"
#include "cardhouse/report/start_overlap.h"
#include "cardhouse/report/write_file.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/world/world.h"

namespace fs = std::filesystem;

namespace cardhouse::cli {
namespace {

constexpr int most_repetitions = 1000000;

struct CompareOptions {
  std::vector<std::string> words;
  std::string solvers;
  std::optional<double> tolerance;
  int repeat = 1;
  std::optional<double> max_seconds;
  std::optional<double> duration;
  std::optional<double> step;
  bool stages = false;
  std::string json;
  std::string out;
};

/// A problem to compare solvers on: a scene, or else a file.
struct ComparedSubject {
  std::string name;  ///< as given, with parameters
  std::optional<Scene> scene;
};

/// What came of it.
struct Comparison {
  std::vector<ComparisonRow> rows;
  struct SceneHistories {
    std::string name;
    double step = 0.0;
    double tolerance = 0.0;
    std::vector<ResidualHistory> histories;
  };
  std::vector<SceneHistories> scenes;
};

std::vector<std::string> chosen_solvers(const std::string& list) {
  if (list.empty()) return solver_names();
  std::vector<std::string> solvers;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string name = list.substr(at, end - at);
    make_solver(name, {});  // refuses what it does not know
    if (std::find(solvers.begin(), solvers.end(), name) != solvers.end()) {
      throw InputError(fmt::format("--solvers {}: {} is given twice", list, name));
    }
    solvers.push_back(name);
    at = end + 1;
  }
  return solvers;
}

/// A scene as it is to be run; refuses one that can't be.
Scene prepared_scene(const std::string& word, const Parameters& parameters, const CompareOptions& options) {
  Scene scene = load_scene(word, parameters);
  scene.duration = options.duration.value_or(scene.duration);
  scene.settings.step = options.step.value_or(scene.settings.step);
  scene.settings.tolerance = options.tolerance.value_or(scene.settings.tolerance);
  const World checked(scene);
  steps_left(scene, scene.initial.time);
  find_start_overlap(scene);
  return scene;
}

bool is_parameter(const std::string& word) {
  std::error_code ignored;
  return word.find('=') != std::string::npos && !fs::exists(word, ignored);
}

/// Scenes with the parameters that follow them, and files. All are read once, so that a mistake shows before the work.
std::vector<ComparedSubject> parse_subjects(const CompareOptions& options) {
  std::vector<ComparedSubject> subjects;
  for (std::size_t i = 0; i < options.words.size();) {
    std::vector<std::string> words = {options.words[i++]};
    if (is_parameter(words[0])) {
      throw InputError(fmt::format("'{}': parameters follow the name of a scene", words[0]));
    }
    const bool is_scene = names_scene(words[0]);
    while (is_scene && i < options.words.size() && is_parameter(options.words[i])) words.push_back(options.words[i++]);
    ComparedSubject subject;
    for (const std::string& word : words) subject.name += (subject.name.empty() ? "" : " ") + word;
    if (is_scene) {
      subject.scene = prepared_scene(words[0], split_scene_words(words).parameters, options);
    } else {
      read_problem(words[0]);
    }
    const bool seen = std::any_of(subjects.begin(), subjects.end(),
                                  [&](const ComparedSubject& other) { return other.name == subject.name; });
    if (seen) throw InputError(fmt::format("{}: is given twice", subject.name));
    subjects.push_back(std::move(subject));
  }
  if (subjects.empty()) throw InputError("compare: give scenes or problem files");
  const bool any_scene =
      std::any_of(subjects.begin(), subjects.end(), [](const ComparedSubject& s) { return s.scene.has_value(); });
  if (!any_scene && (options.duration || options.step)) {
    throw InputError("compare: --duration and --step are for scenes, and there is none");
  }
  return subjects;
}

void tell_begin(std::size_t number, std::size_t all, const std::string& problem, const std::string& solver) {
  fmt::print(stderr, "[{}/{}] {}: {} … ", number, all, problem, solver);
  std::fflush(stderr);
}

void tell_end(const ComparisonRow& row) {
  fmt::print(stderr, "{}, {:.3g} s, residual {:.1e}\n", row.status, row.seconds, row.residual);
}

/// All solvers on all problems. False when the user ended it; what was measured so far is there.
bool compare(const std::vector<ComparedSubject>& subjects, const std::vector<std::string>& solvers,
             const CompareOptions& options, Comparison& result) {
  CompareLimits limits;
  limits.max_seconds = options.max_seconds.value_or(limits.max_seconds);
  limits.repeat = options.repeat;
  limits.stages = options.stages;
  std::size_t number = 0;
  for (const ComparedSubject& subject : subjects) {
    limits.tolerance = subject.scene ? subject.scene->settings.tolerance : options.tolerance.value_or(1e-8);
    if (subject.scene) result.scenes.push_back({subject.name, subject.scene->settings.step, limits.tolerance, {}});
    const ContactProblem problem = subject.scene ? ContactProblem() : read_problem(subject.name);
    for (const std::string& solver : solvers) {
      tell_begin(++number, subjects.size() * solvers.size(), subject.name, solver);
      std::optional<MeasuredRun> measured;
      if (subject.scene) {
        measured = measure_scene(*subject.scene, solver, limits);
      } else {
        measured = MeasuredRun{measure_file(problem, solver, limits), {}};
      }
      if (interrupted() || !measured) {
        fmt::print(stderr, "interrupted\n");
        return false;
      }
      measured->row.problem = subject.name;
      measured->row.solver = solver;
      tell_end(measured->row);
      result.rows.push_back(std::move(measured->row));
      if (subject.scene) result.scenes.back().histories.push_back({solver, std::move(measured->residuals)});
    }
  }
  return true;
}

/// Times of files that every solver was measured on: `seconds[s][p]`.
std::vector<std::vector<std::optional<double>>> times_to(const Comparison& result,
                                                         const std::vector<std::string>& solvers, double tolerance,
                                                         bool main_tolerance) {
  std::vector<std::vector<std::optional<double>>> seconds(solvers.size());
  std::vector<const ComparisonRow*> files;
  for (const ComparisonRow& row : result.rows) {
    if (!row.run) files.push_back(&row);
  }
  for (std::size_t i = 0; i + solvers.size() <= files.size(); i += solvers.size()) {
    for (std::size_t s = 0; s < solvers.size(); ++s) {
      const ComparisonRow& row = *files[i + s];
      std::optional<double> time;
      if (main_tolerance && row.natural_map <= tolerance) time = row.seconds;
      for (std::size_t k = 0; k < compared_tolerances.size(); ++k) {
        if (!main_tolerance && compared_tolerances[k] == tolerance) time = row.seconds_to[k];
      }
      seconds[s].push_back(time);
    }
  }
  return seconds;
}

void write_profiles(const Comparison& result, const std::vector<std::string>& solvers, const CompareOptions& options,
                    const fs::path& folder) {
  std::set<double> tolerances(compared_tolerances.begin(), compared_tolerances.end());
  if (options.tolerance) tolerances.insert(*options.tolerance);
  for (const double tolerance : tolerances) {
    const bool is_compared =
        std::find(compared_tolerances.begin(), compared_tolerances.end(), tolerance) != compared_tolerances.end();
    const auto seconds = times_to(result, solvers, tolerance, !is_compared);
    if (seconds.empty() || seconds[0].size() < 2) return;
    const std::vector<PerformanceProfile> profiles = performance_profiles(solvers, seconds);
    const std::string name = "profile-" + short_number(tolerance);
    write_file_atomically(folder / (name + ".csv"), profile_csv(profiles));
    write_file_atomically(folder / (name + ".svg"), svg_text(profile_plot(profiles, tolerance)));
  }
}

void write_pictures(const Comparison& result, const std::vector<std::string>& solvers, const CompareOptions& options) {
  if (options.out.empty()) return;
  const fs::path folder = options.out;
  make_folders(folder);
  std::set<std::string> used;
  for (const auto& scene : result.scenes) {
    std::string name = plain_name(scene.name) + "-residuals";
    for (int i = 2; !used.insert(name).second; ++i) name = fmt::format("{}-{}-residuals", plain_name(scene.name), i);
    write_file_atomically(folder / (name + ".csv"), residual_csv(scene.histories, scene.step));
    write_file_atomically(folder / (name + ".svg"),
                          svg_text(residual_plot(scene.name, scene.histories, scene.tolerance)));
  }
  write_profiles(result, solvers, options, folder);
}

int run_compare(const CompareOptions& options) {
  const std::vector<std::string> solvers = chosen_solvers(options.solvers);
  check_output(options.json, "--json", options.words);
  if (!options.out.empty()) check_folder(options.out, "--out");
  const std::vector<ComparedSubject> subjects = parse_subjects(options);
  catch_interrupts();
  Comparison result;
  const bool complete = compare(subjects, solvers, options, result);
  const bool json_to_stdout = options.json == "-";
  fmt::print(json_to_stdout ? stderr : stdout, "{}", comparison_table(result.rows));
  if (json_to_stdout) {
    fmt::print("{}", comparison_json(result.rows));
  } else if (!options.json.empty()) {
    write_file_atomically(options.json, comparison_json(result.rows));
  }
  write_pictures(result, solvers, options);
  return complete ? exit_code::done : exit_code::interrupted;
}

constexpr const char* compare_examples = R"(
Scenes are run with each solver; problem files (FCLIB HDF5, Siconos text) are solved by each from r = 0, to the tolerance
and, for the time that it takes, to 1e-4, 1e-6 and 1e-8. The tolerance of files is on the natural-map error of Siconos,
that of scenes on the residual of the certificate.

Examples:
  cardhouse compare card_house levels=3 --duration 0.5 --out comparison
  cardhouse compare problems/*.hdf5 --max-seconds 10 --json rows.json --out comparison
  cardhouse compare arch my.json --solvers interior-point,staggered-projections
  cardhouse compare rock_pile count=30 --solvers auto --stages

--out gets residuals per step (CSV and SVG) for each scene and performance profiles for two or more files.
Exit codes: 0 done, whatever the solvers reached; 2 bad input; 130 interrupted, with what was measured so far.)";

}  // namespace

void add_compare_command(CLI::App& app, int& result) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Compare solvers on scenes and problem files");
  command
      ->add_option("SCENE|FILE", options->words,
                   "Scenes, each with its parameters as name=value behind it, and contact problems")
      ->type_name("");
  command->add_option("--solvers", options->solvers, "Solvers, by name, with commas [all]")->type_name("A,B,…");
  command->add_option("--tolerance", options->tolerance, "Tolerance of the solvers [1e-8; a scene's own]")
      ->type_name("R")
      ->check(positive_number(""));
  command->add_option("--repeat", options->repeat, "Measure N times and take the fastest [1]")
      ->type_name("N")
      ->check(positive_integer(most_repetitions));
  add_memory_option(*command);
  command
      ->add_option("--max-seconds", options->max_seconds,
                   "Wall time after which a solve of a file, or a scene's run, is given up (s)")
      ->type_name("S")
      ->check(positive_number("s"));
  command->add_option("--duration", options->duration, "Simulated time of the scenes (s) [the scene's]")
      ->type_name("S")
      ->check(non_negative_number("s"));
  command->add_option("--step", options->step, "Time step of the scenes (s) [the scene's]")
      ->type_name("H")
      ->check(positive_number("s"));
  command->add_flag("--stages", options->stages, "Count which stage of auto ended which solve");
  command->add_option("--json", options->json, "File for the rows as JSON; - for standard output")->type_name("FILE");
  command->add_option("--out", options->out, "Folder for CSV files and pictures")->type_name("DIR");
  command->footer(compare_examples);
  command->callback([options, &result] { result = run_compare(*options); });
}

}  // namespace cardhouse::cli
