// Published values and ours, side by side, each pair with a verdict by a rule that is stated.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cardhouse {

enum class Verdict {
  agrees,
  differs,
  not_readable,  ///< the source does not give the value, or not well enough to compare with
  not_decided,   ///< a limit on wall time ended our run before the answer was known
};
std::string_view verdict_name(Verdict verdict);

/// A value as a person reads it and, where it is one, as a number.
struct PublishedValue {
  std::string text;
  std::optional<double> number;

  PublishedValue(std::string words) : text(std::move(words)) {}
  PublishedValue(const char* words) : text(words) {}
  /// Three digits.
  PublishedValue(double value);
};

struct PublishedRow {
  std::string entry;   ///< which reproduction it belongs to
  std::string name;    ///< what is compared
  std::string source;  ///< where it was published
  PublishedValue published;
  PublishedValue measured;
  std::string rule;  ///< when they agree
  Verdict verdict = Verdict::agrees;
  std::string note;  ///< why they differ or can't be read; what was chosen; else empty
};

/// An array of rows: entry, name, source, published, measured, rule, verdict, note. Values that are numbers are
/// numbers, null when they are not finite.
std::string published_json(const std::vector<PublishedRow>& rows);

/// For a person: one line a row, rules and notes below them.
std::string published_table(const std::vector<PublishedRow>& rows);

}  // namespace cardhouse
