#include "cardhouse/io/hdf5_file.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/io/hdf5_driver.h"

namespace cardhouse {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>, "HDF5 1.10 and later");

constexpr std::int64_t chunk_bytes = 32768;  // small enough to be read for one frame, large enough to compress
constexpr std::int64_t max_chunk_rows = 4096;
constexpr unsigned deflate_level = 3;  // higher levels save a few per cent and cost twice the time
constexpr hsize_t metadata_block = 65536;

Hdf5Id property_list(hid_t kind) {
  return {H5Pcreate(kind), H5Pclose};
}

Hdf5Id memory_type(ElementType type) {
  const auto builtin = [](hid_t id) { return Hdf5Id(H5Tcopy(id), H5Tclose); };
  switch (type) {
    case ElementType::real:
      return builtin(H5T_NATIVE_DOUBLE);
    case ElementType::int64:
      return builtin(H5T_NATIVE_INT64);
    case ElementType::uint64:
      return builtin(H5T_NATIVE_UINT64);
    case ElementType::int32:
      return builtin(H5T_NATIVE_INT32);
    case ElementType::uint32:
      return builtin(H5T_NATIVE_UINT32);
    case ElementType::uint8:
      return builtin(H5T_NATIVE_UINT8);
    case ElementType::text:
      break;
  }
  Hdf5Id text = builtin(H5T_C_S1);
  H5Tset_size(text.get(), H5T_VARIABLE);
  H5Tset_cset(text.get(), H5T_CSET_UTF8);
  return text;
}

/// HDF5's own message about the first cause: the innermost entry of its error stack.
std::string innermost_error() {
  const auto keep_first = [](unsigned index, const H5E_error2_t* error, void* message) -> herr_t {
    if (index == 0 && error->desc != nullptr) *static_cast<std::string*>(message) = error->desc;
    return 0;
  };
  std::string message;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &message);
  return message.empty() ? "no further word" : message;
}

/// HDF5 prints its errors unless told not to; here they become exceptions.
void silence_printing() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::vector<std::int64_t> extent_of(hid_t dataset) {
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose);
  const int rank = space.get() < 0 ? -1 : H5Sget_simple_extent_ndims(space.get());
  if (rank < 0) return {};
  std::vector<hsize_t> extent(static_cast<std::size_t>(rank));
  if (rank > 0) H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  return {extent.begin(), extent.end()};
}

/// −1 for a product that no number holds.
std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t n : shape) {
    if (__builtin_mul_overflow(elements, n, &elements)) return -1;
  }
  return elements;
}

std::vector<hsize_t> with_rows(std::int64_t rows, const std::vector<std::int64_t>& shape) {
  std::vector<hsize_t> extent = {static_cast<hsize_t>(rows)};
  extent.insert(extent.end(), shape.begin(), shape.end());
  return extent;
}

/// The file space of rows first … first + count − 1.
Hdf5Id rows_of(hid_t dataset, std::int64_t first, std::int64_t count, const std::vector<std::int64_t>& shape) {
  Hdf5Id space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> start(shape.size() + 1, 0);
  start[0] = static_cast<hsize_t>(first);
  const std::vector<hsize_t> extent = with_rows(count, shape);
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
  return space;
}

Hdf5Id memory_space(std::int64_t count, const std::vector<std::int64_t>& shape) {
  const std::vector<hsize_t> extent = with_rows(count, shape);
  return {H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose};
}

std::string file_size_words(const std::filesystem::path& path) {
  std::error_code ignored;
  return fmt::format("{} bytes", std::filesystem::file_size(path, ignored));
}

}  // namespace

std::int64_t Hdf5Dataset::row_elements() const {
  return product(shape_);
}

void Hdf5Dataset::fail_reading(const std::string& what) const {
  throw InputError(fmt::format("{}: {} (HDF5: {})", name_, what, innermost_error()));
}

void Hdf5Dataset::fail_writing(const std::string& what) const {
  throw std::runtime_error(fmt::format("{}: {} (HDF5: {})", name_, what, innermost_error()));
}

