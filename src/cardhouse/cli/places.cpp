#include "cardhouse/cli/places.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <system_error>

#include "cardhouse/base/error.h"

namespace fs = std::filesystem;

namespace cardhouse::cli {

void throw_not_made(const fs::path& folder, std::error_code error) {
  const std::string message = fmt::format("{}: cannot be made: {}", folder.string(), error.message());
  constexpr std::array shortages = {std::errc::no_space_on_device, std::errc::io_error, std::errc::not_enough_memory,
                                    std::errc::too_many_files_open, std::errc::too_many_files_open_in_system};
  if (std::find(shortages.begin(), shortages.end(), error) != shortages.end()) throw std::runtime_error(message);
  throw InputError(message + ": choose another place");
}

std::string plain_name(const std::string& original) {
  std::string name;
  for (const char c : original) {
    const bool good = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    name += good ? c : '_';
  }
  name.resize(std::min<std::size_t>(name.size(), 60));
  return name.empty() ? "scene" : name;
}

void check_folder(const fs::path& folder, const std::string& option) {
  if (folder.string().starts_with("--")) {
    throw InputError(fmt::format("{}: the name of a folder is missing before {}", option, folder.string()));
  }
  fs::path nearest = fs::absolute(folder);
  std::error_code ignored;
  while (!fs::exists(nearest, ignored) && nearest.has_relative_path()) nearest = nearest.parent_path();
  if (!fs::is_directory(nearest, ignored)) {
    throw InputError(fmt::format("{} {}: {} is not a folder", option, folder.string(), nearest.string()));
  }
  if (::access(nearest.c_str(), W_OK | X_OK) != 0) {
    throw InputError(fmt::format("{} {}: no permission to write in {}", option, folder.string(), nearest.string()));
  }
}

void check_file(const fs::path& file, const std::string& option) {
  if (fs::is_directory(file)) throw InputError(fmt::format("{} {}: is a folder, not a file", option, file.string()));
  const fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder)) {
    throw InputError(fmt::format("{} {}: there is no folder {}", option, file.string(), folder.string()));
  }
  check_folder(folder, option);
}

std::vector<fs::path> make_folders(const fs::path& folder) {
  std::vector<fs::path> made;
  fs::path path;
  for (const fs::path& part : folder) {
    path /= part;
    std::error_code error;
    if (fs::create_directory(path, error)) made.push_back(path);
    if (error) throw_not_made(path, error);
  }
  return made;
}

void check_output(const std::string& file, const std::string& option, const std::vector<std::string>& sources) {
  if (file.empty() || file == "-") return;
  check_file(file, option);
  std::error_code ignored;
  for (const std::string& source : sources) {
    if (!fs::equivalent(file, source, ignored)) continue;
    throw InputError(fmt::format("{} {}: would overwrite what is read", option, file));
  }
}

}  // namespace cardhouse::cli
