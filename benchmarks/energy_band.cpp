// The energy of the half-step integrator over a million steps: without friction it must stay within a band that does
// not widen, with friction it must never rise by more than that band (docs/integrators.md). Each row is one setting;
// the columns after the start are the band's edges over the first and over the last tenth of the run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "cardhouse/variational/published_examples.h"

namespace {

using namespace cardhouse;

struct Band {
  double low = 0.0;
  double high = 0.0;
  double width() const { return high - low; }
};

Band band_of(const std::vector<double>& energies, std::size_t from, std::size_t to) {
  const auto [low, high] = std::minmax_element(energies.begin() + static_cast<std::ptrdiff_t>(from),
                                               energies.begin() + static_cast<std::ptrdiff_t>(to));
  return {*low, *high};
}

void report(const std::string& name, double h, const Trajectory& run) {
  const std::size_t tenth = run.energies.size() / 10;
  const Band first = band_of(run.energies, 0, tenth);
  const Band last = band_of(run.energies, run.energies.size() - tenth, run.energies.size());
  fmt::print("{:<34} {:<7} {:>10.6g}  [{:>10.6g}, {:>10.6g}]  [{:>10.6g}, {:>10.6g}]  {:>9.3g}  {:>4}  {:.1e}\n", name,
             h, run.energies.front(), first.low, first.high, last.low, last.high, run.largest_rise,
             run.uncertified_steps, run.worst_residual);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Energy of the half-step integrator over many steps");
  int steps = 1000000;
  app.add_option("--steps", steps, "of each run")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);

  fmt::print("{:<34} {:<7} {:>10}  {:<24}  {:<24}  {:>9}  {:>4}  {}\n", "setting", "h", "start J", "first tenth J",
             "last tenth J", "rise J", "bad", "residual");
  for (const double h : {0.1, 0.01, 0.001}) {
    ContactingParticle setting;
    setting.duration = steps * h;
    report("particle on a wall", h, run_contacting_particle(setting, Integrator::half_step, h));
  }
  struct Case {
    const char* name;
    bool wall;
    double mu;
    Vec2 velocity;
  };
  for (const Case& c : {Case{"oscillator, free", false, 0.0, Vec2::Zero()},
                        {"oscillator, free, turning", false, 0.0, Vec2(40.0, -40.0)},
                        {"oscillator, wall", true, 0.0, Vec2::Zero()},
                        {"oscillator, wall, turning", true, 0.0, Vec2(40.0, -40.0)},
                        {"oscillator, wall, mu 0.5", true, 0.5, Vec2::Zero()},
                        {"oscillator, wall, mu 0.5, turning", true, 0.5, Vec2(40.0, -40.0)},
                        {"oscillator, wall, mu 5", true, 5.0, Vec2::Zero()}}) {
    for (const double h : {0.005, 0.001}) {
      NonlinearOscillator setting;
      setting.wall = c.wall;
      setting.mu = c.mu;
      setting.velocity = c.velocity;
      setting.duration = steps * h;
      report(c.name, h, run_nonlinear_oscillator(setting, Integrator::half_step, h));
    }
  }
  return 0;
}
