#include "cardhouse/viewer/server.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>

#include "cardhouse/base/error.h"
#include "cardhouse/viewer/access.h"
#include "cardhouse/viewer/gzip.h"
#include "cardhouse/viewer/utf8.h"
#include "viewer/socket_client.h"
#include "viewer/wire_decoder.h"

namespace cardhouse::viewer {
namespace {

const std::string token = "0123456789abcdef0123456789abcdef";

/// Has a message, of a megabyte if nothing else is said, for every page, as often as it asks; answers with what was
/// asked for.
class TestSource : public Source {
 public:
  std::vector<Message> news(Progress& progress) override {
    ++asked;
    if (progress.scene == 0) {
      progress.scene = 1;
      return {message("scene", 8)};
    }
    if (!flood) return {};
    return {message("frames", bytes)};
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
  std::atomic<std::int64_t> bytes = 1 << 20;

 private:
  static Message message(const char* type, std::int64_t bytes) {
    MessageBuilder builder(type, 0);
    const std::vector<std::uint8_t> content(static_cast<std::size_t>(bytes));
    builder.add("content", {bytes}, std::span(content));
    return builder.finish();
  }
};

/// Waits until `done` holds; far longer than it takes on any machine.
template <typename Done>
bool comes_true(Done&& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return done();
}

class Serving : public ::testing::Test {
 protected:
  Serving() {
    GzipWriter gzip;
    gzip.add("<html>the page</html>");
    packed_ = gzip.finish();
    start([](Server::Options&) {});
  }
  ~Serving() override { end(); }

