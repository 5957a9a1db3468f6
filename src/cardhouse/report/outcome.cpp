#include "cardhouse/report/outcome.h"

#include "cardhouse/report/rest_watch.h"

namespace cardhouse {

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::stands:
      return "stands";
    case Outcome::moving:
      return "moving";
    case Outcome::fell:
      return "fell";
    case Outcome::rest:
      break;
  }
  return "rest";
}

std::optional<Outcome> outcome_of(const RunSummary& summary) {
  const bool slow = summary.speed <= rest_speed;
  if (!summary.has_rule) {
    if (summary.steps == 0) return std::nullopt;
    return slow ? Outcome::rest : Outcome::moving;
  }
  if (!summary.stands) return std::nullopt;
  if (!*summary.stands) return Outcome::fell;
  if (!came_to_its_end(summary.end)) return std::nullopt;
  return slow ? Outcome::stands : Outcome::moving;
}

}  // namespace cardhouse
