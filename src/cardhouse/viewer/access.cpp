#include "cardhouse/viewer/access.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "cardhouse/base/error.h"

namespace cardhouse::viewer {
namespace {

constexpr std::size_t token_bytes = 16;

bool is_token(std::string_view text) {
  return text.size() == 2 * token_bytes && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The kept token; empty when there is none, or when others could have read or written it.
std::string kept_token(const std::filesystem::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) return {};
  std::string token;
  std::ifstream(file) >> token;
  return is_token(token) ? token : std::string();
}

/// Without the port: "127.0.0.1:8080" → "127.0.0.1", "[::1]:8080" → "[::1]". Empty when what stands there is no port.
std::string_view without_port(std::string_view host) {
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  if (!has_port) return host;
  constexpr std::size_t most_digits = 5;
  const std::string_view port = host.substr(colon + 1);
  const bool is_port = port.size() <= most_digits && port.find_first_not_of("0123456789") == std::string_view::npos;
  return is_port ? host.substr(0, colon) : std::string_view();
}

bool is_address(std::string_view name) {
  if (name.starts_with('[') && name.ends_with(']')) {
    return name.find_first_not_of("[]0123456789abcdefABCDEF:.") == std::string_view::npos;
  }
  return !name.empty() && name.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

std::string random_token() {
  std::array<std::uint8_t, token_bytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error("the system gives no random numbers");
  }
  std::string token;
  for (const std::uint8_t byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

std::filesystem::path state_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::filesystem::path(state) / "cardhouse";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::filesystem::path(home) / ".local/state/cardhouse";
  throw InputError("view: set HOME or XDG_STATE_HOME: the token that guards the page is kept there");
}

void write_private_file(const std::filesystem::path& file, std::string_view text) {
  const auto fail = [&] {
    throw std::runtime_error(
        fmt::format("{}: cannot be written: {}", file.string(), std::generic_category().message(errno)));
  };
  std::filesystem::path temporary = file;
  temporary += fmt::format(".{}.tmp", ::getpid());
  ::unlink(temporary.c_str());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) fail();
  const bool written = ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool closed = ::close(descriptor) == 0;
  if (!written || !closed || ::rename(temporary.c_str(), file.c_str()) != 0) fail();
}

std::string user_token(const std::filesystem::path& folder, bool renew) {
  const std::filesystem::path file = folder / "token";
  if (!renew) {
    if (std::string token = kept_token(file); !token.empty()) return token;
  }
  std::string token = random_token();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(fmt::format(
        "{}: cannot be made: {}. The token that guards the page is kept there; set XDG_STATE_HOME to a folder of yours",
        folder.string(), error.message()));
  }
  write_private_file(file, token + "\n");
  return token;
}

bool same_token(std::string_view given, std::string_view right) {
  // The length is no secret.
  if (given.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(right[i]);
  }
  return difference == 0;
}

bool allowed_host(std::string_view host_header, std::string_view own_name) {
  const std::string_view name = without_port(host_header);
  return is_address(name) || name == "localhost" || (!own_name.empty() && name == own_name);
}

bool same_origin(std::string_view origin, std::string_view host_header) {
  constexpr std::string_view scheme = "http://";
  return origin.starts_with(scheme) && origin.substr(scheme.size()) == host_header;
}

std::string_view token_of(std::string_view query) {
  constexpr std::string_view key = "token=";
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    if (query.substr(0, end).starts_with(key)) return query.substr(key.size(), end - key.size());
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return {};
}

}  // namespace cardhouse::viewer
