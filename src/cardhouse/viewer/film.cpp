#include "cardhouse/viewer/film.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/viewer/child_process.h"

namespace cardhouse::viewer {
namespace {

std::vector<std::string> command_line(const std::filesystem::path& file, double frames_per_second) {
  const std::string program = find_program({"ffmpeg"});
  if (program.empty()) {
    throw InputError(
        "render: a film is made by ffmpeg, which is not installed; 'apt install ffmpeg' installs it, or give a folder "
        "for single pictures");
  }
  // Even sizes and 4:2:0 are what every player takes.
  return {program,
          "-loglevel",
          "error",
          "-f",
          "image2pipe",
          "-framerate",
          fmt::format("{}", frames_per_second),
          "-c:v",
          "png",
          "-i",
          "pipe:0",
          "-vf",
          "crop=trunc(iw/2)*2:trunc(ih/2)*2",
          "-c:v",
          "libx264",
          "-crf",
          "20",
          "-pix_fmt",
          "yuv420p",
          "-movflags",
          "+faststart",
          "-f",
          "mp4",
          "-y",
          file.string()};
}

std::filesystem::path neighbour(const std::filesystem::path& file) {
  return file.string() + fmt::format(".{}.tmp", ::getpid());
}

}  // namespace

struct FilmWriter::Impl {
  Impl(std::filesystem::path given, double frames_per_second)
      : file(std::move(given)),
        temporary(neighbour(file)),
        process(command_line(std::filesystem::absolute(temporary), frames_per_second),
                {.input = 0, .output = -1, .hush = true}) {}

  std::filesystem::path file;
  std::filesystem::path temporary;
  ChildProcess process;
};

FilmWriter::FilmWriter(std::filesystem::path file, double frames_per_second)
    : impl_(std::make_unique<Impl>(std::move(file), frames_per_second)) {}

FilmWriter::~FilmWriter() {
  std::error_code ignored;
  std::filesystem::remove(impl_->temporary, ignored);
}

void FilmWriter::add(std::string_view png) {
  if (!impl_->process.write(png)) throw std::runtime_error("render: ffmpeg ended before the film did");
}

void FilmWriter::finish() {
  if (impl_->process.finish(std::chrono::minutes(10)) != 0) {
    throw std::runtime_error(fmt::format("{}: ffmpeg could not write the film", impl_->file.string()));
  }
  std::filesystem::rename(impl_->temporary, impl_->file);
}

}  // namespace cardhouse::viewer
