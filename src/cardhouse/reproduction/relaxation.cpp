// The convex relaxation ("QP", solver `convex-relaxation`) against the complementarity problem ("LCP", solver `lemke`):
// Anitescu 2006, section 10.1, and the energy of section 9.
//
// The relaxation holds a body that slides at speed v at the height h mu v above the ground, so that the 2-norm of the
// difference over 1/h steps falls as sqrt(h), and divided by 2^k as h^(3/2): a factor of 2.83 per halving.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "cardhouse/report/plot.h"
#include "cardhouse/reproduction/runs.h"
#include "cardhouse/scenes/library.h"

namespace cardhouse::reproduction {
namespace {

constexpr const char* qp = "convex-relaxation";
constexpr const char* lcp = "lemke";

/// Positions of the only dynamic body, or of its lower tip, after every step.
struct Path {
  std::vector<double> time, x, y;
};

/// The dynamic body stands second in both scenes. `tip` is a point of its frame.
Path path_of(Scene scene, const std::string& solver, double h, double seconds, const Vec3& tip,
             const Progress& progress, double part) {
  scene.settings.solver = solver;
  scene.settings.step = h;
  scene.settings.max_iterations = 10000;  // pivots
  World world = make_world(std::move(scene), progress);
  Path path;
  run_to(world, seconds, {progress, fmt::format("{}, h = {:g} s", solver, h), part, part}, [&] {
    const Vec3 position = world.state().bodies[1].pose.apply(tip);
    path.time.push_back(world.state().time);
    path.x.push_back(position.x());
    path.y.push_back(position.z());
  });
  return path;
}

/// Mass 1, diameter 0 (here its lowest point counts), horizontal speed 3, mu 0.3.
Scene particle(double height) {
  Scene scene = make_scene("particle_drop", {{"height", fmt::format("{}", height)}, {"mu", "0.3"}, {"speed", "3"}});
  scene.model.bodies[1].mass = 1.0;
  return scene;
}

/// Length 2, mu 0.75. The rest is not in the source: mass 1, uniform (inertia 1/3), at 72° above the ground with its
/// middle behind the tip that slides at 3 m/s, so that friction presses the tip into the ground, as in Painlevé's
/// example. The paradox itself, mu |W_nT| > W_nn, needs less inertia: 1/16 will do.
Scene bar(double height, double inertia = 1.0 / 3.0) {
  Scene scene = make_scene("painleve_rod", {{"angle", "72"}, {"mu", "0.75"}, {"speed", "3"}});
  scene.model.bodies[1].inertia(1, 1) = inertia;
  scene.initial.bodies[1].pose.position.z() += height;
  return scene;
}

double norm_of_difference(const Path& a, const Path& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.y.size(); ++i) sum += (a.y[i] - b.y[i]) * (a.y[i] - b.y[i]);
  return std::sqrt(sum);
}

double largest_difference(const Path& a, const Path& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.y.size(); ++i) largest = std::max(largest, std::abs(a.y[i] - b.y[i]));
  return largest;
}

Plot two_lines(const std::string& title, const std::string& x_label, const std::string& y_label,
               const std::vector<double>& x_of_qp, const std::vector<double>& y_of_qp,
               const std::vector<double>& x_of_lcp, const std::vector<double>& y_of_lcp) {
  Plot plot;
  plot.title = title;
  plot.x = {x_label, false, 0.0, 0.0};
  plot.y = {y_label, false, 0.0, 0.0};
  plot.lines = {{"QP", x_of_qp, y_of_qp}, {"LCP", x_of_lcp, y_of_lcp}};
  return plot;
}

/// The scaled differences ‖y_QP − y_LCP‖₂ / 2^k for h = 0.1/2^k.
struct Sweep {
  std::vector<double> h, published, measured;
};

