#include "cardhouse/viewer/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

#include "cardhouse/base/error.h"

namespace cardhouse::viewer {
namespace {

constexpr int gzip_window = 15 + 16;  // zlib's way to ask for gzip's header
constexpr int memory_level = 9;

/// Points the stream to input, which zlib promises not to write to.
void set_input(z_stream& stream, std::string_view bytes) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
}

}  // namespace

struct GzipWriter::Impl {
  z_stream stream{};
  std::string output;

  void run(int flush) {
    std::array<char, 1 << 16> buffer;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      deflate(&stream, flush);
      output.append(buffer.data(), buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }
};

GzipWriter::GzipWriter() : impl_(std::make_unique<Impl>()) {
  if (deflateInit2(&impl_->stream, 9, Z_DEFLATED, gzip_window, memory_level, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

GzipWriter::~GzipWriter() {
  deflateEnd(&impl_->stream);
}

void GzipWriter::add(std::string_view bytes) {
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  for (std::size_t done = 0; done < bytes.size(); done += most) {
    set_input(impl_->stream, bytes.substr(done, most));
    impl_->run(Z_NO_FLUSH);
  }
}

std::string GzipWriter::finish() {
  impl_->run(Z_FINISH);
  return std::move(impl_->output);
}

std::string gunzip(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip_window) != Z_OK) throw std::bad_alloc();
  set_input(stream, bytes);
  std::string output;
  std::array<char, 1 << 16> buffer;
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    output.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw InputError("not gzip, or cut short");
  return output;
}

}  // namespace cardhouse::viewer
