#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "cardhouse/base/deadline.h"
#include "cardhouse/base/error.h"
#include "cardhouse/cli/commands.h"
#include "cardhouse/cli/unknown_words.h"
#include "cardhouse/report/version.h"

namespace cardhouse::cli {
namespace {

constexpr const char* main_examples = R"(
Examples:
  cardhouse scene --list                        the scenes that come with the program
  cardhouse run card_house levels=3             simulate one, with a parameter
  cardhouse scene arch kind=catenary > my.json  make a scene file to edit
  cardhouse run my.json --duration 5            simulate it
  cardhouse info my.json                        what a scene or recording holds
  cardhouse solve problem.hdf5                  one contact problem of another project
  cardhouse compare *.hdf5 --out comparison     all solvers on many of them
  cardhouse diagnose card_house@100             why a step's problem is easy or hard
  cardhouse reproduce --list                    published tables and figures, to run again
  cardhouse view card_house                     simulate it in the browser, live
  cardhouse report out/arch-1/recording.h5      a recording as one HTML file

'cardhouse COMMAND --help' tells more about a command.
Exit codes: 0 done, 1 the system failed (a full disk, …), 2 bad input, 3 not certified (run --strict),
4 diverged (run), 130 interrupted.)";

int report_error(const char* what, int code) {
  fmt::print(stderr, "cardhouse: {}\n", what);
  return code;
}

/// An empty word is most likely a shell variable that was not set. Treating it as "not given" would start another run
/// than the one that was meant.
void refuse_empty_words(CLI::App& app) {
  const auto check = [](std::string& text) { return text.empty() ? std::string("must not be empty") : std::string(); };
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : command->get_options()) {
      if (option->get_items_expected_max() > 0) option->check(CLI::Validator(check, ""));
    }
  }
}

/// Text that did not reach its reader is a failure too.
int after_output(int code) {
  if (std::fflush(stdout) == 0) return code;
  return report_error("the output could not be written", exit_code::failed);
}

/// The words after the program's name. 'help' and 'help COMMAND' are other words for --help and COMMAND --help.
std::vector<std::string> given_words(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0].starts_with("-")) return words;
  check_command(app, words[0]);
  if (words[0] != "help") return words;
  if (words.size() == 1) return {"--help"};
  check_command(app, words[1]);
  return {words[1], "--help"};
}

int run_program(int argc, char** argv) {
  CLI::App app(
      "Simulates bodies in frictional contact; every step comes with a certificate that says how exactly\n"
      "Coulomb's law holds.");
  app.name("cardhouse");
  app.footer(main_examples);
  app.set_version_flag("-v,--version", fmt::format("cardhouse {}", version()), "Print the version and exit");
  app.get_formatter()->column_width(28);

  int result = exit_code::done;
  add_run_command(app, result);
  add_scene_command(app);
  add_info_command(app);
  add_solve_command(app);
  add_compare_command(app, result);
  add_diagnose_command(app, result);
  add_reproduce_command(app, result);
  add_view_command(app);
  add_report_command(app);
  add_render_command(app, result);
  app.add_subcommand("help", "Explain the program, or one of its commands: help COMMAND");
  refuse_empty_words(app);
  std::vector<std::string> words = given_words(app, argc, argv);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ExtrasError&) {
    return report_error(unexpected_words(app).c_str(), exit_code::bad_input);
  } catch (const CLI::ParseError& error) {
    // Help and version come this way too.
    if (error.get_exit_code() == 0) return app.exit(error);
    return report_error((std::string(error.what()) + "\n--help explains the arguments").c_str(), exit_code::bad_input);
  }
  if (app.get_subcommands().empty()) {
    throw InputError(
        "give a command: run, scene, info, solve, compare, diagnose, reproduce, view, report or render; --help "
        "explains them");
  }
  return result;
}

}  // namespace
}  // namespace cardhouse::cli

int main(int argc, char** argv) {
  using namespace cardhouse::cli;
  try {
    return after_output(run_program(argc, argv));
  } catch (const cardhouse::Cancelled&) {
    return exit_code::interrupted;  // before there was anything to tell or to keep
  } catch (const cardhouse::InputError& error) {
    return report_error(error.what(), exit_code::bad_input);
  } catch (const std::bad_alloc&) {
    return report_error("out of memory", exit_code::failed);
  } catch (const std::exception& error) {
    return report_error(error.what(), exit_code::failed);
  }
}