Findings sweep_findings(const Sweep& sweep, double factor, const std::string& note, const std::string& title) {
  Findings findings;
  CsvTable table("differences", {"h", "published", "measured"});
  for (std::size_t k = 0; k < sweep.h.size(); ++k) {
    table.add({sweep.h[k], sweep.published[k], sweep.measured[k]});
    findings.rows.push_back({"", fmt::format("scaled difference, k = {} (m)", k), "", sweep.published[k],
                             sweep.measured[k], fmt::format("within a factor of {:g}", factor),
                             agrees_if(within_factor(sweep.published[k], sweep.measured[k], factor)), ""});
  }
  const double last = static_cast<double>(sweep.h.size()) - 1.0;
  const double published = std::pow(sweep.published.front() / sweep.published.back(), 1.0 / last);
  const double measured = std::pow(sweep.measured.front() / sweep.measured.back(), 1.0 / last);
  findings.rows.push_back({"", "mean factor per halving of h", "", published, measured, "within 15 %",
                           agrees_if(within_factor(published, measured, 1.15)), ""});
  findings.rows.front().note = note;
  Plot plot;
  plot.title = title;
  plot.x = {"h (s)", true, 0.0, 0.0};
  plot.y = {"scaled difference of heights (m)", true, 0.0, 0.0};
  plot.lines = {{"published", sweep.h, sweep.published, false, true},
                {"measured", sweep.h, sweep.measured, false, true}};
  findings.tables.push_back(std::move(table));
  findings.figures.push_back({"differences", svg_text(plot)});
  return findings;
}

Findings falling_particle(Form form, const Progress& progress) {
  Sweep sweep;
  sweep.published = {5.6314784e-2, 1.7416198e-2, 6.7389905e-3, 2.1011170e-3,
                     7.6112319e-4, 2.6647317e-4, 9.2498029e-5, 3.2649217e-5};
  if (form == Form::brief) sweep.published.resize(5);
  const double seconds = 2.0;  // it lands after 0.8 s and rests after 1.1 s, so that no longer time changes the norm
  const std::size_t halvings = sweep.published.size();
  Path of_qp, of_lcp;
  for (std::size_t k = 0; k < halvings; ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(halvings);
    sweep.h.push_back(0.1 / std::pow(2.0, k));
    of_qp = path_of(particle(3.0), qp, sweep.h[k], seconds, Vec3::Zero(), progress, part);
    of_lcp = path_of(particle(3.0), lcp, sweep.h[k], seconds, Vec3::Zero(), progress, part);
    sweep.measured.push_back(norm_of_difference(of_qp, of_lcp) / std::pow(2.0, k));
  }
  Findings findings = sweep_findings(
      sweep, 4.0, "g and the simulated time are not in the source: 9.81 m/s² and 2 s; where in a step it lands matters",
      "Particle falling on a line: QP against LCP");
  findings.figures.push_back(
      {"trajectory", svg_text(two_lines("Particle with friction, no initial contact (Fig. 10.1)", "x (m)", "y (m)",
                                        of_qp.x, of_qp.y, of_lcp.x, of_lcp.y))});
  return findings;
}

Findings falling_bar(Form form, const Progress& progress) {
  Sweep sweep;
  sweep.published = {1.5736018,    7.2176724e-1, 1.4580267e-1, 9.2969637e-2,
                     5.5543025e-3, 4.3982975e-3, 3.7537593e-3, 3.7007014e-4};
  if (form == Form::brief) sweep.published.resize(6);
  // How far the bar is above the ground at the start of the step in which it lands decides much. The root mean square
  // over bars dropped from 1 to 1.1 m, which land all over a step, tells the rate.
  const int drops = 16;
  const double seconds = 1.5;
  const std::size_t halvings = sweep.published.size();
  Path of_qp, of_lcp;
  for (std::size_t k = 0; k < halvings; ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(halvings);
    sweep.h.push_back(0.1 / std::pow(2.0, k));
    double sum = 0.0;
    for (int i = 0; i < drops; ++i) {
      const double height = 1.0 + 0.1 * i / drops;
      of_qp = path_of(bar(height), qp, sweep.h[k], seconds, Vec3::Zero(), progress, part);
      of_lcp = path_of(bar(height), lcp, sweep.h[k], seconds, Vec3::Zero(), progress, part);
      const double scaled = norm_of_difference(of_qp, of_lcp) / std::pow(2.0, k);
      sum += scaled * scaled / drops;
    }
    sweep.measured.push_back(std::sqrt(sum));
  }
  Findings findings = sweep_findings(
      sweep, 4.0,
      "beyond length 2 and mu 0.75 no data of the bar are in the source: see the documentation for those chosen",
      "Bar falling on a line: QP against LCP");
  findings.figures.push_back(
      {"trajectory", svg_text(two_lines("Bar with friction, no initial contact (Fig. 10.3)", "x of the middle (m)",
                                        "y of the middle (m)", of_qp.x, of_qp.y, of_lcp.x, of_lcp.y))});
  return findings;
}

