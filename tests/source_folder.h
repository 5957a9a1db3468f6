#pragma once

#include <cstdlib>
#include <filesystem>

namespace cardhouse::test {

/// The root of the checkout: ctest tells; a test program that is started by hand goes by the place of this file (which
/// a compiler cache may have made relative).
inline std::filesystem::path source_folder() {
  if (const char* told = std::getenv("CARDHOUSE_SOURCE")) return told;
  return std::filesystem::path(__FILE__).parent_path().parent_path();
}

}  // namespace cardhouse::test
