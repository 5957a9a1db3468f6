#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cardhouse/base/error.h"
#include "cardhouse/base/stopwatch.h"
#include "cardhouse/cli/arguments.h"
#include "cardhouse/cli/commands.h"
#include "cardhouse/cli/places.h"
#include "cardhouse/contact/natural_map.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/io/problem_file.h"
#include "cardhouse/report/table.h"
#include "cardhouse/report/write_file.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int most_iterations = 1000000000;

struct SolveOptions {
  std::string file;
  std::string solver = StepSettings{}.solver;
  double tolerance = 1e-8;
  std::optional<double> max_seconds;
  std::optional<int> max_iterations;
  std::string summary;
};

struct SolveResult {
  int contacts = 0;
  std::optional<int> dimension;  ///< empty without contacts
  std::optional<int> dofs;       ///< empty when the file gives W and not the bodies behind it
  SolveReport report;
  double seconds = 0.0;  ///< wall, the solve alone
  Certificate certificate;
  bool worst_is_contact = true;  ///< the certificate's worst group
  std::vector<int> in_conflict;  ///< groups whose rows contradict each other
  NaturalMap natural_map;
};

/// What the solver is to reach. --tolerance is on the natural-map error in Siconos's scaling.
SolverOptions solver_options(const SolveOptions& options) {
  SolverOptions result;
  result.measure = SolverOptions::Measure::natural_map;
  result.tolerance = options.tolerance;
  result.max_seconds = options.max_seconds.value_or(result.max_seconds);
  result.max_iterations = options.max_iterations.value_or(result.max_iterations);
  return result;
}

std::vector<int> groups_of(const ContactProblem& problem, const std::vector<int>& rows) {
  std::vector<int> groups;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& own = problem.j.group(g);
    const auto inside = [&](int row) { return row >= own.row && row < own.row + own.dim; };
    if (std::any_of(rows.begin(), rows.end(), inside)) groups.push_back(g);
  }
  return groups;
}

