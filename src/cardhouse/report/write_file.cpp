#include "cardhouse/report/write_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>

namespace cardhouse {
namespace {

/// Zero, or the error that kept the text from reaching the disk.
int write_text(const std::filesystem::path& file, std::string_view text, const char* mode) {
  std::FILE* stream = std::fopen(file.c_str(), mode);
  if (stream == nullptr) return errno;
  int error = 0;
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size() || std::fflush(stream) != 0) error = errno;
  if (std::fclose(stream) != 0 && error == 0) error = errno;
  return error;
}

std::runtime_error write_error(const std::filesystem::path& file, int error) {
  return std::runtime_error(
      fmt::format("{}: cannot be written: {}", file.string(), std::generic_category().message(error)));
}

/// /dev/stdout, /proc/self/fd/1: streams of this process, whatever file they lead to.
bool is_own_stream(const std::filesystem::path& target) {
  const std::string text = target.lexically_normal().string();
  return text.starts_with("/dev/") || text.starts_with("/proc/");
}

}  // namespace

void write_file_atomically(const std::filesystem::path& target, std::string_view text) {
  namespace fs = std::filesystem;
  // A link keeps pointing where it does; a device or pipe is written to, never replaced by a file.
  const fs::path file = fs::is_symlink(target) && fs::exists(target) ? fs::canonical(target) : target;
  if (is_own_stream(target) || (fs::exists(file) && !fs::is_regular_file(file))) {
    if (const int error = write_text(target, text, "ab"); error != 0) throw write_error(file, error);
    return;
  }
  fs::path temporary = file;
  temporary += fmt::format(".{}.tmp", ::getpid());
  int error = write_text(temporary, text, "wb");
  if (error == 0 && std::rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw write_error(file, error);
  }
}

}  // namespace cardhouse
