// A cursor into JSON that knows its path, so that every error names file, path, value and allowed range.
#pragma once

#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cardhouse/base/limits.h"
#include "cardhouse/math/types.h"

namespace cardhouse {

/// Which numbers are allowed, beside being finite.
enum class Range { any, not_negative, positive, unit_interval };

/// A word that a file of an earlier version may have in place of today's.
struct OldWord {
  std::string_view old;
  std::string_view now;
};

class JsonReader {
 public:
  /// `value` must outlive the reader, and so must `notes`, to which it adds what is to be told though it is no error.
  JsonReader(const nlohmann::json& value, std::string source, std::string path = "",
             std::vector<std::string>* notes = nullptr);

  const std::string& path() const { return path_; }
  const std::string& source() const { return source_; }

  // Objects.
  void expect_any_object() const;
  /// Throws when this is no object or has a key that is not among `keys`; the message names the nearest one.
  void expect_object(std::span<const std::string_view> keys) const;
  /// The value of a key that must be there.
  JsonReader at(std::string_view key) const;
  /// The value of a key if it is there.
  std::optional<JsonReader> find(std::string_view key) const;
  bool has(std::string_view key) const { return value_->contains(key); }
  /// All members of an object whose keys are free.
  std::vector<std::pair<std::string, JsonReader>> members() const;

  // Arrays.
  std::size_t size() const;
  std::vector<JsonReader> elements() const;

  // Values. `unit` is shown behind the number in messages, and has its bounds (base/limits.h); empty for none.
  double number(std::string_view unit, Range range = Range::any) const;
  /// With bounds of its own, in place of those of its unit.
  double number_within(const limits::Bound& bound, Range range) const;
  int integer(int least, int most = std::numeric_limits<int>::max()) const;
  bool is_number() const { return value_->is_number(); }
  std::string text() const;
  bool boolean() const;
  Vec2 vec2(std::string_view unit) const;
  Vec3 vec3(std::string_view unit, Range range = Range::any) const;
  std::vector<double> numbers(std::string_view unit) const;
  /// [w, x, y, z], unit to 1e-6. Kept as it is when it is unit to round-off already, else normalised.
  Quat quaternion() const;
  /// A direction, under the same rule.
  Vec3 unit_vector() const;
  /// The index of the text among `choices`. An old word counts as today's; a note tells so, once for all its places.
  std::size_t choice(std::span<const std::string_view> choices, std::span<const OldWord> old_words = {}) const;

  /// Tells something that is no error, once for all its places.
  void note(const std::string& about, const std::string& words) const;

  /// "source: path = value unit: what"
  [[noreturn]] void fail(const std::string& what, std::string_view unit = {}) const;
  /// "source: path: what", where the value would not help.
  [[noreturn]] void fail_without_value(const std::string& what) const;

 private:
  double number_in(std::string_view unit, Range range) const;
  std::string child(std::string_view key) const;
  std::string todays_word(std::string word, std::span<const OldWord> old_words) const;

  const nlohmann::json* value_;
  std::string source_;
  std::string path_;
  std::vector<std::string>* notes_;
};

}  // namespace cardhouse
