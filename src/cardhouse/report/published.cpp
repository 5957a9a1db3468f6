#include "cardhouse/report/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace cardhouse {
namespace {

/// Characters, not bytes, of UTF-8.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width > width_of(text) ? width - width_of(text) : 0, ' ');
}

nlohmann::ordered_json json_of(const PublishedValue& value) {
  if (!value.number) return value.text;
  if (!std::isfinite(*value.number)) return nullptr;
  return *value.number;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::differs:
      return "differs";
    case Verdict::not_readable:
      return "not readable";
    case Verdict::not_decided:
      return "not decided";
  }
  return "";
}

PublishedValue::PublishedValue(double value) : text(fmt::format("{:.3g}", value)), number(value) {}

std::string published_json(const std::vector<PublishedRow>& rows) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const PublishedRow& row : rows) {
    array.push_back({{"entry", row.entry},
                     {"name", row.name},
                     {"source", row.source},
                     {"published", json_of(row.published)},
                     {"measured", json_of(row.measured)},
                     {"rule", row.rule},
                     {"verdict", verdict_name(row.verdict)},
                     {"note", row.note}});
  }
  return array.dump(2) + "\n";
}

std::string published_table(const std::vector<PublishedRow>& rows) {
  std::size_t name = width_of("compared");
  std::size_t published = width_of("published");
  std::size_t measured = width_of("measured");
  for (const PublishedRow& row : rows) {
    name = std::max(name, width_of(row.name));
    published = std::max(published, width_of(row.published.text));
    measured = std::max(measured, width_of(row.measured.text));
  }
  const auto line = [&](const std::string& a, const std::string& b, const std::string& c, std::string_view d) {
    return fmt::format("  {}  {}  {}  {}\n", padded(a, name), padded(b, published), padded(c, measured), d);
  };
  std::string out = line("compared", "published", "measured", "verdict");
  for (const PublishedRow& row : rows) {
    out += line(row.name, row.published.text, row.measured.text, verdict_name(row.verdict));
    out += fmt::format("      rule: {}\n", row.rule);
    if (!row.note.empty()) out += fmt::format("      note: {}\n", row.note);
  }
  return out;
}

}  // namespace cardhouse
