// Whole arrays in HDF5 files, as FCLIB has them: contiguous, of 32-bit integers or doubles, with texts of fixed length.
// Recordings, which grow, have a layer of their own (hdf5_file.h).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cardhouse/io/hdf5_file.h"
#include "cardhouse/math/types.h"

namespace cardhouse {

/// Throws InputError with the file's name and what is wrong.
class ArrayReader {
 public:
  explicit ArrayReader(const std::filesystem::path& path);

  /// Whether there is a group or an array at a path like "/fclib_local/W".
  bool has(const std::string& path) const;
  std::vector<int> integers(const std::string& path) const;
  VecX reals(const std::string& path) const;
  /// An array of one element.
  int integer(const std::string& path) const;

  const std::string& name() const { return name_; }

 private:
  Hdf5Id open_array(const std::string& path, bool integers, std::size_t& elements) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string name_;
  Hdf5Id file_;
};

/// Writes beside the file's place; close() puts it there. Throws InputError when the place is a wrong one, and
/// std::runtime_error when the system fails.
class ArrayWriter {
 public:
  explicit ArrayWriter(const std::filesystem::path& path);
  ~ArrayWriter();
  ArrayWriter(const ArrayWriter&) = delete;
  ArrayWriter& operator=(const ArrayWriter&) = delete;

  void make_group(const std::string& path);
  void write(const std::string& path, std::span<const int> values);
  void write(const std::string& path, std::span<const double> values);
  void write(const std::string& path, int value) { write(path, std::span<const int>(&value, 1)); }
  void write(const std::string& path, const VecX& values) {
    write(path, std::span<const double>(values.data(), static_cast<std::size_t>(values.size())));
  }
  void write_text(const std::string& path, const std::string& text);
  void close();

 private:
  void write_raw(const std::string& path, std::int64_t type, std::size_t elements, const void* values);
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path path_;
  std::filesystem::path partial_;
  Hdf5Id file_;
};

}  // namespace cardhouse
