// Newton's restitution written with linearised gaps (Anitescu 2003, slides, partially elastic collisions): the odd
// results of its one-solve form, the slides' remedy of lagging the normal velocity by a step, and ours of bouncing in
// the step of the arrival. The slides' example is a particle that meets a wall.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/report/plot.h"
#include "cardhouse/reproduction/runs.h"
#include "cardhouse/scenes/library.h"

namespace cardhouse::reproduction {
namespace {

constexpr double step = 1e-3;     // s
constexpr double stated_e = 0.5;  // chosen
constexpr double way = 3.13e-3;   // m: that of the step in which it lands; starts differ by parts of it

/// Speed after the first bounce over that of the fall, both from heights: √(H₂/H₁).
double effective(double apex, double height) {
  return std::sqrt(std::max(apex, 0.0) / height);
}

/// The law as it stands in the slides, for one particle, whose problem of one row is solved on sight:
///     0 ≤ r ⊥ gap/h + v⁺ + e v ≥ 0,   the term with e when the contact pushed in the step before.
/// Its e falls on the velocity that the linearised gap has left of the arrival's.
double apex_of_one_solve_law(double height) {
  double z = height;
  double v = 0.0;
  bool hit = false;
  bool rose = false;
  for (int i = 0; i < 4000; ++i) {
    const double free = v - step * gravity;
    const double least = -z / step - (hit ? stated_e * v : 0.0);
    hit = free < least;
    v = std::max(free, least);
    z += step * v;
    rose = rose || (z < 1e-9 && !hit) || v > 0.0;
    if (rose && v <= 0.0) break;
  }
  return z;
}

double apex_of(Restitution law, double height, const Progress& progress, int& uncertified) {
  Scene scene = make_scene("particle_drop",
                           {{"height", fmt::format("{}", height)}, {"restitution", fmt::format("{}", stated_e)}});
  scene.settings.step = step;
  scene.settings.restitution = law;
  World world = make_world(std::move(scene), progress);
  const double floor = world.state().bodies[1].pose.position.z() - height;
  bool rises = false;
  double apex = 0.0;
  const double seconds = 1.2 * std::sqrt(2.0 * height / gravity) * (1.0 + stated_e);
  while (world.state().time < seconds) {
    uncertified += world.step().certified ? 0 : 1;
    const double speed = world.state().bodies[1].linear.z();
    rises = rises || speed > 0.0;
    if (rises) apex = std::max(apex, world.state().bodies[1].pose.position.z() - floor);
    if (rises && speed < 0.0) break;
  }
  return apex;
}

double spread(const PlotLine& line) {
  const auto [least, most] = std::minmax_element(line.y.begin(), line.y.end());
  return *most - *least;
}

std::string range_text(const PlotLine& line) {
  const auto [least, most] = std::minmax_element(line.y.begin(), line.y.end());
  return fmt::format("{:.3g} to {:.3g}", *least, *most);
}

double farthest(const PlotLine& line) {
  double off = 0.0;
  for (const double e : line.y) off = std::max(off, std::abs(e - stated_e));
  return off;
}

Findings one_solve_and_lagged(Form form, const Progress& progress) {
  const int starts = form == Form::brief ? 12 : 60;
  PlotLine odd{"one solve, present velocity (slides)", {}, {}, false, true};
  PlotLine lagged{"lagged by a step (slides' remedy)", {}, {}, false, true};
  PlotLine ours{"newton (ours)", {}, {}, false, true};
  CsvTable table("restitution", {"height", "one solve", "lagged", "newton"});
  int uncertified = 0;
  for (int i = 0; i < starts; ++i) {
    progress.at("starts", static_cast<double>(i) / starts);
    const double height = drop + 2.0 * way * i / starts;
    const double e[] = {effective(apex_of_one_solve_law(height), height),
                        effective(apex_of(Restitution::lagged, height, progress, uncertified), height),
                        effective(apex_of(Restitution::newton, height, progress, uncertified), height)};
    for (PlotLine* line : {&odd, &lagged, &ours}) line->x.push_back(1e3 * (height - drop));
    odd.y.push_back(e[0]);
    lagged.y.push_back(e[1]);
    ours.y.push_back(e[2]);
    table.add({height, e[0], e[1], e[2]});
  }
  const double bound = 2.0 * gravity * step / std::sqrt(2.0 * gravity * drop);
  Findings findings;
  findings.rows = {
      {"", "curves of the example", "", "lines of a figure", "the CSV file and the SVG figure", "none",
       Verdict::not_readable,
       fmt::format("masses, speeds, h and e are not stated: a fall of {:g} m, h = 1 ms, e = {:g} here", drop,
                   stated_e)},
      {"", "one solve, present velocity: effective restitution over starts", "", "odd results", range_text(odd),
       "differ by more than half of e", agrees_if(spread(odd) > 0.5 * stated_e),
       "√(H₂/H₁) of apex heights; starts differ by two steps' ways in all"},
      {"", "lagged by one step: the same", "", "a simple fix", range_text(lagged),
       "within 2 g h/v of e for every start", agrees_if(farthest(lagged) <= bound), ""},
      {"", "newton, which bounces in the step of the arrival: the same", "", "not in the slides", range_text(ours),
       "within 2 g h/v of e for every start", agrees_if(farthest(ours) <= bound), ""},
      {"", "steps that are not certified", "", "solved", fmt::format("{}", uncertified), "none",
       agrees_if(uncertified == 0), ""},
  };
  Plot plot;
  plot.title = "Effective restitution over the start, e = 0.5";
  plot.x = {fmt::format("height above {:g} m (mm)", drop), false, 0.0, 0.0};
  plot.y = {"√(H₂/H₁)", false, 0.0, 0.6};
  plot.lines = {odd, lagged, ours};
  plot.marks.push_back({"stated", stated_e});
  findings.tables.push_back(std::move(table));
  findings.figures.push_back({"restitution", svg_text(plot)});
  return findings;
}

}  // namespace

std::vector<Entry> restitution_entries() {
  return {{"slides-2003-restitution", "Anitescu 2003, slides, partially elastic collisions",
           "Newton's restitution with linearised gaps: odd results, and remedies", one_solve_and_lagged}};
}

}  // namespace cardhouse::reproduction
