#pragma once

#include <stdexcept>
#include <string>

namespace cardhouse {

/// Something the user gave cannot be used. The message names the thing, its value, the allowed range and, where it
/// helps, the remedy. The command-line program turns it into exit code 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace cardhouse
