#include <fmt/format.h>
#include <hdf5.h>

#include "cardhouse/base/error.h"
#include "cardhouse/io/hdf5_file.h"

namespace cardhouse {
namespace {

Hdf5Id text_type() {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

bool write_attribute(hid_t file, const std::string& path, const std::string& name, hid_t type, const void* value) {
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id attribute(
      H5Acreate_by_name(file, path.c_str(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  return attribute.get() >= 0 && H5Awrite(attribute.get(), type, value) >= 0;
}

bool read_attribute(hid_t file, const std::string& path, const std::string& name, hid_t type, void* value) {
  const Hdf5Id attribute(H5Aopen_by_name(file, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (attribute.get() < 0) return false;
  // A longer attribute would write past `value`.
  const Hdf5Id space(H5Aget_space(attribute.get()), H5Sclose);
  return H5Sget_simple_extent_npoints(space.get()) == 1 && H5Aread(attribute.get(), type, value) >= 0;
}

}  // namespace

void Hdf5File::set_attribute(const std::string& path, const std::string& name, const std::string& value) {
  const char* pointer = value.c_str();
  if (!write_attribute(id_.get(), path, name, text_type().get(), static_cast<const void*>(&pointer))) {
    fail(fmt::format("attribute {} of {} can't be written", name, path));
  }
}

void Hdf5File::set_attribute(const std::string& path, const std::string& name, double value) {
  if (!write_attribute(id_.get(), path, name, H5T_NATIVE_DOUBLE, &value)) {
    fail(fmt::format("attribute {} of {} can't be written", name, path));
  }
}

void Hdf5File::set_attribute(const std::string& path, const std::string& name, std::int64_t value) {
  if (!write_attribute(id_.get(), path, name, H5T_NATIVE_INT64, &value)) {
    fail(fmt::format("attribute {} of {} can't be written", name, path));
  }
}

bool Hdf5File::has_attribute(const std::string& path, const std::string& name) const {
  return H5Aexists_by_name(id_.get(), path.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::string Hdf5File::text_attribute(const std::string& path, const std::string& name) const {
  char* pointer = nullptr;
  if (!read_attribute(id_.get(), path, name, text_type().get(), static_cast<void*>(&pointer))) {
    fail(fmt::format("attribute {} of {} can't be read", name, path));
  }
  std::string text = pointer == nullptr ? "" : pointer;
  if (pointer != nullptr) H5free_memory(pointer);
  return text;
}

double Hdf5File::real_attribute(const std::string& path, const std::string& name) const {
  double value = 0.0;
  if (!read_attribute(id_.get(), path, name, H5T_NATIVE_DOUBLE, &value)) {
    fail(fmt::format("attribute {} of {} can't be read", name, path));
  }
  return value;
}

std::int64_t Hdf5File::integer_attribute(const std::string& path, const std::string& name) const {
  std::int64_t value = 0;
  if (!read_attribute(id_.get(), path, name, H5T_NATIVE_INT64, &value)) {
    fail(fmt::format("attribute {} of {} can't be read", name, path));
  }
  return value;
}

}  // namespace cardhouse
