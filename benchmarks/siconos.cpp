// Siconos and cardhouse on the same problem files, in one run: every solver starts cold, in a child process of its own
// with a limit of CPU time, and every answer is judged by our natural_map_error in Siconos's scaling, so that neither
// side judges itself. `siconos --help` tells the options.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include "bench_tools.h"
#include "cardhouse/base/error.h"
#include "cardhouse/contact/natural_map.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/io/problem_file.h"
#include "cardhouse/solvers/solver.h"
#include "siconos_peer.h"

namespace {

using namespace cardhouse;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Settings {
  std::vector<std::string> files;
  std::vector<std::string> solvers = {"auto"};
  double tolerance = 1e-8;
  double limit = 10.0;  ///< s CPU per solver and problem
  int repeats = 5;
  std::string csv;
};

/// One solver on one problem.
struct Entry {
  std::string solver;
  bool ours = false;
  std::string outcome;         ///< "ok", "above tolerance", "out of time", "crashed"
  double seconds = infinity;   ///< CPU, the least of the repeats
  double error = infinity;     ///< natural map, Siconos's scaling
  double residual = infinity;  ///< our certificate's
  int iterations = 0;
  bool solved() const { return outcome == "ok"; }
};

/// What a child sends home: the figures, then r.
struct Message {
  double seconds = infinity;
  int iterations = 0;
};

bool write_all(int to, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = write(to, at, size);
    if (done <= 0) return false;
    at += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

bool read_all(int from, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t done = read(from, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

using Solve = std::function<Message(VecX& r)>;

/// The life of a child: the first answer goes home at once, better times follow until the repeats or a second are over.
void repeat_and_send(const Solve& solve, const Settings& settings, int to) {
  const rlim_t seconds = static_cast<rlim_t>(std::ceil(settings.limit));
  const rlimit limit{seconds, seconds + 1};
  setrlimit(RLIMIT_CPU, &limit);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr)) _exit(1);
  double total = 0.0;
  for (int i = 0; i < settings.repeats && total < 1.0; ++i) {
    VecX r;
    const Message message = solve(r);
    total += message.seconds;
    const auto rows = static_cast<std::size_t>(r.size());
    if (!write_all(to, &message, sizeof message) || !write_all(to, r.data(), rows * sizeof(double))) _exit(1);
  }
  _exit(0);
}

/// Solves in a child, so that a solver that hangs or crashes takes nothing else with it.
Entry run_in_child(const ContactProblem& problem, const Solve& solve, const Settings& settings) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    close(ends[0]);
    repeat_and_send(solve, settings, ends[1]);
  }
  close(ends[1]);
  Entry entry;
  VecX r(problem.rows());
  VecX first;
  Message message;
  const auto bytes = static_cast<std::size_t>(r.size()) * sizeof(double);
  while (read_all(ends[0], &message, sizeof message) && read_all(ends[0], r.data(), bytes)) {
    if (first.size() == 0) first = r;
    entry.seconds = std::min(entry.seconds, message.seconds);
    entry.iterations = message.iterations;
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (first.size() == 0) {
    const bool late = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
    entry.outcome = late ? "out of time" : "crashed";
    return entry;
  }
  entry.error = natural_map_error(problem, first).scaled;
  entry.residual = certify(problem, first).residual;
  entry.outcome = entry.error <= settings.tolerance ? "ok" : "above tolerance";
  return entry;
}

Entry run_ours(const ContactProblem& problem, const std::string& name, const Settings& settings) {
  SolverOptions options;
  options.tolerance = settings.tolerance;
  options.measure = SolverOptions::Measure::natural_map;
  const Solve solve = [&](VecX& r) {
    ContactSolution solution;
    solution.r.setZero(problem.rows());
    const std::unique_ptr<Solver> solver = make_solver(name, options);  // Siconos's is made before its clock starts too
    const double start = bench::cpu_seconds();
    const SolveReport report = solver->solve(problem, solution);
    const double seconds = bench::cpu_seconds() - start;
    r = solution.r;
    return Message{seconds, report.iterations};
  };
  Entry entry = run_in_child(problem, solve, settings);
  entry.solver = name;
  entry.ours = true;
  return entry;
}

Entry run_siconos(const ContactProblem& problem, const bench::ReducedProblem& reduced,
                  const bench::SiconosSolver& solver, const Settings& settings) {
  const Solve solve = [&](VecX& r) {
    const bench::SiconosRun run = bench::solve_with_siconos(problem, reduced, solver, settings.tolerance);
    r = run.r;
    return Message{run.seconds, run.iterations};
  };
  Entry entry = run_in_child(problem, solve, settings);
  entry.solver = solver.name;
  return entry;
}

struct Result {
  std::string problem;
  int contacts = 0;
  int dimension = 0;
  bool bodies = false;
  double forming = 0.0;  ///< s CPU: to form W of a problem with bodies, which Siconos's local solvers need
  std::vector<Entry> entries;

