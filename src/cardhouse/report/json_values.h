// Numbers that JSON has no word for become null.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace cardhouse {

using Json = nlohmann::ordered_json;

inline Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

template <typename T>
Json optional_value(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace cardhouse
