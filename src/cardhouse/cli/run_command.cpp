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
#include "cardhouse/cli/run_options.h"
#include "cardhouse/cli/run_output.h"
#include "cardhouse/cli/scene_source.h"
#include "cardhouse/cli/signals.h"
#include "cardhouse/cli/stepping_to.h"
#include "cardhouse/io/problem_dump.h"
#include "cardhouse/io/recording.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/io/scene_keys.h"
#include "cardhouse/report/implausible.h"
#include "cardhouse/report/start_joints.h"
#include "cardhouse/report/start_overlap.h"
#include "cardhouse/report/statistics.h"
#include "cardhouse/report/table.h"
#include "cardhouse/report/write_file.h"
#include "cardhouse/world/divergence.h"
#include "cardhouse/world/world.h"

namespace cardhouse::cli {
namespace {

/// The index of a word among the words of a setting. The command line has checked that it is one of them.
template <typename Choice, std::size_t N>
Choice choice_of(const std::string& word, const std::array<scene_keys::Key, N>& words) {
  return Choice{static_cast<int>(std::find(words.begin(), words.end(), word) - words.begin())};
}

void apply_adaptive(const RunOptions& options, StepSettings& settings) {
  if (options.adaptive) settings.adaptive = choice_of<Adaptive>(*options.adaptive, scene_keys::adaptive_rules);
  if (settings.adaptive == Adaptive::none && (options.least_step || options.error_tolerance)) {
    throw InputError(
        "--least-step and --error-tolerance need adaptive steps: add --adaptive collision or --adaptive error");
  }
  settings.least_step = options.least_step.value_or(settings.least_step);
  settings.error_tolerance = options.error_tolerance.value_or(settings.error_tolerance);
}

/// s; 0: none.
double step_limit(const RunOptions& options) {
  if (options.max_seconds == 0.0) return options.max_step_seconds;
  if (options.max_step_seconds > 0.0) {
    throw InputError("--max-seconds: is the former name of --max-step-seconds, which is given too: leave it out");
  }
  fmt::print(stderr, "--max-seconds is now called --max-step-seconds, and limits the whole step\n");
  return options.max_seconds;
}

/// Options of the command line override the scene's settings.
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
  if (options.initial_overlaps) {
    scene.settings.initial_overlaps =
        choice_of<InitialOverlaps>(*options.initial_overlaps, scene_keys::initial_overlaps);
  }
  apply_adaptive(options, scene.settings);
  scene.settings.tolerance = options.tolerance.value_or(scene.settings.tolerance);
  scene.settings.threads = options.threads.value_or(scene.settings.threads);
  scene.settings.diagnose = options.diagnose || scene.settings.diagnose;
  scene.settings.max_step_seconds = step_limit(options);
  scene.settings.max_rescues = options.max_rescues.value_or(scene.settings.max_rescues);
  scene.settings.stop = interrupt_token();
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

/// The scene of a recording. If the command line names one as well, it must be the same.
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
    throw InputError(fmt::format("{}: is not the scene of the recording {}; leave it out to continue the recorded one",
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

/// For the summary, and for people unless it is to be quiet.
class Warnings {
 public:
  explicit Warnings(bool quiet) : quiet_(quiet) {}
  void add(const std::string& words) {
    all_.push_back(words);
    if (!quiet_) fmt::print(stderr, "cardhouse: warning: {}\n", words);
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  bool quiet_;
  std::vector<std::string> all_;
};

/// Detects the contacts at the start, so that bodies that can't touch are refused before anything is written.
void check_start(const Scene& scene, Warnings& warnings) {
  for (const std::string& note : scene.notes) warnings.add(note);
  for (const std::string& words : implausible(scene)) warnings.add(words);
  const std::optional<StartOverlap> overlap = find_start_overlap(scene);
  if (overlap) warnings.add(start_overlap_words(*overlap, scene.settings));
}

void tell_separation(const World& world, bool quiet) {
  const Separation& done = world.separation();
  if (quiet || done.body < 0) return;
  fmt::print(stderr, "cardhouse: bodies that overlapped were moved apart: the farthest is \"{}\", by {}\n",
             world.model().bodies[static_cast<std::size_t>(done.body)].name, with_unit(done.distance, "m"));
}

/// Reports how far joints are off at the start, and projects them when asked to.
void check_joints(World& world, const RunOptions& options, Warnings& warnings) {
  const std::optional<WorstJointViolation> start = find_start_violation(world.scene());
  if (!start) return;
  if (!options.project_joints) {
    warnings.add(start_violation_words(*start, world.scene()));
    return;
  }
  const JointViolation left = world.project_joints();
  if (options.quiet) return;
  fmt::print(stderr, "cardhouse: joints were off by {} and {}; after the projection they are off by {} and {}\n",
             with_unit(start->length, "m"), with_unit(start->angle, "rad"), with_unit(left.length, "m"),
             with_unit(left.angle, "rad"));
}

/// The scene as the run begins it: displacements count from where bodies were moved apart to.
Scene begun_scene(const World& world) {
  Scene scene = world.scene();
  if (world.separation().rounds > 0) scene.initial.bodies = world.state().bodies;
  return scene;
}

/// Parses one --dump-problem. Throws InputError if the run cannot reach that step.
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
  std::string until;
  DivergenceWatch& divergence;
  DeepOverlapWatch& overlaps;
  Warnings& warnings;
  RecordingWriter& recording;
  RunStatistics& statistics;
  ProgressBar& progress;
  std::vector<ProblemDump>& dumps;
};

/// No step that lost itself is certified, however exactly its laws hold.
StepReport marked(StepReport report, const Divergence& divergence) {
  report.certified = false;
  report.reason = "diverged: " + divergence.reason;
  return report;
}

/// Writes down what the last step did.
void record_step(const World& world, const StepReport& report, const Energy& energy, const Run& run) {
  run.statistics.add_step(world.state(), report, energy);
  const Stopwatch output;
  run.recording.add_step(world.state(), report, energy, world.contacts(), world.joints());
  for (ProblemDump& dump : run.dumps) dump.see(world);
  run.progress.update(world.state(), report);
  run.statistics.add_output_seconds(output.seconds());
}

/// Whether the run is to end after the last step, before its time.
std::optional<RunEnd> early_end(const World& world, const std::optional<Divergence>& divergence, const Run& run) {
  if (divergence) {
    const std::string body =
        divergence->body < 0 ? "" : world.model().bodies[static_cast<std::size_t>(divergence->body)].name;
    run.statistics.set_diverged({divergence->step, body});
    run.statistics.set_stop_reason(divergence->reason);
    return RunEnd::diverged;
  }
  if (run.strict && !world.last_report().certified) return RunEnd::uncertified;
  if (run.until == "fallen" && run.statistics.has_fallen()) return RunEnd::fallen;
  if (run.until == "rest" && run.statistics.is_at_rest()) return RunEnd::rest;
  return std::nullopt;
}

RunEnd simulate(World& world, const Run& run) {
  while (!is_over(world, run.last_step)) {
    if (interrupted()) return RunEnd::interrupted;
    try {
      world.step();
    } catch (const InputError& error) {
      // Some errors of a scene show only during the run. State and files are still those of the last step.
      run.statistics.set_stop_reason(error.what());
      return RunEnd::stopped;
    } catch (const Cancelled&) {
      return RunEnd::interrupted;
    }
    const Energy energy = world.energy();
    const auto divergence = run.divergence.see(world.model(), world.state(), world.last_report(), energy);
    const auto deep = run.overlaps.see(world.model(), world.state(), world.contacts());
    if (deep) run.progress.finish();
    if (deep) run.warnings.add(*deep);
    if (divergence) {
      record_step(world, marked(world.last_report(), *divergence), energy, run);
    } else {
      record_step(world, world.last_report(), energy, run);
    }
    if (const std::optional<RunEnd> end = early_end(world, divergence, run)) return *end;
  }
  return RunEnd::done;
}

/// Begins the recording; on failure removes the folders that were made for it.
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

/// With the summary on standard output, the table goes to standard error.
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

void tell_divergence(const RunSummary& summary) {
  fmt::print(stderr,
             "cardhouse: the run diverged in step {}: {}\nThe recording and the summary hold the run up to {:.6g} s; a "
             "shorter --step may help.\n",
             summary.diverged->step, summary.stop_reason, summary.time);
}

int exit_code_of(const RunSummary& summary) {
  switch (summary.end) {
    case RunEnd::done:
    case RunEnd::fallen:
    case RunEnd::rest:
      return exit_code::done;
    case RunEnd::diverged:
      tell_divergence(summary);
      return exit_code::diverged;
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

void check_until(const std::string& until, const Scene& scene) {
  if (until != "fallen" || scene.stands) return;
  throw InputError("--until fallen: the scene does not say what falling is; give it \"stands\" (docs/scenes.md)");
}

int run_scene(const RunOptions& options) {
  const std::optional<RecordingStep> from =
      options.from.empty() ? std::nullopt : std::optional(parse_recording_step(options.from));
  World world(chosen_scene(options, from));
  const Scene& scene = world.scene();
  const Scene begun = begun_scene(world);  // before the world goes on to the step of a recording
  RunOutput output({options.out, options.summary, options.record, scene.name,
                    from ? from->recording : std::filesystem::path(options.words[0])});
  steps_left(scene, scene.initial.time);  // an absurd number of steps is refused before the first one

  check_until(options.until, scene);
  Warnings warnings(options.quiet);
  if (!from) {
    check_start(scene, warnings);
    tell_separation(world, options.quiet);
    check_joints(world, options, warnings);
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

  RunStatistics statistics(begun, world.state(), world.energy());
  const double first_time = scene.settings.adaptive == Adaptive::none ? -1.0 : world.state().time;
  ProgressBar progress({scene.name, first_step, last_step, scene.duration, first_time},
                       ProgressBar::fitting_style(options.quiet));
  DivergenceWatch divergence(scene, world.state(), world.energy());
  DeepOverlapWatch overlaps(scene.model);
  const RunEnd end = simulate(world, {last_step, options.strict, options.until, divergence, overlaps, warnings,
                                      *recording, statistics, progress, dumps});

  const Stopwatch closing;
  progress.finish();
  recording->finish(std::string(run_end_name(end)));
  statistics.add_output_seconds(closing.seconds());
  RunSummary summary = statistics.summary(end, world.state());
  summary.warnings = warnings.all();
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
4 diverged (energy or positions out of all bounds), 130 interrupted.)";

}  // namespace

void add_run_command(CLI::App& app, int& result) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene; record it and summarise it");
  add_run_options(*command, *options);
  command->footer(run_examples);
  command->callback([options, &result] { result = run_scene(*options); });
}

}  // namespace cardhouse::cli
