#include "cardhouse/io/parse_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "cardhouse/base/error.h"
#include "cardhouse/io/trailing_commas.h"

namespace cardhouse {
namespace {

using nlohmann::json;

/// Walks over a text and reports how much was read: the parser does not give the position of most events.
class Reading {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Reading(const char* at, std::size_t& read) : at_(at), read_(&read) {}
  reference operator*() const { return *at_; }
  Reading& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  Reading operator++(int) {
    const Reading before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Reading& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

/// Where the parser stands, written as JsonReader writes paths: bodies[3].mass.
class ParserPath {
 public:
  void see(json::parse_event_t event, const json& parsed) {
    switch (event) {
      case json::parse_event_t::object_start:
        open_.push_back({false, 0, "", {}});
        return;
      case json::parse_event_t::array_start:
        open_.push_back({true, 0, "", {}});
        return;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
        open_.pop_back();
        end_element();
        return;
      case json::parse_event_t::value:
        end_element();
        return;
      case json::parse_event_t::key:
        open_.back().key = parsed.get<std::string>();
        open_.back().is_twin = !open_.back().keys.insert(open_.back().key).second;
        return;
    }
  }

  /// Whether the object has the key that was read last twice.
  bool is_twin() const { return !open_.empty() && open_.back().is_twin; }

  std::string text() const {
    std::string path;
    for (const Open& each : open_) {
      if (each.is_array) {
        path += fmt::format("[{}]", each.elements);
      } else if (!each.key.empty()) {
        path += (path.empty() ? "" : ".") + each.key;
      }
    }
    return path;
  }

 private:
  struct Open {
    bool is_array = false;
    std::size_t elements = 0;    ///< of an array, read so far
    std::string key;             ///< of an object: of the value that is being read; empty between two
    std::set<std::string> keys;  ///< all of an object's, so far
    bool is_twin = false;
  };

  void end_element() {
    if (open_.empty()) return;
    ++open_.back().elements;
    open_.back().key.clear();
  }

  std::vector<Open> open_;
};

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

/// "source: path = number: must be finite …, at line 1, column 2".
[[noreturn]] void fail_not_finite(const std::string& source, const ParserPath& path, std::string_view number,
                                  const std::string& place) {
  const std::string at = path.text();
  throw InputError(fmt::format("{}: {} = {}: must be finite and below 1.8e308 in size, at {}", source,
                               at.empty() ? "scene" : at, number, place));
}

/// A number that no double can hold, which was just read: with the character behind it, if there is one.
[[noreturn]] void fail_overflow(const std::string& text, std::size_t read, const std::string& source,
                                const ParserPath& path, const std::string& message) {
  const std::size_t quote = message.find('\'');
  const std::string number = message.substr(quote + 1, message.rfind('\'') - quote - 1);
  const std::size_t position = read < number.size() ? std::string::npos : text.rfind(number, read - number.size());
  fail_not_finite(source, path, number, line_and_column(text, position == std::string::npos ? 0 : position));
}

/// Where the text in quotes begins whose last quote was just read.
std::size_t start_of_quoted(const std::string& text, std::size_t read) {
  const auto is_escaped = [&](std::size_t i) {
    std::size_t backslashes = 0;
    while (backslashes < i && text[i - 1 - backslashes] == '\\') ++backslashes;
    return backslashes % 2 == 1;
  };
  std::size_t start = read - 1;
  do {
    start = text.rfind('"', start - 1);
  } while (is_escaped(start));
  return start;
}

[[noreturn]] void fail_twin(const std::string& text, std::size_t read, const std::string& source,
                            const ParserPath& path) {
  throw InputError(fmt::format("{}: {}: this key occurs twice in one object, the second time at {}; keep one of them",
                               source, path.text(), line_and_column(text, start_of_quoted(text, read))));
}

/// The word around a place in the text, with its sign.
std::string_view word_at(std::string_view text, std::size_t position) {
  const auto belongs = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])) != 0; };
  std::size_t first = std::min(position, text.size());
  std::size_t last = first;
  while (first > 0 && belongs(first - 1)) --first;
  while (last < text.size() && belongs(last)) ++last;
  if (first > 0 && (text[first - 1] == '-' || text[first - 1] == '+')) --first;
  return text.substr(first, last - first);
}

/// Whether a word is how some program writes a number that is not finite.
bool names_no_finite_number(std::string_view word) {
  if (!word.empty() && (word.front() == '-' || word.front() == '+')) word.remove_prefix(1);
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

/// The parser knows no NaN or infinity and would only report a syntax error.
[[noreturn]] void fail_syntax(const std::string& text, const std::string& source, const ParserPath& path,
                              const json::parse_error& error) {
  const std::size_t position = error.byte == 0 ? 0 : error.byte - 1;
  const std::string_view word = word_at(text, position);
  if (names_no_finite_number(word)) {
    fail_not_finite(source, path, word, line_and_column(text, static_cast<std::size_t>(word.data() - text.data())));
  }
  const std::string at = path.text();
  throw InputError(
      fmt::format("{}: {}{}not valid JSON: {}", source, at, at.empty() ? "" : ": ", without_tag(error.what())));
}

}  // namespace

json parse_json(const std::string& given, const std::string& source) {
  const std::string text = without_trailing_commas(given);
  ParserPath path;
  std::size_t read = 0;
  const auto follow = [&](int, json::parse_event_t event, json& parsed) {
    path.see(event, parsed);
    if (event == json::parse_event_t::key && path.is_twin()) fail_twin(text, read, source, path);
    return true;
  };
  try {
    return json::parse(Reading(text.data(), read), Reading(text.data() + text.size(), read), follow,
                       /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const json::out_of_range& error) {
    fail_overflow(text, read, source, path, error.what());
  } catch (const json::parse_error& error) {
    fail_syntax(text, source, path, error);
  } catch (const json::exception& error) {
    throw InputError(fmt::format("{}: not valid JSON: {}", source, without_tag(error.what())));
  }
}

}  // namespace cardhouse
