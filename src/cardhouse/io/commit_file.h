#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace cardhouse {

/// A file whose bytes on disk change only in commit(). Writes in between stay in memory, so a process that is killed
/// leaves the file as the last commit made it. The first commit creates the file under its name in one operation and
/// replaces what was there. Later commits write new space first and overwrite old space last. A kill during that last
/// part, some tens of microseconds, can damage the file.
class CommitFile {
 public:
  /// Makes PATH.partial, which is renamed with the first commit. Throws InputError when the path cannot be used, and
  /// std::runtime_error when the system fails.
  explicit CommitFile(const std::filesystem::path& path);
  /// Drops what was not committed.
  ~CommitFile();
  CommitFile(const CommitFile&) = delete;
  CommitFile& operator=(const CommitFile&) = delete;

  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Throws std::runtime_error when writing fails, and abandons the file: the error was reported, and the file can
  /// still be closed.
  void commit();
  /// Drops what was committed behind this place, up to whole pages. What fails leaves a longer file, which is as good.
  void cut(std::uint64_t end);
  /// From here on commits do nothing: the file stays as the last one made it.
  void abandon() { abandoned_ = true; }

  std::uint64_t end() const { return end_; }
  std::size_t pending_bytes() const { return pages_.size() * page_size; }
  /// Why commit failed; empty while all is well.
  const std::string& failure() const { return failure_; }
  int descriptor() const { return descriptor_; }

 private:
  static constexpr std::size_t page_size = 4096;
  using Page = std::array<std::byte, page_size>;

  Page& page_for_writing(std::uint64_t index);
  void read_committed(std::uint64_t offset, std::span<std::byte> bytes) const;
  void write_pages(std::uint64_t first, std::uint64_t last);
  void write_to_disk();
  void take_name();
  [[noreturn]] void fail(const char* action);

  std::filesystem::path path_;
  std::filesystem::path partial_;  ///< its name before the first commit
  int descriptor_ = -1;
  bool committed_once_ = false;
  bool abandoned_ = false;
  std::uint64_t end_ = 0;            ///< of what was written, committed or not
  std::uint64_t committed_end_ = 0;  ///< of what is on disk, a whole number of pages
  std::map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::string failure_;
};

}  // namespace cardhouse
