#include "cardhouse/viewer/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace cardhouse::viewer {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int reading = -1;
  int writing = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe: " + std::generic_category().message(errno));
  }
  return {ends[0], ends[1]};
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

std::vector<char*> arguments_of(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

/// In the child. Only calls that are allowed between fork and exec.
void redirect(int from, int to) {
  if (from < 0) return;
  if (from != to) {
    ::dup2(from, to);
  } else {
    ::fcntl(to, F_SETFD, 0);
  }
}

/// Descriptors that a later dup2 can't overwrite.
int out_of_the_way(int descriptor) {
  return descriptor < 0 ? descriptor : ::fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
}

[[noreturn]] void exec_child(char* const* arguments) {
  ::execvp(arguments[0], arguments);
  ::_exit(127);
}

}  // namespace

std::string find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  for (const std::string& name : names) {
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::filesystem::path file = std::filesystem::path(folder) / name;
      if (!folder.empty() && std::filesystem::is_regular_file(file) && ::access(file.c_str(), X_OK) == 0) return file;
    }
  }
  return {};
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, const Options& options) {
  std::signal(SIGPIPE, SIG_IGN);  // a child that is gone is noticed by write()
  const std::vector<char*> arguments = arguments_of(command);
  const Pipe to = make_pipe();
  const Pipe from = options.output >= 0 ? make_pipe() : Pipe{};
  id_ = ::fork();
  if (id_ == 0) {
    ::setpgid(0, 0);  // so that its own children end with it, and Ctrl-C comes to us first
    const int reading = out_of_the_way(to.reading);
    const int writing = out_of_the_way(from.writing);
    const int nowhere = ::open("/dev/null", O_RDWR);
    redirect(nowhere, 0);
    if (options.hush) {
      redirect(nowhere, 1);
      redirect(nowhere, 2);
    }
    redirect(reading, options.input);
    if (options.output >= 0) redirect(writing, options.output);
    exec_child(arguments.data());
  }
  ::close(to.reading);
  if (from.writing >= 0) ::close(from.writing);
  input_ = to.writing;
  output_ = from.reading;
  if (id_ < 0) {
    close_pipes();
    throw std::runtime_error(fmt::format("{}: cannot be started", command.front()));
  }
}

ChildProcess::~ChildProcess() {
  close_pipes();
  if (id_ < 0) return;
  ::kill(-id_, SIGKILL);
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
}

void ChildProcess::close_pipes() {
  close_if_open(input_);
  close_if_open(output_);
}

bool ChildProcess::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(input_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string ChildProcess::read(std::chrono::milliseconds timeout) {
  pollfd waiting{output_, POLLIN, 0};
  if (::poll(&waiting, 1, static_cast<int>(timeout.count())) <= 0) return {};
  std::array<char, 1 << 16> buffer{};
  const ssize_t count = ::read(output_, buffer.data(), buffer.size());
  return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count)) : std::string();
}

int ChildProcess::finish(std::chrono::milliseconds timeout) {
  close_pipes();
  const auto end = Clock::now() + timeout;
  int status = 0;
  while (::waitpid(id_, &status, WNOHANG) == 0) {
    if (Clock::now() > end) return -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  id_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void start_detached(const std::vector<std::string>& command) {
  const std::vector<char*> arguments = arguments_of(command);
  const pid_t child = ::fork();
  if (child == 0) {
    // A grandchild has no parent that must wait for it.
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int descriptor : {0, 1, 2}) ::dup2(nowhere, descriptor);
    exec_child(arguments.data());
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
}

}  // namespace cardhouse::viewer