/// Largest differences for h, h/2, h/4 of a body that starts in contact; the figure at the middle one.
Findings initial_contact(const std::function<Scene()>& scene, const Vec3& tip, double seconds, double small,
                         const std::string& title, const std::string& note, const Progress& progress) {
  std::vector<double> largest;
  CsvTable table("heights", {"time", "QP", "LCP"});
  Findings findings;
  double part = 0.0;
  for (const double h : {0.002, 0.001, 0.0005}) {
    const Path of_qp = path_of(scene(), qp, h, seconds, tip, progress, part);
    const Path of_lcp = path_of(scene(), lcp, h, seconds, tip, progress, part);
    part += 0.33;
    largest.push_back(largest_difference(of_qp, of_lcp));
    if (h != 0.001) continue;
    for (std::size_t i = 0; i < of_qp.time.size(); ++i) table.add({of_qp.time[i], of_qp.y[i], of_lcp.y[i]});
    findings.figures.push_back(
        {"heights", svg_text(two_lines(title, "time (s)", "y (m)", of_qp.time, of_qp.y, of_lcp.time, of_lcp.y))});
    findings.figures.push_back({"trajectory", svg_text(two_lines(title + ", trajectory", "x (m)", "y (m)", of_qp.x,
                                                                 of_qp.y, of_lcp.x, of_lcp.y))});
  }
  findings.rows = {
      {"", "curves of heights", "", "lines of a figure", "the CSV file and the SVG figure", "none",
       Verdict::not_readable, "the text has no numbers of the figure" + (note.empty() ? "" : "; " + note)},
      {"", "largest difference of heights, h = 0.001 (m)", "", "small in absolute terms", largest[1],
       fmt::format("above 0 and below {:g} m", small), agrees_if(largest[1] > 1e-9 && largest[1] < small), ""},
      {"", "the same for h = 0.002, 0.0005 (m)", "", "does not disappear as h → 0",
       fmt::format("{:.3g}, {:.3g}", largest[0], largest[2]),
       "at a quarter of h more than half as large: a vanishing one would be a quarter",
       agrees_if(largest[2] > 0.5 * largest[0]), ""},
  };
  findings.tables.push_back(std::move(table));
  return findings;
}

Findings sliding_particle(Form, const Progress& progress) {
  return initial_contact([] { return particle(0.0); }, Vec3(0.0, 0.0, -0.01), 1.5, 0.1,
                         "Particle with friction, initial contact (Fig. 10.2)", "", progress);
}

Findings sliding_bar(Form, const Progress& progress) {
  Findings findings = initial_contact([] { return bar(0.0); }, Vec3(0.0, 0.0, -1.0), 0.5, 0.1,
                                      "Tip of the bar, initial contact (Fig. 10.5)",
                                      "nor the bar's data: see the documentation for those chosen", progress);
  std::vector<double> largest;
  for (const double h : {0.002, 0.0005}) {
    largest.push_back(
        largest_difference(path_of(bar(0.0, 1.0 / 16.0), qp, h, 0.5, Vec3(0.0, 0.0, -1.0), progress, 0.9),
                           path_of(bar(0.0, 1.0 / 16.0), lcp, h, 0.5, Vec3(0.0, 0.0, -1.0), progress, 0.9)));
  }
  findings.rows.push_back({"", "the same with inertia 1/16 (m)", "", "not stated",
                           fmt::format("{:.3g}, {:.3g}", largest[0], largest[1]), "none", Verdict::not_readable,
                           "a bar within the paradox's range: both methods stop its tip at once, and the difference "
                           "vanishes with h"});
  return findings;
}

