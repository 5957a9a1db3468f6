#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace cardhouse::viewer {

/// Pictures in, an MP4 file out, by ffmpeg. The file appears when it is complete.
class FilmWriter {
 public:
  /// Throws InputError when ffmpeg is not installed.
  FilmWriter(std::filesystem::path file, double frames_per_second);
  /// Removes what is not complete.
  ~FilmWriter();
  FilmWriter(const FilmWriter&) = delete;
  FilmWriter& operator=(const FilmWriter&) = delete;

  void add(std::string_view png);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cardhouse::viewer
