// A thin layer over HDF5's C interface: files, attributes, and datasets that grow along their first dimension. Failures
// become exceptions with the file's name: InputError when reading, where the file is at fault, and std::runtime_error
// when writing, where the system is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cardhouse {

class CommitFile;

enum class ElementType { real, int64, uint64, int32, uint32, uint8, text };

template <typename T>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<T, double>) return ElementType::real;
  if constexpr (std::is_same_v<T, std::int64_t>) return ElementType::int64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return ElementType::uint64;
  if constexpr (std::is_same_v<T, std::int32_t>) return ElementType::int32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ElementType::uint32;
  if constexpr (std::is_same_v<T, std::uint8_t>) return ElementType::uint8;
  if constexpr (std::is_same_v<T, std::string>) return ElementType::text;
}

/// An HDF5 identifier that is closed with its owner.
class Hdf5Id {
 public:
  using Close = int (*)(std::int64_t);
  Hdf5Id() = default;
  Hdf5Id(std::int64_t id, Close close) : id_(id), close_(close) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Id() { reset(); }
  /// Closes now; false when HDF5 reports a failure.
  bool reset() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }
  std::int64_t get() const { return id_; }

 private:
  std::int64_t id_ = -1;
  Close close_ = nullptr;
};

/// Rows first, first + stride, …: `count` of them.
struct RowSelection {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t stride = 1;
};

/// Rows of a fixed shape: [rows, shape…].
class Hdf5Dataset {
 public:
  std::int64_t rows() const { return rows_; }
  const std::vector<std::int64_t>& row_shape() const { return shape_; }
  std::int64_t row_elements() const;

  template <typename T>
  void append(std::span<const T> values) {
    append_raw(element_type<T>(), values.data(), static_cast<std::int64_t>(values.size()));
  }
  void append_text(std::span<const std::string> values);

  /// Rows first … first + count − 1, converted to T.
  template <typename T>
  std::vector<T> read(std::int64_t first, std::int64_t count) const {
    std::vector<T> values(checked_size(first, count));
    read_raw(element_type<T>(), values.data(), first, count);
    return values;
  }
  std::vector<std::string> read_text(std::int64_t first, std::int64_t count) const;

  /// Of each of those rows the elements part … part + parts − 1 along the second dimension, with all that lies in the
  /// further ones; of a dataset without one, the rows themselves.
  template <typename T>
  std::vector<T> read_part(const RowSelection& rows, std::int64_t part, std::int64_t parts) const {
    std::vector<T> values(checked_part_size(rows, part, parts));
    read_part_raw(element_type<T>(), values.data(), rows, part, parts);
    return values;
  }

 private:
  friend class Hdf5File;
  void append_raw(ElementType type, const void* values, std::int64_t elements);
  void read_raw(ElementType type, void* values, std::int64_t first, std::int64_t count) const;
  std::size_t checked_size(std::int64_t first, std::int64_t count) const;
  std::size_t checked_elements(std::int64_t rows, std::int64_t per_row) const;
  void read_part_raw(ElementType type, void* values, const RowSelection& rows, std::int64_t part,
                     std::int64_t parts) const;
  std::size_t checked_part_size(const RowSelection& rows, std::int64_t part, std::int64_t parts) const;
  [[noreturn]] void fail_reading(const std::string& what) const;
  [[noreturn]] void fail_writing(const std::string& what) const;

  Hdf5Id id_;
  std::string name_;  ///< with the file's, for messages
  std::vector<std::int64_t> shape_;
  std::int64_t rows_ = 0;
};

class Hdf5File {
 public:
  /// What the file held before stays until the first commit.
  static Hdf5File create(const std::filesystem::path& path);
  /// For reading. Says in plain words when the file is missing, no HDF5 file, or cut short.
  static Hdf5File open(const std::filesystem::path& path);

  Hdf5File(Hdf5File&&) noexcept;
  ~Hdf5File();

  void make_group(const std::string& path);
  /// An empty dataset, chunked and compressed. Its datasets must be gone before the file is closed.
  Hdf5Dataset make_dataset(const std::string& path, ElementType type, std::vector<std::int64_t> row_shape);
  void write_text(const std::string& path, const std::string& text);
  /// Attributes of the object at `path` ("/" for the file itself).
  void set_attribute(const std::string& path, const std::string& name, const std::string& value);
  void set_attribute(const std::string& path, const std::string& name, double value);
  void set_attribute(const std::string& path, const std::string& name, std::int64_t value);

  bool has(const std::string& path) const;
  bool has_attribute(const std::string& path, const std::string& name) const;
  /// Stays open, with what HDF5 has read of it lately, as long as the file.
  const Hdf5Dataset& dataset(const std::string& path) const;
  std::string read_text(const std::string& path) const;
  std::string text_attribute(const std::string& path, const std::string& name) const;
  double real_attribute(const std::string& path, const std::string& name) const;
  std::int64_t integer_attribute(const std::string& path, const std::string& name) const;

  /// Brings all that was written so far to the disk as one consistent file.
  void commit();
  /// What waits in memory for the next commit.
  std::size_t pending_bytes() const;
  /// Commits and closes. The destructor closes without: what was not committed is dropped.
  void close();

  const std::string& name() const { return name_; }

 private:
  Hdf5File() = default;
  [[noreturn]] void fail(const std::string& what) const;

  Hdf5Id id_;
  bool for_writing_ = false;
  CommitFile* commit_file_ = nullptr;  ///< under a file that is being written; belongs to HDF5's driver
  std::string name_;
  mutable std::map<std::string, Hdf5Dataset> datasets_;  ///< those that were asked for
};

}  // namespace cardhouse