/// Lemma 9.1: in the limit of small steps the total energy never exceeds an earlier value.
Findings energy(Form form, const Progress& progress) {
  const std::vector<double> steps = form == Form::brief ? std::vector<double>{0.02, 0.01, 0.005}
                                                        : std::vector<double>{0.02, 0.01, 0.005, 0.0025, 0.00125};
  struct Case {
    std::string name;
    std::function<Scene()> scene;
    double seconds;
  };
  const std::vector<Case> cases = {
      {"particle, dropped", [] { return particle(3.0); }, 1.5},
      {"particle, initial contact", [] { return particle(0.0); }, 1.5},
      {"bar, dropped", [] { return bar(1.0); }, 1.5},
      {"bar, initial contact", [] { return bar(0.0); }, 1.5},
      {"21 disks",
       [] {
         return make_scene("cannonball", {{"mu", "0.05"}});
       },
       form == Form::brief ? 0.5 : 2.0},
  };
  Findings findings;
  CsvTable table("energy", {"case", "h", "largest rise", "of the energy at the start"});
  Plot plot;
  plot.title = "Largest rise of the total energy, convex relaxation";
  plot.x = {"h (s)", true, 0.0, 0.0};
  plot.y = {"part of the energy at the start", true, 1e-17, 1.0};
  for (std::size_t c = 0; c < cases.size(); ++c) {
    std::vector<double> rises;
    for (const double h : steps) {
      Scene scene = cases[c].scene();
      scene.settings.solver = qp;
      scene.settings.step = h;
      World world = make_world(std::move(scene), progress);
      const double start = world.energy().total();
      const RunOutcome outcome =
          run_to(world, cases[c].seconds,
                 {progress, cases[c].name, static_cast<double>(c) / static_cast<double>(cases.size()),
                  static_cast<double>(c) / static_cast<double>(cases.size())});
      rises.push_back(outcome.energy_rise / start);
      table.add(std::vector<std::string>{cases[c].name, fmt::format("{:g}", h),
                                         fmt::format("{:.4g}", outcome.energy_rise),
                                         fmt::format("{:.4g}", rises.back())});
    }
    // Round-off of sums of energies aside.
    const bool vanishes = rises.back() < 1e-9 || rises.back() < 0.5 * rises.front();
    findings.rows.push_back({"", fmt::format("{}: rise at h = {:g}, {:g}", cases[c].name, steps.front(), steps.back()),
                             "", "0 as h → 0", fmt::format("{:.2g}, {:.2g}", rises.front(), rises.back()),
                             "below 1e-9 of the energy at the start, or halved from the largest to the least h",
                             agrees_if(vanishes), ""});
    plot.lines.push_back({cases[c].name, steps, rises, false, true});
  }
  findings.tables.push_back(std::move(table));
  findings.figures.push_back({"energy", svg_text(plot)});
  return findings;
}

}  // namespace

std::vector<Entry> relaxation_entries() {
  return {{"anitescu-2006-table-10.1", "Anitescu 2006, Table 10.1 and Fig. 10.1",
           "particle falling on a line, mu 0.3: QP against LCP for h = 0.1/2^k", falling_particle},
          {"anitescu-2006-figure-10.2", "Anitescu 2006, Fig. 10.2",
           "the same, starting in contact: a difference that stays", sliding_particle},
          {"anitescu-2006-table-10.2", "Anitescu 2006, Table 10.2 and Fig. 10.3",
           "bar falling on a line, mu 0.75: QP against LCP for h = 0.1/2^k", falling_bar},
          {"anitescu-2006-figure-10.5", "Anitescu 2006, Figs. 10.4 and 10.5",
           "the same, starting in contact: height of the tip", sliding_bar},
          {"anitescu-2006-section-9", "Anitescu 2006, Lemma 9.1",
           "the energy does not increase in the limit of small h", energy}};
}

}  // namespace cardhouse::reproduction
