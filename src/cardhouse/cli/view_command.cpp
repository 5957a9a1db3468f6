#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/cli/arguments.h"
#include "cardhouse/cli/commands.h"
#include "cardhouse/cli/recording_file.h"
#include "cardhouse/cli/scene_source.h"
#include "cardhouse/cli/signals.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/viewer/access.h"
#include "cardhouse/viewer/child_process.h"
#include "cardhouse/viewer/live_source.h"
#include "cardhouse/viewer/page.h"
#include "cardhouse/viewer/recorded_source.h"
#include "cardhouse/viewer/server.h"

namespace cardhouse::cli {
namespace {

constexpr int default_port = 8080;
constexpr int ports_to_try = 20;  ///< when none is asked for
/// Longer than a page takes to be loaded again, or a laptop's lid to be opened.
constexpr std::chrono::seconds rest_after{30};

struct ViewOptions {
  std::vector<std::string> words;
  std::optional<int> port;
  std::string host;
  std::string compare;
  std::optional<std::string> solver;
  std::optional<double> step;
  std::optional<double> tolerance;
  bool no_browser = false;
  bool new_token = false;
  bool paused = false;
  bool keep_running = false;
  bool diagnose = false;
};

/// The solvers of the runs: those to compare, or one; with options of their own, as in `run`.
std::vector<std::string> chosen_solvers(const ViewOptions& options, const Scene& scene) {
  if (options.compare.empty()) {
    const std::string solver = options.solver.value_or(scene.settings.solver);
    make_solver(solver, {});  // refuses what it does not know
    return {solver};
  }
  if (options.solver) throw InputError("view: --compare names the solvers; leave out --solver");
  const std::size_t comma = options.compare.find(',');
  if (comma == std::string::npos || options.compare.find(',', comma + 1) != std::string::npos) {
    throw InputError(fmt::format("--compare {}: give two solvers with a comma between them", options.compare));
  }
  std::vector<std::string> solvers = {options.compare.substr(0, comma), options.compare.substr(comma + 1)};
  for (const std::string& solver : solvers) make_solver(solver, {});
  return solvers;
}

void refuse_live_options(const ViewOptions& options, const SceneWords& words) {
  if (!words.parameters.empty()) throw InputError("view: a recording takes no parameters");
  if (!options.compare.empty() || options.solver || options.step || options.tolerance || options.paused ||
      options.keep_running || options.diagnose) {
    throw InputError(
        "view: --compare, --solver, --step, --tolerance, --paused, --keep-running and --diagnose are for scenes, which "
        "are simulated live; a recording is as it is ('cardhouse run --diagnose' records the diagnosis)");
  }
}

std::unique_ptr<viewer::Source> open_source(const ViewOptions& options) {
  const SceneWords words = split_scene_words(options.words);
  if (words.scene.empty()) {
    throw InputError("view: give a recording, a scene file or a name; 'cardhouse scene --list' shows the names");
  }
  const std::string session = viewer::random_token();
  if (looks_like_recording(words.scene)) {
    refuse_live_options(options, words);
    return std::make_unique<viewer::RecordedSource>(words.scene, session);
  }
  Scene scene = load_scene(words.scene, words.parameters);
  for (const std::string& note : scene.notes) fmt::print(stderr, "cardhouse: warning: {}\n", note);
  scene.settings.step = options.step.value_or(scene.settings.step);
  scene.settings.tolerance = options.tolerance.value_or(scene.settings.tolerance);
  scene.settings.diagnose = options.diagnose || scene.settings.diagnose;
  viewer::LiveSource::Options live;
  live.solvers = chosen_solvers(options, scene);
  live.session = session;
  live.paused = options.paused;
  if (!options.keep_running) live.rest_after = rest_after;
  return std::make_unique<viewer::LiveSource>(std::move(scene), std::move(live));
}

bool has_display() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return set("DISPLAY") || set("WAYLAND_DISPLAY");
}

/// By way of a file that only the user can read: everyone on the machine sees a process's arguments, and the address
/// holds the token.
void open_browser(const std::string& address, const std::filesystem::path& folder) {
  const std::string opener = viewer::find_program({"xdg-open", "sensible-browser", "x-www-browser"});
  if (opener.empty() || !has_display()) return;
  const std::filesystem::path file = folder / "open.html";
  viewer::write_private_file(file, fmt::format("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={}\">\n"
                                               "<a href=\"{}\">cardhouse</a>\n",
                                               address, address));
  viewer::start_detached({opener, file.string()});
}

viewer::Server::Options server_options(const ViewOptions& options, const std::filesystem::path& folder) {
  viewer::Server::Options result;
  if (!options.host.empty()) result.host = options.host;
  result.port = options.port.value_or(default_port);
  result.ports_to_try = options.port ? 1 : ports_to_try;
  result.token = viewer::user_token(folder, options.new_token);
  result.warn = [](const std::string& text) { fmt::print(stderr, "cardhouse: warning: {}\n", text); };
  return result;
}

void view(const ViewOptions& options) {
  viewer::require_page("view");
  const std::unique_ptr<viewer::Source> source = open_source(options);
  const std::filesystem::path folder = viewer::state_folder();
  catch_interrupts();
  viewer::Server server(server_options(options, folder), viewer::embedded_page(), *source);
  if (!server.is_loopback()) {
    fmt::print(
        stderr,
        "cardhouse: warning: --host {}: other machines can reach the page; nothing is encrypted, and anyone who has "
        "the address can control the run.\n",
        options.host);
  }
  fmt::print("{}\n", server.address());
  std::fflush(stdout);
  fmt::print(stderr, "Ctrl-C ends.\n");
  if (!options.no_browser) open_browser(server.address(), folder);
  server.run(interrupted);
}

constexpr const char* view_examples = R"(
Examples:
  cardhouse view out/card_house-1/recording.h5        replay a recording
  cardhouse view card_house levels=4                  simulate, look, and touch
  cardhouse view my.json --port 9000 --no-browser     a scene file, on a port of your choice

The page's address is printed. It holds a secret: who has it can control the run. Ctrl-C ends.)";

void add_scene_options(CLI::App& command, ViewOptions& options) {
  command.add_option("WHAT", options.words, "Recording, scene file or name of a scene; then parameters as name=value")
      ->type_name("");
  command.add_option("--compare", options.compare, "Run the scene with two solvers side by side")->type_name("A,B");
  command.add_option("--solver", options.solver, solver_help("Solver of the contact problem"))->type_name("NAME");
  command.add_option("--step", options.step, "Time step (s)")->type_name("H")->check(positive_number("s"));
  command.add_option("--tolerance", options.tolerance, "Largest residual of a certified step")
      ->type_name("R")
      ->check(tolerance_number());
  add_memory_option(command);
  command.add_flag("--diagnose", options.diagnose, "Show for each step why its problem is easy or hard (slow)");
  command.add_flag("--keep-running", options.keep_running, "Keep simulating while no page is open");
  command.add_flag("--paused", options.paused, "Wait at the start instead of running");
}

void add_server_options(CLI::App& command, ViewOptions& options) {
  command.add_option("--port", options.port, "Port; 0: any free one [the first free one from 8080]")
      ->type_name("P")
      ->check(CLI::Range(0, 65535));
  command.add_option("--host", options.host, "Address to listen on, for other machines too [127.0.0.1]")
      ->type_name("H");
  command.add_flag("--no-browser", options.no_browser, "Only print the address");
  command.add_flag("--new-token", options.new_token, "Make a new secret; earlier addresses stop working");
}

}  // namespace

void add_view_command(CLI::App& app) {
  const auto options = std::make_shared<ViewOptions>();
  CLI::App* command = app.add_subcommand("view", "Look at a recording, or at a scene while it is simulated");
  add_scene_options(*command, *options);
  add_server_options(*command, *options);
  command->footer(view_examples);
  command->callback([options] { view(*options); });
}

}  // namespace cardhouse::cli
