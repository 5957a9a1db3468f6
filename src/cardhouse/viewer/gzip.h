#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace cardhouse::viewer {

/// Compresses piece by piece, so that what goes in never is in memory as a whole.
class GzipWriter {
 public:
  GzipWriter();
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void add(std::string_view bytes);
  /// All that came out. Nothing may be added after.
  std::string finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Throws InputError for what is no gzip.
std::string gunzip(std::string_view bytes);

}  // namespace cardhouse::viewer
