#include "cardhouse/io/json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/base/nearest.h"
#include "cardhouse/model/limits.h"

namespace cardhouse {
namespace {

using nlohmann::json;

std::string shortened(std::string text) {
  constexpr std::size_t limit = 60;
  if (text.size() > limit) text = text.substr(0, limit) + "…";
  return text;
}

std::string_view range_words(Range range) {
  switch (range) {
    case Range::not_negative:
      return "must be >= 0";
    case Range::positive:
      return "must be > 0";
    case Range::unit_interval:
      return "must be in [0, 1]";
    case Range::any:
      break;
  }
  return "must be finite";
}

bool within(double value, Range range) {
  if (!std::isfinite(value)) return false;
  switch (range) {
    case Range::not_negative:
      return value >= 0.0;
    case Range::positive:
      return value > 0.0;
    case Range::unit_interval:
      return value >= 0.0 && value <= 1.0;
    case Range::any:
      break;
  }
  return true;
}

/// What a number breaks of its bounds, in words; empty when it keeps to them.
std::string broken_bound(double value, const limits::Bound& bound, Range range) {
  return range == Range::positive ? limits::broken_positive_rule(bound, value) : limits::broken_rule(bound, value);
}

/// Whether the number is so near 1 that dividing by it would only exchange one round-off for another. Then the bits
/// stay, so that a scene that was written reads back as it was.
bool is_one(double squared_norm) {
  return std::abs(squared_norm - 1.0) <= 1e-14;
}

bool is_nearly_one(double norm) {
  return std::abs(norm - 1.0) <= 1e-6;
}

}  // namespace

JsonReader::JsonReader(const json& value, std::string source, std::string path, std::vector<std::string>* notes)
    : value_(&value), source_(std::move(source)), path_(std::move(path)), notes_(notes) {}

std::string JsonReader::child(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void JsonReader::fail(const std::string& what, std::string_view unit) const {
  // Text that is not UTF-8 can't reach here: the parser refuses it.
  const std::string value = shortened(value_->dump());
  throw InputError(fmt::format("{}: {} = {}{}{}: {}", source_, path_.empty() ? "scene" : path_, value,
                               unit.empty() ? "" : " ", unit, what));
}

void JsonReader::fail_without_value(const std::string& what) const {
  throw InputError(path_.empty() ? fmt::format("{}: {}", source_, what)
                                 : fmt::format("{}: {}: {}", source_, path_, what));
}

void JsonReader::expect_any_object() const {
  if (!value_->is_object()) fail("must be an object {…}");
}

void JsonReader::expect_object(std::span<const std::string_view> keys) const {
  expect_any_object();
  for (const auto& [key, unused] : value_->items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const std::string_view near = nearest(key, keys);
    const std::string help =
        near.empty() ? fmt::format("known keys: {}", fmt::join(keys, ", ")) : fmt::format("did you mean \"{}\"?", near);
    throw InputError(fmt::format("{}: {}: unknown key; {}", source_, child(key), help));
  }
}

JsonReader JsonReader::at(std::string_view key) const {
  const auto found = value_->find(key);
  if (found == value_->end()) throw InputError(fmt::format("{}: {}: missing, must be given", source_, child(key)));
  return {*found, source_, child(key), notes_};
}

std::optional<JsonReader> JsonReader::find(std::string_view key) const {
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return JsonReader(*found, source_, child(key), notes_);
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  expect_any_object();
  std::vector<std::pair<std::string, JsonReader>> all;
  for (const auto& [key, value] : value_->items())
    all.emplace_back(key, JsonReader(value, source_, child(key), notes_));
  return all;
}

std::size_t JsonReader::size() const {
  return value_->size();
}

std::vector<JsonReader> JsonReader::elements() const {
  if (!value_->is_array()) fail("must be an array […]");
  std::vector<JsonReader> all;
  all.reserve(value_->size());
  for (const json& element : *value_) {
    all.emplace_back(element, source_, fmt::format("{}[{}]", path_, all.size()), notes_);
  }
  return all;
}

double JsonReader::number(std::string_view unit, Range range) const {
  const double value = number_in(unit, range);
  const std::optional<limits::Bound> bound = limits::bound_of_unit(unit);
  if (!bound) return value;
  if (const std::string rule = broken_bound(value, *bound, range); !rule.empty()) fail(rule, unit);
  return value;
}

double JsonReader::number_within(const limits::Bound& bound, Range range) const {
  const double value = number_in(bound.unit, range);
  if (const std::string rule = broken_bound(value, bound, range); !rule.empty()) fail(rule, bound.unit);
  return value;
}

double JsonReader::number_in(std::string_view unit, Range range) const {
  if (!value_->is_number()) fail(unit.empty() ? "must be a number" : fmt::format("must be a number, in {}", unit));
  const double value = value_->get<double>();
  if (!within(value, range)) fail(std::string(range_words(range)), unit);
  return value;
}

int JsonReader::integer(int least, int most) const {
  const double value = value_->is_number() ? value_->get<double>() : std::numeric_limits<double>::quiet_NaN();
  if (!(value >= least && value <= most) || value != std::floor(value)) {
    fail(fmt::format("must be a whole number from {} to {}", least, most));
  }
  return static_cast<int>(value);
}

bool JsonReader::boolean() const {
  if (!value_->is_boolean()) fail("must be true or false");
  return value_->get<bool>();
}

std::string JsonReader::text() const {
  if (!value_->is_string()) fail("must be a text in quotes");
  return value_->get<std::string>();
}

std::vector<double> JsonReader::numbers(std::string_view unit) const {
  std::vector<double> values;
  for (const JsonReader& element : elements()) values.push_back(element.number(unit));
  return values;
}

Vec2 JsonReader::vec2(std::string_view unit) const {
  if (!value_->is_array() || value_->size() != 2) fail("must be an array of 2 numbers [x, z]");
  const std::vector<double> values = numbers(unit);
  return {values[0], values[1]};
}

Vec3 JsonReader::vec3(std::string_view unit, Range range) const {
  if (!value_->is_array() || value_->size() != 3) fail("must be an array of 3 numbers [x, y, z]");
  Vec3 result;
  Eigen::Index i = 0;
  for (const JsonReader& element : elements()) result[i++] = element.number(unit, range);
  return result;
}

Quat JsonReader::quaternion() const {
  if (!value_->is_array() || value_->size() != 4) fail("must be an array of 4 numbers [w, x, y, z]");
  const std::vector<double> wxyz = numbers({});
  const Quat q(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
  if (is_one(q.squaredNorm())) return q;
  if (!is_nearly_one(q.norm())) {
    fail(fmt::format("its length is {:.9g}: must be 1 to 1e-6 (order w, x, y, z)", q.norm()));
  }
  return q.normalized();
}

Vec3 JsonReader::unit_vector() const {
  const Vec3 direction = vec3({});
  if (is_one(direction.squaredNorm())) return direction;
  if (!is_nearly_one(direction.norm())) fail(fmt::format("its length is {:.9g}: must be 1 to 1e-6", direction.norm()));
  return direction.normalized();
}

std::size_t JsonReader::choice(std::span<const std::string_view> choices, std::span<const OldWord> old_words) const {
  const std::string chosen = todays_word(text(), old_words);
  const auto found = std::find(choices.begin(), choices.end(), chosen);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  const std::string_view near = nearest(chosen, choices);
  fail(fmt::format("must be one of {}{}", fmt::join(choices, ", "),
                   near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
}

std::string JsonReader::todays_word(std::string word, std::span<const OldWord> old_words) const {
  for (const OldWord& each : old_words) {
    if (each.old != word) continue;
    note(fmt::format("\"{}\" is now called \"{}\"", each.old, each.now), "the old word still loads; change it");
    return std::string(each.now);
  }
  return word;
}

/// "source: path: about: words", the first time that it is about this.
void JsonReader::note(const std::string& about, const std::string& words) const {
  if (notes_ == nullptr) return;
  const auto is_same = [&](const std::string& other) { return other.find(about) != std::string::npos; };
  if (std::any_of(notes_->begin(), notes_->end(), is_same)) return;
  notes_->push_back(fmt::format("{}: {}: {}: {}", source_, path_, about, words));
}

}  // namespace cardhouse
