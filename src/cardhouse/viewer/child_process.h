#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace cardhouse::viewer {

/// The first of the named programs that is on the path; empty when none is.
std::string find_program(const std::vector<std::string>& names);

/// Another program, with pipes to and from it. Ends with this object.
class ChildProcess {
 public:
  struct Options {
    int input = 0;     ///< the child's descriptor that reads what write() gives it
    int output = -1;   ///< the child's descriptor that read() gets from; −1: none
    bool hush = true;  ///< what it prints otherwise goes nowhere
  };
  /// Throws std::runtime_error when it can't be started.
  ChildProcess(const std::vector<std::string>& command, const Options& options);
  /// Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// False when the child does not listen any more.
  bool write(std::string_view bytes);
  /// Some bytes; empty when it has ended or nothing came in time.
  std::string read(std::chrono::milliseconds timeout);
  /// Closes its input and waits for its end; the exit code, or −1 when a signal ended it or it did not end in time.
  int finish(std::chrono::milliseconds timeout);

 private:
  void close_pipes();

  pid_t id_ = -1;
  int input_ = -1;
  int output_ = -1;
};

/// Starts a program that goes on by itself, its output to nowhere.
void start_detached(const std::vector<std::string>& command);

}  // namespace cardhouse::viewer
