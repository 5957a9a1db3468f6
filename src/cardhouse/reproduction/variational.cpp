// Integrators of smooth potentials with contact (Kaufman 2009, section 4.8): a particle that bounces on a wall, after
// Stewart 2000, and a nonlinear oscillator with and without wall and friction. What the text leaves open is chosen in
// variational/published_examples.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/report/plot.h"
#include "cardhouse/reproduction/entry.h"
#include "cardhouse/variational/published_examples.h"

namespace cardhouse::reproduction {
namespace {

// A particle on a wall.

constexpr double shown_duration = 2.0;  // s: the first two or three bounces are what the figures are about

struct Bounce {
  std::string name;
  double h = 0.0;            ///< s
  double restitution = 0.0;  ///< effective, of the first collision (−)
  Trajectory run;
};

/// Three close starts of one integrator at one step.
std::vector<Bounce> bounces_of(Integrator integrator, double h) {
  std::vector<Bounce> bounces;
  for (ContactingParticle start : three_close_starts(h)) {
    start.duration = shown_duration;
    Bounce bounce;
    bounce.name = fmt::format("from {:.4g} m", start.height);
    bounce.h = h;
    bounce.run = run_contacting_particle(start, integrator, h);
    bounce.restitution = effective_restitution(bounce.run, start);
    bounces.push_back(std::move(bounce));
  }
  return bounces;
}

std::string restitutions_text(const std::vector<Bounce>& bounces) {
  std::vector<std::string> texts;
  for (const Bounce& bounce : bounces) texts.push_back(fmt::format("{:.3g}", bounce.restitution));
  return fmt::format("{}", fmt::join(texts, ", "));
}

double spread(const std::vector<Bounce>& bounces) {
  const auto less = [](const Bounce& a, const Bounce& b) { return a.restitution < b.restitution; };
  const auto [least, most] = std::minmax_element(bounces.begin(), bounces.end(), less);
  return most->restitution - least->restitution;
}

PublishedRow varying_row(const std::string& name, const std::vector<Bounce>& bounces, const std::string& note) {
  return {"",
          fmt::format("{}, h = {:g} s: effective restitution, three close starts", name, bounces[0].h),
          "",
          "varies with the state",
          restitutions_text(bounces),
          "the largest and the least differ by more than 0.1",
          agrees_if(spread(bounces) > 0.1),
          note};
}

/// J: the largest distance of the energy from its start, over that start.
double energy_error(const Trajectory& run) {
  const double start = run.energies.front();
  return std::max(run.highest_energy - start, start - run.lowest_energy) / start;
}

Figure heights_figure(const std::string& name, const std::string& title, const std::vector<Bounce>& bounces) {
  Plot plot;
  plot.title = title;
  plot.x = {"time (s)", false, 0.0, 0.0};
  plot.y = {"height (m)", false, 0.0, 0.0};
  for (const Bounce& bounce : bounces) {
    PlotLine line{bounce.name, bounce.run.times, {}};
    for (const VecX& q : bounce.run.positions) line.y.push_back(q[0]);
    line.points = bounce.h > 0.05;
    plot.lines.push_back(std::move(line));
  }
  return {name, svg_text(plot)};
}

void add_heights(CsvTable& table, const std::string& part, const std::vector<Bounce>& bounces) {
  for (const Bounce& bounce : bounces) {
    for (std::size_t i = 0; i < bounce.run.times.size(); ++i) {
      table.add(std::vector<std::string>{
          part, bounce.name, fmt::format("{:g}", bounce.h), fmt::format("{:.6g}", bounce.run.times[i]),
          fmt::format("{:.10g}", bounce.run.positions[i][0]), fmt::format("{:.10g}", bounce.run.energies[i])});
    }
  }
}

Findings contacting_particle(Form form, const Progress& progress) {
  // Caption and text tell (a) and (b) the other way round: 1e-2 and 1e-3 s. Both are run.
  const std::vector<double> steps = form == Form::brief ? std::vector<double>{1e-2} : std::vector<double>{1e-2, 1e-3};
  Findings findings;
  CsvTable table("heights", {"part", "start", "h", "time", "height", "energy"});
  findings.rows.push_back({"", "trajectories (a) to (d)", "", "lines of a figure", "the CSV file and the SVG figures",
                           "none", Verdict::not_readable,
                           "mass, gravity, heights and duration are not in the text: 1 kg, 9.81 m/s², 1 m, 2 s here"});
  struct Part {
    const char* letter;
    const char* name;
    Integrator integrator;
    const char* note;
  };
  const std::vector<Part> parts = {
      {"a", "implicit midpoint", Integrator::implicit_midpoint, "above 1 it gains energy, below it loses"},
      {"b", "contact Newmark", Integrator::contact_newmark, "in the form used here it only loses"}};
  for (const Part& part : parts) {
    for (const double h : steps) {
      progress.at(fmt::format("{}, h = {:g} s", part.name, h), part.letter[0] == 'a' ? 0.0 : 0.3);
      const std::vector<Bounce> bounces = bounces_of(part.integrator, h);
      findings.rows.push_back(varying_row(fmt::format("({}) {}", part.letter, part.name), bounces, part.note));
      add_heights(table, part.letter, bounces);
      if (h == steps.front()) {
        findings.figures.push_back(heights_figure(part.letter, fmt::format("{}, h = {:g} s", part.name, h), bounces));
      }
    }
  }
  progress.at("half step, three starts", 0.6);
  const std::vector<Bounce> ours = bounces_of(Integrator::half_step, 1e-3);
  findings.rows.push_back({"", "(c) half step, h = 0.001 s: effective restitution, three close starts", "", "stable",
                           restitutions_text(ours), "differ by less than 1e-6", agrees_if(spread(ours) < 1e-6), ""});
  add_heights(table, "c", ours);
  findings.figures.push_back(heights_figure("c", "half step, h = 0.001 s", ours));
  progress.at("half step, three steps", 0.8);
  std::vector<Bounce> by_step;
  double worst = 0.0;
  int unsolved = 0;
  for (const double h : {1e-1, 1e-2, 1e-3}) {
    Bounce bounce = std::move(bounces_of(Integrator::half_step, h).front());
    bounce.name = fmt::format("h = {:g} s", h);
    worst = std::max(worst, energy_error(bounce.run));
    unsolved += bounce.run.uncertified_steps;
    by_step.push_back(std::move(bounce));
  }
  findings.rows.push_back({"", "(d) half step, h = 0.1, 0.01, 0.001 s: largest change of the energy over the energy",
                           "", "closely conserved", worst, "below 1e-9", agrees_if(worst < 1e-9), ""});
  findings.rows.push_back({"", "(d) half step: steps not solved", "", "none", fmt::format("{}", unsolved), "none",
                           agrees_if(unsolved == 0), ""});
  add_heights(table, "d", by_step);
  findings.figures.push_back(heights_figure("d", "half step, three step sizes", by_step));
  findings.tables.push_back(std::move(table));
  return findings;
}

// The oscillator.

struct Oscillation {
  std::string name;
  double h = 0.0;  ///< s
  Trajectory run;
  double width = 0.0;       ///< J: of the whole band
  double early = 0.0;       ///< J: of the band in the first half of the run
  double late = 0.0;        ///< J: in the second half
  double first_loss = 0.0;  ///< J: from the start to the middle, of the means over a tenth of the run
  double last_loss = 0.0;   ///< J: from there to the end
};

double width_between(const std::vector<double>& values, double from, double to) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from * static_cast<double>(values.size()));
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(to * static_cast<double>(values.size()));
  const auto [least, most] = std::minmax_element(begin, end);
  return *most - *least;
}

