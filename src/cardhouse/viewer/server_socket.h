// Part of server.cpp, which alone includes it: to compile anything with Boost.Beast takes seconds, once is enough.
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/viewer/page.h"
#include "cardhouse/viewer/server.h"
#include "cardhouse/viewer/source.h"
#include "cardhouse/viewer/utf8.h"

namespace cardhouse::viewer::serving {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using ErrorCode = beast::error_code;
/// The server has one thread. With this executor instead of the one that stands for any, calls are plain ones, and a
/// third of the templates are not there.
using Executor = asio::io_context::executor_type;
using TcpSocket = asio::basic_stream_socket<tcp, Executor>;
using HttpRequest = http::request<http::empty_body>;

inline constexpr auto handshake_timeout = std::chrono::seconds(10);
inline constexpr std::size_t max_sockets = 32;
inline constexpr std::size_t max_answers = 4;  ///< that wait for one page; it is not read from while there are more
/// Bytes that the system keeps for a page. By itself it would keep megabytes: minutes of a small scene, which a page
/// that did not read would get before the newest frame.
inline constexpr int send_buffer_bytes = 256 * 1024;

/// What all connections need to know.
struct Context {
  const Server::Options& options;
  Page page;
  Source& source;
  std::string own_name;  ///< beside addresses and localhost
};

/// One page's socket.
class Socket : public std::enable_shared_from_this<Socket> {
 public:
  Socket(TcpSocket&& connection, Context& context) : stream_(std::move(connection)), context_(context) {}

  void accept(const HttpRequest& request) {
    set_options();
    stream_.async_accept(request, [self = shared_from_this()](ErrorCode error) {
      if (error) return self->drop();
      self->accepted_ = true;
      self->tell_news();
      self->read();
    });
  }

  /// Sixty times a second: what is new, and whether the page still reads.
  void tick() {
    if (closed_ || !accepted_) return;  // nothing may be written beside the answer of the handshake
    if (writing_) {
      late_ = true;
      if (Clock::now() - write_start_ > context_.options.write_timeout) reset();
      return;
    }
    tell_news();
  }

  bool closed() const { return closed_; }
  bool watching() const { return accepted_ && !closed_; }

  void drop() {
    closed_ = true;
    queue_.clear();
    ErrorCode ignored;
    stream_.next_layer().close(ignored);
  }

  /// Closes the socket; the page reconnects when there is a server again.
  void go_away() {
    if (accepted_ && !closed_ && !writing_) close(websocket::close_code::going_away, "");
  }

 private:
  void set_options() {
    websocket::stream_base::timeout timeouts;
    timeouts.handshake_timeout = handshake_timeout;
    // A page is asked for a sign of life after half of this; its browser answers when it reads.
    timeouts.idle_timeout = context_.options.silence_timeout;
    timeouts.keep_alive_pings = true;
    stream_.set_option(timeouts);
    stream_.read_message_max(max_request_bytes);
    stream_.binary(true);
    stream_.auto_fragment(false);  // a message is in memory as a whole anyway
    ErrorCode ignored;
    // A frame is two small packets, and the second must not wait for the answer to the first: that takes 40 ms.
    stream_.next_layer().set_option(asio::ip::tcp::no_delay(true), ignored);
    stream_.next_layer().set_option(asio::socket_base::send_buffer_size(send_buffer_bytes), ignored);
  }

  /// Without waiting for what was not read: the system would keep it for minutes.
  void reset() {
    ErrorCode ignored;
    stream_.next_layer().set_option(asio::socket_base::linger(true, 0), ignored);
    drop();
  }

  void tell_news() {
    if (closing_ || writing_ || !queue_.empty()) return;
    for (Message& message : context_.source.news(progress_)) queue_.push_back(std::move(message));
    write();
  }

  void read() {
    reading_ = true;
    stream_.async_read(buffer_, [self = shared_from_this()](ErrorCode error, std::size_t) {
      self->reading_ = false;
      if (error) return self->drop();
      self->handle();
    });
  }

  void handle() {
    try {
      if (!stream_.got_text()) throw InputError("messages of a page are text");
      const Request request = parse_request(beast::buffers_to_string(buffer_.data()));
      buffer_.consume(buffer_.size());
      for (Message& message : context_.source.answer(request)) queue_.push_back(std::move(message));
    } catch (const InputError& error) {
      return close(websocket::close_code::policy_error, error.what());
    } catch (const std::exception& error) {
      return close(websocket::close_code::internal_error, error.what());
    }
    write();
    if (queue_.size() <= max_answers) read();
  }

  void write() {
    if (closing_ || closed_ || writing_ || queue_.empty()) return;
    writing_ = queue_.front();
    queue_.pop_front();
    write_start_ = Clock::now();
    stream_.async_write(asio::buffer(*writing_), [self = shared_from_this()](ErrorCode error, std::size_t) {
      self->writing_.reset();
      if (error || self->closed_) return self->drop();
      self->write();
      if (!self->writing_ && std::exchange(self->late_, false)) self->tell_news();
      if (!self->reading_ && !self->closing_ && self->queue_.size() <= max_answers) self->read();
    });
  }

  void close(websocket::close_code code, std::string_view reason) {
    if (std::exchange(closing_, true)) return;
    queue_.clear();
    const std::string text = close_reason(reason);
    stream_.async_close({code, beast::string_view(text.data(), text.size())},
                        [self = shared_from_this()](ErrorCode) { self->drop(); });
  }

  websocket::stream<TcpSocket, false> stream_;  ///< without compression: frames are numbers, and the way is short
  Context& context_;
  Progress progress_;
  beast::flat_buffer buffer_{max_request_bytes};
  std::deque<Message> queue_;  ///< never more than one batch of news, or max_answers and one
  Message writing_;
  Clock::time_point write_start_;
  bool accepted_ = false;
  bool reading_ = false;
  bool late_ = false;  ///< a tick came while something was being written
  bool closing_ = false;
  bool closed_ = false;
};

/// All sockets that are open.
class Sockets {
 public:
  bool full() const { return open_.size() >= max_sockets; }
  void add(std::shared_ptr<Socket> socket) { open_.insert(std::move(socket)); }
  void tick() {
    std::erase_if(open_, [](const auto& socket) { return socket->closed(); });
    for (const auto& socket : open_) socket->tick();
  }
  /// How many pages look.
  std::size_t watching() const {
    return static_cast<std::size_t>(
        std::count_if(open_.begin(), open_.end(), [](const auto& socket) { return socket->watching(); }));
  }
  void go_away() {
    for (const auto& socket : open_) socket->go_away();
  }
  void drop() {
    for (const auto& socket : open_) socket->drop();
  }

 private:
  std::set<std::shared_ptr<Socket>> open_;
};

}  // namespace cardhouse::viewer::serving