void Hdf5Dataset::append_raw(ElementType type, const void* values, std::int64_t elements) {
  const std::int64_t per_row = row_elements();
  if (per_row == 0 || elements == 0) return;
  const std::int64_t count = elements / per_row;
  const std::vector<hsize_t> extent = with_rows(rows_ + count, shape_);
  if (H5Dset_extent(id_.get(), extent.data()) < 0) fail_writing("can't grow");
  const Hdf5Id target = rows_of(id_.get(), rows_, count, shape_);
  const Hdf5Id source = memory_space(count, shape_);
  const Hdf5Id memory = memory_type(type);
  if (H5Dwrite(id_.get(), memory.get(), source.get(), target.get(), H5P_DEFAULT, values) < 0) {
    fail_writing("can't be written");
  }
  rows_ += count;
}

void Hdf5Dataset::append_text(std::span<const std::string> values) {
  std::vector<const char*> pointers;
  for (const std::string& value : values) pointers.push_back(value.c_str());
  append_raw(ElementType::text, pointers.data(), static_cast<std::int64_t>(pointers.size()));
}

std::size_t Hdf5Dataset::checked_size(std::int64_t first, std::int64_t count) const {
  if (first < 0 || count < 0 || first > rows_ - count) {
    throw InputError(fmt::format("{}: {} rows from row {} on asked for, but it has {}", name_, count, first, rows_));
  }
  return checked_elements(count, row_elements());
}

/// A size that a damaged file claims must not be allocated.
std::size_t Hdf5Dataset::checked_elements(std::int64_t rows, std::int64_t per_row) const {
  constexpr std::int64_t most_elements = std::int64_t{1} << 31;  // 16 GB of doubles: more than any part that is read
  if (per_row < 0 || (per_row > 0 && rows > most_elements / per_row)) {
    throw InputError(fmt::format("{}: {} rows of {} numbers have no size that makes sense: the file is damaged", name_,
                                 rows, per_row));
  }
  return static_cast<std::size_t>(rows * per_row);
}

void Hdf5Dataset::read_raw(ElementType type, void* values, std::int64_t first, std::int64_t count) const {
  if (count == 0 || row_elements() == 0) return;
  const Hdf5Id source = rows_of(id_.get(), first, count, shape_);
  const Hdf5Id target = memory_space(count, shape_);
  const Hdf5Id memory = memory_type(type);
  if (H5Dread(id_.get(), memory.get(), target.get(), source.get(), H5P_DEFAULT, values) < 0) {
    fail_reading("can't be read: the file is damaged");
  }
}

std::size_t Hdf5Dataset::checked_part_size(const RowSelection& rows, std::int64_t part, std::int64_t parts) const {
  const bool rows_fit = rows.first >= 0 && rows.count >= 0 && rows.stride > 0 &&
                        (rows.count == 0 || rows.first <= rows_ - 1 - (rows.count - 1) * rows.stride);
  if (!rows_fit) {
    throw InputError(fmt::format("{}: {} rows asked for, from {} with a stride of {}, but it has {}", name_, rows.count,
                                 rows.first, rows.stride, rows_));
  }
  if (shape_.empty()) return checked_elements(rows.count, 1);
  if (part < 0 || parts < 0 || part > shape_.front() - parts) {
    throw InputError(
        fmt::format("{}: parts {} … {} asked for, but it has {}", name_, part, part + parts - 1, shape_.front()));
  }
  return shape_.front() == 0 ? 0 : checked_elements(rows.count, parts * (row_elements() / shape_.front()));
}

void Hdf5Dataset::read_part_raw(ElementType type, void* values, const RowSelection& rows, std::int64_t part,
                                std::int64_t parts) const {
  std::vector<std::int64_t> shape = shape_;
  if (!shape.empty()) shape.front() = parts;
  if (rows.count == 0 || product(shape) == 0) return;
  const Hdf5Id source(H5Dget_space(id_.get()), H5Sclose);
  std::vector<hsize_t> start(shape.size() + 1, 0);
  std::vector<hsize_t> stride(shape.size() + 1, 1);
  start[0] = static_cast<hsize_t>(rows.first);
  stride[0] = static_cast<hsize_t>(rows.stride);
  if (!shape.empty()) start[1] = static_cast<hsize_t>(part);
  const std::vector<hsize_t> extent = with_rows(rows.count, shape);
  H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, start.data(), stride.data(), extent.data(), nullptr);
  const Hdf5Id target = memory_space(rows.count, shape);
  const Hdf5Id memory = memory_type(type);
  if (H5Dread(id_.get(), memory.get(), target.get(), source.get(), H5P_DEFAULT, values) < 0) {
    fail_reading("can't be read: the file is damaged");
  }
}

