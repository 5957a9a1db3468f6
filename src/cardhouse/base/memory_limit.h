// How much memory the program may take. What is large is estimated before it is made: a factorisation, a dense matrix.
#pragma once

#include <string>

#include "cardhouse/base/error.h"

namespace cardhouse {

/// Something would take more than the limit. The message has the estimate.
class MemoryError : public InputError {
 public:
  using InputError::InputError;
};

/// Bytes, of the whole process; 0: as much as the machine has.
void set_memory_limit(double bytes);
double memory_limit();

/// Throws MemoryError when `bytes` are more than the limit: "WHAT needs about 12.3 GB, and the limit is 8 GB".
void require_memory(double bytes, const std::string& what);

}  // namespace cardhouse
