#include "cardhouse/scenes/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "cardhouse/base/error.h"

namespace cardhouse::scenes {
namespace {

using Kind = ParameterSpec::Kind;

/// The whole text as a finite number.
std::optional<double> parse_number(const std::string& text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string range_text(const ParameterSpec& spec) {
  const std::string unit = spec.unit.empty() || spec.unit == "-" ? "" : " " + spec.unit;
  return fmt::format("{} … {}{}", spec.lower, spec.upper, unit);
}

std::string allowed_text(const ParameterSpec& spec) {
  switch (spec.kind) {
    case Kind::number:
      return "a number in " + range_text(spec);
    case Kind::integer:
      return "an integer in " + range_text(spec);
    case Kind::choice:
    case Kind::boolean:
      return fmt::format("one of {}", fmt::join(spec.choices, ", "));
  }
  return "";
}

/// The value as a number (a choice as its index); nothing when it is not allowed.
std::optional<double> parse(const ParameterSpec& spec, const std::string& text) {
  if (spec.kind == Kind::choice || spec.kind == Kind::boolean) {
    const auto found = std::find(spec.choices.begin(), spec.choices.end(), text);
    if (found == spec.choices.end()) return std::nullopt;
    return static_cast<double>(found - spec.choices.begin());
  }
  const std::optional<double> value = parse_number(text);
  if (!value || *value < spec.lower || *value > spec.upper) return std::nullopt;
  if (spec.kind == Kind::integer && *value != std::floor(*value)) return std::nullopt;
  return value;
}

std::vector<std::string> names_of(const std::vector<ParameterSpec>& specs) {
  std::vector<std::string> names;
  names.reserve(specs.size());
  for (const ParameterSpec& spec : specs) names.push_back(spec.name);
  return names;
}

}  // namespace

ParameterSpec number(std::string name, std::string default_value, std::string unit, double lower, double upper,
                     std::string meaning) {
  return {.name = std::move(name),
          .kind = Kind::number,
          .default_value = std::move(default_value),
          .unit = std::move(unit),
          .lower = lower,
          .upper = upper,
          .choices = {},
          .meaning = std::move(meaning)};
}

ParameterSpec integer(std::string name, std::string default_value, double lower, double upper, std::string meaning) {
  ParameterSpec spec = number(std::move(name), std::move(default_value), "-", lower, upper, std::move(meaning));
  spec.kind = Kind::integer;
  return spec;
}

ParameterSpec choice(std::string name, std::vector<std::string> choices, std::string meaning) {
  ParameterSpec spec;
  spec.name = std::move(name);
  spec.kind = Kind::choice;
  spec.default_value = choices.front();
  spec.choices = std::move(choices);
  spec.meaning = std::move(meaning);
  return spec;
}

ParameterSpec boolean(std::string name, bool default_value, std::string meaning) {
  ParameterSpec spec = choice(std::move(name), {"false", "true"}, std::move(meaning));
  spec.kind = Kind::boolean;
  spec.default_value = default_value ? "true" : "false";
  return spec;
}

SceneParameter describe(const ParameterSpec& spec) {
  const bool numeric = spec.kind == Kind::number || spec.kind == Kind::integer;
  return {.name = spec.name,
          .default_value = spec.default_value,
          .unit = numeric ? spec.unit : fmt::format("{}", fmt::join(spec.choices, "|")),
          .meaning = numeric ? fmt::format("{} ({} … {})", spec.meaning, spec.lower, spec.upper) : spec.meaning};
}

Parameters::Parameters(std::string scene, const std::vector<ParameterSpec>& specs,
                       const std::map<std::string, std::string>& given)
    : scene_(std::move(scene)) {
  const std::vector<std::string> names = names_of(specs);
  for (const auto& [name, text] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (names.empty()) throw InputError(fmt::format("{}: unknown parameter '{}': it has none", scene_, name));
    throw InputError(fmt::format("{}: unknown parameter '{}' (value '{}'): did you mean '{}'? Known: {}", scene_, name,
                                 text, nearest_name(name, names), fmt::join(names, ", ")));
  }
  for (const ParameterSpec& spec : specs) {
    const auto found = given.find(spec.name);
    const std::string& text = found != given.end() ? found->second : spec.default_value;
    texts_[spec.name] = text;
    const std::optional<double> value = parse(spec, text);
    if (!value) reject(spec.name, allowed_text(spec));
    numbers_[spec.name] = *value;
  }
}

double Parameters::number(const std::string& name) const {
  return numbers_.at(name);
}

int Parameters::integer(const std::string& name) const {
  return static_cast<int>(numbers_.at(name));
}

const std::string& Parameters::choice(const std::string& name) const {
  return texts_.at(name);
}

bool Parameters::boolean(const std::string& name) const {
  return numbers_.at(name) != 0.0;
}

void Parameters::reject(const std::string& name, const std::string& allowed) const {
  throw InputError(fmt::format("{}: {} = {}: must be {}", scene_, name, texts_.at(name), allowed));
}

std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates) {
  std::string nearest;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : candidates) {
    // Levenshtein's distance, one row of the table at a time.
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t replace = diagonal + (word[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({replace, row[j] + 1, row[j + 1] + 1});
      }
    }
    if (row.back() < fewest) {
      fewest = row.back();
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace cardhouse::scenes