std::vector<std::string> Hdf5Dataset::read_text(std::int64_t first, std::int64_t count) const {
  std::vector<char*> pointers(checked_size(first, count), nullptr);
  read_raw(ElementType::text, pointers.data(), first, count);
  std::vector<std::string> values;
  for (char* pointer : pointers) {
    values.emplace_back(pointer == nullptr ? "" : pointer);
    if (pointer != nullptr) H5free_memory(pointer);
  }
  return values;
}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept
    : id_(std::move(other.id_)),
      for_writing_(other.for_writing_),
      commit_file_(std::exchange(other.commit_file_, nullptr)),
      name_(std::move(other.name_)),
      datasets_(std::move(other.datasets_)) {}

Hdf5File::~Hdf5File() {
  if (commit_file_ != nullptr) commit_file_->abandon();
}

void Hdf5File::fail(const std::string& what) const {
  const std::string message = fmt::format("{}: {} (HDF5: {})", name_, what, innermost_error());
  if (for_writing_) throw std::runtime_error(message);
  throw InputError(message);
}

Hdf5File Hdf5File::create(const std::filesystem::path& path) {
  silence_printing();
  Hdf5File file;
  file.name_ = path.string();
  file.for_writing_ = true;
  const Hdf5Id access = property_list(H5P_FILE_ACCESS);
  H5Pset_driver(access.get(), commit_driver(), nullptr);
  // Checksums on metadata, but not yet the flags by which later versions refuse a file whose writer was killed.
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_meta_block_size(access.get(), metadata_block);
  file.id_ = Hdf5Id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  if (file.id_.get() < 0) {
    rethrow_commit_driver_failure();
    file.fail("can't be made");
  }
  file.commit_file_ = commit_file_of(file.id_.get());
  return file;
}

Hdf5File Hdf5File::open(const std::filesystem::path& path) {
  silence_printing();
  Hdf5File file;
  file.name_ = path.string();
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(file.name_ + ": no such file");
  if (!std::filesystem::is_regular_file(status)) throw InputError(file.name_ + ": not a file");
  if (::access(path.c_str(), R_OK) != 0) throw InputError(file.name_ + ": may not be read: check its permissions");
  if (H5Fis_hdf5(path.c_str()) <= 0) {
    throw InputError(fmt::format("{}: not an HDF5 file, so not a recording ({})", file.name_, file_size_words(path)));
  }
  file.id_ = Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file.id_.get() >= 0) return file;
  const std::string reason = innermost_error();
  if (reason.find("truncated") != std::string::npos || reason.find("eof") != std::string::npos) {
    throw InputError(fmt::format("{}: cut short ({} are there): copy it again or run the scene again (HDF5: {})",
                                 file.name_, file_size_words(path), reason));
  }
  file.fail("can't be opened: the file is damaged or in use");
}