  const Entry* find(const std::string& solver, bool ours) const {
    for (const Entry& entry : entries) {
      if (entry.solver == solver && entry.ours == ours) return &entry;
    }
    return nullptr;
  }
  /// The fastest of Siconos's solvers that got there; null when none did.
  const Entry* best_peer() const {
    const Entry* best = nullptr;
    for (const Entry& entry : entries) {
      if (!entry.ours && entry.solved() && (!best || entry.seconds < best->seconds)) best = &entry;
    }
    return best;
  }
  /// The least time of any of them from the problem as it is given: local solvers have to form W first.
  double best_with_forming() const {
    double best = infinity;
    for (const Entry& entry : entries) {
      if (entry.ours || !entry.solved()) continue;
      best = std::min(best, entry.seconds + (entry.solver.starts_with("global") ? 0.0 : forming));
    }
    return best;
  }
  double seconds_of(const std::string& solver, bool ours) const {
    const Entry* entry = find(solver, ours);
    return entry && entry->solved() ? entry->seconds : infinity;
  }
};

Result run_problem(const std::string& file, const Settings& settings) {
  const ContactProblem problem = read_problem(file);
  Result result;
  result.problem = std::filesystem::path(file).filename().string();
  result.contacts = problem.groups();
  result.dimension = problem.groups() > 0 ? problem.j.group(0).dim : 0;
  result.bodies = !problem.delassus.has_value();
  for (const std::string& name : settings.solvers) {
    fmt::print(stderr, "\r{:50.50} {:24}", result.problem, name);
    result.entries.push_back(run_ours(problem, name, settings));
  }
  if (const std::string obstacle = bench::siconos_obstacle(problem); !obstacle.empty()) {
    fmt::print(stderr, "\n{}: not for Siconos: {}\n", result.problem, obstacle);
    return result;
  }
  bench::ReducedProblem reduced;
  result.forming = result.bodies ? infinity : 0.0;
  for (int i = 0; i < settings.repeats && result.bodies; ++i) {
    const double start = bench::cpu_seconds();
    reduced = bench::reduce(problem);
    result.forming = std::min(result.forming, bench::cpu_seconds() - start);
  }
  if (!result.bodies) reduced = bench::reduce(problem);
  for (const bench::SiconosSolver& solver : bench::siconos_solvers(problem)) {
    fmt::print(stderr, "\r{:50.50} {:24}", result.problem, solver.name);
    result.entries.push_back(run_siconos(problem, reduced, solver, settings));
  }
  fmt::print(stderr, "\r{:76}\r", "");
  return result;
}

std::string ratio_text(double ours, double peer) {
  if (std::isinf(ours) && std::isinf(peer)) return "-";
  if (std::isinf(ours)) return "only peer";
  if (std::isinf(peer)) return "only us";
  return fmt::format("{:.3g}", ours / peer);
}

void print_head(const std::string& ours) {
  fmt::print("{:46} {:>8} {:>4} {:>15} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "problem", "contacts", "form",
             "best of Siconos", "", "W", "PROX", ours, "/ best", "/ with W", "/ PROX");
}

void print_row(const Result& result, const std::string& ours) {
  const Entry* best = result.best_peer();
  const double best_seconds = best ? best->seconds : infinity;
  const double prox = result.seconds_of("PROX", false);
  const double own = result.seconds_of(ours, true);
  fmt::print("{:46.46} {:8} {:>4} {:>15} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", result.problem, result.contacts,
             result.bodies ? "A,J" : "W", best ? best->solver : "none", bench::time_text(best_seconds),
             result.bodies ? bench::time_text(result.forming) : "given", bench::time_text(prox), bench::time_text(own),
             ratio_text(own, best_seconds), ratio_text(own, result.best_with_forming()), ratio_text(own, prox));
  std::fflush(stdout);
}

/// Median and largest ratio of the times, over the problems that both sides solve.
void print_summary(const std::vector<Result>& results, const std::string& ours) {
  std::vector<double> to_best;
  std::vector<double> to_best_with_forming;
  std::vector<double> to_prox;
  int ours_solved = 0;
  int any_solved = 0;
  int prox_solved = 0;
  for (const Result& result : results) {
    const double own = result.seconds_of(ours, true);
    const double prox = result.seconds_of("PROX", false);
    const Entry* best = result.best_peer();
    ours_solved += std::isfinite(own) ? 1 : 0;
    prox_solved += std::isfinite(prox) ? 1 : 0;
    any_solved += best ? 1 : 0;
    if (std::isfinite(own) && best) to_best.push_back(own / best->seconds);
    if (std::isfinite(own) && best) to_best_with_forming.push_back(own / result.best_with_forming());
    if (std::isfinite(own) && std::isfinite(prox)) to_prox.push_back(own / prox);
  }
  fmt::print("\n{}: solved {} of {}; Siconos's best of each problem: {}; its PROX: {} (spatial problems only)\n", ours,
             ours_solved, results.size(), any_solved, prox_solved);
  const auto print_ratio = [&](const char* peer, const std::vector<double>& ratios) {
    if (ratios.empty()) return;
    const auto faster = std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio < 1.0; });
    fmt::print("{} / {}, of {} problems that both solve: median {:.3g}, largest {:.3g}; below 1 in {}\n", ours, peer,
               ratios.size(), bench::median(ratios), *std::max_element(ratios.begin(), ratios.end()), faster);
  };
  print_ratio("best of Siconos", to_best);
  print_ratio("best of Siconos with forming W", to_best_with_forming);
  print_ratio("PROX", to_prox);
}

