#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "cardhouse/base/error.h"
#include "cardhouse/cli/arguments.h"
#include "cardhouse/cli/commands.h"
#include "cardhouse/cli/places.h"
#include "cardhouse/cli/progress_bar.h"
#include "cardhouse/cli/recording_file.h"
#include "cardhouse/cli/scene_source.h"
#include "cardhouse/cli/signals.h"
#include "cardhouse/cli/stepping_to.h"
#include "cardhouse/io/problem_file.h"
#include "cardhouse/io/recording.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/report/diagnosis_report.h"
#include "cardhouse/report/write_file.h"

namespace cardhouse::cli {
namespace {

struct DiagnoseOptions {
  std::vector<std::string> words;
  std::optional<std::string> solver;
  std::optional<double> step;
  std::string json;
};

/// What is to be diagnosed, as the words say it.
struct Subject {
  std::string name;       ///< as given, with parameters
  std::string source;     ///< file or scene
  std::int64_t step = 0;  ///< of a scene or recording; 0: the source is a problem file
  Parameters parameters;
};

Subject parse_subject(const DiagnoseOptions& options) {
  const SceneWords words = split_scene_words(options.words);
  if (words.scene.empty()) throw InputError("diagnose: give a problem file or SCENE@STEP");
  Subject subject;
  for (const std::string& word : options.words) subject.name += (subject.name.empty() ? "" : " ") + word;
  subject.source = words.scene;
  subject.parameters = words.parameters;
  const auto [source, number] = split_at_step(words.scene);
  const bool with_step = !number.empty() && !is_file(words.scene);
  if (with_step) {
    subject.source = source;
    subject.step = parse_step(number, words.scene + ":", "SCENE@STEP");
  } else if (names_scene(words.scene) || words.scene.ends_with('@')) {
    load_scene(source, words.parameters);  // a word that is nothing at all is refused as such
    throw InputError(fmt::format("{0}: which step? Give {0}@STEP, such as {0}@100", source));
  }
  if (!with_step && !subject.parameters.empty()) throw InputError("diagnose: a problem file takes no parameters");
  if (!with_step && (options.solver || options.step)) {
    throw InputError("diagnose: --solver and --step are for scenes; a problem file is diagnosed as it is");
  }
  return subject;
}

World world_before(const Subject& subject, const DiagnoseOptions& options) {
  const bool recorded = looks_like_recording(subject.source);
  if (recorded && !subject.parameters.empty()) throw InputError("diagnose: a recorded scene takes no parameters");
  Scene scene = recorded ? parse_scene(read_recording_info(subject.source).scene_text, subject.source)
                         : load_scene(subject.source, subject.parameters);
  scene.settings.solver = options.solver.value_or(scene.settings.solver);
  scene.settings.step = options.step.value_or(scene.settings.step);
  scene.settings.stop = interrupt_token();
  World world(std::move(scene));
  if (!recorded) return world;
  const RecordingInfo info = read_recording_info(subject.source);
  if (subject.step <= info.first_step || subject.step > info.first_step + info.steps) {
    throw InputError(fmt::format("{}@{}: this recording holds the steps {} … {}", subject.source, subject.step,
                                 info.first_step + 1, info.first_step + info.steps));
  }
  go_to(world, {subject.source, subject.step - 1});
  return world;
}

/// Throws Cancelled when the user ended it.
ContactProblem problem_of_step(const Subject& subject, const DiagnoseOptions& options) {
  catch_interrupts();
  World world = world_before(subject, options);
  const State& state = world.state();
  const double end = state.time + world.settings().step * static_cast<double>(subject.step - state.step);
  ProgressBar progress({world.scene().name, state.step, subject.step, end}, ProgressBar::fitting_style(false));
  while (state.step < subject.step) {
    world.settings().stop.throw_if_requested();
    world.step();
    progress.update(state, world.last_report());
  }
  return world.last_problem().problem;
}

int run_diagnose(const DiagnoseOptions& options) {
  const Subject subject = parse_subject(options);
  check_output(options.json, "--json", {subject.source});
  const ContactProblem problem = subject.step == 0 ? read_problem(subject.source) : problem_of_step(subject, options);
  const ProblemDiagnosis diagnosis = diagnose_problem(subject.name, problem);
  fmt::print(options.json == "-" ? stderr : stdout, "{}", diagnosis_text(diagnosis));
  if (options.json == "-") {
    fmt::print("{}", diagnosis_json(diagnosis));
  } else if (!options.json.empty()) {
    write_file_atomically(options.json, diagnosis_json(diagnosis));
  }
  return exit_code::done;
}

constexpr const char* diagnose_examples = R"(
Tells of the matrix W, by which impulses change velocities, and of the contacts what makes the problem easy or hard, and
for which methods. Steps count from 1: STEP is the problem that was solved to come to that step.

Examples:
  cardhouse diagnose Capsules-i100-889.dat
  cardhouse diagnose card_house@100 levels=3
  cardhouse diagnose out/arch-1/recording.h5@250 --json arch.json)";

}  // namespace

void add_diagnose_command(CLI::App& app, int& result) {
  const auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* command = app.add_subcommand("diagnose", "Show why a contact problem is easy or hard");
  command
      ->add_option(
          "FILE|SCENE@STEP", options->words,
          "Contact problem (FCLIB HDF5 or Siconos text), or a step of a scene or recording, then parameters as "
          "name=value")
      ->type_name("");
  command->add_option("--solver", options->solver, solver_help("Solver of the steps before [the scene's]"))
      ->type_name("NAME");
  command->add_option("--step", options->step, "Time step (s) [the scene's]")
      ->type_name("H")
      ->check(positive_number("s"));
  command->add_option("--json", options->json, "File for the same as JSON; - for standard output")->type_name("FILE");
  command->footer(diagnose_examples);
  command->callback([options, &result] { result = run_diagnose(*options); });
}

}  // namespace cardhouse::cli
