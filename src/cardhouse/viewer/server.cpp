#include "cardhouse/viewer/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <set>
#include <string_view>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/viewer/access.h"

namespace cardhouse::viewer {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using ErrorCode = beast::error_code;

constexpr auto least_alarm_interval = std::chrono::milliseconds(4);  // many commands at once are one haste
constexpr auto http_timeout = std::chrono::seconds(10);
constexpr std::size_t max_sockets = 32;
constexpr std::size_t max_connections = 128;  ///< that have not become sockets
constexpr std::size_t max_answers = 4;        ///< that wait for one page; it is not read from while there are more
constexpr std::uint32_t max_header_bytes = 16 * 1024;

/// What all connections need to know.
struct Context {
  const Server::Options& options;
  Page page;
  Source& source;
  std::string own_name;  ///< beside addresses and localhost
};

std::string_view view_of(beast::string_view text) {
  return {text.data(), text.size()};
}

/// One page's socket.
class Socket : public std::enable_shared_from_this<Socket> {
 public:
  Socket(beast::tcp_stream&& stream, Context& context) : stream_(std::move(stream)), context_(context) {}

  void accept(const http::request<http::empty_body>& request) {
    auto timeouts = websocket::stream_base::timeout::suggested(beast::role_type::server);
    timeouts.handshake_timeout = http_timeout;
    stream_.set_option(timeouts);
    stream_.read_message_max(max_request_bytes);
    stream_.binary(true);
    stream_.auto_fragment(false);  // a message is in memory as a whole anyway
    // A frame is two small packets, and the second must not wait for the answer to the first: that takes 40 ms.
    ErrorCode ignored;
    beast::get_lowest_layer(stream_).socket().set_option(tcp::no_delay(true), ignored);
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
      if (Clock::now() - write_start_ > context_.options.write_timeout) drop();
      return;
    }
    tell_news();
  }

  bool closed() const { return closed_; }
  bool watching() const { return accepted_ && !closed_; }

  void drop() {
    closed_ = true;
    queue_.clear();
    beast::get_lowest_layer(stream_).close();
  }

  /// Says good-bye; the page comes back when there is a server again.
  void go_away() {
    if (accepted_ && !closed_ && !writing_) close(websocket::close_code::going_away, "");
  }

 private:
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

  void close(websocket::close_code code, const std::string& reason) {
    constexpr std::size_t longest_reason = 120;  // the protocol allows 123 bytes
    if (std::exchange(closing_, true)) return;
    queue_.clear();
    const std::string text = reason.substr(0, longest_reason);
    stream_.async_close({code, beast::string_view(text.data(), text.size())},
                        [self = shared_from_this()](ErrorCode) { self->drop(); });
  }

  websocket::stream<beast::tcp_stream> stream_;
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
  bool empty() {
    std::erase_if(open_, [](const auto& socket) { return socket->closed(); });
    return open_.empty();
  }

 private:
  std::set<std::shared_ptr<Socket>> open_;
};

using Response = http::response<http::string_body>;

Response plain_response(http::status status, const std::string& text) {
  Response response(status, 11);
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  response.body() = text + "\n";
  return response;
}