void write_csv(const std::vector<Result>& results, const std::string& file) {
  std::ofstream out(file);
  out << "problem,contacts,dimension,form,side,solver,outcome,cpu_seconds,forming_w_seconds,natural_map_scaled,"
         "certificate,iterations\n";
  for (const Result& result : results) {
    for (const Entry& entry : result.entries) {
      out << fmt::format("{},{},{},{},{},{},{},{:.6g},{:.6g},{:.3g},{:.3g},{}\n", result.problem, result.contacts,
                         result.dimension, result.bodies ? "bodies" : "W", entry.ours ? "cardhouse" : "siconos",
                         entry.solver, entry.outcome, entry.seconds, result.forming, entry.error, entry.residual,
                         entry.iterations);
    }
  }
  if (!out) throw std::runtime_error(file + ": can't be written");
}

std::vector<std::string> default_files() {
  const std::filesystem::path folder = "../shared/problems";
  std::vector<std::string> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string end = entry.path().extension().string();
    if (end == ".dat" || end == ".hdf5") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// One thread for the peer's dense algebra too. OpenBLAS reads the variable when it is loaded: so start again.
void use_one_thread(char** argv) {
  if (std::getenv("OPENBLAS_NUM_THREADS")) return;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  execv(std::filesystem::read_symlink("/proc/self/exe").c_str(), argv);
}

int run(const Settings& settings) {
  fmt::print("# {}; CPU time, least of up to {} cold solves (fewer when they take over 1 s), one thread each.\n",
             bench::processor(), settings.repeats);
  fmt::print("# Solved: natural-map error in Siconos's scaling <= {:.0e}, computed by us for both; limit {:.0f} s.\n",
             settings.tolerance, settings.limit);
  fmt::print("# Of problems with bodies (A,J) Siconos's local solvers need W formed first: its time stands apart.\n");
  std::vector<Result> results;
  print_head(settings.solvers.front());
  for (const std::string& file : settings.files) {
    results.push_back(run_problem(file, settings));
    for (const std::string& ours : settings.solvers) print_row(results.back(), ours);
  }
  for (const std::string& ours : settings.solvers) print_summary(results, ours);
  if (!settings.csv.empty()) write_csv(results, settings.csv);
  return 0;
}

int start(int argc, char** argv) {
  use_one_thread(argv);
  Settings settings;
  CLI::App app("cardhouse and Siconos on the same contact problems");
  app.add_option("files", settings.files, "problem files (Siconos text, FCLIB HDF5); default: ../shared/problems");
  app.add_option("--solvers", settings.solvers, "ours, by name (default: auto)")->delimiter(',');
  app.add_option("--tolerance", settings.tolerance, "of the natural-map error (default 1e-8)");
  app.add_option("--limit", settings.limit, "CPU seconds for each solver and problem (default 10)");
  app.add_option("--repeats", settings.repeats, "solves of which the fastest counts (default 5)");
  app.add_option("--csv", settings.csv, "writes every solver's result on every problem");
  CLI11_PARSE(app, argc, argv);
  if (settings.files.empty()) settings.files = default_files();
  if (settings.files.empty()) {
    fmt::print(stderr, "No problem files: name some, or put them in ../shared/problems.\n");
    return 2;
  }
  return run(settings);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_program("siconos", [&] { return start(argc, argv); });
}