SolveResult solve(const SolveOptions& options) {
  const ContactProblem problem = read_problem(options.file);
  const std::unique_ptr<Solver> solver = make_solver(options.solver, solver_options(options));
  SolveResult result;
  for (int g = 0; g < problem.groups(); ++g) {
    if (problem.laws[g].kind != Law::Kind::coulomb) continue;
    ++result.contacts;
    result.dimension = problem.j.group(g).dim;
  }
  if (!problem.delassus) result.dofs = problem.a.rows();

  ContactSolution solution;
  solution.r.setZero(problem.rows());
  solution.v = problem.v_free;
  const Stopwatch watch;
  result.report = solve_within_memory(*solver, problem, solution);
  result.seconds = watch.seconds();
  result.certificate = certify(problem, solution.r);
  const int worst = result.certificate.worst_group;
  result.worst_is_contact = worst >= 0 && problem.laws[worst].kind == Law::Kind::coulomb;
  result.natural_map = natural_map_error(problem, solution.r);
  result.in_conflict = groups_of(problem, result.report.conflicting_rows);
  return result;
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json optional_number(const std::optional<int>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string summary_text(const SolveOptions& options, const SolveResult& result) {
  const Json summary = {{"file", options.file},
                        {"contacts", result.contacts},
                        {"dofs", optional_number(result.dofs)},
                        {"dimension", optional_number(result.dimension)},
                        {"solver", options.solver},
                        {"methods", result.report.methods},
                        {"status", status_name(result.report.status)},
                        {"conflicting_rows", result.report.conflicting_rows},
                        {"iterations", result.report.iterations},
                        {"seconds", number(result.seconds)},
                        {"residual", number(result.certificate.residual)},
                        {"natural_map", number(result.natural_map.scaled)},
                        {"natural_map_q", number(result.natural_map.by_q)}};
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string row(const std::string& label, const std::string& value) {
  return fmt::format("  {:<17}  {}\n", label, value);
}

std::string title(const SolveOptions& options, const SolveResult& result) {
  std::string words = fmt::format("{}: {} contacts", options.file, result.contacts);
  if (result.dimension) words += *result.dimension == 2 ? " in the plane" : " in space";
  words += result.dofs ? fmt::format(", {} degrees of freedom", *result.dofs) : ", W given";
  return words + "\n\n";
}

std::string status_words(const SolveReport& report) {
  std::string words(status_name(report.status));
  return report.reason.empty() ? words : words + ": " + report.reason;
}

std::string method_words(const SolveOptions& options, const SolveReport& report) {
  std::string methods;
  for (const std::string& method : report.methods) methods += (methods.empty() ? "" : ", ") + method;
  return methods.empty() || methods == options.solver ? options.solver
                                                      : fmt::format("{} ({})", options.solver, methods);
}

std::string residual_words(const SolveResult& result) {
  const std::string words = fmt::format("{:.2e}", result.certificate.residual);
  if (result.certificate.worst_group < 0) return words;
  return fmt::format("{}, worst at {} {}", words, result.worst_is_contact ? "contact" : "the rows of group",
                     result.certificate.worst_group);
}

std::string conflict_words(const SolveResult& result) {
  constexpr std::size_t most_named = 12;
  std::string words = "contacts or joint rows";
  for (std::size_t i = 0; i < std::min(most_named, result.in_conflict.size()); ++i) {
    words += fmt::format("{} {}", i == 0 ? "" : ",", result.in_conflict[i]);
  }
  const std::size_t more = result.in_conflict.size() - std::min(most_named, result.in_conflict.size());
  return more == 0 ? words : words + fmt::format(" and {} more", more);
}

std::string table(const SolveOptions& options, const SolveResult& result) {
  const Certificate& parts = result.certificate;
  std::string text = title(options, result);
  text += row("solver", method_words(options, result.report));
  text += row("status", status_words(result.report));
  if (!result.in_conflict.empty()) text += row("  in conflict", conflict_words(result));
  text += row("iterations", fmt::format("{}", result.report.iterations));
  text += row("seconds", fmt::format("{:.4g}", result.seconds));
  text += row("residual", residual_words(result));
  text += row("  approach speed", with_unit(parts.approach_speed, "m/s"));
  text += row("  complementarity", with_unit(parts.complementarity, "J"));
  text += row("  dissipation", with_unit(parts.missing_dissipation, "J") + " short of the maximum");
  text += row("  cone excess", with_unit(parts.cone_excess, "N s"));
  text += row("natural map", fmt::format("{:.2e} of max(‖q‖, ‖r‖, ‖u‖) (tolerance {:g})", result.natural_map.scaled,
                                         options.tolerance));
  text += row("", fmt::format("{:.2e} of ‖q‖", result.natural_map.by_q));
  return text;
}

void run_solve(const SolveOptions& options) {
  check_output(options.summary, "--summary", {options.file});  // before the solve, which may take long
  const SolveResult result = solve(options);
  const bool summary_to_stdout = options.summary == "-";
  fmt::print(summary_to_stdout ? stderr : stdout, "{}", table(options, result));
  if (summary_to_stdout) {
    fmt::print("{}", summary_text(options, result));
  } else if (!options.summary.empty()) {
    write_file_atomically(options.summary, summary_text(options, result));
  }
}

constexpr const char* solve_examples = R"(
FILE is an FCLIB HDF5 file or a Siconos text file, local or global. The tolerance is on the natural-map error of
Siconos, divided by max(‖q‖, ‖r‖, ‖u‖).

Examples:
  cardhouse solve Capsules-i100-889.dat
  cardhouse solve Spheres-i099.hdf5 --tolerance 1e-6 --summary -

Exit codes: 0 done, also when not converged; 2 bad input.)";

}  // namespace

void add_solve_command(CLI::App& app) {
  const auto options = std::make_shared<SolveOptions>();
  CLI::App* command = app.add_subcommand("solve", "Solve a contact problem from a file");
  command->add_option("FILE", options->file, "Contact problem (FCLIB HDF5 or Siconos text)")->required()->type_name("");
  command->add_option("--solver", options->solver, solver_help(fmt::format("Solver [{}]", options->solver)))
      ->type_name("NAME");
  command->add_option("--tolerance", options->tolerance, "Largest natural-map error of a solution [1e-8]")
      ->type_name("R")
      ->check(positive_number(""));
  add_memory_option(*command);
  command->add_option("--max-seconds", options->max_seconds, "Wall time after which to give up (s)")
      ->type_name("S")
      ->check(positive_number("s"));
  command
      ->add_option("--max-iterations", options->max_iterations,
                   "Outer iterations after which to give up (of auto: each of its methods)")
      ->type_name("N")
      ->check(positive_integer(most_iterations));
  command->add_option("--summary", options->summary, "File for a summary (JSON); - for standard output")
      ->type_name("FILE");
  command->footer(solve_examples);
  command->callback([options] { run_solve(*options); });
}

}  // namespace cardhouse::cli
