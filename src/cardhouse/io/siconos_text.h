// The text format of Siconos (docs/problem-files.md).
#pragma once

#include <string>

#include "cardhouse/contact/problem.h"

namespace cardhouse {

/// `name` is the file's name. It decides whether the problem is global where the text fits both forms, and it begins
/// every message. Throws InputError.
ContactProblem parse_siconos_text(const std::string& text, const std::string& name);

}  // namespace cardhouse
