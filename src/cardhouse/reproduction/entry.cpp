#include "cardhouse/reproduction/entry.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "cardhouse/base/error.h"
#include "cardhouse/base/nearest.h"

namespace cardhouse::reproduction {

CsvTable::CsvTable(std::string name, std::vector<std::string> columns) : name_(std::move(name)) {
  add(columns);
}

void CsvTable::add(const std::vector<std::string>& cells) {
  text_ += fmt::format("{}\n", fmt::join(cells, ","));
}

void CsvTable::add(const std::vector<double>& cells) {
  std::vector<std::string> texts;
  for (const double cell : cells) texts.push_back(std::isnan(cell) ? "" : fmt::format("{:.10g}", cell));
  add(texts);
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> list;
    for (const auto& family :
         {variational_entries(), painleve_map_entries(), card_house_entries(), masonry_entries(), relaxation_entries(),
          cannonball_entries(), stabilisation_entries(), joint_drift_entries(), restitution_entries(),
          brazil_nut_entries(), point_mass_entries()}) {
      list.insert(list.end(), family.begin(), family.end());
    }
    return list;
  }();
  return all;
}

const Entry& find_entry(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  const std::string_view near = nearest(name, names);
  throw InputError(fmt::format("unknown reproduction '{}'{} `cardhouse reproduce --list` shows them all", name,
                               near.empty() ? "." : fmt::format(": did you mean '{}'?", near)));
}

Findings run_entry(const Entry& entry, Form form, const Progress& progress) {
  Findings findings = entry.run(form, progress);
  for (PublishedRow& row : findings.rows) {
    row.entry = entry.name;
    row.source = entry.source;
  }
  return findings;
}

Verdict agrees_if(bool agrees) {
  return agrees ? Verdict::agrees : Verdict::differs;
}

PublishedValue worked_out(double value) {
  return fmt::format("{:.3g} (worked out)", value);
}

bool within_factor(double published, double measured, double factor) {
  return published > 0.0 && measured <= factor * published && measured >= published / factor;
}

double slope_of_logarithms(const std::vector<double>& x, const std::vector<double>& y) {
  const double count = static_cast<double>(x.size());
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / count;
    mean_y += std::log(y[i]) / count;
  }
  double above = 0.0;
  double below = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    above += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    below += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return above / below;
}

}  // namespace cardhouse::reproduction
