#include "cardhouse/io/hdf5_driver.h"

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif
#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace cardhouse {
namespace {

/// HDF5 sees the first member only.
struct DriverFile {
  H5FD_t common{};
  std::unique_ptr<CommitFile> file;
  haddr_t allocated = 0;
};

thread_local std::exception_ptr open_failure;

DriverFile& self(H5FD_t* file) {
  return *reinterpret_cast<DriverFile*>(file);
}
const DriverFile& self(const H5FD_t* file) {
  return *reinterpret_cast<const DriverFile*>(file);
}

/// No exception may pass through HDF5's C code.
template <typename Action>
herr_t guarded(Action&& action) {
  try {
    std::forward<Action>(action)();
    return 0;
  } catch (const std::exception&) {
    return -1;
  }
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  // HDF5 first asks, without H5F_ACC_CREAT, whether the file is open already in this process: by this driver it never
  // is.
  if ((flags & H5F_ACC_CREAT) == 0) return nullptr;
  try {
    auto opened = std::make_unique<DriverFile>();
    opened->file = std::make_unique<CommitFile>(name);
    open_failure = nullptr;
    return &opened.release()->common;
  } catch (const std::exception&) {
    open_failure = std::current_exception();
    return nullptr;
  }
}

/// When HDF5 closes a file it gives back the blocks that it did not fill.
herr_t close_file(H5FD_t* file) {
  self(file).file->cut(self(file).allocated);
  delete &self(file);
  return 0;
}

int compare_files(const H5FD_t* a, const H5FD_t* b) {
  struct stat first {};
  struct stat second {};
  if (::fstat(self(a).file->descriptor(), &first) != 0 || ::fstat(self(b).file->descriptor(), &second) != 0) return -1;
  const auto key_a = std::pair(first.st_dev, first.st_ino);
  const auto key_b = std::pair(second.st_dev, second.st_ino);
  return key_a < key_b ? -1 : (key_b < key_a ? 1 : 0);
}

herr_t query_features(const H5FD_t*, unsigned long* flags) {
  // Metadata side by side: a commit then overwrites few, long stretches.
  if (flags != nullptr) *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) {
  return self(file).allocated;
}

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  self(file).allocated = address;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) {
  return self(file).file->end();
}

herr_t get_handle(H5FD_t* file, hid_t, void** handle) {
  *handle = self(file).file.get();
  return 0;
}

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  return guarded([&] { self(file).file->read(address, {static_cast<std::byte*>(buffer), size}); });
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
  return guarded([&] { self(file).file->write(address, {static_cast<const std::byte*>(buffer), size}); });
}

herr_t flush_file(H5FD_t* file, hid_t, hbool_t) {
  return guarded([&] { self(file).file->commit(); });
}

/// Before each flush: readers take a file for cut short when it ends before the last allocated byte.
herr_t extend_to_allocated(H5FD_t* file, hid_t, hbool_t) {
  return guarded([&] {
    CommitFile& target = *self(file).file;
    if (target.end() < self(file).allocated) {
      std::byte last{};
      target.read(self(file).allocated - 1, {&last, 1});
      target.write(self(file).allocated - 1, {&last, 1});
    }
  });
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(600);  // in the range that HDF5 leaves to others
#endif
  driver.name = "cardhouse_commit";
  driver.maxaddr = (haddr_t{1} << 62) - 1;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare_files;
  driver.query = query_features;
  driver.get_eoa = get_allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = get_end;
  driver.get_handle = get_handle;
  driver.read = read_bytes;
  driver.write = write_bytes;
  driver.flush = flush_file;
  driver.truncate = extend_to_allocated;
  const H5FD_mem_t separate_raw_data[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(separate_raw_data), std::end(separate_raw_data), std::begin(driver.fl_map));
  return driver;
}

}  // namespace

hid_t commit_driver() {
  static const H5FD_class_t driver = driver_class();
  static const hid_t id = H5FDregister(&driver);
  return id;
}

CommitFile* commit_file_of(hid_t file) {
  void* handle = nullptr;
  H5Fget_vfd_handle(file, H5P_DEFAULT, &handle);
  return static_cast<CommitFile*>(handle);
}

void rethrow_commit_driver_failure() {
  if (open_failure) std::rethrow_exception(std::exchange(open_failure, nullptr));
}

}  // namespace cardhouse
