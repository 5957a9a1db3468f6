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
int write_text(const std::filesystem::path& file, std::string_view text) {
  std::FILE* stream = std::fopen(file.c_str(), "wb");
  if (stream == nullptr) return errno;
  int error = 0;
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size() || std::fflush(stream) != 0) error = errno;
  if (std::fclose(stream) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

void write_file_atomically(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::path temporary = file;
  temporary += fmt::format(".{}.tmp", ::getpid());
  int error = write_text(temporary, text);
  if (error == 0 && std::rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw std::runtime_error(
        fmt::format("{}: cannot be written: {}", file.string(), std::generic_category().message(error)));
  }
}

}  // namespace cardhouse
