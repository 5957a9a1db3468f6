// Structures that stand by friction (Kaufman 2009, sections 7.3.3 to 7.3.5 and 7.4): jamming as mu decreases, an arch
// under blocks, a card house knocked down in part. The text gives mu, e and what happens, not the measures: those are
// the scenes' own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "cardhouse/report/plot.h"
#include "cardhouse/reproduction/runs.h"
#include "cardhouse/scenes/library.h"

namespace cardhouse::reproduction {
namespace {

/// s: "stepped for 10 minutes of simulation time" (section 7.4).
constexpr double ten_minutes = 600.0;
/// Speed of any point below which a structure is at rest (m/s): a fall of a millimetre is a hundred times faster.
constexpr double at_rest = 1e-3;

/// m: how far each dynamic body's centre is from where it started.
std::vector<double> displacements(const World& world) {
  std::vector<double> result;
  for (std::size_t i = 0; i < world.model().bodies.size(); ++i) {
    if (world.model().bodies[i].mobility != Mobility::dynamic) continue;
    result.push_back((world.state().bodies[i].pose.position - world.scene().initial.bodies[i].pose.position).norm());
  }
  return result;
}

std::string certified_text(const RunOutcome& outcome) {
  std::string counts = fmt::format("{} of {}", outcome.steps - outcome.uncertified, outcome.steps);
  if (outcome.split > 0) counts += fmt::format(", {} in parts", outcome.split);
  if (outcome.hairlines > 0) counts += fmt::format(", {} with hairline gaps closed", outcome.hairlines);
  return outcome.uncertified == 0 ? counts : fmt::format("{}, residual ≤ {:.0e}", counts, outcome.largest_residual);
}

/// Dynamic bodies that are at rest. A block that was knocked off the ground never is again: it falls for ten minutes.
std::vector<int> bodies_at_rest(const World& world, double size) {
  std::vector<int> bodies = dynamic_bodies(world);
  std::erase_if(bodies, [&](int i) { return !(largest_speed(world, size, std::span(&i, 1)) < at_rest); });
  return bodies;
}

/// Whether all that is to stand is among the bodies (sorted).
bool has_structure(const World& world, const std::vector<int>& bodies) {
  const std::vector<int>& structure = world.scene().stands->bodies;
  return std::all_of(structure.begin(), structure.end(),
                     [&](int i) { return std::binary_search(bodies.begin(), bodies.end(), i); });
}

/// m: the farthest that a centre has moved between two states.
double drift_of(const std::vector<int>& bodies, const State& from, const State& to) {
  double drift = 0.0;
  for (const int i : bodies) {
    const double own = (to.bodies[i].pose.position - from.bodies[i].pose.position).norm();
    if (!(own <= drift)) drift = own;  // NaN too
  }
  return drift;
}

/// Ten minutes without blow-up or drift, asked for by Form::long_runs alone, from where the structure came to rest.
PublishedRow endurance_row(const std::string& name, World& world, const Share& share, double size) {
  const std::vector<int> bodies = bodies_at_rest(world, size);
  const std::size_t others = dynamic_bodies(world).size() - bodies.size();
  const bool whole = has_structure(world, bodies);
  const State start = world.state();
  const RunOutcome outcome = run_to(world, ten_minutes, share);
  const double drift = drift_of(bodies, start, world.state());
  const double speed = largest_speed(world, size, bodies);
  return {
      "",
      fmt::format("{}: ten minutes", name),
      "",
      "no blow-up, no drift",
      fmt::format("moved {:.1e} m, speed {:.1e} m/s, energy rises by at most {:.1e} J, {} steps certified", drift,
                  speed, outcome.energy_rise, certified_text(outcome)),
      "what was at rest, among it the whole structure, is so at the end, and no body of it moved by a millimetre",
      agrees_if(whole && drift < 1e-3 && speed < at_rest),
      others == 0 ? "section 7.4" : fmt::format("section 7.4; {} of the bodies fell off the ground before", others)};
}

Findings jamming(Form form, const Progress& progress) {
  const std::vector<double> mus =
      form == Form::brief ? std::vector<double>{0.6, 0.1}
                          : std::vector<double>{1.0, 0.8, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.0};
  const double seconds = form == Form::brief ? 1.5 : 3.0;
  const double wedge = 0.25;  // m: half its length
  std::vector<double> fall, speed;
  std::vector<bool> jams;
  int uncertified = 0;
  double drift = 0.0;
  Findings findings;
  CsvTable table("falls", {"mu", "fall", "speed", "jams"});
  Plot plot;
  plot.title = "A wedge in a funnel: how far it falls";
  plot.x = {"time (s)", false, 0.0, 0.0};
  plot.y = {"fall (m)", false, 0.0, 0.0};
  const double whole = form == Form::long_runs ? 0.5 : 1.0;
  for (std::size_t i = 0; i < mus.size(); ++i) {
    World world = make_world(make_scene("jam", {{"mu", fmt::format("{}", mus[i])}}), progress);
    const int body = world.scene().stands->bodies[0];
    const double start = world.state().bodies[body].pose.position.z();
    PlotLine line{fmt::format("mu {:g}", mus[i]), {}, {}};
    const RunOutcome outcome =
        run_to(world, seconds,
               {progress, line.name, whole * static_cast<double>(i) / static_cast<double>(mus.size()),
                whole * static_cast<double>(i + 1) / static_cast<double>(mus.size())},
               [&] {
                 line.x.push_back(world.state().time);
                 line.y.push_back(start - world.state().bodies[body].pose.position.z());
               });
    uncertified += outcome.uncertified;
    fall.push_back(line.y.back());
    speed.push_back(largest_speed(world, wedge));
    jams.push_back(displacements(world)[0] <= world.scene().stands->max_displacement);
    // Between the last half second's ends: a jammed wedge that creeps would show it.
    if (jams.back()) drift = std::max(drift, std::abs(line.y.back() - line.y[line.y.size() * 5 / 6]));
    table.add({mus[i], fall.back(), speed.back(), jams.back() ? 1.0 : 0.0});
    plot.lines.push_back(std::move(line));
  }
  const bool once = std::is_sorted(jams.begin(), jams.end(), std::greater<>());
  std::string measured = "all the same";
  for (std::size_t i = 1; i < mus.size(); ++i) {
    if (jams[i - 1] && !jams[i]) measured = fmt::format("jams down to mu {:g}, slips from {:g}", mus[i - 1], mus[i]);
  }
  findings.rows = {
      {"", "jamming as mu decreases", "", "plausible changes", measured,
       "jams at the largest mu, slips through at the least, with one change between",
       agrees_if(once && jams.front() && !jams.back()),
       "shapes and mu of Fig. 7.4 are not in the text; by statics this wedge can rest aslant from mu 0.32 on, and "
       "turned a little with less"},
      {"", "creep of jammed wedges in the last sixth (m)", "", "stable", drift, "below 1e-6 m", agrees_if(drift < 1e-6),
       ""},
      {"", "steps that are not certified", "", "all converged", fmt::format("{}", uncertified), "none",
       agrees_if(uncertified == 0), "section 7.6"},
  };
  if (form == Form::long_runs) {
    World world = make_world(make_scene("jam", {{"mu", "0.6"}}), progress);
    run_to(world, seconds, {progress, "mu 0.6, ten minutes", 0.5, 0.5});
    findings.rows.push_back(endurance_row("jammed wedge", world, {progress, "mu 0.6, ten minutes", 0.5, 1.0}, wedge));
  }
  findings.tables.push_back(std::move(table));
  findings.figures.push_back({"falls", svg_text(plot)});
  return findings;
}

/// A run whose largest displacement and speed of some bodies are seen at every hundredth of a second.
struct Watched {
  RunOutcome outcome;
  PlotLine displacement;
  PlotLine speed;
};

Watched watch(World& world, double seconds, const std::vector<int>& bodies, double size, const Share& share) {
  Watched result;
  result.displacement.name = result.speed.name = share.words;
  const int stride = std::max(1, static_cast<int>(std::lround(0.01 / world.settings().step)));
  int step = 0;
  result.outcome = run_to(world, seconds, share, [&] {
    if (++step % stride != 0) return;
    double displacement = 0.0;
    double speed = 0.0;
    for (const int i : bodies) {
      const BodyState& body = world.state().bodies[i];
      displacement =
          std::max(displacement, (body.pose.position - world.scene().initial.bodies[i].pose.position).norm());
      speed = std::max(speed, body.linear.norm() + size * body.angular.norm());
    }
    result.displacement.x.push_back(world.state().time);
    result.speed.x.push_back(world.state().time);
    result.displacement.y.push_back(displacement);
    result.speed.y.push_back(speed);
  });
  return result;
}

CsvTable table_of(const std::vector<Watched>& runs) {
  CsvTable table("motion", {"run", "time", "displacement", "speed"});
  for (const Watched& run : runs) {
    for (std::size_t i = 0; i < run.displacement.x.size(); ++i) {
      table.add(std::vector<std::string>{run.displacement.name, fmt::format("{:.4g}", run.displacement.x[i]),
                                         fmt::format("{:.6g}", run.displacement.y[i]),
                                         fmt::format("{:.6g}", run.speed.y[i])});
    }
  }
  return table;
}

Plot motion_plot(const std::string& title, const std::string& axis, bool logarithmic) {
  Plot plot;
  plot.title = title;
  plot.x = {"time (s)", false, 0.0, 0.0};
  plot.y = {axis, logarithmic, 0.0, 0.0};
  return plot;
}

Findings arch_under_blocks(Form form, const Progress& progress) {
  const bool brief = form == Form::brief;
  const std::string stones = brief ? "7" : "21";
  World keystone = make_world(make_scene("arch_hit", {{"mu", "0.6"}, {"voussoirs", stones}}), progress);
  World leg = make_world(make_scene("arch_hit", {{"mu", "0.6"}, {"voussoirs", stones}, {"target", "leg"}}), progress);
  const double seconds = brief ? 0.45 : 5.0;
  const double stone = 0.4;  // m: about a voussoir's size
  const double fallen = keystone.scene().stands->max_displacement;
  std::vector<Watched> runs;
  runs.push_back(watch(keystone, seconds, keystone.scene().stands->bodies, stone,
                       {progress, "blocks on the keystone", 0.0, 0.15}));
  runs.push_back(watch(leg, seconds, leg.scene().stands->bodies, stone,
                       {progress, "blocks at a leg", 0.15, form == Form::long_runs ? 0.3 : 1.0}));
  const auto farthest = [](const Watched& run) {
    return *std::max_element(run.displacement.y.begin(), run.displacement.y.end());
  };
  Findings findings;
  findings.rows = {
      {"", "blocks on the keystone", "", "remains standing",
       fmt::format("moved {:.2g} mm at most", 1e3 * farthest(runs[0])),
       fmt::format("no voussoir moves by {:g} m", fallen), agrees_if(farthest(runs[0]) <= fallen), ""},
      {"", "the same, at the end (m/s)", "", "a new stable equilibrium", runs[0].speed.y.back(),
       fmt::format("speeds below {:g} m/s", at_rest), agrees_if(runs[0].speed.y.back() < at_rest), ""},
      {"", "blocks thrown at a leg", "", "falls apart", fmt::format("moved {:.2g} m at most", farthest(runs[1])),
       fmt::format("some voussoir moves by more than {:g} m", fallen), agrees_if(farthest(runs[1]) > fallen), ""},
      {"", "certified steps, keystone", "", "all converged", certified_text(runs[0].outcome), "all",
       agrees_if(runs[0].outcome.uncertified == 0), "section 7.6"},
      {"", "certified steps, leg", "", "all converged", certified_text(runs[1].outcome), "all",
       agrees_if(runs[1].outcome.uncertified == 0), "section 7.6"},
  };
  if (form == Form::long_runs) {
    findings.rows.push_back(
        endurance_row("arch under blocks", keystone, {progress, "keystone, ten minutes", 0.3, 1.0}, stone));
  }
  Plot plot = motion_plot("A catenary arch under blocks", "largest displacement of a voussoir (m)", true);
  for (const Watched& run : runs) plot.lines.push_back(run.displacement);
  plot.marks.push_back({"fallen", fallen});
  findings.tables.push_back(table_of(runs));
  findings.figures.push_back({"displacement", svg_text(plot)});
  return findings;
}

Findings house_knocked_down(Form form, const Progress& progress) {
  const bool brief = form == Form::brief;
  World world = make_world(
      make_scene("card_house_hit", {{"levels", brief ? "2" : "4"}, {"mu", "0.8"}, {"restitution", "0.1"}}), progress);
  const std::vector<int> cards = world.scene().stands->bodies;
  const double fallen = world.scene().stands->max_displacement;
  const double card = 0.05;       // m: about half a card
  const double first_hit = 0.15;  // s: the first block needs 0.2 s for its 0.2 m
  const Watched before = watch(world, first_hit, cards, card, {progress, "before the first block", 0.0, 0.02});
  const double long_part = form == Form::long_runs ? 0.2 : 1.0;
  const Watched after = watch(world, brief ? 0.4 : 5.0, cards, card, {progress, "under blocks", 0.02, long_part});
  int down = 0;
  for (const int i : cards) {
    down += (world.state().bodies[i].pose.position - world.scene().initial.bodies[i].pose.position).norm() > fallen;
  }
  const auto all = static_cast<int>(cards.size());
  Findings findings;
  findings.rows = {
      {"", "before the first block", "", "stands", fmt::format("moved {:.1e} m", before.displacement.y.back()),
       "no card moves by a micrometre", agrees_if(before.displacement.y.back() < 1e-6), ""},
      {"", "after the blocks", "", "knocked down in part", fmt::format("{} of {} cards fell", down, all),
       fmt::format("some cards, and not all, moved by more than {:g} m", fallen), agrees_if(down > 0 && down < all),
       ""},
      {"", "speed of the cards at the end (m/s)", "", "regains equilibrium", after.speed.y.back(),
       fmt::format("below {:g} m/s", at_rest), agrees_if(after.speed.y.back() < at_rest), ""},
      {"", "certified steps", "", "all converged", certified_text(after.outcome), "all",
       agrees_if(after.outcome.uncertified == 0), "section 7.6"},
  };
  if (form == Form::long_runs) {
    findings.rows.push_back(endurance_row("card house", world, {progress, "ten minutes", long_part, 1.0}, card));
  }
  Plot plot = motion_plot("A card house under falling blocks", "largest speed of a card (m/s)", true);
  plot.y.least = 1e-12;
  plot.y.most = 10.0;
  plot.lines.push_back(after.speed);
  plot.marks.push_back({"at rest", at_rest});
  findings.tables.push_back(table_of({before, after}));
  findings.figures.push_back({"speed", svg_text(plot)});
  return findings;
}

}  // namespace

std::vector<Entry> masonry_entries() {
  return {
      {"thesis-7.4", "Kaufman 2009, Fig. 7.4 (rigid part)", "jamming as mu decreases", jamming},
      {"thesis-7.5", "Kaufman 2009, Fig. 7.5", "a catenary arch under blocks, mu 0.6", arch_under_blocks},
      {"thesis-7.6", "Kaufman 2009, Fig. 7.6", "a card house knocked down in part, mu 0.8, e 0.1", house_knocked_down}};
}

}  // namespace cardhouse::reproduction
