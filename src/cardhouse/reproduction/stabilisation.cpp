// Constraint stabilisation (Anitescu 2003, slides; Anitescu 2006, Theorem 6.1): rows gap/h + n · v ≥ 0 keep the
// infeasibility I(q) = max of the overlaps at O(h² v²). The method without it has rows n · v ≥ 0 where bodies touch;
// ours of that kind is the scheme `moreau_jean`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cardhouse/report/plot.h"
#include "cardhouse/reproduction/runs.h"
#include "cardhouse/scenes/library.h"

namespace cardhouse::reproduction {
namespace {

Scene dropped_ellipse() {
  return make_scene("ellipse_drop");
}

constexpr double rounding = 4e-9;  // m: overlaps that the rows of bodies of a few metres leave

constexpr double ellipse_size = 4.0;  // m: how far a point can be from its centre

/// Disks of radius 3 on a plank, at rest.
Scene disks_of_radius_3() {
  return make_scene("cannonball", {{"base", "6"}, {"mu", "0.2"}, {"radius", "3"}});
}

/// Overlaps over time, and what they are to (h v)².
struct Infeasibility {
  std::vector<double> time, depth;
  double deepest = 0.0;
  double constant = 0.0;  ///< the largest depth / (h v)², 1/m
  RunOutcome outcome;
};

Infeasibility infeasibility_of(Scene scene, double h, Scheme scheme, const std::string& solver, double seconds,
                               double size, const Share& share, std::vector<PlotLine>* outlines = nullptr) {
  scene.settings.step = h;
  scene.settings.scheme = scheme;
  scene.settings.solver = solver;
  World world = make_world(std::move(scene), share.progress);
  Infeasibility result;
  double speed = largest_speed(world, size);  // of the step that led to the present positions
  result.outcome = run_to(world, seconds, share, [&] {
    const double depth = world.last_report().penetration;
    result.time.push_back(world.state().time - h);  // overlaps are those at the start of the step
    result.depth.push_back(depth);
    result.deepest = std::max(result.deepest, depth);
    const double meant = std::max(depth - rounding, 0.0);
    if (speed > 0.0) result.constant = std::max(result.constant, meant / (h * h * speed * speed));
    speed = largest_speed(world, size);
    const auto frames = static_cast<std::size_t>(10);
    if (outlines == nullptr || outlines->size() >= frames) return;
    if (world.state().time < seconds * static_cast<double>(outlines->size()) / frames) return;
    const auto& ellipse = std::get<Ellipse>(world.model().bodies[1].shapes[0].geometry);
    PlotLine outline{fmt::format("t = {:.1f} s", world.state().time), {}, {}};
    for (int k = 0; k <= 72; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / 72;
      const Vec3 point = world.state().bodies[1].pose.apply(
          Vec3(ellipse.semi_axis_x * std::cos(angle), 0.0, ellipse.semi_axis_z * std::sin(angle)));
      outline.x.push_back(point.x());
      outline.y.push_back(point.z());
    }
    outlines->push_back(std::move(outline));
  });
  return result;
}

/// The deepest overlap in the second half of a run over that in the first.
double late_over_early(const Infeasibility& run) {
  const auto middle = run.depth.begin() + static_cast<std::ptrdiff_t>(run.depth.size() / 2);
  return *std::max_element(middle, run.depth.end()) / *std::max_element(run.depth.begin(), middle);
}

Plot depth_plot(const std::string& title, const Infeasibility& stabilised, const Infeasibility& plain) {
  Plot plot;
  plot.title = title;
  plot.x = {"time (s)", false, 0.0, 0.0};
  plot.y = {"infeasibility (m)", true, 1e-10, 10.0};
  plot.lines = {{"stabilised", stabilised.time, stabilised.depth}, {"not stabilised", plain.time, plain.depth}};
  return plot;
}

CsvTable depth_table(const Infeasibility& stabilised, const Infeasibility& plain) {
  CsvTable table("infeasibility", {"time", "stabilised", "not stabilised"});
  for (std::size_t i = 0; i < stabilised.time.size(); ++i) {
    table.add({stabilised.time[i], stabilised.depth[i], plain.depth[i]});
  }
  return table;
}

std::vector<PublishedRow> stabilisation_rows(const Infeasibility& stabilised, const Infeasibility& plain) {
  return {
      {"", "curves of infeasibility", "", "lines of a figure", "the CSV file and the SVG figures", "none",
       Verdict::not_readable, "the text has no numbers of the figure; the sentences about it are compared below"},
      {"", "stabilised: deepest overlap, late over early", "", "a narrow range", late_over_early(stabilised),
       "no growth: at most 2", agrees_if(late_over_early(stabilised) <= 2.0), ""},
      {"", "deepest: not stabilised over stabilised", "", "much lower when stabilised",
       plain.deepest / stabilised.deepest, "more than 2", agrees_if(plain.deepest > 2.0 * stabilised.deepest),
       fmt::format("{:.3g} m against {:.3g} m; ours without stabilisation is the scheme `moreau_jean`", plain.deepest,
                   stabilised.deepest)},
  };
}

Findings ellipse(Form form, const Progress& progress) {
  const double seconds = form == Form::brief ? 3.0 : 30.0;
  const double h = 0.01;
  std::vector<PlotLine> outlines;
  const Infeasibility stabilised = infeasibility_of(dropped_ellipse(), h, Scheme::stewart_trinkle, "auto", seconds,
                                                    ellipse_size, {progress, "stabilised", 0.0, 0.5}, &outlines);
  const Infeasibility plain = infeasibility_of(dropped_ellipse(), h, Scheme::moreau_jean, "auto", seconds, ellipse_size,
                                               {progress, "not stabilised", 0.5, 1.0});
  Findings findings;
  findings.rows = stabilisation_rows(stabilised, plain);
  // It lands within 1.2 s. A drift is a steady growth from then on.
  const auto landed = static_cast<std::size_t>(std::lround(2.0 / h));
  const double growth = plain.depth.back() / plain.depth[landed];
  findings.rows.push_back({"", "not stabilised: overlap at the end over that at 2 s", "", "drift becomes catastrophic",
                           growth, fmt::format("more than 2, after {:g} s", seconds), agrees_if(growth > 2.0),
                           fmt::format("{:.3g} m at the end, and growing steadily", plain.depth.back())});
  findings.rows[0].note += "; mu and h are not in it: 0.3 and 0.01 s here";
  Plot frames;
  frames.title = "An ellipse dropped on a table, ten moments";
  frames.x = {"x (m)", false, 0.0, 0.0};
  frames.y = {"z (m)", false, 0.0, 0.0};
  frames.equal_scale = true;
  frames.lines = outlines;
  frames.marks.push_back({"table", 0.0});
  findings.tables.push_back(depth_table(stabilised, plain));
  findings.figures.push_back({"frames", svg_text(frames)});
  findings.figures.push_back(
      {"infeasibility",
       svg_text(depth_plot("Ellipse: infeasibility with and without stabilisation", stabilised, plain))});
  return findings;
}

Findings disks(Form form, const Progress& progress) {
  const double seconds = form == Form::brief ? 1.0 : 5.0;
  const double h = 0.05;
  const Infeasibility stabilised = infeasibility_of(disks_of_radius_3(), h, Scheme::stewart_trinkle, "auto", seconds,
                                                    3.0, {progress, "stabilised", 0.0, 0.5});
  const Infeasibility plain = infeasibility_of(disks_of_radius_3(), h, Scheme::moreau_jean, "auto", seconds, 3.0,
                                               {progress, "not stabilised", 0.5, 1.0});
  Findings findings;
  findings.rows = stabilisation_rows(stabilised, plain);
  // Disks fall apart and lie still in the end: nothing is left that could overlap.
  findings.rows.erase(findings.rows.begin() + 1);
  findings.rows[0].note += "; nor has it mu: 0.2 here";
  const int steps = stabilised.outcome.steps;
  const double mean = 1e3 * stabilised.outcome.seconds / std::max(steps, 1);
  findings.rows.push_back({"", "mean time of a solve (ms)", "", "at most 30 ms each", mean, "at most 30 ms",
                           agrees_if(mean <= 30.0), "on another machine"});
  findings.rows.push_back({"", "certified steps, stabilised", "", "solved",
                           fmt::format("{} of {}", steps - stabilised.outcome.uncertified, steps), "all",
                           agrees_if(stabilised.outcome.uncertified == 0), ""});
  findings.tables.push_back(depth_table(stabilised, plain));
  findings.figures.push_back(
      {"infeasibility",
       svg_text(depth_plot("21 disks: infeasibility with and without stabilisation", stabilised, plain))});
  return findings;
}

Findings sweep(Form form, const Progress& progress) {
  const std::vector<double> steps = form == Form::brief ? std::vector<double>{0.02, 0.01, 0.005}
                                                        : std::vector<double>{0.04, 0.02, 0.01, 0.005, 0.0025, 0.00125};
  const double seconds = form == Form::brief ? 1.5 : 3.0;
  Findings findings;
  CsvTable table("sweep", {"case", "h", "deepest", "deepest over (h v)^2"});
  Plot plot;
  plot.title = "Deepest overlap against the time step";
  plot.x = {"h (s)", true, 0.0, 0.0};
  plot.y = {"deepest overlap (m)", true, 0.0, 0.0};
  struct Case {
    const char* name;
    Scene (*scene)();
    double size;
    const char* solver;
  };
  const std::vector<Case> cases = {{"ellipse, LCP", dropped_ellipse, ellipse_size, "auto"},
                                   {"ellipse, relaxed", dropped_ellipse, ellipse_size, "convex-relaxation"},
                                   {"21 disks, LCP", disks_of_radius_3, 3.0, "auto"},
                                   {"21 disks, relaxed", disks_of_radius_3, 3.0, "convex-relaxation"}};
  for (std::size_t c = 0; c < cases.size(); ++c) {
    std::vector<double> deepest;
    double constant = 0.0;
    double coarsest = 0.0;
    const double part = static_cast<double>(c) / static_cast<double>(cases.size());
    for (const double h : steps) {
      const Infeasibility run =
          infeasibility_of(cases[c].scene(), h, Scheme::stewart_trinkle, cases[c].solver, seconds, cases[c].size,
                           {progress, fmt::format("{}, h = {:g} s", cases[c].name, h), part, part});
      deepest.push_back(run.deepest);
      constant = std::max(constant, run.constant);
      if (coarsest == 0.0) coarsest = run.constant;
      table.add(std::vector<std::string>{cases[c].name, fmt::format("{:g}", h), fmt::format("{:.4g}", run.deepest),
                                         fmt::format("{:.4g}", run.constant)});
    }
    const double order = slope_of_logarithms(steps, deepest);
    // Distances of disks are convex functions of their places: linear rows keep them apart whatever the step.
    const double most = *std::max_element(deepest.begin(), deepest.end());
    const bool none = most < rounding;
    const std::string note = none ? fmt::format("overlaps are within the gap rounding: {:.1e} m at most", most) : "";
    findings.rows.push_back({"", fmt::format("{}: order of the deepest overlap in h", cases[c].name), "", "O(h² v²): 2",
                             none ? PublishedValue("no overlap") : PublishedValue(order),
                             "at least 1.7, or all overlaps below 4e-9 m", agrees_if(none || order >= 1.7), note});
    findings.rows.push_back({"", fmt::format("{}: largest I / (h v)² (1/m)", cases[c].name), "", "bounded by a C",
                             none ? PublishedValue("no overlap") : PublishedValue(constant),
                             "at most 3 times that of the largest h, or all overlaps below 4e-9 m",
                             agrees_if(none || constant <= 3.0 * coarsest),
                             none ? note : fmt::format("{:.3g} at the largest h", coarsest)});
    plot.lines.push_back({cases[c].name, steps, deepest, false, true});
  }
  findings.tables.push_back(std::move(table));
  findings.figures.push_back({"sweep", svg_text(plot)});
  return findings;
}

}  // namespace

std::vector<Entry> stabilisation_entries() {
  return {{"slides-2003-ellipse", "Anitescu 2003, slides, elliptic body",
           "an ellipse dropped on a table: no drift when stabilised", ellipse},
          {"slides-2003-disks", "Anitescu 2003, slides, 21 bodies", "21 disks of radius 3: infeasibility, h = 50 ms",
           disks},
          {"slides-2003-infeasibility", "Anitescu 2003, slides, main result; Anitescu 2006, Theorem 6.1",
           "infeasibility stays O(h² v²) over a sweep of h", sweep}};
}

}  // namespace cardhouse::reproduction
