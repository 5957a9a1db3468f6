// What the benchmark programs share: one clock for us and for peers, medians, and the fit of a power law.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace bench {

/// CPU time of the calling thread, in seconds. The machines that we measure on are shared: wall time would measure the
/// neighbours. All that is timed runs in one thread (the process's clock would lose its resolution under a CPU limit).
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// NaN of nothing.
inline double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The middle value, or the mean of the two in the middle; NaN of nothing.
inline double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// The exponent p of y ≈ c x^p by least squares on the logarithms; NaN from fewer than two points.
inline double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    mean_x += std::log(x[i]) / static_cast<double>(n);
    mean_y += std::log(y[i]) / static_cast<double>(n);
  }
  double above = 0.0;
  double below = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    above += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    below += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return n < 2 ? std::nan("") : above / below;
}

/// The processor's name, for the head of a table of times.
inline std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

/// "12.3 ms" with three digits and the unit that suits; "-" when there is none.
inline std::string time_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 1.0) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} s", seconds);
}

/// The body of a main function: what is thrown becomes a message and exit code 1.
template <class Body>
int run_program(const char* name, const Body& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
  } catch (...) {
    std::fprintf(stderr, "%s: failed\n", name);
  }
  return 1;
}

}  // namespace bench