/// What the page may load: nothing but itself and its socket.
std::string content_policy(std::string_view script_hashes, std::string_view host) {
  return fmt::format(
      "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
      "worker-src blob:; connect-src 'self' ws://{}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      script_hashes.empty() ? "'none'" : script_hashes, host);
}

bool accepts_gzip(const http::request<http::empty_body>& request) {
  return view_of(request[http::field::accept_encoding]).find("gzip") != std::string_view::npos;
}

Response page_response(const http::request<http::empty_body>& request, const Page& page) {
  Response response(http::status::ok, 11);
  response.set(http::field::content_type, "text/html; charset=utf-8");
  response.set("Content-Security-Policy", content_policy(page.script_hashes, view_of(request[http::field::host])));
  if (accepts_gzip(request)) {
    response.set(http::field::content_encoding, "gzip");
    response.body() = page.gzip;
  } else {
    response.body() = page_text(page);
  }
  return response;
}

/// A connection until it has its answer or becomes a socket.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket&& socket, Context& context, Sockets& sockets, std::size_t& open)
      : stream_(std::move(socket)), context_(context), sockets_(sockets), open_(open) {
    ++open_;
    parser_.header_limit(max_header_bytes);
    parser_.body_limit(0);
  }
  ~Connection() { --open_; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    stream_.expires_after(http_timeout);
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](ErrorCode error, std::size_t) {
      if (!error) self->handle();
    });
  }

 private:
  void handle() {
    const auto& request = parser_.get();
    const std::string_view target = view_of(request.target());
    const std::string_view path = target.substr(0, target.find('?'));
    if (!allowed_host(view_of(request[http::field::host]), context_.own_name)) {
      return respond(plain_response(http::status::misdirected_request, "This server has another name."));
    }
    if (path == "/socket") return handle_socket(target.substr(std::min(path.size() + 1, target.size())));
    if (path != "/" && path != "/favicon.ico") {
      return respond(plain_response(http::status::not_found, "There is nothing here. The page is at /."));
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return respond(plain_response(http::status::method_not_allowed, "Only GET."));
    }
    respond(path == "/" ? page_response(request, context_.page) : Response(http::status::no_content, 11));
  }

  void handle_socket(std::string_view query) {
    const auto& request = parser_.get();
    // The page asks without an upgrade why its socket was refused: a browser does not tell.
    if (!websocket::is_upgrade(request) && same_token(token_of(query), context_.options.token)) {
      return respond(plain_response(http::status::upgrade_required, "This is a WebSocket."));
    }
    if (websocket::is_upgrade(request) &&
        !same_origin(view_of(request[http::field::origin]), view_of(request[http::field::host]))) {
      return respond(plain_response(http::status::forbidden, "This page is not ours."));
    }
    if (!same_token(token_of(query), context_.options.token)) {
      return respond(plain_response(http::status::forbidden, "The token is wrong."));
    }
    if (sockets_.full()) {
      return respond(plain_response(http::status::service_unavailable, "Too many pages are open."));
    }
    stream_.expires_never();  // the socket has its own timeouts
    const auto socket = std::make_shared<Socket>(std::move(stream_), context_);
    sockets_.add(socket);
    socket->accept(request);
  }

  void respond(Response&& response) {
    response_ = std::move(response);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Referrer-Policy", "no-referrer");  // the address holds the token
    response_.set("Cross-Origin-Resource-Policy", "same-origin");
    response_.keep_alive(false);
    response_.prepare_payload();
    if (parser_.get().method() == http::verb::head) response_.body().clear();
    stream_.expires_after(http_timeout);
    http::async_write(stream_, response_, [self = shared_from_this()](ErrorCode, std::size_t) {
      ErrorCode ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{2 * max_header_bytes};
  http::request_parser<http::empty_body> parser_;
  Response response_;
  Context& context_;
  Sockets& sockets_;
  std::size_t& open_;
};

tcp::endpoint endpoint_of(asio::io_context& io, const std::string& host) {
  ErrorCode error;
  const auto address = asio::ip::make_address(host, error);
  if (!error) return {address, 0};
  const auto found = tcp::resolver(io).resolve(host, "", error);
  if (error || found.empty()) throw InputError(fmt::format("--host {}: no such address on this machine", host));
  return found.begin()->endpoint();
}

}  // namespace

struct Server::Impl {
  Impl(Options given, const Page& page, Source& source)
      : options(std::move(given)), context{options, page, source, options.host} {
    const tcp::endpoint wanted = endpoint_of(io, options.host);
    if (wanted.address().is_unspecified()) context.own_name = asio::ip::host_name();
    listen(wanted);
    // From the source's thread to this one.
    source.set_alarm([this] { asio::post(io, [this] { hurry(); }); });
  }
  ~Impl() { context.source.set_alarm({}); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// On the first port that is free.
  void listen(tcp::endpoint endpoint) {
    ErrorCode error;
    for (int i = 0; i < options.ports_to_try; ++i) {
      endpoint.port(static_cast<unsigned short>(options.port + i));
      if (acceptor.is_open()) acceptor.close();
      acceptor.open(endpoint.protocol());
      acceptor.set_option(asio::socket_base::reuse_address(true));
      acceptor.bind(endpoint, error);
      if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
      if (!error) return;
    }
    const std::string ports = options.ports_to_try == 1
                                  ? fmt::format("port {}", options.port)
                                  : fmt::format("ports {} … {}", options.port, options.port + options.ports_to_try - 1);
    throw InputError(fmt::format("view: {} of {} cannot be used: {}; --port 0 takes any free one", ports, options.host,
                                 error.message()));
  }

  void accept() {
    acceptor.async_accept([this](ErrorCode error, tcp::socket socket) {
      if (!acceptor.is_open()) return;
      if (!error && connections < max_connections) {
        std::make_shared<Connection>(std::move(socket), context, sockets, connections)->start();
      }
      accept();
    });
  }

  void tick() {
    if (stop()) return shut_down();
    sockets.tick();
    count_watchers();
    // From now, not from the last time: after a long answer there is nothing to catch up with.
    timer.expires_after(options.tick_interval);
    timer.async_wait([this](ErrorCode error) {
      if (!error) tick();
    });
  }

  /// There is news that should not wait for the tick.
  void hurry() {
    if (stop()) return shut_down();
    const auto now = Clock::now();
    if (now - last_hurry < least_alarm_interval) return;  // the tick will tell
    last_hurry = now;
    sockets.tick();
    count_watchers();
  }

  void count_watchers() {
    const std::size_t now = sockets.watching();
    if (std::exchange(watchers, now) != now) context.source.watched_by(now);
  }

  /// Pages get a moment to hear that the server goes.
  void shut_down() {
    if (std::exchange(shutting_down, true)) return;
    acceptor.close();
    sockets.go_away();
    timer.expires_after(std::chrono::milliseconds(200));
    timer.async_wait([this](ErrorCode) {
      sockets.drop();
      io.stop();
    });
  }

  Options options;
  Context context;
  std::size_t connections = 0;  // outlives them: those that wait go with `io`
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::steady_timer timer{io};
  Sockets sockets;
  std::function<bool()> stop;
  bool shutting_down = false;
  std::size_t watchers = 0;
  Clock::time_point last_hurry;
};

Server::Server(Options options, const Page& page, Source& source)
    : impl_(std::make_unique<Impl>(std::move(options), page, source)) {}

Server::~Server() = default;

int Server::port() const {
  return impl_->acceptor.local_endpoint().port();
}

std::string Server::address() const {
  const auto address = impl_->acceptor.local_endpoint().address();
  // A browser can't open "all addresses"; on this machine the loopback one is among them.
  const std::string host = address.is_unspecified() ? (address.is_v6() ? "[::1]" : "127.0.0.1")
                           : address.is_v6()        ? "[" + address.to_string() + "]"
                                                    : address.to_string();
  return fmt::format("http://{}:{}/?token={}", host, port(), impl_->options.token);
}

bool Server::is_loopback() const {
  return impl_->acceptor.local_endpoint().address().is_loopback();
}

void Server::run(const std::function<bool()>& stop) {
  impl_->stop = stop;
  impl_->accept();
  impl_->tick();
  impl_->io.run();
}

}  // namespace cardhouse::viewer
