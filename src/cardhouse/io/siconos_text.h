// The text format of Siconos (docs/problem-files.md).
#pragma once

#include <string>

#include "cardhouse/contact/problem.h"

namespace cardhouse {

/// `name` is the file's: it says whether the problem is global, where the text itself would fit both forms, and stands
/// before messages. Throws InputError.
ContactProblem parse_siconos_text(const std::string& text, const std::string& name);

}  // namespace cardhouse
