#pragma once

#include <string>

namespace cardhouse {

/// JSON text in which a comma behind the last element of an array or object, before any comments, is a space. All else
/// stays where it is, so that places in the text keep their line and column.
std::string without_trailing_commas(std::string text);

}  // namespace cardhouse
