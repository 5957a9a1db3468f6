#pragma once

#include <string>

#include "cardhouse/report/summary.h"

namespace cardhouse {

/// Three digits with a fitting prefix: 3.21e-6, "m" → "3.21 µm". Zero, what is not finite and what is below a nano
/// stay plain: 3.68e-15, "m" → "3.68e-15 m", as few know a femto.
std::string with_unit(double value, const std::string& unit);

/// A run in a dozen lines for a person at a terminal.
std::string summary_table(const RunSummary& summary);

}  // namespace cardhouse
