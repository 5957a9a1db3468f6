#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "cardhouse/viewer/page.h"
#include "cardhouse/viewer/source.h"

namespace cardhouse::viewer {

/// Serves the page and its socket. Everything happens on the thread that calls run(); no page can hold up another for
/// longer than one answer takes to be read.
class Server {
 public:
  struct Options {
    std::string host = "127.0.0.1";
    int port = 8080;                                  ///< 0: any free one
    int ports_to_try = 1;                             ///< this one and the next, until one is free
    std::string token;                                ///< that commands must carry
    std::chrono::milliseconds write_timeout{30'000};  ///< in which a page must have read a message, or it is dropped
    /// In which something must come from a page, if only the answer to a ping, or it is dropped: who does not read does
    /// not answer either.
    std::chrono::milliseconds silence_timeout{30'000};
    std::chrono::microseconds tick_interval{16'667};  ///< sixty times a second pages get what is new
    std::function<void(const std::string&)> warn;     ///< is told what its user should know; may be empty
  };
  /// Listens. Throws InputError when it can't. The source must outlive the server.
  Server(Options options, const Page& page, Source& source);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  /// "http://127.0.0.1:8080/?token=…"
  std::string address() const;
  /// Whether only this machine can reach it.
  bool is_loopback() const;

  /// Serves until `stop` says so; it is asked with every tick and alarm.
  void run(const std::function<bool()>& stop);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cardhouse::viewer
