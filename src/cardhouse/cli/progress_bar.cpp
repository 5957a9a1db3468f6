#include "cardhouse/cli/progress_bar.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace cardhouse::cli {
namespace {

constexpr double bar_interval = 0.1;    // s: faster is only flicker
constexpr double lines_interval = 5.0;  // s: a log file stays short
constexpr const char* clear_line = "\r\x1b[K";

int terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// "0:07", "12:30", "3:05:00".
std::string clock_time(double seconds) {
  if (!std::isfinite(seconds) || seconds > 1e8) return "–";
  const auto whole = static_cast<std::int64_t>(std::lround(seconds));
  const auto hours = whole / 3600;
  if (hours == 0) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", hours, whole / 60 % 60, whole % 60);
}

/// "[====    ]", as wide as asked for with its brackets; nothing where there is no room for it.
std::string bar(double fraction, int columns) {
  if (columns < 6) return "";
  const int width = std::min(columns, 32) - 2;
  const int full = std::clamp(static_cast<int>(fraction * width), 0, width);
  return fmt::format("[{:=<{}}{: <{}}]", "", full, "", width - full);
}

}  // namespace

ProgressBar::Style ProgressBar::fitting_style(bool quiet) {
  if (quiet) return Style::none;
  return ::isatty(STDERR_FILENO) == 1 ? Style::bar : Style::lines;
}

ProgressBar::ProgressBar(Range range, Style style)
    : range_(std::move(range)), style_(style), next_drawing_(style == Style::bar ? bar_interval : lines_interval) {}

ProgressBar::~ProgressBar() {
  finish();
}

double ProgressBar::fraction(const State& state) const {
  if (range_.first_time >= 0.0) {
    const double whole = range_.duration - range_.first_time;
    return whole > 0.0 ? std::clamp((state.time - range_.first_time) / whole, 0.0, 1.0) : 1.0;
  }
  const double steps = static_cast<double>(range_.last_step - range_.first_step);
  return steps > 0.0 ? static_cast<double>(state.step - range_.first_step) / steps : 1.0;
}

std::string ProgressBar::numbers(const State& state, const StepReport& report) const {
  const double elapsed = stopwatch_.seconds();
  const double done = static_cast<double>(state.step - range_.first_step);
  const double part = fraction(state);
  std::string text = fmt::format("{:.2f}/{:g} s  {:.3g} ms/step  {} contacts  residual {:.0e}", state.time,
                                 range_.duration, 1e3 * elapsed / done, report.contacts, report.certificate.residual);
  if (uncertified_ > 0) text += fmt::format("  {} uncertified", uncertified_);
  return text + fmt::format("  ETA {}", clock_time(elapsed / part * (1.0 - part)));
}

void ProgressBar::update(const State& state, const StepReport& report) {
  if (!report.certified) ++uncertified_;
  if (style_ == Style::none || stopwatch_.seconds() < next_drawing_) return;
  const double done = fraction(state);
  // Rounded down: 100 % means done.
  const int percent = static_cast<int>(100.0 * done);
  if (style_ == Style::lines) {
    fmt::print(stderr, "{}: {} %  {}\n", range_.scene, percent, numbers(state, report));
    next_drawing_ = stopwatch_.seconds() + lines_interval;
    return;
  }
  const std::string text = fmt::format(" {:>3} %  {}", percent, numbers(state, report));
  const int columns = terminal_columns() - 1;
  fmt::print(stderr, "{}{}{:.{}}", clear_line, bar(done, columns - static_cast<int>(text.size())), text, columns);
  std::fflush(stderr);
  drawn_ = true;
  next_drawing_ = stopwatch_.seconds() + bar_interval;
}

void ProgressBar::finish() {
  if (drawn_) std::fputs(clear_line, stderr);
  drawn_ = false;
}

}  // namespace cardhouse::cli
