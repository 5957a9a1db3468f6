// Stabilisation of joints and overlaps (Anitescu 2003, slides): the drift of a pendulum whose joint is held by
// velocities alone, and what the parameter gamma of gamma Theta/h + Theta' = 0 does.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/report/plot.h"
#include "cardhouse/reproduction/runs.h"
#include "cardhouse/scenes/library.h"

namespace cardhouse::reproduction {
namespace {

/// How far a joint is off over time.
struct Drift {
  PlotLine line;
  double largest = 0.0;  ///< m
  RunOutcome outcome;
};

Drift drift_of(Stabilisation stabilisation, double gamma, double h, double seconds, const Share& share) {
  Scene scene = make_scene("pendulum", {{"angle", "60"}});
  scene.settings.step = h;
  scene.settings.stabilisation = stabilisation;
  scene.settings.gamma = gamma;
  World world = make_world(std::move(scene), share.progress);
  Drift drift;
  drift.line.name = share.words;
  drift.outcome = run_to(world, seconds, share, [&] {
    const double off = world.last_report().joint_violation.length;
    drift.line.x.push_back(world.state().time);
    drift.line.y.push_back(off);
    drift.largest = std::max(drift.largest, off);
  });
  return drift;
}

/// The deepest in the second half over that in the first.
double late_over_early(const PlotLine& line) {
  const auto middle = line.y.begin() + static_cast<std::ptrdiff_t>(line.y.size() / 2);
  return *std::max_element(middle, line.y.end()) / *std::max_element(line.y.begin(), middle);
}

Plot violation_plot(const std::string& title, const std::string& axis) {
  Plot plot;
  plot.title = title;
  plot.x = {"time (s)", false, 0.0, 0.0};
  plot.y = {axis, true, 0.0, 0.0};
  return plot;
}

Findings pendulum(Form form, const Progress& progress) {
  const double h = 1e-3;
  const double seconds = form == Form::brief ? 5.0 : 10.0;
  const Drift plain = drift_of(Stabilisation::none, 1.0, h, seconds, {progress, "not stabilised", 0.0, 0.5});
  const Drift held = drift_of(Stabilisation::gamma, 1.0, h, seconds, {progress, "stabilised", 0.5, 1.0});
  const double ratio = plain.largest / held.largest;
  Findings findings;
  findings.rows = {
      {"", "curves of the constraint error", "", "lines of a figure", "the CSV file and the SVG figure", "none",
       Verdict::not_readable, "rod, angle, h and duration are not stated: 1 m, 60°, 1 ms and 10 s here"},
      {"", "ratio of infeasibilities, at its largest", "", 1e3, ratio, "within a factor of 10",
       agrees_if(within_factor(1e3, ratio, 10.0)),
       fmt::format("{:.2g} m against {:.2g} m after {:g} s; one grows with time, the other does not", plain.largest,
                   held.largest, seconds)},
      {"", "not stabilised: largest in the second half over the first", "", "drift", late_over_early(plain.line),
       "more than 1.5", agrees_if(late_over_early(plain.line) > 1.5), ""},
      {"", "stabilised: the same", "", "no drift", late_over_early(held.line), "at most 1.05",
       agrees_if(late_over_early(held.line) <= 1.05), ""},
      {"", "certified steps", "", "solved",
       fmt::format("{} of {}",
                   plain.outcome.steps + held.outcome.steps - plain.outcome.uncertified - held.outcome.uncertified,
                   plain.outcome.steps + held.outcome.steps),
       "all", agrees_if(plain.outcome.uncertified + held.outcome.uncertified == 0), ""},
  };
  CsvTable table("violation", {"time", "not stabilised", "stabilised"});
  for (std::size_t i = 0; i < plain.line.x.size(); ++i) {
    table.add({plain.line.x[i], plain.line.y[i], held.line.y[i]});
  }
  Plot plot = violation_plot("Pendulum: how far its joint is off", "violation (m)");
  plot.lines = {plain.line, held.line};
  findings.tables.push_back(std::move(table));
  findings.figures.push_back({"violation", svg_text(plot)});
  return findings;
}

constexpr double start_off = 1e-3;  // m: how far a joint is off, or a body inside another, at the start

/// A rod that hangs at rest with its joint off, or a block that rests inside the ground.
Scene violated(bool joint) {
  if (joint) {
    Scene scene = make_scene("pendulum", {{"angle", "0"}});
    scene.initial.bodies[1].pose.position.z() -= start_off;
    scene.initial.initial_poses[1] = scene.initial.bodies[1].pose;
    return scene;
  }
  Scene scene = make_scene("sliding_block", {{"speed", "0"}});
  scene.initial.bodies[1].pose.position.z() -= start_off;
  scene.initial.initial_poses[1] = scene.initial.bodies[1].pose;
  return scene;
}

struct Recovery {
  PlotLine line;
  int steps = 0;        ///< until a hundredth of the violation is left
  double energy = 0.0;  ///< J, kinetic: the largest that undoing it gave
  int uncertified = 0;
};

Recovery recovery_of(bool joint, double gamma, double h, const Share& share) {
  Scene scene = violated(joint);
  scene.settings.step = h;
  scene.settings.gamma = gamma;
  World world = make_world(std::move(scene), share.progress);
  Recovery recovery;
  recovery.line.name = fmt::format("gamma {:g}", gamma);
  recovery.line.x.push_back(0.0);
  recovery.line.y.push_back(start_off);
  const double home = world.state().bodies[1].pose.position.z() + start_off;
  // A part (1 − gamma)ⁿ is left after n steps.
  const double expected = gamma < 1.0 ? std::log(0.01) / std::log(1.0 - gamma) : 1.0;
  const RunOutcome outcome = run_to(world, (1.5 * expected + 5.0) * h, share, [&] {
    const double off = home - world.state().bodies[1].pose.position.z();
    recovery.line.x.push_back(world.state().time);
    recovery.line.y.push_back(std::max(off, 1e-12));
    if (off > 0.01 * start_off) ++recovery.steps;
    recovery.energy = std::max(recovery.energy, world.energy().kinetic);
  });
  ++recovery.steps;  // the one that went below
  recovery.uncertified = outcome.uncertified;
  return recovery;
}

/// How far joints and contacts of a grasp are off: three fingers close on a ball, lift and shake it.
Drift grasp_of(double gamma, double h, double seconds, const Share& share) {
  Scene scene = make_scene("grasp", {{"fingers", "3"}, {"object", "ball"}});
  scene.settings.step = h;
  scene.settings.gamma = gamma;
  World world = make_world(std::move(scene), share.progress);
  Drift drift;
  drift.line.name = fmt::format("gamma {:g}", gamma);
  drift.outcome = run_to(world, seconds, share, [&] {
    const StepReport& report = world.last_report();
    const double off = std::max(report.joint_violation.length, report.penetration);
    drift.line.x.push_back(world.state().time);
    drift.line.y.push_back(std::max(off, 1e-17));
    drift.largest = std::max(drift.largest, off);
  });
  return drift;
}

Findings gamma_sweep(Form form, const Progress& progress) {
  const double h = 2e-3;  // s: as GraspIt!
  const std::vector<double> gammas =
      form == Form::brief ? std::vector<double>{1.0, 0.5, 0.2} : std::vector<double>{1.0, 0.5, 0.2, 0.1, 0.05, 0.02};
  const double seconds = form == Form::brief ? 2.0 : 10.0;
  Findings findings;
  findings.rows.push_back({"", "curves of infeasibility of a grasp", "", "lines of a figure",
                           "the CSV file and the SVG figures", "none", Verdict::not_readable,
                           "bodies and numbers are not stated: three fingers on a ball here, h = 2 ms and gamma 0.2 as "
                           "there; the sentences about gamma are compared below"});
  CsvTable table("gamma", {"case", "gamma", "steps", "energy", "largest violation"});
  int uncertified = 0;
  for (const bool joint : {true, false}) {
    const std::string name = joint ? "joint that is off" : "overlap";
    std::vector<std::string> counts, energies;
    bool slower = true, weaker = true, as_derived = true;
    double last_steps = 0.0, last_energy = 1e300;
    Plot plot = violation_plot(fmt::format("A {} is undone", name), "violation (m)");
    plot.y.least = 1e-6;
    plot.y.most = 2.0 * start_off;
    for (const double gamma : gammas) {
      const Recovery recovery = recovery_of(joint, gamma, h, {progress, name, joint ? 0.0 : 0.2, joint ? 0.0 : 0.2});
      uncertified += recovery.uncertified;
      counts.push_back(fmt::format("{}", recovery.steps));
      energies.push_back(fmt::format("{:.1e}", recovery.energy));
      slower = slower && recovery.steps > last_steps;
      weaker = weaker && recovery.energy < last_energy;
      const double expected = gamma < 1.0 ? std::ceil(std::log(0.01) / std::log(1.0 - gamma)) : 1.0;
      // A contact does not pull: a body that was pushed out fast flies on and is out sooner.
      as_derived = as_derived && recovery.steps <= expected + 1.0 && (!joint || recovery.steps >= expected - 1.0);
      last_steps = recovery.steps;
      last_energy = recovery.energy;
      plot.lines.push_back(recovery.line);
      table.add(std::vector<std::string>{name, fmt::format("{:g}", gamma), counts.back(), energies.back(), ""});
    }
    const std::string sweep = fmt::format("gamma {:g} to {:g}", gammas.front(), gammas.back());
    findings.rows.push_back({"", fmt::format("{}: steps until a hundredth is left, {}", name, sweep), "",
                             "the smaller, the slower", fmt::format("{}", fmt::join(counts, ", ")),
                             joint ? "rises, and within one step of ln 0.01/ln(1 − gamma)"
                                   : "rises, and at most one step more than ln 0.01/ln(1 − gamma)",
                             agrees_if(slower && as_derived), ""});
    findings.rows.push_back({"", fmt::format("{}: kinetic energy that it gives (J), {}", name, sweep), "",
                             "the smaller, the less effect on the energy", fmt::format("{}", fmt::join(energies, ", ")),
                             "falls", agrees_if(weaker), ""});
    findings.figures.push_back({joint ? "joint" : "overlap", svg_text(plot)});
  }
  std::vector<std::string> deepest;
  bool rises = true, bounded = true;
  double last = 0.0;
  Plot plot = violation_plot("Swinging pendulum, h = 2 ms: how far its joint is off", "violation (m)");
  for (std::size_t i = 0; i < gammas.size(); ++i) {
    const double from = 0.4 + 0.6 * static_cast<double>(i) / static_cast<double>(gammas.size());
    Drift drift = drift_of(Stabilisation::gamma, gammas[i], h, seconds, {progress, "swinging", from, from});
    uncertified += drift.outcome.uncertified;
    deepest.push_back(fmt::format("{:.1e}", drift.largest));
    rises = rises && drift.largest > last;
    bounded = bounded && late_over_early(drift.line) <= 1.2;
    last = drift.largest;
    drift.line.name = fmt::format("gamma {:g}", gammas[i]);
    plot.lines.push_back(std::move(drift.line));
    table.add(std::vector<std::string>{"swinging", fmt::format("{:g}", gammas[i]), "", "", deepest.back()});
  }
  findings.rows.push_back({"", "swinging pendulum: largest violation (m), the same gammas", "", "slower stabilisation",
                           fmt::format("{}", fmt::join(deepest, ", ")), "rises as gamma falls", agrees_if(rises), ""});
  findings.rows.push_back({"", "the same: drift", "", "prevented", bounded ? "none" : "some",
                           "largest in the second half at most 1.2 times that in the first, for every gamma",
                           agrees_if(bounded), ""});
  Plot grasps = violation_plot("Grasp, h = 2 ms: how far joints and contacts are off", "violation (m)");
  std::vector<std::string> of_grasp;
  double off = 0.0;
  for (const double gamma : {1.0, 0.2}) {
    Drift drift = grasp_of(gamma, h, form == Form::brief ? 1.0 : 4.0, {progress, "grasp", 0.99, 0.99});
    uncertified += drift.outcome.uncertified;
    off = std::max(off, drift.largest);
    of_grasp.push_back(fmt::format("{:.1e}", drift.largest));
    table.add(std::vector<std::string>{"grasp", fmt::format("{:g}", gamma), "", "", of_grasp.back()});
    grasps.lines.push_back(std::move(drift.line));
  }
  findings.rows.push_back({"", "grasp: largest infeasibility (m), gamma 1 and 0.2", "", "drift is prevented",
                           fmt::format("{}", fmt::join(of_grasp, ", ")),
                           "below 0.1 mm, of fingers of 1 cm, however long it holds", agrees_if(off < 1e-4), ""});
  findings.rows.push_back({"", "steps that are not certified", "", "solved", fmt::format("{}", uncertified), "none",
                           agrees_if(uncertified == 0), ""});
  findings.tables.push_back(std::move(table));
  findings.figures.push_back({"grasp", svg_text(grasps)});
  findings.figures.push_back({"swinging", svg_text(plot)});
  return findings;
}

}  // namespace

std::vector<Entry> joint_drift_entries() {
  return {{"slides-2003-pendulum", "Anitescu 2003, slides, example of constraint drift",
           "a pendulum's joint with and without stabilisation", pendulum},
          {"slides-2003-gamma", "Anitescu 2003, slides, linearisation method and GraspIt!",
           "how fast gamma undoes what is off, and what that does to the energy", gamma_sweep}};
}

}  // namespace cardhouse::reproduction
