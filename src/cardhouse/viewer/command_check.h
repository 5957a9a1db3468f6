// Which values of a command are allowed: the bounds of all input (base/limits.h), and some narrower ones of live runs.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/viewer/request.h"

namespace cardhouse::viewer {

/// A value that is not allowed, and the field of the message that it stands in, so that the page can say it there.
class RefusedValue : public InputError {
 public:
  RefusedValue(std::string field, const std::string& message) : InputError(message), field_(std::move(field)) {}
  const std::string& field() const { return field_; }

 private:
  std::string field_;
};

/// Throws RefusedValue for the first value that is not allowed in a simulation of so many runs. Asks nothing of its
/// state, so that a page can be answered at once.
void check_command(const Command& command, std::size_t runs);

}  // namespace cardhouse::viewer
