#include "cardhouse/cli/recording_file.h"

#include <fmt/format.h>

#include <array>
#include <fstream>

#include "cardhouse/base/error.h"

namespace cardhouse::cli {

bool looks_like_recording(const std::filesystem::path& file) {
  constexpr std::array<char, 8> signature = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  std::array<char, 8> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  return start == signature || file.extension() == ".h5";
}

void check_not_same_file(const std::string& command, const std::filesystem::path& out,
                         const std::filesystem::path& recording) {
  std::error_code ignored;
  if (std::filesystem::equivalent(out, recording, ignored)) {
    throw InputError(fmt::format("{}: --out {}: is the recording itself", command, out.string()));
  }
}

}  // namespace cardhouse::cli
