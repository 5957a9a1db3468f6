#include "cardhouse/io/commit_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

constexpr mode_t file_mode = 0666;      // less the user's umask
constexpr std::size_t max_batch = 256;  // buffers per system call; POSIX allows at least 16, Linux 1024

/// Writes all of the buffers, however often the system stops short. False with errno set when it refuses.
bool write_all(int descriptor, std::vector<iovec> buffers, off_t offset) {
  std::size_t first = 0;
  while (first < buffers.size()) {
    const auto count = static_cast<int>(std::min(buffers.size() - first, max_batch));
    const ssize_t written = ::pwritev(descriptor, &buffers[first], count, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    offset += written;
    auto left = static_cast<std::size_t>(written);
    while (first < buffers.size() && left >= buffers[first].iov_len) left -= buffers[first++].iov_len;
    if (left > 0) {
      buffers[first].iov_base = static_cast<std::byte*>(buffers[first].iov_base) + left;
      buffers[first].iov_len -= left;
    }
  }
  return true;
}

/// Whether another path would help; if not, the system is short of something.
bool is_wrong_place(int error) {
  constexpr std::array places = {EACCES, EPERM, ENOENT, ENOTDIR, EISDIR, EROFS, ENAMETOOLONG, ELOOP, EINVAL};
  return std::find(places.begin(), places.end(), error) != places.end();
}

}  // namespace

CommitFile::CommitFile(const std::filesystem::path& path) : path_(path), partial_(path.string() + ".partial") {
  std::error_code ignored;
  const std::filesystem::file_status old = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(old) && !std::filesystem::is_regular_file(old)) {
    throw InputError(fmt::format("{}: can't be written: it is there and not a regular file", path.string()));
  }
  if (std::filesystem::exists(old) && ::access(path.c_str(), W_OK) != 0) {
    throw InputError(fmt::format("{}: can't be replaced: {}", path.string(), std::strerror(errno)));
  }
  descriptor_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, file_mode);
  if (descriptor_ < 0) {
    const int error = errno;
    const std::string message = fmt::format("{}: can't be written: {}", path.string(), std::strerror(error));
    if (is_wrong_place(error)) throw InputError(message);
    throw std::runtime_error(message);
  }
}

CommitFile::~CommitFile() {
  ::close(descriptor_);
  if (!committed_once_) ::unlink(partial_.c_str());
}

void CommitFile::fail(const char* action) {
  abandoned_ = true;
  failure_ = fmt::format("{}: can't {}: {}", path_.string(), action, std::strerror(errno));
  throw std::runtime_error(failure_);
}

void CommitFile::read_committed(std::uint64_t offset, std::span<std::byte> bytes) const {
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw std::runtime_error(fmt::format("{}: can't be read back: {}", path_.string(), std::strerror(errno)));
    }
    if (count == 0) return;
    done += static_cast<std::size_t>(count);
  }
}

void CommitFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const std::size_t within = offset % page_size;
    const std::size_t count = std::min(bytes.size(), page_size - within);
    const auto found = pages_.find(offset / page_size);
    if (found != pages_.end()) {
      std::memcpy(bytes.data(), found->second->data() + within, count);
    } else {
      read_committed(offset, bytes.first(count));
    }
    offset += count;
    bytes = bytes.subspan(count);
  }
}

CommitFile::Page& CommitFile::page_for_writing(std::uint64_t index) {
  std::unique_ptr<Page>& page = pages_[index];
  if (!page) {
    page = std::make_unique<Page>();
    if (index * page_size < committed_end_) read_committed(index * page_size, *page);
  }
  return *page;
}

void CommitFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  end_ = std::max(end_, offset + bytes.size());
  while (!bytes.empty()) {
    const std::size_t within = offset % page_size;
    const std::size_t count = std::min(bytes.size(), page_size - within);
    std::memcpy(page_for_writing(offset / page_size).data() + within, bytes.data(), count);
    offset += count;
    bytes = bytes.subspan(count);
  }
}

/// Pages first ≤ index < last, neighbours together.
void CommitFile::write_pages(std::uint64_t first, std::uint64_t last) {
  auto page = pages_.lower_bound(first);
  while (page != pages_.end() && page->first < last) {
    const std::uint64_t start = page->first;
    std::vector<iovec> run;
    while (page != pages_.end() && page->first < last && page->first == start + run.size()) {
      run.push_back({page->second->data(), page_size});
      ++page;
    }
    if (!write_all(descriptor_, std::move(run), static_cast<off_t>(start * page_size))) fail("be written");
  }
}

void CommitFile::write_to_disk() {
  const std::uint64_t first_new = committed_end_ / page_size;
  // HDF5's first page tells how far the file reaches, so it comes before what points into the new space.
  write_pages(first_new, std::numeric_limits<std::uint64_t>::max());
  write_pages(0, std::min<std::uint64_t>(1, first_new));
  write_pages(1, first_new);
  if (!pages_.empty()) committed_end_ = std::max(committed_end_, (pages_.rbegin()->first + 1) * page_size);
}

void CommitFile::take_name() {
  if (::rename(partial_.c_str(), path_.c_str()) != 0) fail("be replaced");
  committed_once_ = true;
}

void CommitFile::commit() {
  if (!abandoned_) write_to_disk();
  if (!abandoned_ && !committed_once_) take_name();
  pages_.clear();
}

void CommitFile::cut(std::uint64_t end) {
  const std::uint64_t pages = (end + page_size - 1) / page_size;
  if (abandoned_ || !committed_once_ || pages * page_size >= committed_end_) return;
  if (::ftruncate(descriptor_, static_cast<off_t>(pages * page_size)) == 0) committed_end_ = pages * page_size;
}

}  // namespace cardhouse
