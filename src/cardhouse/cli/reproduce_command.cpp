#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cardhouse/base/error.h"
#include "cardhouse/base/stopwatch.h"
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
      throw InputError(fmt::format("{}: comes twice", name));
    }
    chosen.push_back(entry);
  }
  return chosen;
}

/// Tells on stderr how far an entry is: on a terminal in a line that renews itself, elsewhere now and then.
class Teller {
 public:
  Teller(std::size_t number, std::size_t all, std::string name)
      : start_(fmt::format("[{}/{}] {}", number, all, name)), terminal_(::isatty(STDERR_FILENO) == 1) {
    fmt::print(stderr, "{} …{}", start_, terminal_ ? "" : "\n");
    std::fflush(stderr);
  }

  void tell(const std::string& words, double part) {
    if (watch_.seconds() < next_) return;
    next_ = watch_.seconds() + (terminal_ ? 0.1 : 10.0);
    fmt::print(stderr, "{}{}: {:.0f} %, {}{}", clear(), start_, std::floor(100.0 * part), words, terminal_ ? "" : "\n");
    std::fflush(stderr);
  }

  void end(const std::string& words) {
    fmt::print(stderr, "{}{}: {}, {:.1f} s\n", clear(), start_, words, watch_.seconds());
  }

 private:
  const char* clear() const { return terminal_ ? "\r\x1b[K" : ""; }

  std::string start_;
  bool terminal_;
  Stopwatch watch_;
  double next_ = 1.0;  ///< s on the watch
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

int run_reproduce(const ReproduceOptions& options) {
  if (options.list) {
    if (options.all || !options.names.empty()) throw InputError("reproduce --list: takes no names");
    print_list();
    return exit_code::done;
  }
  if (options.brief && options.long_runs) throw InputError("reproduce: --short and --long exclude each other");
  const std::vector<const Entry*> chosen = chosen_entries(options);
  check_output(options.json, "--json", {});
  if (!options.out.empty()) check_folder(options.out, "--out");
  catch_interrupts();
  const Form form = options.brief ? Form::brief : options.long_runs ? Form::long_runs : Form::full;
  std::FILE* const tables = options.json == "-" ? stderr : stdout;
  std::vector<PublishedRow> rows;
  bool complete = true;
  for (std::size_t i = 0; i < chosen.size() && complete; ++i) {
    Teller teller(i + 1, chosen.size(), chosen[i]->name);
    try {
      const Findings findings = reproduction::run_entry(
          *chosen[i], form,
          reproduction::Progress([&](const std::string& words, double part) { teller.tell(words, part); },
                                 interrupted));
      teller.end(counts_of(findings.rows));
      fmt::print(tables, "{}: {}\n{}: {}\n{}\n", chosen[i]->name, chosen[i]->title, "source", chosen[i]->source,
                 published_table(findings.rows));
      std::fflush(tables);
      write_files(options.out, *chosen[i], findings);
      rows.insert(rows.end(), findings.rows.begin(), findings.rows.end());
    } catch (const reproduction::Stopped&) {
      teller.end("interrupted");
      complete = false;
    }
  }
  fmt::print(tables, "{} row{}: {}\n", rows.size(), rows.size() == 1 ? "" : "s", counts_of(rows));
  if (options.json == "-") {
    fmt::print("{}", published_json(rows));
  } else if (!options.json.empty()) {
    write_file_atomically(options.json, published_json(rows));
  }
  return complete ? exit_code::done : exit_code::interrupted;
}

constexpr const char* examples = R"(
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
  command->add_flag("--all", options->all, "All entries: some minutes");
  command->add_flag("--list", options->list, "List all entries with their titles and sources");
  command->add_flag("--short", options->brief, "Less of everything, as the tests do: seconds, and coarser numbers");
  command->add_flag("--long", options->long_runs, "With ten simulated minutes of the structures: hours");
  command->add_option("--out", options->out, "Folder for CSV files and figures")->type_name("DIR");
  command->add_option("--json", options->json, "File for the rows as JSON; - for standard output")->type_name("FILE");
  command->footer(examples);
  command->callback([options, &result] { result = run_reproduce(*options); });
}

}  // namespace cardhouse::cli
