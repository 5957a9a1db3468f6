#include "cardhouse/viewer/server.h"

#include <fmt/format.h>

#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/viewer/server_connection.h"
#include "cardhouse/viewer/server_socket.h"

namespace cardhouse::viewer {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using serving::ErrorCode;
using serving::Executor;
using Timer = asio::basic_waitable_timer<serving::Clock, asio::wait_traits<serving::Clock>, Executor>;

constexpr auto least_alarm_interval = std::chrono::milliseconds(4);  // many commands at once are one haste
constexpr auto accept_pause = std::chrono::milliseconds(100);        ///< after one that failed

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
    acceptor.async_accept([this](ErrorCode error, serving::TcpSocket socket) {
      if (!acceptor.is_open()) return;
      if (error) return accept_later(error);
      connections.add(std::move(socket));
      accept();
    });
  }

  /// Most likely there are no descriptors left. Whoever waits would be tried again at once, and again: those that are
  /// served need the processor.
  void accept_later(const ErrorCode& error) {
    if (!std::exchange(warned, true) && options.warn) {
      options.warn(
          fmt::format("new pages must wait: {}; pages that are open go on ('ulimit -n' tells how many files "
                      "and connections a program may open)",
                      error.message()));
    }
    connections.drop_oldest();
    accept_timer.expires_after(accept_pause);
    accept_timer.async_wait([this](ErrorCode cancelled) {
      if (!cancelled && acceptor.is_open()) accept();
    });
  }

  void tick() {
    if (stop()) return shut_down();
    connections.tick();
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
    const auto now = serving::Clock::now();
    if (now - last_hurry < least_alarm_interval) return;  // the tick will tell
    last_hurry = now;
    sockets.tick();
    count_watchers();
  }

  void count_watchers() {
    const std::size_t now = sockets.watching();
    if (std::exchange(watchers, now) != now) context.source.watched_by(now);
  }

  /// Gives pages a moment to receive the closing message.
  void shut_down() {
    if (std::exchange(shutting_down, true)) return;
    acceptor.close();
    accept_timer.cancel();
    sockets.go_away();
    timer.expires_after(std::chrono::milliseconds(200));
    timer.async_wait([this](ErrorCode) {
      sockets.drop();
      io.stop();
    });
  }

  Options options;
  serving::Context context;
  asio::io_context io{1};
  asio::basic_socket_acceptor<tcp, Executor> acceptor{io};
  Timer timer{io};
  Timer accept_timer{io};
  serving::Sockets sockets;
  serving::Connections connections{context, sockets};
  bool warned = false;
  std::function<bool()> stop;
  bool shutting_down = false;
  std::size_t watchers = 0;
  serving::Clock::time_point last_hurry;
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
