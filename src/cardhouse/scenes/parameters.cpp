#include "cardhouse/scenes/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/base/nearest.h"

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

std::vector<std::string_view> names_of(const std::vector<ParameterSpec>& specs) {
  std::vector<std::string_view> names;
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
  const std::vector<std::string_view> names = names_of(specs);
  for (const auto& [name, text] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (names.empty()) throw InputError(fmt::format("{}: unknown parameter '{}': it has none", scene_, name));
    const std::string_view near = nearest(name, names);
    throw InputError(fmt::format("{}: unknown parameter '{}' (value '{}'){} Known: {}", scene_, name, text,
                                 near.empty() ? "." : fmt::format(": did you mean '{}'?", near),
                                 fmt::join(names, ", ")));
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

}  // namespace cardhouse::scenes
