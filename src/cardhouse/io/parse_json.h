#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cardhouse {

/// Parses JSON with comments. Throws InputError, with the path, the line and the column, for bad syntax, for numbers
/// that are not finite and for keys that occur twice.
nlohmann::json parse_json(const std::string& text, const std::string& source);

}  // namespace cardhouse
