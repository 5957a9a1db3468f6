#include "cardhouse/io/trailing_commas.h"

#include <cctype>
#include <cstddef>
#include <string_view>

namespace cardhouse {
namespace {

/// Where the text in quotes that begins at `start` ends: behind its last quote.
std::size_t end_of_quoted(std::string_view text, std::size_t start) {
  std::size_t i = start + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return i + 1;
}

/// Where the comment that begins at `start` ends; `start` itself when none does.
std::size_t end_of_comment(std::string_view text, std::size_t start) {
  const std::string_view opening = text.substr(start, 2);
  if (opening == "//") return text.find('\n', start);
  if (opening != "/*") return start;
  const std::size_t end = text.find("*/", start + 2);
  return end == std::string_view::npos ? end : end + 2;
}

bool is_opening(char c) {
  return c == '[' || c == '{' || c == ',';
}

bool is_closing(char c) {
  return c == ']' || c == '}';
}

}  // namespace

std::string without_trailing_commas(std::string text) {
  char before = '[';                      // the last character that means something, of the text so far
  std::size_t comma = std::string::npos;  // that character, while it is a comma behind an element
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t behind_comment = end_of_comment(text, i);
    if (behind_comment != i || std::isspace(static_cast<unsigned char>(c)) != 0) {
      i = behind_comment != i ? behind_comment : i + 1;
      continue;
    }
    if (is_closing(c) && comma != std::string::npos) text[comma] = ' ';
    comma = c == ',' && !is_opening(before) ? i : std::string::npos;
    before = c;
    i = c == '"' ? end_of_quoted(text, i) : i + 1;
  }
  return text;
}

}  // namespace cardhouse
