#include "cardhouse/viewer/headless_browser.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cardhouse/base/error.h"
#include "cardhouse/viewer/base64.h"
#include "cardhouse/viewer/child_process.h"
#include "cardhouse/viewer/temporary_folder.h"

namespace cardhouse::viewer {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

/// Software drawing of a long report's first picture on a slow machine; far more than is needed otherwise.
constexpr auto patience = std::chrono::seconds(120);

std::string chromium() {
  const std::string program = find_program({"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"});
  if (program.empty()) {
    throw InputError("render: draws with Chromium, which is not installed; 'apt install chromium' installs it");
  }
  return program;
}

std::vector<std::string> command_line(HeadlessBrowser::Size size, const std::filesystem::path& profile) {
  std::vector<std::string> words = {chromium(),
                                    "--headless",
                                    "--remote-debugging-pipe",
                                    "--disable-gpu",
                                    "--disable-quic",
                                    "--no-first-run",
                                    "--disable-background-networking",
                                    "--disable-component-update",
                                    "--disable-sync",
                                    "--disable-extensions",
                                    "--hide-scrollbars",
                                    "--use-gl=angle",
                                    "--use-angle=swiftshader",
                                    "--enable-unsafe-swiftshader",
                                    "--force-device-scale-factor=1",
                                    "--user-data-dir=" + profile.string(),
                                    fmt::format("--window-size={},{}", size.width, size.height)};
  // Chromium's sandbox refuses to run as root. The page is our own, and loads nothing.
  if (::geteuid() == 0) words.emplace_back("--no-sandbox");
  words.emplace_back("about:blank");
  return words;
}

std::string file_address(const std::filesystem::path& file) {
  std::string address = "file://";
  for (const char letter : std::filesystem::absolute(file).string()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '/' || letter == '-' ||
                       letter == '_' || letter == '.' || letter == '~';
    address += plain ? std::string(1, letter) : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return address;
}

}  // namespace

struct HeadlessBrowser::Impl {
  explicit Impl(Size given)
      : size(given), process(command_line(given, profile.path()), {.input = 3, .output = 4, .hush = true}) {}

  /// The next message of the browser. Messages end with a zero byte.
  json receive(Clock::time_point deadline) {
    for (;;) {
      if (const std::size_t end = received.find('\0'); end != std::string::npos) {
        const json message = json::parse(received.substr(0, end));
        received.erase(0, end + 1);
        return message;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
      const std::string more = left.count() > 0 ? process.read(left) : "";
      if (more.empty()) throw std::runtime_error("render: Chromium ended or did not answer in time");
      received += more;
    }
  }

  json call(const std::string& method, const json& parameters) {
    json message = {{"id", ++last_id}, {"method", method}, {"params", parameters}};
    if (!session.empty()) message["sessionId"] = session;
    std::string text = message.dump();
    text.push_back('\0');
    if (!process.write(text)) throw std::runtime_error("render: Chromium ended");
    const auto deadline = Clock::now() + patience;
    for (;;) {
      const json answer = receive(deadline);
      if (answer.value("id", 0) != last_id) continue;  // an event
      if (answer.contains("error")) throw std::runtime_error("render: Chromium: " + answer["error"].dump());
      return answer["result"];
    }
  }

  void attach() {
    const json targets = call("Target.getTargets", json::object());
    for (const json& target : targets["targetInfos"]) {
      if (target["type"] != "page") continue;
      session = call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"];
      break;
    }
    if (session.empty()) throw std::runtime_error("render: Chromium opened no page");
    call("Page.enable", json::object());
    call("Emulation.setDeviceMetricsOverride",
         {{"width", size.width}, {"height", size.height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  }

  /// Runs a script in the page and waits for its promise.
  void evaluate(const std::string& script) {
    const json result = call("Runtime.evaluate", {{"expression", script}, {"awaitPromise", true}});
    if (result.contains("exceptionDetails")) {
      throw std::runtime_error("render: the page failed: " + result["exceptionDetails"].dump());
    }
  }

  void wait_until_drawn() {
    evaluate(fmt::format(
        "new Promise((done, fail) => {{ const end = Date.now() + {}; const look = () => "
        "document.documentElement?.dataset.ready === '1' ? requestAnimationFrame(() => requestAnimationFrame(done)) : "
        "Date.now() > end ? fail(new Error('the picture was not drawn in time')) : setTimeout(look, 10); look(); }})",
        std::chrono::milliseconds(patience).count() * 9 / 10));
  }

  Size size;
  TemporaryFolder profile;
  ChildProcess process;
  std::string received;
  std::string session;
  int last_id = 0;
};

HeadlessBrowser::HeadlessBrowser(Size size) : impl_(std::make_unique<Impl>(size)) {
  impl_->attach();
}

HeadlessBrowser::~HeadlessBrowser() = default;

void HeadlessBrowser::open(const std::filesystem::path& file, const std::string& hash) {
  impl_->call("Page.navigate", {{"url", file_address(file) + "#" + hash}});
  impl_->wait_until_drawn();
}

void HeadlessBrowser::change_hash(const std::string& hash) {
  impl_->evaluate(fmt::format("delete document.documentElement.dataset.ready; location.hash = {}; undefined",
                              json("#" + hash).dump()));
  impl_->wait_until_drawn();
}

std::string HeadlessBrowser::picture() {
  const json result = impl_->call("Page.captureScreenshot", {{"format", "png"}, {"captureBeyondViewport", false}});
  return from_base64(result["data"].get<std::string>());
}

}  // namespace cardhouse::viewer
