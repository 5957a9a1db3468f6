#pragma once

#include <optional>
#include <string_view>

#include "cardhouse/report/summary.h"

namespace cardhouse {

/// What became of a scene. By its rule (StandsRule): it fell at the first step at whose end a body was beyond the
/// rule's displacement, which is final; else it stands when it is at rest at the end (report/rest_watch.h), and is
/// moving when it is not. Without a rule nothing can fall: it is at rest or moving.
enum class Outcome { stands, moving, fell, rest };
/// "stands", "moving", "fell", "rest".
std::string_view outcome_name(Outcome outcome);

/// Empty when the run says nothing: it took no step, never came to the rule's moment, or was cut short while a
/// structure stood, which may still fall.
std::optional<Outcome> outcome_of(const RunSummary& summary);

}  // namespace cardhouse
