// A page's side of the connection, down to the bytes, so that a test can also break the rules.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace cardhouse::viewer {

class SocketClient {
 public:
  explicit SocketClient(int port) : SocketClient() { connect(port); }
  /// Not connected yet: it has a descriptor, so that a test can use up the others.
  SocketClient() : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {}
  void connect(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    host_ = "127.0.0.1:" + std::to_string(port);
  }
  ~SocketClient() { ::close(descriptor_); }
  SocketClient(const SocketClient&) = delete;
  SocketClient& operator=(const SocketClient&) = delete;

  const std::string& host() const { return host_; }

  void send(const std::string& bytes) {
    // A server that has hung up is no error here.
    static_cast<void>(::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }

  /// Takes no more bytes than these from the network before they are read; to be called before connecting.
  void take_little(int bytes) { ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes); }

  /// Whether the server has hung up within some milliseconds; what it sent before is read and forgotten.
  bool hangs_up_within(int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0 || !read_some(static_cast<int>(left.count()))) return hung_up_;
    }
  }

  /// Whether the connection has broken off, asked without reading from it.
  bool is_reset() const {
    pollfd waiting{descriptor_, 0, 0};
    return ::poll(&waiting, 1, 0) > 0 && (waiting.revents & (POLLERR | POLLHUP)) != 0;
  }

  /// All until the server hangs up.
  std::string read_to_end() {
    while (read_some()) {
    }
    return received_;
  }

  /// Asks for a path; the whole answer.
  std::string get(const std::string& target, const std::string& fields = "") {
    send("GET " + target + " HTTP/1.1\r\nHost: " + host_ + "\r\n" + fields + "\r\n");
    return read_to_end();
  }

  /// The first line of the answer.
  std::string upgrade(const std::string& target, const std::string& origin, const std::string& host) {
    send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nOrigin: " + origin +
         "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    std::size_t end = std::string::npos;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos && read_some()) {
    }
    const std::string line = received_.substr(0, received_.find('\r'));
    received_.erase(0, end == std::string::npos ? end : end + 4);
    return line;
  }
  std::string upgrade(const std::string& token) { return upgrade("/socket?token=" + token, "http://" + host_, host_); }

  /// One frame of the protocol, masked with zeros.
  void send_frame(const std::string& payload, unsigned char opcode = 1) {
    std::string frame = {static_cast<char>(0x80 | opcode)};
    // The length in its shortest form: the protocol allows no other.
    if (payload.size() < 126) {
      frame.push_back(static_cast<char>(0x80 | payload.size()));
    } else {
      const bool is_short = payload.size() <= 0xffff;
      frame.push_back(static_cast<char>(0x80 | (is_short ? 126 : 127)));
      for (int shift = is_short ? 8 : 56; shift >= 0; shift -= 8)
        frame.push_back(static_cast<char>(payload.size() >> shift & 0xff));
    }
    frame += std::string(4, '\0');
    send(frame + payload);
  }

  struct Frame {
    int opcode = 0;
    std::string payload;
  };
  /// The next frame of the server; nothing when it hung up or nothing came.
  std::optional<Frame> read_frame() {
    const auto need = [this](std::size_t size) {
      while (received_.size() < size && read_some()) {
      }
      return received_.size() >= size;
    };
    const auto byte = [this](std::size_t i) { return static_cast<unsigned char>(received_[i]); };
    if (!need(2)) return std::nullopt;
    const std::size_t short_length = byte(1) & 0x7fU;
    const std::size_t extra = short_length == 126 ? 2 : short_length == 127 ? 8 : 0;
    if (!need(2 + extra)) return std::nullopt;
    std::size_t length = extra == 0 ? short_length : 0;
    for (std::size_t i = 0; i < extra; ++i) length = length << 8U | byte(2 + i);
    if (!need(2 + extra + length)) return std::nullopt;
    Frame frame{byte(0) & 0x0f, received_.substr(2 + extra, length)};
    received_.erase(0, 2 + extra + length);
    return frame;
  }

  static constexpr int close_opcode = 8;
  static constexpr int ping_opcode = 9;
  static constexpr int pong_opcode = 10;

  /// Reads for so long, and answers pings as a browser does.
  void answer_pings(std::chrono::milliseconds duration) {
    const auto end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end && !hung_up_) {
      if (received_.empty() && !read_some(20)) continue;
      const auto frame = read_frame();
      if (frame && frame->opcode == ping_opcode) send_frame(frame->payload, pong_opcode);
    }
  }

  /// Whether the server says good-bye or hangs up within some seconds.
  bool is_closed() {
    for (;;) {
      const auto frame = read_frame();
      if (!frame) return hung_up_;
      if (frame->opcode == close_opcode) return true;
    }
  }

 private:
  bool read_some(int milliseconds = 20'000) {
    pollfd waiting{descriptor_, POLLIN, 0};
    if (::poll(&waiting, 1, milliseconds) <= 0) return false;
    char buffer[1 << 16];
    const ssize_t count = ::recv(descriptor_, buffer, sizeof buffer, 0);
    hung_up_ = count <= 0;
    if (count > 0) received_.append(buffer, static_cast<std::size_t>(count));
    return count > 0;
  }

  int descriptor_;
  std::string host_;
  std::string received_;
  bool hung_up_ = false;
};

}  // namespace cardhouse::viewer
