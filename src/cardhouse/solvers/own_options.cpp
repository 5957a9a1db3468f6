#include "cardhouse/solvers/own_options.h"

#include <algorithm>
#include <charconv>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

[[noreturn]] void refuse_text(const std::string& text, const std::string& rule) {
  throw InputError("solver = \"" + text + "\": " + rule);
}

}  // namespace

OwnOptions::OwnOptions(const std::string& text) {
  std::size_t start = text.find(':');
  solver_ = text.substr(0, start);
  while (start != std::string::npos) {
    const std::size_t end = text.find(':', start + 1);
    const std::string word = text.substr(start + 1, end == std::string::npos ? end : end - start - 1);
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) refuse_text(text, "after the name come options as in NAME:option=value");
    const std::string option = word.substr(0, equals);
    if (!given_.emplace(option, word.substr(equals + 1)).second) refuse_text(text, option + " is given twice");
    start = end;
  }
}

void OwnOptions::refuse(const std::string& option, const std::string& value, const std::string& rule) const {
  throw InputError("solver " + solver_ + ": " + option + " = \"" + value + "\": must be " + rule);
}

int OwnOptions::number(const std::string& option, int least, int most, int otherwise) {
  known_.push_back(option);
  const auto found = given_.find(option);
  if (found == given_.end()) return otherwise;
  const std::string& text = found->second;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    refuse(option, text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

int OwnOptions::even_number(const std::string& option, int least, int most, int otherwise) {
  const int value = number(option, least, most, otherwise);
  if (value % 2 != 0) {
    refuse(option, std::to_string(value),
           "an even number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

int OwnOptions::choice(const std::string& option, const std::vector<std::string>& choices) {
  known_.push_back(option);
  const auto found = given_.find(option);
  if (found == given_.end()) return 0;
  const auto place = std::find(choices.begin(), choices.end(), found->second);
  if (place == choices.end()) refuse(option, found->second, "one of: " + joined(choices));
  return static_cast<int>(place - choices.begin());
}

void OwnOptions::finish() const {
  for (const auto& [option, value] : given_) {
    if (std::find(known_.begin(), known_.end(), option) != known_.end()) continue;
    refuse_text(solver_,
                "has no option " + option + (known_.empty() ? "; it has none" : "; it has: " + joined(known_)));
  }
}

}  // namespace cardhouse
