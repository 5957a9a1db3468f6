#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>

#include "cardhouse/base/error.h"
#include "cardhouse/io/fclib.h"
#include "cardhouse/io/problem_file.h"
#include "cardhouse/io/siconos_text.h"

namespace fs = std::filesystem;

namespace cardhouse {
namespace {

constexpr std::array<char, 8> hdf5_signature = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};

std::ifstream open_for_reading(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError(path.string() + ": no such file");
  if (fs::is_directory(status)) throw InputError(path.string() + ": is a folder, not a file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(path.string() + ": may not be read: check its permissions");
  return stream;
}

bool is_hdf5(std::ifstream& stream) {
  std::array<char, hdf5_signature.size()> start{};
  stream.read(start.data(), start.size());
  const bool found = stream && start == hdf5_signature;
  stream.clear();
  stream.seekg(0);
  return found;
}

}  // namespace

ContactProblem read_problem(const fs::path& path) {
  std::ifstream stream = open_for_reading(path);
  if (!is_hdf5(stream)) {
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return parse_siconos_text(text, path.string());
  }
  const ArrayReader file(path);
  return file.has("/cardhouse") ? read_own_problem(file) : read_fclib_problem(file);
}

std::optional<VecX> read_problem_guess(const fs::path& path) {
  std::ifstream stream = open_for_reading(path);
  if (!is_hdf5(stream)) return std::nullopt;
  const ArrayReader file(path);
  const int rows = read_problem(path).rows();
  if (!file.has("/cardhouse")) return read_fclib_guess(file, rows);
  if (!file.has("/cardhouse/guess")) return std::nullopt;
  VecX guess = file.reals("/cardhouse/guess");
  if (guess.size() != rows) {
    throw InputError(fmt::format("{}: the guess has {} numbers instead of {}", file.name(), guess.size(), rows));
  }
  return guess;
}

}  // namespace cardhouse
