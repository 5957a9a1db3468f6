// Part of server.cpp, as server_socket.h: connections until they have their answer or become a page's socket. Nobody
// has shown a token yet.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cardhouse/viewer/access.h"
#include "cardhouse/viewer/server_socket.h"

namespace cardhouse::viewer::serving {

inline constexpr std::size_t max_connections = 128;
inline constexpr std::uint32_t max_header_bytes = 16 * 1024;
inline constexpr auto request_timeout = std::chrono::seconds(5);  ///< in which the whole request must have come
inline constexpr auto answer_timeout = std::chrono::seconds(10);  ///< in which the whole answer must have been read

inline std::string_view view_of(beast::string_view text) {
  return {text.data(), text.size()};
}

/// What the page may load: nothing but itself and its socket, which 'self' stands for too. Nothing of the request is
/// in it.
inline std::string content_policy(std::string_view script_hashes) {
  return fmt::format(
      "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
      "worker-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      script_hashes.empty() ? "'none'" : script_hashes);
}

/// To a request that is no socket.
struct Answer {
  http::status status = http::status::ok;
  std::string fields;  ///< "Name: value\r\n" each
  std::string text;
  std::string_view page;  ///< instead of a text, what outlives the answer
};

inline std::string_view body_of(const Answer& answer) {
  return answer.page.empty() ? std::string_view(answer.text) : answer.page;
}

inline Answer plain_answer(http::status status, std::string_view text) {
  return {status, "Content-Type: text/plain; charset=utf-8\r\n", fmt::format("{}\n", text), {}};
}

inline bool accepts_gzip(const HttpRequest& request) {
  return view_of(request[http::field::accept_encoding]).find("gzip") != std::string_view::npos;
}

inline Answer page_answer(const HttpRequest& request, const Page& page) {
  Answer answer;
  answer.fields = fmt::format("Content-Type: text/html; charset=utf-8\r\nContent-Security-Policy: {}\r\n",
                              content_policy(page.script_hashes));
  if (accepts_gzip(request)) {
    answer.fields += "Content-Encoding: gzip\r\n";
    answer.page = page.gzip;
  } else {
    answer.text = page_text(page);
  }
  return answer;
}

/// Status and fields, up to the empty line.
inline std::string head_of(const Answer& answer) {
  const bool has_length = answer.status != http::status::no_content;  // that status allows none
  return fmt::format(
      "HTTP/1.1 {} {}\r\n{}{}"
      "Cache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\n"  // the address holds the token
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Connection: close\r\n\r\n",
      static_cast<unsigned>(answer.status), view_of(http::obsolete_reason(answer.status)), answer.fields,
      has_length ? fmt::format("Content-Length: {}\r\n", body_of(answer).size()) : std::string());
}

/// One connection.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(TcpSocket&& socket, Context& context, Sockets& sockets)
      : socket_(std::move(socket)), context_(context), sockets_(sockets), deadline_(Clock::now() + request_timeout) {
    parser_.header_limit(max_header_bytes);
    parser_.body_limit(0);
  }

  void read() {
    socket_.async_read_some(asio::buffer(piece_), [self = shared_from_this()](ErrorCode error, std::size_t count) {
      if (error) return self->drop();
      self->take(count);
    });
  }

  void tick(Clock::time_point now) {
    if (!closed_ && now > deadline_) drop();
  }

  bool closed() const { return closed_; }

  void drop() {
    closed_ = true;
    ErrorCode ignored;
    socket_.close(ignored);
  }

 private:
  void take(std::size_t count) {
    received_.append(piece_.data(), count);
    ErrorCode error;
    const std::size_t used = parser_.put(asio::buffer(received_), error);
    received_.erase(0, used);
    if (error == http::error::need_more) return read();
    if (error || !parser_.is_done()) return drop();  // malformed, too long, or with a body
    handle();
  }

  void handle() {
    const HttpRequest& request = parser_.get();
    const std::string_view target = view_of(request.target());
    const std::string_view path = target.substr(0, target.find('?'));
    if (!allowed_host(view_of(request[http::field::host]), context_.own_name)) {
      return respond(plain_answer(http::status::misdirected_request, "This server has another name."));
    }
    if (path == "/socket") return handle_socket(target.substr(std::min(path.size() + 1, target.size())));
    if (path != "/" && path != "/favicon.ico") {
      return respond(plain_answer(http::status::not_found, "There is nothing here. The page is at /."));
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return respond(plain_answer(http::status::method_not_allowed, "Only GET."));
    }
    respond(path == "/" ? page_answer(request, context_.page) : Answer{http::status::no_content, {}, {}, {}});
  }

  void handle_socket(std::string_view query) {
    const HttpRequest& request = parser_.get();
    const bool upgrade = websocket::is_upgrade(request);
    const bool right_token = same_token(token_of(query), context_.options.token);
    // The page asks without an upgrade why its socket was refused: a browser does not tell.
    if (!upgrade && right_token) {
      return respond(plain_answer(http::status::upgrade_required, "This is a WebSocket."));
    }
    if (upgrade && !same_origin(view_of(request[http::field::origin]), view_of(request[http::field::host]))) {
      return respond(plain_answer(http::status::forbidden, "This page is not ours."));
    }
    if (!right_token) return respond(plain_answer(http::status::forbidden, "The token is wrong."));
    if (sockets_.full()) {
      return respond(plain_answer(http::status::service_unavailable, "Too many pages are open."));
    }
    closed_ = true;  // from now on it is a socket
    const auto socket = std::make_shared<Socket>(std::move(socket_), context_);
    sockets_.add(socket);
    socket->accept(request);
  }

  void respond(Answer&& answer) {
    answer_ = std::move(answer);
    head_ = head_of(answer_);
    const bool with_body = parser_.get().method() != http::verb::head;
    const std::string_view body = with_body ? body_of(answer_) : std::string_view();
    const std::array<asio::const_buffer, 2> parts = {asio::buffer(head_), asio::buffer(body)};
    deadline_ = Clock::now() + answer_timeout;
    asio::async_write(socket_, parts, [self = shared_from_this()](ErrorCode, std::size_t) {
      ErrorCode ignored;
      self->socket_.shutdown(asio::socket_base::shutdown_both, ignored);
      self->drop();
    });
  }

  TcpSocket socket_;
  std::array<char, 4096> piece_;
  std::string received_;
  http::request_parser<http::empty_body> parser_;
  std::string head_;
  Answer answer_;
  Context& context_;
  Sockets& sockets_;
  Clock::time_point deadline_;
  bool closed_ = false;
};

/// All that are open, the oldest first. Their number is bounded: a new one takes the place of the oldest, so that slow
/// and silent ones can't keep others out.
class Connections {
 public:
  Connections(Context& context, Sockets& sockets) : context_(context), sockets_(sockets) {}

  void add(TcpSocket&& socket) {
    forget_closed();
    if (open_.size() >= max_connections) drop_oldest();
    open_.push_back(std::make_shared<Connection>(std::move(socket), context_, sockets_));
    open_.back()->read();
  }

  /// Drops those that take too long.
  void tick() {
    const auto now = Clock::now();
    for (const auto& connection : open_) connection->tick(now);
    forget_closed();
  }

  /// Drops the oldest one, if there is one: its place or its descriptor is needed.
  void drop_oldest() {
    forget_closed();
    if (open_.empty()) return;
    open_.front()->drop();
    open_.pop_front();
  }

 private:
  void forget_closed() {
    std::erase_if(open_, [](const auto& connection) { return connection->closed(); });
  }

  Context& context_;
  Sockets& sockets_;
  std::list<std::shared_ptr<Connection>> open_;
};

}  // namespace cardhouse::viewer::serving
