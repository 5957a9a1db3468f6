#include "cardhouse/io/hdf5_arrays.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <stdexcept>
#include <system_error>

#include "cardhouse/base/error.h"

namespace fs = std::filesystem;

namespace cardhouse {
namespace {

/// More numbers than any contact problem has: a damaged size, which must not be allocated.
constexpr hsize_t most_elements = hsize_t{1} << 31;

/// Without the time of writing, so that the same problem makes the same tables.
Hdf5Id timeless() {
  Hdf5Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties.get(), false);
  return properties;
}

}  // namespace

void ArrayReader::fail(const std::string& what) const {
  throw InputError(name_ + ": " + what);
}

ArrayReader::ArrayReader(const fs::path& path) : name_(path.string()) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // HDF5's failures become exceptions here
  file_ = Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file_.get() < 0) fail("can't be opened as an HDF5 file: it is cut short, damaged or in use");
}

bool ArrayReader::has(const std::string& path) const {
  // HDF5 looks for the last name only: all before it must be there.
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    if (H5Lexists(file_.get(), path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

Hdf5Id ArrayReader::open_array(const std::string& path, bool integers, std::size_t& elements) const {
  if (!has(path)) fail(path + " is missing");
  Hdf5Id dataset(H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
  if (dataset.get() < 0) fail(path + " is no array");
  const Hdf5Id type(H5Dget_type(dataset.get()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_INTEGER && (integers || kind != H5T_FLOAT)) {
    fail(path + (integers ? " holds no whole numbers" : " holds no numbers"));
  }
  const Hdf5Id space(H5Dget_space(dataset.get()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count < 0 || static_cast<hsize_t>(count) > most_elements) fail(path + " has no size that makes sense");
  elements = static_cast<std::size_t>(count);
  return dataset;
}

std::vector<int> ArrayReader::integers(const std::string& path) const {
  std::size_t elements = 0;
  const Hdf5Id dataset = open_array(path, true, elements);
  std::vector<int> values(elements);
  if (elements > 0 && H5Dread(dataset.get(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(path + " can't be read: the file is damaged");
  }
  return values;
}

VecX ArrayReader::reals(const std::string& path) const {
  std::size_t elements = 0;
  const Hdf5Id dataset = open_array(path, false, elements);
  VecX values(static_cast<Eigen::Index>(elements));
  if (elements > 0 && H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(path + " can't be read: the file is damaged");
  }
  return values;
}

int ArrayReader::integer(const std::string& path) const {
  const std::vector<int> values = integers(path);
  if (values.size() != 1) fail(fmt::format("{} has {} elements instead of one", path, values.size()));
  return values[0];
}

void ArrayWriter::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("{}: {}", path_.string(), what));
}

ArrayWriter::ArrayWriter(const fs::path& path) : path_(path), partial_(path.string() + ".partial") {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  std::error_code ignored;
  const fs::path folder = fs::absolute(path).parent_path();
  if (!fs::is_directory(folder, ignored)) {
    throw InputError(fmt::format("{}: there is no folder {}", path.string(), folder.string()));
  }
  if (fs::is_directory(path, ignored)) throw InputError(path.string() + ": is a folder, not a file");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw InputError(fmt::format("{}: no permission to write in {}", path.string(), folder.string()));
  }
  file_ = Hdf5Id(H5Fcreate(partial_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (file_.get() < 0) fail("can't be made");
}

ArrayWriter::~ArrayWriter() {
  if (file_.get() < 0) return;
  file_.reset();
  std::error_code ignored;
  fs::remove(partial_, ignored);
}

void ArrayWriter::make_group(const std::string& path) {
  const Hdf5Id group(H5Gcreate2(file_.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (group.get() < 0) fail(path + " can't be made");
}

void ArrayWriter::write_raw(const std::string& path, std::int64_t type, std::size_t elements, const void* values) {
  const hsize_t extent = elements;
  const Hdf5Id space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  const Hdf5Id dataset(H5Dcreate2(file_.get(), path.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose);
  if (dataset.get() < 0 || (elements > 0 && H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)) {
    fail(path + " can't be written");
  }
}

void ArrayWriter::write(const std::string& path, std::span<const int> values) {
  write_raw(path, H5T_NATIVE_INT, values.size(), values.data());
}

void ArrayWriter::write(const std::string& path, std::span<const double> values) {
  write_raw(path, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void ArrayWriter::write_text(const std::string& path, const std::string& text) {
  const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), text.size() + 1);  // FCLIB makes room for the closing zero
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id properties = timeless();
  const Hdf5Id dataset(
      H5Dcreate2(file_.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
      H5Dclose);
  if (dataset.get() < 0 || H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) < 0) {
    fail(path + " can't be written");
  }
}

void ArrayWriter::close() {
  std::error_code error;
  if (!file_.reset()) {
    fs::remove(partial_, error);
    fail("can't be written: is the disk full?");
  }
  fs::rename(partial_, path_, error);
  if (!error) return;
  const std::string reason = error.message();
  fs::remove(partial_, error);
  fail("can't be put in its place: " + reason);
}

}  // namespace cardhouse
