#include "cardhouse/cli/run_options.h"

#include <array>

#include "cardhouse/cli/arguments.h"
#include "cardhouse/io/scene_keys.h"

namespace cardhouse::cli {
namespace {

/// More than any machine has: a larger number is a typing error.
constexpr int most_threads = 1024;

template <std::size_t N>
std::vector<std::string> words_of(const std::array<scene_keys::Key, N>& words) {
  return {words.begin(), words.end()};
}

constexpr const char* time_group = "Time";
constexpr const char* laws_group = "Contact and solver";
constexpr const char* run_group = "The run";
constexpr const char* output_group = "Output";

void add_time_options(CLI::App& command, RunOptions& options) {
  command.add_option("--duration", options.duration, "Simulated time to run to (s)")
      ->type_name("S")
      ->check(non_negative_number("s"))
      ->group(time_group);
  command.add_option("--step", options.step, "Time step (s)")
      ->type_name("H")
      ->check(positive_number("s"))
      ->group(time_group);
  command
      .add_option("--until", options.until,
                  "End before the duration: when something fell by the scene's rule, or when all is at rest")
      ->type_name("fallen|rest")
      ->check(CLI::IsMember({"fallen", "rest"}))
      ->group(time_group);
  command
      .add_option("--adaptive", options.adaptive,
                  "Adaptive steps: collision (end at the next collision), error (by an error estimate) or none")
      ->type_name("RULE")
      ->check(CLI::IsMember(words_of(scene_keys::adaptive_rules)))
      ->group(time_group);
  command.add_option("--least-step", options.least_step, "Shortest adaptive step (s) [a thousandth of --step]")
      ->type_name("H")
      ->check(positive_number("s"))
      ->group(time_group);
  command.add_option("--error-tolerance", options.error_tolerance, "Largest estimated error of a step (m) [1e-5]")
      ->type_name("E")
      ->check(positive_number("m"))
      ->group(time_group);
}

void add_law_options(CLI::App& command, RunOptions& options) {
  command.add_option("--contact", options.contact, "Rigid or elastic contacts: hard or soft")
      ->type_name("WORD")
      ->check(CLI::IsMember({"hard", "soft"}))
      ->group(laws_group);
  command.add_option("--restitution", options.restitution, "Law of collisions: newton, lagged, poisson or impact")
      ->type_name("LAW")
      ->check(CLI::IsMember(words_of(scene_keys::restitution_laws)))
      ->group(laws_group);
  command
      .add_option("--initial-overlaps", options.initial_overlaps,
                  "Overlaps at the start: keep them, separate the bodies before the run, or push in the first step")
      ->type_name("WORD")
      ->check(CLI::IsMember(words_of(scene_keys::initial_overlaps)))
      ->group(laws_group);
  command.add_option("--solver", options.solver, solver_help("Solver of the contact problem"))
      ->type_name("NAME")
      ->group(laws_group);
  command.add_option("--tolerance", options.tolerance, "Largest residual of a certified step")
      ->type_name("R")
      ->check(tolerance_number())
      ->group(laws_group);
  command
      .add_option("--max-step-seconds", options.max_step_seconds,
                  "Wall time after which a step is given up (s); results then depend on the machine [no limit]")
      ->type_name("S")
      ->check(positive_number("s"))
      ->group(laws_group);
  add_memory_option(command, laws_group);
  command.add_option("--max-seconds", options.max_seconds, "The former name of --max-step-seconds")
      ->type_name("S")
      ->check(positive_number("s"))
      ->group(laws_group);
  command
      .add_option("--max-rescues", options.max_rescues,
                  "Failed attempts after which an unsolved step is given up; 0: none is made [16]")
      ->type_name("N")
      ->check(CLI::Range(0, 1000))
      ->group(laws_group);
  command.add_flag("--strict", options.strict, "Stop with exit code 3 at the first step that is not certified")
      ->group(laws_group);
  command.add_flag("--diagnose", options.diagnose, "Record for each step why its problem is easy or hard (slow)")
      ->group(laws_group);
}

void add_scene_options(CLI::App& command, RunOptions& options) {
  command.add_option("SCENE", options.words, "Scene file (JSON) or name of a scene, then parameters as name=value")
      ->type_name("");
  command.add_option("--from", options.from, "Continue from a step of a recording, with its scene")
      ->type_name("RECORDING@STEP")
      ->group(run_group);
  command
      .add_flag("--project-joints", options.project_joints,
                "Before the first step, move the bodies so that no joint is off")
      ->group(run_group);
  command.add_option("--threads", options.threads, "Threads to use; the result is the same for any number")
      ->type_name("N")
      ->check(positive_integer(most_threads))
      ->group(run_group);
}

void add_output_options(CLI::App& command, RunOptions& options) {
  command.add_option("--out", options.out, "Folder for summary.json and recording.h5 [a new one under out/]")
      ->type_name("DIR")
      ->group(output_group);
  command.add_option("--summary", options.summary, "File for the summary; - for standard output [DIR/summary.json]")
      ->type_name("FILE")
      ->group(output_group);
  command.add_option("--record", options.record, "File for the recording [DIR/recording.h5]")
      ->type_name("FILE")
      ->group(output_group);
  command.add_option("--fps", options.frames_per_second, "Frames recorded per simulated second [60]")
      ->type_name("F")
      ->check(positive_number("1/s"))
      ->group(output_group);
  command
      .add_option("--dump-problem", options.dumps,
                  "Write the contact problem of a step (FCLIB HDF5) into a folder: of the step with this\n"
                  "number, of the one with the largest residual, or of every uncertified one; may be given again")
      ->type_name("STEP|worst|uncertified DIR")
      ->allow_extra_args(false)
      ->group(output_group);
  command.add_flag("--quiet", options.quiet, "Print nothing but errors")->group(output_group);
}

}  // namespace

void add_run_options(CLI::App& command, RunOptions& options) {
  add_scene_options(command, options);
  add_time_options(command, options);
  add_law_options(command, options);
  add_output_options(command, options);
}

}  // namespace cardhouse::cli