  template <typename Change>
  void start(Change&& change) {
    Server::Options options;
    options.port = 0;
    options.token = token;
    options.write_timeout = std::chrono::milliseconds(500);
    change(options);
    server_.emplace(options, Page{packed_, "'sha256-abc'"}, source_);
    port_ = server_->port();
    stop_ = false;
    thread_ = std::thread([this] { server_->run([this] { return stop_.load(); }); });
  }
  void end() {
    stop_ = true;
    thread_.join();
    server_.reset();
  }
  /// With other options.
  template <typename Change>
  void restart(Change&& change) {
    end();
    start(change);
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
  const std::string icon = SocketClient(port_).get("/favicon.ico");
  EXPECT_TRUE(icon.starts_with("HTTP/1.1 204"));
  EXPECT_EQ(icon.find("Content-Length"), std::string::npos) << "nothing has no length";
  EXPECT_TRUE(SocketClient(port_).get("/socket?token=" + token).starts_with("HTTP/1.1 426"));
  SocketClient poster(port_);
  poster.send("POST / HTTP/1.1\r\nHost: " + poster.host() + "\r\nContent-Length: 0\r\n\r\n");
  EXPECT_TRUE(poster.read_to_end().starts_with("HTTP/1.1 405"));
}

TEST_F(Serving, NothingOfTheHostHeaderComesBack) {
  const auto answer_to = [&](const std::string& host) {
    SocketClient client(port_);
    client.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return client.read_to_end();
  };
  for (const char* host : {"127.0.0.1:1; script-src *", "127.0.0.1:80 ws://evil.example", "localhost:1,x",
                           "[::1]:8080 x", "localhost:", "127.0.0.1:123456"}) {
    const std::string answer = answer_to(host);
    EXPECT_EQ(answer.find("evil"), std::string::npos) << answer;
    EXPECT_EQ(answer.find("script-src *"), std::string::npos) << answer;
  }
  EXPECT_TRUE(answer_to("127.0.0.1:1; script-src *").starts_with("HTTP/1.1 421"));
  // Through a tunnel the page has another port; it is no part of the policy either.
  const std::string answer = answer_to("localhost:4242");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK"));
  EXPECT_NE(answer.find("connect-src 'self';"), std::string::npos) << answer;
  EXPECT_EQ(answer.find("4242"), std::string::npos) << answer;
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

TEST_F(Serving, AReasonForClosingIsCutBetweenCharacters) {
  // One, two, three and four bytes before a long text of four-byte characters: each place of a cut is met.
  for (const char* start : {"", "a", "é", "…"}) {
    std::string type = start;
    for (int i = 0; i < 40; ++i) type += "🂡";
    SocketClient client(port_);
    client.upgrade(token);
    client.read_frame();
    client.send_frame(R"({"type": ")" + type + R"("})");
    auto frame = client.read_frame();
    while (frame && frame->opcode != SocketClient::close_opcode) frame = client.read_frame();
    ASSERT_TRUE(frame.has_value());
    const std::string reason = frame->payload.substr(2);
    EXPECT_LE(reason.size(), 123U);
    EXPECT_GE(reason.size(), 116U) << "not shorter than it must be";
    EXPECT_EQ(utf8_prefix(reason, 200), reason) << "all of it is UTF-8";
    EXPECT_TRUE(reason.ends_with("🂡…")) << reason;
  }
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

/// A small scene: frames of two kilobytes. The system's own buffers would take minutes of them.
TEST_F(Serving, APageThatDoesNotReadSmallMessagesIsDroppedToo) {
  source_.bytes = 2048;
  source_.flood = true;
  SocketClient sleeper;
  sleeper.take_little(4096);
  sleeper.connect(port_);
  sleeper.upgrade(token);
  // 500 ms from when the buffers are full: half a megabyte, four seconds of such frames.
  EXPECT_TRUE(comes_true([&] { return sleeper.is_reset(); }));
  EXPECT_LT(source_.asked, 1000) << "what a reader would have got before the newest frame";
  expect_page_still_served();
}

TEST_F(Serving, APageThatGivesNoSignOfLifeIsDropped) {
  restart([](Server::Options& options) { options.silence_timeout = std::chrono::milliseconds(400); });
  SocketClient silent(port_);
  silent.upgrade(token);
  SocketClient alive(port_);
  alive.upgrade(token);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(comes_true([&] { return source_.watchers == 2; }));
  std::thread answering([&] { alive.answer_pings(std::chrono::milliseconds(1500)); });
  EXPECT_TRUE(silent.hangs_up_within(5000));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(190)) << "a ping, and time to answer";
  answering.join();
  EXPECT_EQ(source_.watchers, 1) << "the other answers pings";
}

TEST_F(Serving, APageThatAsksWithoutReadingIsNotReadFrom) {
  SocketClient greedy(port_);
  greedy.upgrade(token);
  for (int i = 0; i < 300; ++i) greedy.send_frame(R"({"type": "get_frames", "first": 0, "count": 1000000})");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(source_.answered, 40) << "the kernel's buffers and a few answers";
  expect_page_still_served();
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

/// Opens as many connections as the server takes before one has sent its request, and 40 more.
TEST_F(Serving, SilentAndSlowConnectionsDoNotKeepPagesOut) {
  constexpr int count = 168;
  std::vector<std::unique_ptr<SocketClient>> others;
  for (int i = 0; i < count; ++i) {
    others.push_back(std::make_unique<SocketClient>(port_));
    if (i % 2 == 1) others.back()->send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
  }
  const auto start = std::chrono::steady_clock::now();
  expect_page_still_served();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2)) << "nobody's time-out is waited for";
  EXPECT_TRUE(others.front()->hangs_up_within(2000)) << "the oldest made room";
  EXPECT_FALSE(others.back()->hangs_up_within(10));
}

TEST_F(Serving, AConnectionThatAsksTooSlowlyIsDroppedHoweverBusyItIs) {
  SocketClient slow(port_);
  slow.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
  const auto start = std::chrono::steady_clock::now();
  bool dropped = false;
  while (!dropped && std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
    slow.send("x");
    dropped = slow.hangs_up_within(100);
  }
  EXPECT_TRUE(dropped);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(9)) << "5 s, and a busy machine";
}

/// While it lives, this program may open no descriptor beyond those that it has.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(0);
    ::close(next);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(next);
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(Serving, WithoutDescriptorsTheServerGoesOnAndDoesNotSpin) {
  std::mutex mutex;
  std::vector<std::string> warnings;
  restart([&](Server::Options& options) {
    options.warn = [&](const std::string& text) {
      const std::lock_guard lock(mutex);
      warnings.push_back(text);
    };
  });
  SocketClient open(port_);
  open.upgrade(token);
  open.read_frame();
  SocketClient waiting;  // has its descriptor already
  {
    const NoMoreDescriptors none;
    waiting.connect(port_);
    waiting.send("GET / HTTP/1.1\r\nHost: " + waiting.host() + "\r\n\r\n");
    const std::clock_t before = std::clock();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) {
      open.send_frame(R"({"type": "get_frames", "first": 0, "count": 5})");
      EXPECT_TRUE(open.read_frame().has_value()) << "who is there is served";
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.5 * wall) << "a loop would take all of it";
  }
  EXPECT_NE(waiting.read_to_end().find("the page"), std::string::npos) << "who waited is served when there is room";
  const std::lock_guard lock(mutex);
  ASSERT_EQ(warnings.size(), 1U) << "said once";
  EXPECT_NE(warnings[0].find("new pages must wait: Too many open files"), std::string::npos) << warnings[0];
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
