#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/cli/arguments.h"
#include "cardhouse/cli/commands.h"
#include "cardhouse/cli/places.h"
#include "cardhouse/cli/progress_bar.h"
#include "cardhouse/cli/run_output.h"
#include "cardhouse/cli/scene_source.h"
#include "cardhouse/cli/signals.h"
#include "cardhouse/cli/stepping_to.h"
#include "cardhouse/io/problem_dump.h"
#include "cardhouse/io/recording.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/io/scene_keys.h"
#include "cardhouse/report/start_joints.h"
#include "cardhouse/report/start_overlap.h"
#include "cardhouse/report/statistics.h"
#include "cardhouse/report/table.h"
#include "cardhouse/report/write_file.h"
#include "cardhouse/world/world.h"

namespace cardhouse::cli {
namespace {

/// More than any machine has: a larger number is a slip of the pen.
constexpr int most_threads = 1024;

struct RunOptions {
  std::vector<std::string> words;
  std::optional<double> duration;
  std::optional<double> step;
  std::optional<std::string> solver;
  std::optional<std::string> contact;
  std::optional<std::string> restitution;
  std::optional<std::string> adaptive;
  std::optional<double> least_step;
  std::optional<double> error_tolerance;
  std::optional<double> tolerance;
  double max_seconds = 0.0;
  std::optional<int> threads;
  double frames_per_second = 60.0;
  std::string out;
  std::string summary;
  std::string record;
  std::string from;
  std::vector<std::pair<std::string, std::string>> dumps;  ///< which steps, and the folder
  bool strict = false;
  bool diagnose = false;
  bool quiet = false;
  bool project_joints = false;
};

/// The place of a word among those that a setting knows; the command line has checked that it is one of them.
template <typename Choice, std::size_t N>
Choice choice_of(const std::string& word, const std::array<scene_keys::Key, N>& words) {
  return Choice{static_cast<int>(std::find(words.begin(), words.end(), word) - words.begin())};
}

void apply_adaptive(const RunOptions& options, StepSettings& settings) {
  if (options.adaptive) settings.adaptive = choice_of<Adaptive>(*options.adaptive, scene_keys::adaptive_rules);
  if (settings.adaptive == Adaptive::none && (options.least_step || options.error_tolerance)) {
    throw InputError("--least-step, --error-tolerance: are for adaptive steps; give --adaptive collision or error");
  }
  settings.least_step = options.least_step.value_or(settings.least_step);
  settings.error_tolerance = options.error_tolerance.value_or(settings.error_tolerance);
}

/// Options of the command line go before what the scene says.
void apply_options(const RunOptions& options, Scene& scene) {
  scene.duration = options.duration.value_or(scene.duration);
  scene.settings.step = options.step.value_or(scene.settings.step);
  scene.settings.solver = options.solver.value_or(scene.settings.solver);
  if (options.contact) {
    scene.settings.contact = *options.contact == "soft" ? ContactModel::soft : ContactModel::hard;
  }
  if (options.restitution) {
    scene.settings.restitution = choice_of<Restitution>(*options.restitution, scene_keys::restitution_laws);
  }
  apply_adaptive(options, scene.settings);
  scene.settings.tolerance = options.tolerance.value_or(scene.settings.tolerance);
  scene.settings.threads = options.threads.value_or(scene.settings.threads);
  scene.settings.diagnose = options.diagnose || scene.settings.diagnose;
  scene.settings.max_seconds = options.max_seconds;
  scene.settings.stop = interrupt_wish();
}

/// Whether two scenes hold the same bodies in the same places, however they are to be run.
bool same_mechanics(Scene a, Scene b) {
  a.name = b.name;
  a.description = b.description;
  a.parameters = b.parameters;
  a.settings = b.settings;
  a.duration = b.duration;
  a.stands = b.stands = {};
  return scene_text(a) == scene_text(b);
}

/// The scene that a recording keeps. One given on the command line as well must be the same.
Scene recorded_scene(const RecordingStep& from, const SceneWords& words) {
  const RecordingInfo info = read_recording_info(from.recording);
  const std::int64_t last = info.first_step + info.steps;
  if (from.step < info.first_step || from.step > last) {
    throw InputError(fmt::format("--from {}@{}: this recording holds the steps {} … {}", from.recording.string(),
                                 from.step, info.first_step, last));
  }
  Scene scene = parse_scene(info.scene_text, from.recording.string());
  if (words.scene.empty() && !words.parameters.empty()) {
    throw InputError("--from: a recorded scene takes no parameters; leave them out");
  }
  if (!words.scene.empty() && !same_mechanics(load_scene(words.scene, words.parameters), scene)) {
    throw InputError(
        fmt::format("{}: is not the scene that {} was made of; leave it out to go on with the recorded one",
                    words.scene, from.recording.string()));
  }
  return scene;
}

Scene chosen_scene(const RunOptions& options, const std::optional<RecordingStep>& from) {
  const SceneWords words = split_scene_words(options.words);
  if (!from && words.scene.empty()) {
    throw InputError("run: give a scene file or a name; 'cardhouse scene --list' shows the names");
  }
  Scene scene = from ? recorded_scene(*from, words) : load_scene(words.scene, words.parameters);
  apply_options(options, scene);
  return scene;
}

void refuse_to_begin_past_the_end(const RecordingStep& from, const State& state, const Scene& scene) {
  if (state.time <= scene.duration + 1e-6 * scene.settings.step) return;
  throw InputError(fmt::format(
      "--from {}@{}: that step is at {:.6g} s, but the run is to end at {:.6g} s: give a longer --duration (it counts "
      "from the scene's start) or an earlier step",
      from.recording.string(), from.step, state.time, scene.duration));
}

/// Looks at the contacts of the start, so that bodies that can't touch are refused before anything is written.
void check_start(const Scene& scene, bool quiet) {
  const std::optional<StartOverlap> overlap = find_start_overlap(scene);
  if (overlap && !quiet) {
    fmt::print(stderr, "cardhouse: warning: {}\n", start_overlap_words(*overlap, scene.settings));
  }
}

/// Tells how far joints are off at the start, and brings them together when asked to.
void check_joints(World& world, const RunOptions& options) {
  const std::optional<WorstJointViolation> start = find_start_violation(world.scene());
  if (!start) return;
  if (!options.project_joints) {
    if (!options.quiet) {
      fmt::print(stderr, "cardhouse: warning: {}\n", start_violation_words(*start, world.scene()));
    }
    return;
  }
  const JointViolation left = world.project_joints();
  if (options.quiet) return;
  fmt::print(stderr, "cardhouse: joints were off by {} and {}, and are by {} and {} after their projection\n",
             with_unit(start->length, "m"), with_unit(start->angle, "rad"), with_unit(left.length, "m"),
             with_unit(left.angle, "rad"));
}

/// What one --dump-problem asks for. Throws InputError unless the run may come to it.
ProblemDump parse_dump(const std::string& which, const std::string& folder, const std::string& scene,
                       std::int64_t first_step, std::int64_t last_step) {
  check_folder(folder, "--dump-problem");
  if (which == "worst") return {ProblemDump::Which::worst, 0, folder, scene};
  if (which == "uncertified") return {ProblemDump::Which::uncertified, 0, folder, scene};
  const std::int64_t step = parse_step(which, "--dump-problem", "a step's number, worst or uncertified");
  if (step <= first_step || step > last_step) {
    throw InputError(
        fmt::format("--dump-problem {}: this run takes the steps {} … {}", which, first_step + 1, last_step));
  }
  return {ProblemDump::Which::step, step, folder, scene};
}

std::vector<ProblemDump> parse_dumps(const RunOptions& options, const Scene& scene, std::int64_t first_step,
                                     std::int64_t last_step) {
  std::vector<ProblemDump> dumps;
  for (const auto& [which, folder] : options.dumps) {
    dumps.push_back(parse_dump(which, folder, plain_name(scene.name), first_step, last_step));
  }
  return dumps;
}

/// Finishes the dumps and says where they are, or that there was nothing to write.
void tell_dumps(const RunOptions& options, std::vector<ProblemDump>& dumps, std::FILE* stream) {
  for (std::size_t i = 0; i < dumps.size(); ++i) {
    dumps[i].finish();
    const auto& files = dumps[i].files();
    const std::string& which = options.dumps[i].first;
    if (options.quiet) continue;
    if (files.empty()) {
      fmt::print(stream, "  problems        none for '{}': no such step with contacts\n", which);
    } else if (files.size() == 1) {
      fmt::print(stream, "  problem         {}\n", files.front().string());
    } else {
      fmt::print(stream, "  problems        {} in {}\n", files.size(), options.dumps[i].second);
    }
  }
}

/// What a run needs besides the world.
struct Run {
  std::int64_t last_step = 0;
  bool strict = false;
  RecordingWriter& recording;
  RunStatistics& statistics;
  ProgressBar& progress;
  std::vector<ProblemDump>& dumps;
};

RunEnd simulate(World& world, const Run& run) {
  while (!is_over(world, run.last_step)) {
    if (interrupted()) return RunEnd::interrupted;
    try {
      world.step();
    } catch (const InputError& error) {
      // What is wrong with the scene may show late. The state is still that of the last step, and so are the files.
      run.statistics.set_stop_reason(error.what());
      return RunEnd::stopped;
    } catch (const Stopped&) {
      return RunEnd::interrupted;
    }
    const StepReport& report = world.last_report();
    const Energy energy = world.energy();
    run.statistics.add_step(world.state(), report, energy);

    const Stopwatch output;
    run.recording.add_step(world.state(), report, energy, world.contacts(), world.joints());
    for (ProblemDump& dump : run.dumps) dump.see(world);
    run.progress.update(world.state(), report);
    run.statistics.add_output_seconds(output.seconds());

    if (run.strict && !report.certified) return RunEnd::uncertified;
  }
  return RunEnd::done;
}

/// Begins the recording; on failure takes back the folders that were made for it.
std::unique_ptr<RecordingWriter> begin_recording(RunOutput& output, const World& world, double frames_per_second) {
  output.create();
  try {
    RecordingWriter::Options options;
    options.frames_per_second = frames_per_second;
    auto recording =
        std::make_unique<RecordingWriter>(output.recording(), world.scene(), scene_text(world.scene()), options);
    recording->begin(world.state(), world.energy());
    return recording;
  } catch (...) {
    output.discard();
    throw;
  }
}

/// With the summary on standard output, what is for people goes to the other stream.
void tell_results(const RunSummary& summary, const RunOutput& output, bool quiet) {
  const std::string text = summary_text(summary);
  if (output.summary_to_stdout()) {
    fmt::print("{}", text);
  } else {
    write_file_atomically(output.summary(), text);
  }
  if (quiet) return;
  std::FILE* stream = output.summary_to_stdout() ? stderr : stdout;
  fmt::print(stream, "{}\n", summary_table(summary));
  fmt::print(stream, "  recording       {}\n", output.recording().string());
  if (!output.summary_to_stdout()) fmt::print(stream, "  summary         {}\n", output.summary().string());
}

void tell_uncertified(const RunSummary& summary) {
  const UncertifiedStep& step = *summary.worst_uncertified;
  fmt::print(stderr, "cardhouse: --strict: step {} is not certified: residual {:.2e}, tolerance {:.0e}{}\n", step.step,
             step.residual, summary.tolerance, step.reason.empty() ? "" : ": " + step.reason);
}

void tell_stop(const RunSummary& summary) {
  fmt::print(stderr,
             "cardhouse: step {} can't be taken: {}\nThe recording and the summary hold the run up to {:.6g} s.\n",
             summary.first_step + summary.steps + 1, summary.stop_reason, summary.time);
}

int exit_code_of(const RunSummary& summary) {
  switch (summary.end) {
    case RunEnd::done:
      return exit_code::done;
    case RunEnd::interrupted:
      return exit_code::interrupted;
    case RunEnd::uncertified:
      tell_uncertified(summary);
      return exit_code::uncertified;
    case RunEnd::stopped:
      break;
  }
  tell_stop(summary);
  return exit_code::bad_input;
}

int run_scene(const RunOptions& options) {
  const std::optional<RecordingStep> from =
      options.from.empty() ? std::nullopt : std::optional(parse_recording_step(options.from));
  World world(chosen_scene(options, from));
  const Scene& scene = world.scene();
  RunOutput output({options.out, options.summary, options.record, scene.name,
                    from ? from->recording : std::filesystem::path(options.words[0])});
  steps_left(scene, scene.initial.time);  // an absurd number of steps is refused before the first one

  if (!from) {
    check_start(scene, options.quiet);
    check_joints(world, options);
  }

  catch_interrupts();
  ignore_file_size_signal();
  if (from) {
    go_to(world, *from);
    refuse_to_begin_past_the_end(*from, world.state(), scene);
  }
  const std::int64_t first_step = world.state().step;
  const std::int64_t last_step = first_step + steps_left(scene, world.state().time);
  std::vector<ProblemDump> dumps = parse_dumps(options, scene, first_step, last_step);
  const auto recording = begin_recording(output, world, options.frames_per_second);

  RunStatistics statistics(scene, world.state(), world.energy());
  const double first_time = scene.settings.adaptive == Adaptive::none ? -1.0 : world.state().time;
  ProgressBar progress({scene.name, first_step, last_step, scene.duration, first_time},
                       ProgressBar::fitting_style(options.quiet));
  const RunEnd end = simulate(world, {last_step, options.strict, *recording, statistics, progress, dumps});

  const Stopwatch closing;
  progress.finish();
  recording->finish(std::string(run_end_name(end)));
  statistics.add_output_seconds(closing.seconds());
  const RunSummary summary = statistics.summary(end, world.state());
  tell_results(summary, output, options.quiet);
  tell_dumps(options, dumps, output.summary_to_stdout() ? stderr : stdout);
  return exit_code_of(summary);
}

constexpr const char* run_examples = R"(
Examples:
  cardhouse run card_house                            10 s of a card house
  cardhouse run card_house levels=6 mu=0.2            another one; this one falls
  cardhouse run my.json --step 0.005 --out results    a scene file
  cardhouse run --from results/recording.h5@500       go on from step 500, bit for bit
  cardhouse run my.json --dump-problem worst problems the hardest step's problem as a file

The output folder then holds summary.json (numbers) and recording.h5 (motion and contacts). Ctrl-C ends the run
cleanly and keeps both. Exit codes: 0 done, 1 the system failed (a full disk), 2 bad input, 3 not certified (--strict),
130 interrupted.)";

template <std::size_t N>
std::vector<std::string> words_of(const std::array<scene_keys::Key, N>& words) {
  return {words.begin(), words.end()};
}

void add_scene_options(CLI::App& command, RunOptions& options) {
  command.add_option("SCENE", options.words, "Scene file (JSON) or name of a scene, then parameters as name=value")
      ->type_name("");
  command.add_option("--duration", options.duration, "Simulated time to run to (s)")
      ->type_name("S")
      ->check(non_negative_number("s"));
  command.add_option("--step", options.step, "Time step (s)")->type_name("H")->check(positive_number("s"));
  command.add_option("--solver", options.solver, solver_help("Solver of the contact problem"))->type_name("NAME");
  command.add_option("--contact", options.contact, "Rigid or elastic contacts: hard or soft")
      ->type_name("WORD")
      ->check(CLI::IsMember({"hard", "soft"}));
  command.add_option("--restitution", options.restitution, "Law of collisions: newton, lagged, poisson or impact")
      ->type_name("LAW")
      ->check(CLI::IsMember(words_of(scene_keys::restitution_laws)));
  command.add_option("--adaptive", options.adaptive, "Length of steps by the next collision or by errors; or none")
      ->type_name("RULE")
      ->check(CLI::IsMember(words_of(scene_keys::adaptive_rules)));
  command
      .add_option("--least-step", options.least_step, "Least adaptive step (s) [a thousandth of --step, the largest]")
      ->type_name("H")
      ->check(positive_number("s"));
  command.add_option("--error-tolerance", options.error_tolerance, "Largest estimated error of a step (m) [1e-5]")
      ->type_name("E")
      ->check(positive_number("m"));
  command.add_option("--tolerance", options.tolerance, "Largest residual of a certified step")
      ->type_name("R")
      ->check(tolerance_number());
  command
      .add_option("--max-seconds", options.max_seconds,
                  "Wall time after which a solve is given up (s); results then depend on the machine [no limit]")
      ->type_name("S")
      ->check(positive_number("s"));
  command.add_option("--threads", options.threads, "Threads to use; the result is the same for any number")
      ->type_name("N")
      ->check(positive_integer(most_threads));
  command.add_option("--from", options.from, "Go on from a step of a recording, with the scene that it keeps")
      ->type_name("RECORDING@STEP");
  command.add_flag("--project-joints", options.project_joints,
                   "Move the bodies before the first step to the nearest places where no joint is off");
  command.add_flag("--strict", options.strict, "Stop with exit code 3 at the first step that is not certified");
  command.add_flag("--diagnose", options.diagnose, "Record for each step why its problem is easy or hard (slow)");
}

void add_output_options(CLI::App& command, RunOptions& options) {
  command.add_option("--out", options.out, "Folder for summary.json and recording.h5 [a new one under out/]")
      ->type_name("DIR");
  command.add_option("--summary", options.summary, "File for the summary; - for standard output [DIR/summary.json]")
      ->type_name("FILE");
  command.add_option("--record", options.record, "File for the recording [DIR/recording.h5]")->type_name("FILE");
  command.add_option("--fps", options.frames_per_second, "Frames recorded per simulated second [60]")
      ->type_name("F")
      ->check(positive_number("1/s"));
  command
      .add_option(
          "--dump-problem", options.dumps,
          "Write the contact problem of a step (FCLIB HDF5) into a folder: of the step with this number, of the "
          "one with the largest residual, or of every uncertified one; may be given again")
      ->type_name("STEP|worst|uncertified DIR")
      ->allow_extra_args(false);
  command.add_flag("--quiet", options.quiet, "Print nothing but errors");
}

}  // namespace

void add_run_command(CLI::App& app, int& result) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene; record it and summarise it");
  add_scene_options(*command, *options);
  add_output_options(*command, *options);
  command->footer(run_examples);
  command->callback([options, &result] { result = run_scene(*options); });
}

}  // namespace cardhouse::cli