void Hdf5File::make_group(const std::string& path) {
  const Hdf5Id group(H5Gcreate2(id_.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (group.get() < 0) fail(path + " can't be made");
}

Hdf5Dataset Hdf5File::make_dataset(const std::string& path, ElementType type, std::vector<std::int64_t> row_shape) {
  const Hdf5Id element = memory_type(type);
  const auto row_bytes =
      std::max<std::int64_t>(1, product(row_shape) * static_cast<std::int64_t>(H5Tget_size(element.get())));
  const std::int64_t chunk_rows = std::clamp<std::int64_t>(chunk_bytes / row_bytes, 1, max_chunk_rows);

  // A dimension of 0 (a scene without bodies) can't be a chunk's.
  std::vector<hsize_t> chunk = with_rows(chunk_rows, row_shape);
  for (hsize_t& n : chunk) n = std::max<hsize_t>(n, 1);
  std::vector<hsize_t> start = with_rows(0, row_shape);
  std::vector<hsize_t> limit = start;
  limit[0] = H5S_UNLIMITED;

  const Hdf5Id layout = property_list(H5P_DATASET_CREATE);
  H5Pset_chunk(layout.get(), static_cast<int>(chunk.size()), chunk.data());
  H5Pset_shuffle(layout.get());
  H5Pset_deflate(layout.get(), deflate_level);
  const Hdf5Id access = property_list(H5P_DATASET_ACCESS);
  // Rows come in order, so room for the chunk being filled and its neighbour is enough; the default would grow to 1 MB
  // for every dataset.
  const auto cache = static_cast<std::size_t>(2 * std::max(chunk_bytes, row_bytes));
  H5Pset_chunk_cache(access.get(), 3, cache, H5D_CHUNK_CACHE_W0_DEFAULT);

  const Hdf5Id space(H5Screate_simple(static_cast<int>(start.size()), start.data(), limit.data()), H5Sclose);
  Hdf5Dataset dataset;
  dataset.id_ =
      Hdf5Id(H5Dcreate2(id_.get(), path.c_str(), element.get(), space.get(), H5P_DEFAULT, layout.get(), access.get()),
             H5Dclose);
  if (dataset.id_.get() < 0) fail(path + " can't be made");
  dataset.name_ = fmt::format("{}: {}", name_, path);
  dataset.shape_ = std::move(row_shape);
  return dataset;
}

void Hdf5File::write_text(const std::string& path, const std::string& text) {
  const Hdf5Id type = memory_type(ElementType::text);
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id dataset(
      H5Dcreate2(id_.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  const char* pointer = text.c_str();
  if (dataset.get() < 0 ||
      H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<const void*>(&pointer)) < 0) {
    fail(path + " can't be written");
  }
}

std::string Hdf5File::read_text(const std::string& path) const {
  const Hdf5Id type = memory_type(ElementType::text);
  const Hdf5Id dataset(H5Dopen2(id_.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
  char* pointer = nullptr;
  if (dataset.get() < 0 || !extent_of(dataset.get()).empty() ||
      H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<void*>(&pointer)) < 0) {
    fail(path + " can't be read: the file is damaged");
  }
  std::string text = pointer == nullptr ? "" : pointer;
  if (pointer != nullptr) H5free_memory(pointer);
  return text;
}

bool Hdf5File::has(const std::string& path) const {
  return H5Lexists(id_.get(), path.c_str(), H5P_DEFAULT) > 0;
}

const Hdf5Dataset& Hdf5File::dataset(const std::string& path) const {
  if (const auto found = datasets_.find(path); found != datasets_.end()) return found->second;
  Hdf5Dataset dataset;
  dataset.name_ = fmt::format("{}: {}", name_, path);
  const Hdf5Id access = property_list(H5P_DATASET_ACCESS);
  H5Pset_chunk_cache(access.get(), 17, 8 * chunk_bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
  dataset.id_ = Hdf5Id(H5Dopen2(id_.get(), path.c_str(), access.get()), H5Dclose);
  if (dataset.id_.get() < 0) dataset.fail_reading("missing: the file is damaged");
  const std::vector<std::int64_t> extent = extent_of(dataset.id_.get());
  if (extent.empty()) dataset.fail_reading("has no rows: the file is damaged");
  dataset.rows_ = extent.front();
  dataset.shape_.assign(extent.begin() + 1, extent.end());
  return datasets_.emplace(path, std::move(dataset)).first->second;
}

void Hdf5File::commit() {
  if (H5Fflush(id_.get(), H5F_SCOPE_LOCAL) >= 0) return;
  if (commit_file_ != nullptr && !commit_file_->failure().empty()) throw std::runtime_error(commit_file_->failure());
  fail("can't be written");
}

std::size_t Hdf5File::pending_bytes() const {
  return commit_file_ == nullptr ? 0 : commit_file_->pending_bytes();
}

void Hdf5File::close() {
  if (commit_file_ != nullptr) {
    commit();
    commit_file_ = nullptr;  // closing ends its life
  }
  if (!id_.reset()) fail("can't be closed");
}

}  // namespace cardhouse