double mean_between(const std::vector<double>& values, double from, double to) {
  const auto begin = static_cast<std::size_t>(from * static_cast<double>(values.size()));
  const auto end = static_cast<std::size_t>(to * static_cast<double>(values.size()));
  double sum = 0.0;
  for (std::size_t i = begin; i < end; ++i) sum += values[i];
  return sum / static_cast<double>(end - begin);
}

/// kg: chosen, so that the published steps are reasonable ones. From rest at (4, 4) the particle reaches 25 m/s and
/// covers 0.25, 0.12 and 0.025 m in a step; at 1 kg it would be ten times that, more than the wells are wide.
constexpr double oscillator_mass = 100.0;

Oscillation oscillation_of(double mass, bool wall, double mu, double h, double seconds) {
  NonlinearOscillator setting;
  setting.mass = mass;
  setting.wall = wall;
  setting.mu = mu;
  setting.duration = seconds;
  Oscillation o;
  o.name = fmt::format("h = {:g} s", h);
  o.h = h;
  o.run = run_nonlinear_oscillator(setting, Integrator::half_step, h);
  const std::vector<double>& energies = o.run.energies;
  o.width = o.run.highest_energy - o.run.lowest_energy;
  o.early = width_between(energies, 0.0, 0.5);
  o.late = width_between(energies, 0.5, 1.0);
  const double middle = mean_between(energies, 0.5, 0.6);
  o.first_loss = energies.front() - middle;
  o.last_loss = middle - mean_between(energies, 0.9, 1.0);
  return o;
}

