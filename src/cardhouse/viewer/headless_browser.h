#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace cardhouse::viewer {

/// Chromium without a window, for pictures of a page. Spoken to in the DevTools protocol over a pipe, so that no port
/// is open.
class HeadlessBrowser {
 public:
  struct Size {
    int width = 0;
    int height = 0;
  };
  /// Throws InputError when no Chromium is installed, std::runtime_error when it does not start.
  explicit HeadlessBrowser(Size size);
  ~HeadlessBrowser();
  HeadlessBrowser(const HeadlessBrowser&) = delete;
  HeadlessBrowser& operator=(const HeadlessBrowser&) = delete;

  /// Opens a file with what stands behind the # in the address, and waits until the page says that it is drawn.
  void open(const std::filesystem::path& file, const std::string& hash);
  /// Changes what stands behind the #, and waits until the page is drawn again.
  void change_hash(const std::string& hash);
  /// What is seen, as a PNG file.
  std::string picture();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cardhouse::viewer
