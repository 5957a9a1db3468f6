// What a reproduction is: a published setting that is run here, and what comes of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cardhouse/base/deadline.h"
#include "cardhouse/report/published.h"

namespace cardhouse::reproduction {

enum class Form {
  brief,      ///< less of everything, for tests: seconds
  full,       ///< the published setting as far as it fits into minutes
  long_runs,  ///< adds ten simulated minutes (Kaufman 2009, section 7.4): about 20 minutes of CPU time
};

/// How far an entry is. Entries call it often; it throws Cancelled when they are to end.
class Progress {
 public:
  using Tell = std::function<void(const std::string& words, double part)>;
  Progress() = default;
  Progress(Tell tell, CancellationToken stop) : tell_(std::move(tell)), stop_(stop) {}

  /// part: of the whole entry, in [0, 1].
  void at(const std::string& words, double part) const {
    stop_.throw_if_requested();
    if (tell_) tell_(words, part);
  }
  /// For what may take long between two calls.
  CancellationToken stop() const { return stop_; }

 private:
  Tell tell_;
  CancellationToken stop_;
};

/// Numbers behind a figure, to be drawn by other programs too.
class CsvTable {
 public:
  CsvTable(std::string name, std::vector<std::string> columns);
  /// As many cells as there are columns.
  void add(const std::vector<std::string>& cells);
  void add(const std::vector<double>& cells);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }

 private:
  std::string name_;
  std::string text_;
};

struct Figure {
  std::string name;
  std::string svg;
};

/// What an entry found. Names of tables and figures are unique within the entry.
struct Findings {
  std::vector<PublishedRow> rows;  ///< without entry and source, which run_entry fills in
  std::vector<CsvTable> tables;
  std::vector<Figure> figures;
};

struct Entry {
  std::string name;
  std::string source;
  std::string title;  ///< one line
  std::function<Findings(Form, const Progress&)> run;
};

/// All entries, in the order in which they are listed and run.
const std::vector<Entry>& entries();

/// Throws InputError for an unknown name, with the nearest known one.
const Entry& find_entry(const std::string& name);

/// The entry's findings, each row with the entry's name and source.
Findings run_entry(const Entry& entry, Form form, const Progress& progress);

// Rows. A rule in words stands beside each; these decide it.

Verdict agrees_if(bool agrees);

/// Stands in for a published value that the source does not print but whose equations give it. The text says so.
PublishedValue worked_out(double value);

/// The published value is within a factor of the measured one, either way; both must be above 0.
bool within_factor(double published, double measured, double factor);

/// The slope of log y over log x by least squares: the order of a method.
double slope_of_logarithms(const std::vector<double>& x, const std::vector<double>& y);

// The families of entries, each in a file of its own.
std::vector<Entry> variational_entries();
std::vector<Entry> painleve_map_entries();
std::vector<Entry> card_house_entries();
std::vector<Entry> masonry_entries();
std::vector<Entry> relaxation_entries();
std::vector<Entry> cannonball_entries();
std::vector<Entry> stabilisation_entries();
std::vector<Entry> joint_drift_entries();
std::vector<Entry> restitution_entries();
std::vector<Entry> brazil_nut_entries();
std::vector<Entry> point_mass_entries();

}  // namespace cardhouse::reproduction
