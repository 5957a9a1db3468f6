#include "cardhouse/io/json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/base/nearest.h"

namespace cardhouse {
namespace {

using nlohmann::json;

/// nlohmann's messages open with "[json.exception.parse_error.101] parse error at line 1, column 2: ".
std::string without_tag(const std::string& message) {
  const std::size_t end = message.find("] ");
  return end == std::string::npos ? message : message.substr(end + 2);
}

std::string line_and_column(const std::string& text, std::size_t position) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
  const auto line = 1 + std::count(text.begin(), end, '\n');
  const std::size_t line_start = position == 0 ? std::string::npos : text.rfind('\n', position - 1);
  return fmt::format("line {}, column {}", line,
                     line_start == std::string::npos ? position + 1 : position - line_start);
}

/// The parser reports a number that no double can hold without saying where it stands.
[[noreturn]] void fail_overflow(const std::string& text, const std::string& source, const std::string& message) {
  const std::size_t quote = message.find('\'');
  const std::string number = message.substr(quote + 1, message.rfind('\'') - quote - 1);
  const std::size_t position = text.find(number);
  throw InputError(fmt::format("{}: {}: {}: must be a finite number (below 1.8e308 in size)", source,
                               line_and_column(text, position == std::string::npos ? 0 : position), number));
}

/// The word around a place in the text.
std::string_view word_at(std::string_view text, std::size_t position) {
  const auto belongs = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])) != 0; };
  std::size_t first = std::min(position, text.size());
  std::size_t last = first;
  while (first > 0 && belongs(first - 1)) --first;
  while (last < text.size() && belongs(last)) ++last;
  return text.substr(first, last - first);
}

/// Whether a word is how some program writes a number that is not finite.
bool names_no_finite_number(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

/// The parser knows of no NaN or infinity and would only say that the syntax is wrong.
[[noreturn]] void fail_syntax(const std::string& text, const std::string& source, const json::parse_error& error) {
  const std::size_t position = error.byte == 0 ? 0 : error.byte - 1;
  const std::string_view word = word_at(text, position);
  if (names_no_finite_number(word)) {
    throw InputError(fmt::format("{}: {}: {}: numbers must be finite", source,
                                 line_and_column(text, static_cast<std::size_t>(word.data() - text.data())), word));
  }
  throw InputError(fmt::format("{}: not valid JSON: {}", source, without_tag(error.what())));
}

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

/// Whether the number is so near 1 that dividing by it would only exchange one round-off for another. Then the bits
/// stay, so that a scene that was written reads back as it was.
bool is_one(double squared_norm) {
  return std::abs(squared_norm - 1.0) <= 1e-14;
}

bool is_nearly_one(double norm) {
  return std::abs(norm - 1.0) <= 1e-6;
}

}  // namespace

json parse_json(const std::string& text, const std::string& source) {
  std::vector<std::set<std::string>> open_objects;
  const auto refuse_twins = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open_objects.emplace_back();
    if (event == json::parse_event_t::object_end) open_objects.pop_back();
    if (event == json::parse_event_t::key && !open_objects.back().insert(parsed.get<std::string>()).second) {
      throw InputError(
          fmt::format("{}: the key {} occurs twice in one object: keep one of them", source, parsed.dump()));
    }
    return true;
  };
  try {
    return json::parse(text, refuse_twins, /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const json::out_of_range& error) {
    fail_overflow(text, source, error.what());
  } catch (const json::parse_error& error) {
    fail_syntax(text, source, error);
  } catch (const json::exception& error) {
    throw InputError(fmt::format("{}: not valid JSON: {}", source, without_tag(error.what())));
  }
}

JsonReader::JsonReader(const json& value, std::string source, std::string path)
    : value_(&value), source_(std::move(source)), path_(std::move(path)) {}

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
  return {*found, source_, child(key)};
}

std::optional<JsonReader> JsonReader::find(std::string_view key) const {
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return JsonReader(*found, source_, child(key));
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  expect_any_object();
  std::vector<std::pair<std::string, JsonReader>> all;
  for (const auto& [key, value] : value_->items()) all.emplace_back(key, JsonReader(value, source_, child(key)));
  return all;
}

std::size_t JsonReader::size() const {
  return value_->size();
}

std::vector<JsonReader> JsonReader::elements() const {
  if (!value_->is_array()) fail("must be an array […]");
  std::vector<JsonReader> all;
  all.reserve(value_->size());
  for (const json& element : *value_) all.emplace_back(element, source_, fmt::format("{}[{}]", path_, all.size()));
  return all;
}

double JsonReader::number(std::string_view unit, Range range) const {
  if (!value_->is_number()) fail(unit.empty() ? "must be a number" : fmt::format("must be a number, in {}", unit));
  const double value = value_->get<double>();
  if (!within(value, range)) fail(std::string(range_words(range)), unit);
  return value;
}

int JsonReader::integer(int least) const {
  const double value = value_->is_number() ? value_->get<double>() : std::numeric_limits<double>::quiet_NaN();
  const double most = std::numeric_limits<int>::max();
  if (!(value >= least && value <= most) || value != std::floor(value)) {
    fail(fmt::format("must be a whole number >= {}", least));
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

std::size_t JsonReader::choice(std::span<const std::string_view> choices) const {
  const std::string chosen = text();
  const auto found = std::find(choices.begin(), choices.end(), chosen);
  if (found == choices.end()) fail(fmt::format("must be one of {}", fmt::join(choices, ", ")));
  return static_cast<std::size_t>(found - choices.begin());
}

}  // namespace cardhouse
