#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "cardhouse/base/error.h"
#include "cardhouse/base/parallel.h"
#include "cardhouse/base/stopwatch.h"
#include "cardhouse/cli/arguments.h"
#include "cardhouse/cli/commands.h"
#include "cardhouse/cli/places.h"
#include "cardhouse/cli/signals.h"
#include "cardhouse/report/write_file.h"
#include "cardhouse/reproduction/entry.h"

namespace fs = std::filesystem;

namespace cardhouse::cli {
namespace {

using reproduction::Entry;
using reproduction::Findings;
using reproduction::Form;

struct ReproduceOptions {
  std::vector<std::string> names;
  bool all = false;
  bool list = false;
  bool brief = false;
  bool long_runs = false;
  int threads = 1;  // some verdicts read the clock, which neighbours slow down
  std::string out;
  std::string json;
};

void print_list() {
  std::size_t width = 0;
  for (const Entry& entry : reproduction::entries()) width = std::max(width, entry.name.size());
  for (const Entry& entry : reproduction::entries()) {
    fmt::print("{:<{}}  {}\n{:<{}}  {}\n", entry.name, width, entry.title, "", width, entry.source);
  }
}

std::vector<const Entry*> chosen_entries(const ReproduceOptions& options) {
  if (options.all && !options.names.empty()) throw InputError("reproduce --all: takes no names");
  if (!options.all && options.names.empty()) {
    throw InputError("reproduce: give names or --all; --list shows the names");
  }
  std::vector<const Entry*> chosen;
  if (options.all) {
    for (const Entry& entry : reproduction::entries()) chosen.push_back(&entry);
  }
  for (const std::string& name : options.names) {
    const Entry* entry = &reproduction::find_entry(name);
    if (std::find(chosen.begin(), chosen.end(), entry) != chosen.end()) {
      throw InputError(fmt::format("{}: is given twice", name));
    }
    chosen.push_back(entry);
  }
  return chosen;
}

/// Shows on stderr how far entries are, several at a time: on a terminal in a line that is redrawn, elsewhere every few
/// seconds.
class Teller {
 public:
  explicit Teller(std::size_t all) : all_(all), terminal_(::isatty(STDERR_FILENO) == 1) {}

  void begin(std::size_t i, const std::string& name) {
    const std::lock_guard lock(mutex_);
    running_[i] = {fmt::format("[{}/{}] {}", i + 1, all_, name), " …", {}, terminal_ ? 0.1 : 10.0};
    if (terminal_) return draw();
    fmt::print(stderr, "{} …\n", running_[i].start);
    std::fflush(stderr);
  }

  void tell(std::size_t i, const std::string& words, double part) {
    const std::lock_guard lock(mutex_);
    Line& line = running_[i];
    if (line.watch.seconds() < line.next) return;
    line.next = line.watch.seconds() + (terminal_ ? 0.1 : 10.0);
    line.state = fmt::format(": {:.0f} %, {}", std::floor(100.0 * part), words);
    if (terminal_) return draw();
    fmt::print(stderr, "{}{}\n", line.start, line.state);
    std::fflush(stderr);
  }

  void end(std::size_t i, const std::string& words) {
    const std::lock_guard lock(mutex_);
    const Line& line = running_[i];
    fmt::print(stderr, "{}{}: {}, {:.1f} s\n", clear(), line.start, words, line.watch.seconds());
    running_.erase(i);
    if (terminal_) draw();
  }

 private:
  struct Line {
    std::string start;
    std::string state;
    Stopwatch watch;
    double next = 0.0;  ///< s on the watch
  };

  const char* clear() const { return terminal_ ? "\r\x1b[K" : ""; }

  void draw() const {
    fmt::print(stderr, "{}", clear());
    for (const auto& [i, line] : running_) fmt::print(stderr, "{}{}  ", line.start, line.state);
    std::fflush(stderr);
  }

  std::size_t all_;
  bool terminal_;
  std::map<std::size_t, Line> running_;
  std::mutex mutex_;
};

std::string counts_of(const std::vector<PublishedRow>& rows) {
  const auto count = [&](Verdict verdict) {
    return std::count_if(rows.begin(), rows.end(), [&](const PublishedRow& row) { return row.verdict == verdict; });
  };
  return fmt::format("{} agree, {} differ, {} not readable, {} not decided", count(Verdict::agrees),
                     count(Verdict::differs), count(Verdict::not_readable), count(Verdict::not_decided));
}

void write_files(const std::string& out, const Entry& entry, const Findings& findings) {
  if (out.empty()) return;
  const fs::path folder = fs::path(out) / entry.name;
  make_folders(folder);
  for (const reproduction::CsvTable& table : findings.tables) {
    write_file_atomically(folder / (table.name() + ".csv"), table.text());
  }
  for (const reproduction::Figure& figure : findings.figures) {
    write_file_atomically(folder / (figure.name + ".svg"), figure.svg);
  }
}

/// Runs several entries at a time and prints them in their order, whichever ends first.
class Reproduction {
 public:
  Reproduction(const ReproduceOptions& options, std::vector<const Entry*> chosen)
      : options_(options),
        form_(options.brief       ? Form::brief
              : options.long_runs ? Form::long_runs
                                  : Form::full),
        tables_(options.json == "-" ? stderr : stdout),
        chosen_(std::move(chosen)),
        findings_(chosen_.size()),
        teller_(chosen_.size()) {}

