#include "cardhouse/viewer/server.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "cardhouse/base/error.h"
#include "cardhouse/viewer/access.h"
#include "cardhouse/viewer/gzip.h"
#include "viewer/socket_client.h"
#include "viewer/wire_decoder.h"

namespace cardhouse::viewer {
namespace {

const std::string token = "0123456789abcdef0123456789abcdef";

/// Has a message of a megabyte for every page, as often as it asks; answers with what was asked for.
class TestSource : public Source {
 public:
  std::vector<Message> news(Progress& progress) override {
    ++asked;
    if (progress.scene == 0) {
      progress.scene = 1;
      return {message("scene", 8)};
    }
    if (!flood) return {};
    return {message("frames", 1 << 20)};
  }
  std::vector<Message> answer(const Request& request) override {
    ++answered;
    if (const auto* frames = std::get_if<GetFrames>(&request)) return {message("frames", frames->count)};
    return {};
  }

  void set_alarm(std::function<void()> given) override { alarm = std::move(given); }
  void watched_by(std::size_t pages) override { watchers = static_cast<int>(pages); }

  std::function<void()> alarm;
  std::atomic<int> watchers = -1;  ///< never told
  std::atomic<int> asked = 0;
  std::atomic<int> answered = 0;
  std::atomic<bool> flood = false;

 private:
  static Message message(const char* type, std::int64_t bytes) {
    MessageBuilder builder(type, 0);
    const std::vector<std::uint8_t> content(static_cast<std::size_t>(bytes));
    builder.add("content", {bytes}, std::span(content));
    return builder.finish();
  }
};

class Serving : public ::testing::Test {
 protected:
  Serving() {
    GzipWriter gzip;
    gzip.add("<html>the page</html>");
    packed_ = gzip.finish();
    Server::Options options;
    options.port = 0;
    options.token = token;
    options.write_timeout = std::chrono::milliseconds(500);
    server_.emplace(options, Page{packed_, "'sha256-abc'"}, source_);
    port_ = server_->port();
    thread_ = std::thread([this] { server_->run([this] { return stop_.load(); }); });
  }
  ~Serving() override {
    stop_ = true;
    thread_.join();
  }

  void expect_page_still_served() {
    EXPECT_NE(SocketClient(port_).get("/").find("the page"), std::string::npos);
    SocketClient socket(port_);
    EXPECT_EQ(socket.upgrade(token), "HTTP/1.1 101 Switching Protocols");
    EXPECT_TRUE(socket.read_frame().has_value());
  }

