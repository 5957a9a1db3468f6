#include "cardhouse/report/write_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace cardhouse {
namespace {

/// Writes to the stream and closes it. Zero, or the error that kept the text from reaching its end.
int write_text(std::FILE* stream, std::string_view text) {
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

/// The number of this process's stream that a path names, if any. Opening that file anew would overwrite what the
/// stream writes.
std::optional<int> own_stream(const std::filesystem::path& target) {
  std::string text = target.lexically_normal().string();
  if (text == "/dev/stdout") return 1;
  if (text == "/dev/stderr") return 2;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!text.starts_with(folder)) continue;
    text.erase(0, folder.size());
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= 0) return number;
  }
  return std::nullopt;
}

}  // namespace

void write_file_atomically(const std::filesystem::path& target, std::string_view text) {
  namespace fs = std::filesystem;
  if (const std::optional<int> number = own_stream(target)) {
    std::fflush(nullptr);  // what was printed before comes before
    if (const int error = write_text(::fdopen(::dup(*number), "wb"), text); error != 0)
      throw write_error(target, error);
    return;
  }
  // A link keeps pointing where it does; a device or pipe is written to, never replaced by a file.
  const fs::path file = fs::is_symlink(target) && fs::exists(target) ? fs::canonical(target) : target;
  if (fs::exists(file) && !fs::is_regular_file(file)) {
    if (const int error = write_text(std::fopen(file.c_str(), "wb"), text); error != 0) throw write_error(file, error);
    return;
  }
  fs::path temporary = file;
  temporary += fmt::format(".{}.tmp", ::getpid());
  int error = write_text(std::fopen(temporary.c_str(), "wb"), text);
  if (error == 0 && std::rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw write_error(file, error);
  }
}

}  // namespace cardhouse