  /// False when it was interrupted.
  bool run() {
    const int threads = std::min(options_.threads, static_cast<int>(chosen_.size()));
    // Each worker takes the next entry: the order in which a loop's tasks begin would be another one.
    parallel_for(threads, threads, [&](int) {
      for (std::size_t i = next_++; i < chosen_.size() && complete_; i = next_++) run_one(i);
    });
    for (; told_ < chosen_.size(); ++told_) {
      if (findings_[told_]) print(told_);
    }
    return complete_;
  }

  std::vector<PublishedRow> rows() const {
    std::vector<PublishedRow> rows;
    for (const auto& found : findings_) {
      if (found) rows.insert(rows.end(), found->rows.begin(), found->rows.end());
    }
    return rows;
  }

 private:
  void run_one(std::size_t i) {
    const Entry& entry = *chosen_[i];
    teller_.begin(i, entry.name);
    try {
      Findings findings = reproduction::run_entry(
          entry, form_,
          reproduction::Progress([&](const std::string& words, double part) { teller_.tell(i, words, part); },
                                 interrupt_token()));
      teller_.end(i, counts_of(findings.rows));
      keep(i, std::move(findings));
    } catch (const Cancelled&) {
      teller_.end(i, "interrupted");
      complete_ = false;
    }
  }

  void keep(std::size_t i, Findings findings) {
    const std::lock_guard lock(mutex_);
    write_files(options_.out, *chosen_[i], findings);
    findings_[i] = std::move(findings);
    for (; told_ < chosen_.size() && findings_[told_]; ++told_) print(told_);
  }

  void print(std::size_t i) const {
    const Entry& entry = *chosen_[i];
    fmt::print(tables_, "{}: {}\n{}: {}\n{}\n", entry.name, entry.title, "source", entry.source,
               published_table(findings_[i]->rows));
    std::fflush(tables_);
  }

  const ReproduceOptions& options_;
  Form form_;
  std::FILE* tables_;
  std::vector<const Entry*> chosen_;
  std::vector<std::optional<Findings>> findings_;
  Teller teller_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> complete_ = true;
  std::size_t told_ = 0;  ///< entries whose tables were printed
  std::mutex mutex_;
};

int run_reproduce(const ReproduceOptions& options) {
  if (options.list) {
    if (options.all || !options.names.empty()) throw InputError("reproduce --list: takes no names");
    print_list();
    return exit_code::done;
  }
  if (options.brief && options.long_runs) throw InputError("reproduce: --short and --long exclude each other");
  std::vector<const Entry*> chosen = chosen_entries(options);
  check_output(options.json, "--json", {});
  if (!options.out.empty()) check_folder(options.out, "--out");
  catch_interrupts();
  Reproduction reproduction(options, std::move(chosen));
  const bool complete = reproduction.run();
  const std::vector<PublishedRow> rows = reproduction.rows();
  fmt::print(options.json == "-" ? stderr : stdout, "{} row{}: {}\n", rows.size(), rows.size() == 1 ? "" : "s",
             counts_of(rows));
  if (options.json == "-") {
    fmt::print("{}", published_json(rows));
  } else if (!options.json.empty()) {
    write_file_atomically(options.json, published_json(rows));
  }
  return complete ? exit_code::done : exit_code::interrupted;
}

constexpr const char* reproduce_examples = R"(
Runs published settings and compares what comes of them with what was published: a table with both values and a verdict
by a rule that stands beside it: agrees, differs, not readable (with the reason), or not decided within a time limit.

Examples:
  cardhouse reproduce --list
  cardhouse reproduce anitescu-2006-table-10.1 --out reproduced
  cardhouse reproduce --all --out reproduced --json rows.json

--out gets a folder for each entry with its numbers (CSV) and figures (SVG).
Exit codes: 0 done, whatever the verdicts; 2 bad input; 130 interrupted, with what was found so far.)";

}  // namespace

void add_reproduce_command(CLI::App& app, int& result) {
  const auto options = std::make_shared<ReproduceOptions>();
  CLI::App* command = app.add_subcommand("reproduce", "Run published settings and compare with what was published");
  command->add_option("NAME", options->names, "Entries, by name")->type_name("");
  command->add_flag("--all", options->all, "All entries: five minutes of CPU time");
  command->add_flag("--list", options->list, "List all entries with their titles and sources");
  command->add_flag("--short", options->brief, "Less of everything, as the tests do: seconds, and coarser numbers");
  command->add_flag(
      "--long", options->long_runs,
      "With ten simulated minutes of the structures, and how much the Brazil nut depends on its settings: 20 "
      "minutes of CPU time");
  command
      ->add_option("--threads", options->threads,
                   "Entries at a time [1; more slow each other down, which some verdicts measure]")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  add_memory_option(*command);
  command->add_option("--out", options->out, "Folder for CSV files and figures")->type_name("DIR");
  command->add_option("--json", options->json, "File for the rows as JSON; - for standard output")->type_name("FILE");
  command->footer(reproduce_examples);
  command->callback([options, &result] { result = run_reproduce(*options); });
}

}  // namespace cardhouse::cli