  TestSource source_;
  std::string packed_;
  std::optional<Server> server_;
  int port_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST_F(Serving, ThePageComesWithHeadersThatProtectIt) {
  const std::string answer = SocketClient(port_).get("/?token=" + token);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK")) << answer;
  for (const char* part :
       {"Content-Security-Policy: default-src 'none'; script-src 'sha256-abc'", "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store", "Referrer-Policy: no-referrer", "\r\n\r\n<html>the page</html>"}) {
    EXPECT_NE(answer.find(part), std::string::npos) << part;
  }
}

TEST_F(Serving, ThePageComesCompressedToWhoUnderstands) {
  const std::string answer = SocketClient(port_).get("/", "Accept-Encoding: gzip, br\r\n");
  EXPECT_NE(answer.find("Content-Encoding: gzip"), std::string::npos);
  EXPECT_EQ(gunzip(answer.substr(answer.find("\r\n\r\n") + 4)), "<html>the page</html>");
}

TEST_F(Serving, NothingElseExists) {
  for (const char* path : {"/index.html", "/../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/socket/x",
                           "/%2e%2e/", "/viewer/", "/.git/config"}) {
    EXPECT_TRUE(SocketClient(port_).get(path).starts_with("HTTP/1.1 404")) << path;
  }
  EXPECT_TRUE(SocketClient(port_).get("/favicon.ico").starts_with("HTTP/1.1 204"));
  EXPECT_TRUE(SocketClient(port_).get("/socket?token=" + token).starts_with("HTTP/1.1 426"));
  SocketClient poster(port_);
  poster.send("POST / HTTP/1.1\r\nHost: " + poster.host() + "\r\nContent-Length: 0\r\n\r\n");
  EXPECT_TRUE(poster.read_to_end().starts_with("HTTP/1.1 405"));
}

TEST_F(Serving, AnotherNameIsRefused) {
  SocketClient client(port_);
  client.send("GET / HTTP/1.1\r\nHost: evil.example:80\r\n\r\n");
  EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 421"));
}

TEST_F(Serving, ASocketNeedsTheTokenAndThePagesOrigin) {
  SocketClient good(port_);
  EXPECT_EQ(good.upgrade(token), "HTTP/1.1 101 Switching Protocols");
  const auto frame = good.read_frame();
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(decode(frame->payload).type(), "scene");
  for (const std::string& wrong : {std::string(), std::string("abc"), std::string(32, '0'), token + "0"}) {
    EXPECT_EQ(SocketClient(port_).upgrade(wrong), "HTTP/1.1 403 Forbidden") << wrong;
  }
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:1"}) {
    SocketClient client(port_);
    EXPECT_EQ(client.upgrade("/socket?token=" + token, origin, client.host()), "HTTP/1.1 403 Forbidden") << origin;
  }
  SocketClient rebound(port_);
  EXPECT_EQ(rebound.upgrade("/socket?token=" + token, "http://evil.example", "evil.example"),
            "HTTP/1.1 421 Misdirected Request");
}

TEST_F(Serving, RequestsAreAnswered) {
  SocketClient client(port_);
  client.upgrade(token);
  client.read_frame();
  client.send_frame(R"({"type": "get_frames", "first": 0, "count": 123})");
  const auto frame = client.read_frame();
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(decode(frame->payload).shape("content"), std::vector<std::int64_t>{123});
}

TEST_F(Serving, MalformedMessagesCloseThatConnectionAndNothingElse) {
  SocketClient other(port_);
  other.upgrade(token);
  other.read_frame();
  const std::string bad[] = {
      "{", "[1]", R"({"type": "hack"})", std::string(60'000, '['), "\xff\xfe", std::string(max_request_bytes + 1, ' ')};
  for (const std::string& text : bad) {
    SocketClient client(port_);
    client.upgrade(token);
    client.read_frame();
    client.send_frame(text);
    EXPECT_TRUE(client.is_closed()) << text.substr(0, 20);
  }
  SocketClient binary(port_);
  binary.upgrade(token);
  binary.send_frame(R"({"type": "release"})", 2);
  EXPECT_TRUE(binary.is_closed());
  SocketClient garbage(port_);
  garbage.send(std::string(100'000, 'x') + "\r\n\r\n");
  other.send_frame(R"({"type": "get_frames", "first": 0, "count": 5})");
  EXPECT_TRUE(other.read_frame().has_value());
  expect_page_still_served();
}

/// The news of a tick must wait for the answer of the handshake; thirty pages at once meet a tick now and then.
TEST_F(Serving, PagesThatComeAtOnceEachGetTheirHandshakeFirst) {
  for (int round = 0; round < 5; ++round) {
    std::vector<std::unique_ptr<SocketClient>> pages;
    for (int i = 0; i < 30; ++i) pages.push_back(std::make_unique<SocketClient>(port_));
    for (const auto& page : pages) ASSERT_EQ(page->upgrade(token), "HTTP/1.1 101 Switching Protocols");
    for (const auto& page : pages) EXPECT_TRUE(page->read_frame().has_value());
    pages.clear();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until the server has noticed
  }
}

/// KiB, resident.
long memory_in_use() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * (::sysconf(_SC_PAGESIZE) / 1024);
}

TEST_F(Serving, APageThatDoesNotReadIsDroppedAndCostsNothing) {
  source_.flood = true;
  SocketClient sleeper(port_);
  sleeper.upgrade(token);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const long before = memory_in_use();
  const int asked = source_.asked;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LE(source_.asked - asked, 1) << "nothing is prepared for who does not read";
  EXPECT_LT(memory_in_use() - before, 16 * 1024);
  std::this_thread::sleep_for(std::chrono::milliseconds(800));
  source_.flood = false;
  EXPECT_TRUE(sleeper.is_closed());
  expect_page_still_served();
}

TEST_F(Serving, APageThatAsksWithoutReadingIsNotReadFrom) {
  SocketClient greedy(port_);
  greedy.upgrade(token);
  for (int i = 0; i < 300; ++i) greedy.send_frame(R"({"type": "get_frames", "first": 0, "count": 1000000})");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(source_.answered, 40) << "the kernel's buffers and a few answers";
  expect_page_still_served();
}

/// Waits until `done` holds; far longer than it takes on any machine.
template <typename Done>
bool comes_true(Done&& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return done();
}

TEST_F(Serving, TheSourceIsToldHowManyPagesLook) {
  EXPECT_EQ(source_.watchers, -1);
  {
    SocketClient first(port_);
    first.upgrade(token);
    EXPECT_TRUE(comes_true([&] { return source_.watchers == 1; }));
    SocketClient second(port_);
    second.upgrade(token);
    EXPECT_TRUE(comes_true([&] { return source_.watchers == 2; }));
  }
  EXPECT_TRUE(comes_true([&] { return source_.watchers == 0; }));
}

TEST_F(Serving, TheServerSaysGoodByeWhenItEnds) {
  SocketClient client(port_);
  client.upgrade(token);
  client.read_frame();
  stop_ = true;
  EXPECT_TRUE(client.is_closed());
}

TEST(Server, AnAlarmBringsNewsWithoutATick) {
  TestSource source;
  Server::Options options;
  options.port = 0;
  options.token = token;
  options.tick_interval = std::chrono::hours(1);
  Server server(options, Page{}, source);
  std::atomic<bool> stop = false;
  std::thread thread([&] { server.run([&] { return stop.load(); }); });
  SocketClient page(server.port());
  page.upgrade(token);
  EXPECT_TRUE(page.read_frame().has_value()) << "what there is to tell a page that comes";
  const int before = source.asked;
  source.alarm();
  EXPECT_TRUE(comes_true([&] { return source.asked > before; }));
  stop = true;
  source.alarm();
  thread.join();
}

TEST(Server, APortInUseIsAnErrorOrTheNextOneIsTaken) {
  TestSource source;
  Server::Options options;
  options.port = 0;
  options.token = token;
  const Server first(options, {}, source);
  options.port = first.port();
  try {
    Server second(options, {}, source);
    FAIL() << "two servers on one port";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("port " + std::to_string(first.port())), std::string::npos);
  }
  options.ports_to_try = 20;
  const Server third(options, {}, source);
  EXPECT_GT(third.port(), first.port());
  EXPECT_EQ(third.address(), "http://127.0.0.1:" + std::to_string(third.port()) + "/?token=" + token);
}

TEST(Server, AnAddressOfAnotherMachineIsRefusedInWords) {
  TestSource source;
  Server::Options options;
  options.host = "192.0.2.1";  // for documentation: nobody's
  EXPECT_THROW(Server(options, {}, source), InputError);
}

TEST(UserToken, IsKeptForTheUserAloneAndRenewedOnRequest) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("cardhouse-token-" + std::to_string(::getpid()));
  const std::string first = user_token(folder, false);
  EXPECT_EQ(user_token(folder, false), first);
  struct stat status {};
  ASSERT_EQ(::stat((folder / "token").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  const std::string second = user_token(folder, true);
  EXPECT_NE(second, first);
  EXPECT_EQ(user_token(folder, false), second);
  ::chmod((folder / "token").c_str(), 0644);
  EXPECT_NE(user_token(folder, false), second) << "others may have read it";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cardhouse::viewer