Findings nonlinear_oscillator(Form form, const Progress& progress) {
  const double seconds = 10.0;
  const std::vector<double> steps =
      form == Form::brief ? std::vector<double>{5e-3, 1e-3} : std::vector<double>{1e-2, 5e-3, 1e-3};
  struct Part {
    const char* letter;
    const char* name;
    bool wall;
    double mu;
  };
  const std::vector<Part> parts = {{"a", "free", false, 0.0},
                                   {"b", "wall without friction", true, 0.0},
                                   {"c", "wall, mu 0.5", true, 0.5},
                                   {"d", "wall, mu 5", true, 5.0}};
  Findings findings;
  findings.rows.push_back(
      {"", "curves of energy (a) to (d)", "", "lines of a figure", "the CSV file and the SVG figures", "none",
       Verdict::not_readable,
       "mass, velocity at the start and duration are not in the text: 100 kg, at rest and 10 s here. It meets the wall "
       "at the origin, at 45 degrees, where mu 0.5 just stops the slide at the first bounce: (c) and (d) are one "
       "motion"});
  CsvTable table("energies", {"part", "h", "time", "energy"});
  std::vector<double> free_width;
  int unsolved = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Part& part = parts[p];
    Plot plot;
    plot.title = fmt::format("Nonlinear oscillator: energy, {}", part.name);
    plot.x = {"time (s)", false, 0.0, 0.0};
    plot.y = {"energy (J)", false, 0.0, 0.0};
    std::vector<Oscillation> runs;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      progress.at(fmt::format("{}, h = {:g} s", part.name, steps[i]),
                  (static_cast<double>(p) + static_cast<double>(i) / 3.0) / 4.0);
      runs.push_back(oscillation_of(oscillator_mass, part.wall, part.mu, steps[i], seconds));
      const Trajectory& run = runs.back().run;
      unsolved += run.uncertified_steps;
      plot.lines.push_back({runs.back().name, run.times, run.energies});
      for (std::size_t k = 0; k < run.times.size(); k += 5) {
        table.add(std::vector<std::string>{part.letter, fmt::format("{:g}", steps[i]),
                                           fmt::format("{:.6g}", run.times[k]),
                                           fmt::format("{:.10g}", run.energies[k])});
      }
    }
    const Oscillation& fine = runs.back();
    const double start = fine.run.energies.front();
    if (part.mu == 0.0) {
      findings.rows.push_back(
          {"", fmt::format("({}) {}: width of the energy's band over the energy, h = 0.001 s", part.letter, part.name),
           "", "approximate conservation", fine.width / start, "below 0.01", agrees_if(fine.width < 0.01 * start), ""});
      double growth = 0.0;
      for (const Oscillation& o : runs) {
        if (o.h <= 5e-3) growth = std::max(growth, o.late / o.early);
      }
      findings.rows.push_back(
          {"",
           fmt::format("({}) {}: band of the second half over that of the first, h ≤ 0.005 s", part.letter, part.name),
           "", "up to an additive constant, at any point", growth, "at most 1.2: no drift", agrees_if(growth <= 1.2),
           ""});
      if (!part.wall) {
        for (const Oscillation& o : runs) free_width.push_back(o.width);
      }
    } else {
      findings.rows.push_back(
          {"", fmt::format("({}) {}: part of the energy lost, first half and second", part.letter, part.name), "",
           "strong dissipation, then levelling off",
           fmt::format("{:.3g}, {:.1e}", fine.first_loss / start, fine.last_loss / start),
           "first above 0.1, second below a hundredth of it",
           agrees_if(fine.first_loss > 0.1 * start && std::abs(fine.last_loss) < 0.01 * fine.first_loss), ""});
      double rise = 0.0;
      for (std::size_t i = 0; i < runs.size(); ++i) rise = std::max(rise, runs[i].run.largest_rise / free_width[i]);
      findings.rows.push_back({"", fmt::format("({}) {}: largest rise over the band of (a)", part.letter, part.name),
                               "", "dissipative in sliding, conservative else", rise, "at most 1 for every h",
                               agrees_if(rise <= 1.0), ""});
      const Oscillation& coarse = runs[runs.size() - 2];
      const double apart = std::abs(coarse.first_loss + coarse.last_loss - fine.first_loss - fine.last_loss) / start;
      findings.rows.push_back(
          {"", fmt::format("({}) {}: losses at h = 0.005 and 0.001 s differ by, of the energy", part.letter, part.name),
           "", "accurate at all reasonable step sizes", apart, "below 0.1", agrees_if(apart < 0.1), ""});
      findings.rows.push_back(
          {"", fmt::format("({}) {}: part of the energy lost in the first half, h = 0.001 s", part.letter, part.name),
           "", worked_out(0.5), fine.first_loss / start, "within 0.01",
           agrees_if(std::abs(fine.first_loss / start - 0.5) < 0.01),
           "not published: the first bounce ends the slide, which is half of the energy at 45 degrees"});
      const Oscillation fast_coarse = oscillation_of(1.0, part.wall, part.mu, coarse.h, seconds);
      const Oscillation fast_fine = oscillation_of(1.0, part.wall, part.mu, fine.h, seconds);
      findings.rows.push_back(
          {"", fmt::format("({}) {}: losses at h = 0.005 and 0.001 s with 1 kg", part.letter, part.name), "",
           "the mass is not stated",
           fmt::format("{:.3g}, {:.3g}", fast_coarse.first_loss / start, fast_fine.first_loss / start), "none",
           Verdict::not_readable,
           "1.2 and 0.25 m in a step: the bounces miss the origin by as much, slide on, and lose more than half"});
    }
    findings.figures.push_back({part.letter, svg_text(plot)});
  }
  findings.rows.push_back(
      {"", "steps not solved", "", "none", fmt::format("{}", unsolved), "none", agrees_if(unsolved == 0), ""});
  findings.tables.push_back(std::move(table));
  return findings;
}

}  // namespace

std::vector<Entry> variational_entries() {
  return {{"thesis-4.1", "Kaufman 2009, Fig. 4.1 (a) to (d)",
           "a particle that bounces: which integrators keep its energy", contacting_particle},
          {"thesis-4.2", "Kaufman 2009, Fig. 4.2 (a) to (d)", "a nonlinear oscillator: free, on a wall, with friction",
           nonlinear_oscillator}};
}

}  // namespace cardhouse::reproduction
