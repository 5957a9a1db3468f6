// The commands of the program. Each adds itself to the command line and, when chosen, does its work while the command
// line is being parsed.
#pragma once

#include <CLI/CLI.hpp>

namespace cardhouse::cli {

/// What the shell sees.
namespace exit_code {
constexpr int done = 0;
constexpr int failed = 1;       ///< the system failed us: a full disk, no memory
constexpr int bad_input = 2;    ///< bad arguments or a bad file
constexpr int uncertified = 3;  ///< --strict met a step that is not certified
constexpr int diverged = 4;     ///< the run lost itself (world/divergence.h)
constexpr int interrupted = 130;
}  // namespace exit_code

/// `result` receives the exit code; it must outlive the parsing.
void add_run_command(CLI::App& app, int& result);
void add_scene_command(CLI::App& app);
void add_info_command(CLI::App& app);
void add_solve_command(CLI::App& app);
void add_compare_command(CLI::App& app, int& result);
void add_diagnose_command(CLI::App& app, int& result);
void add_reproduce_command(CLI::App& app, int& result);
void add_view_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_render_command(CLI::App& app, int& result);

}  // namespace cardhouse::cli
