#include "cardhouse/cli/signals.h"

#include <atomic>
#include <csignal>
#include <ctime>

namespace cardhouse::cli {
namespace {

/// s: signals closer together count as one, as when `timeout` signals a process and then its group.
constexpr double same_interrupt = 0.3;

// A signal handler can reach nothing but globals.
std::atomic<bool> interrupt_seen = false;
std::atomic<double> first_interrupt = 0.0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<double>::is_always_lock_free);

/// A second signal ends the process at once.
extern "C" void note_interrupt(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double seconds = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  if (!interrupt_seen) {
    first_interrupt = seconds;
    interrupt_seen = true;
  } else if (seconds - first_interrupt > same_interrupt) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // Who was started by nohup is to outlive the terminal.
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

void ignore_file_size_signal() {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  sigemptyset(&action.sa_mask);
  sigaction(SIGXFSZ, &action, nullptr);
}

bool interrupted() {
  return interrupt_seen;
}

CancellationToken interrupt_token() {
  return CancellationToken(interrupt_seen);
}

}  // namespace cardhouse::cli
