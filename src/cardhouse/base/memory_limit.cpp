#include "cardhouse/base/memory_limit.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace cardhouse {
namespace {

std::atomic<double> given{0.0};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): one process, one memory

double of_machine() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void set_memory_limit(double bytes) {
  given = bytes;
}

double memory_limit() {
  static const double machine = of_machine();
  const double bytes = given;
  return bytes > 0.0 ? bytes : machine;
}

void require_memory(double bytes, const std::string& what) {
  const double limit = memory_limit();
  if (bytes <= limit) return;
  char text[120];
  std::snprintf(text, sizeof text, " needs about %.3g GB, and the limit is %.3g GB (--max-memory)", 1e-9 * bytes,
                1e-9 * limit);
  throw MemoryError(what + text);
}

}  // namespace cardhouse
