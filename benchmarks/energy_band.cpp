// The energy of the half-step integrator over a million steps: without friction it must stay within a band, with
// friction it must never rise by more than that band (docs/integrators.md). Each row is one setting; the columns after
// the start are the band's edges over the first and over the last tenth of the run. Ends with 1 when a row that is
// judged fails.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "cardhouse/variational/published_examples.h"

namespace {

using namespace cardhouse;

/// s: the oscillator of 1 kg covers a quarter of a metre in it, and at 5 ms more than the wells are wide: there bounces
/// let the band wander, which is shown but not judged.
constexpr double largest_judged_step = 1e-3;

/// On a wall, over the width of the free motion's band: how wide it may be, or rise where there is friction.
constexpr double most_by_bounces = 2.0;

/// Where the potential is linear there is no band: this part of the energy is round-off of a million steps.
constexpr double round_off = 1e-8;

struct Band {
  double low = 0.0;
  double high = 0.0;
};

Band band_of(const std::vector<double>& energies, std::size_t from, std::size_t to) {
  const auto [low, high] = std::minmax_element(energies.begin() + static_cast<std::ptrdiff_t>(from),
                                               energies.begin() + static_cast<std::ptrdiff_t>(to));
  return {*low, *high};
}

double width_of(const Trajectory& run) {
  return run.highest_energy - run.lowest_energy;
}

/// `value` is the band's width or the largest rise; false when it is judged and too much.
bool report(const std::string& name, double h, const Trajectory& run, double value, double limit, bool judged) {
  const std::size_t tenth = run.energies.size() / 10;
  const Band first = band_of(run.energies, 0, tenth);
  const Band last = band_of(run.energies, run.energies.size() - tenth, run.energies.size());
  const bool holds = value <= limit && run.uncertified_steps == 0;
  const char* verdict = judged ? (holds ? "holds" : "FAILS") : (holds ? "(holds)" : "(fails)");
  fmt::print(
      "{:<34} {:<7} {:>10.6g}  [{:>10.6g}, {:>10.6g}]  [{:>10.6g}, {:>10.6g}]  {:>9.3g}  {:>9.3g}  {:>4}  {:.1e}  {}\n",
      name, h, run.energies.front(), first.low, first.high, last.low, last.high, value, limit, run.uncertified_steps,
      run.worst_residual, verdict);
  return holds || !judged;
}

Trajectory run_oscillator(bool wall, double mu, const Vec2& velocity, double h, int steps) {
  NonlinearOscillator setting;
  setting.wall = wall;
  setting.mu = mu;
  setting.velocity = velocity;
  setting.duration = steps * h;
  return run_nonlinear_oscillator(setting, Integrator::half_step, h);
}

/// Free, on a wall, and with friction, from one start.
bool report_oscillator(const std::string& start, const Vec2& velocity, double h, int steps) {
  const bool judged = h <= largest_judged_step;
  const Trajectory free = run_oscillator(false, 0.0, velocity, h, steps);
  const double width = width_of(free);
  bool good = report("oscillator, free" + start, h, free, width, 2e-3 * free.energies.front(), judged);
  const Trajectory wall = run_oscillator(true, 0.0, velocity, h, steps);
  good = report("oscillator, wall" + start, h, wall, width_of(wall), most_by_bounces * width, judged) && good;
  for (const double mu : {1e-6, 1e-5, 0.5, 5.0}) {
    const Trajectory run = run_oscillator(true, mu, velocity, h, steps);
    good = report(fmt::format("oscillator, wall, mu {:g}{}", mu, start), h, run, run.largest_rise,
                  most_by_bounces * width, judged) &&
           good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Energy of the half-step integrator over many steps");
  int steps = 1000000;
  app.add_option("--steps", steps, "of each run")->check(CLI::Range(10, 100000000));
  CLI11_PARSE(app, argc, argv);

  fmt::print("{:<34} {:<7} {:>10}  {:<24}  {:<24}  {:>9}  {:>9}  {:>4}  {:<7}  {}\n", "setting", "h", "start J",
             "first tenth J", "last tenth J", "value J", "limit J", "bad", "residual", "(not judged)");
  bool good = true;
  for (const double h : {0.1, 0.01, 0.001}) {
    ContactingParticle setting;
    setting.duration = steps * h;
    const Trajectory run = run_contacting_particle(setting, Integrator::half_step, h);
    good = report("particle on a wall", h, run, width_of(run), round_off * run.energies.front(), true) && good;
  }
  for (const double h : {0.005, 0.0025, 0.001, 0.0005}) {
    good = report_oscillator("", Vec2::Zero(), h, steps) && good;
    good = report_oscillator(", turning", Vec2(40.0, -40.0), h, steps) && good;
  }
  return good ? 0 : 1;
}
