// Anitescu & Hart 2003: a solution set that is not convex (section 3), and piles of disks of diameter 3 in the plane
// with h = 0.05 s (section 4.B). Their LCP0 is Lemke's method (`lemke`), LCP1 the fixed point of relaxations
// (`successive-relaxation`, here without acceleration), LCP2 its first iterate (`convex-relaxation`).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cardhouse/contact/polygonal_lcp.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/report/plot.h"
#include "cardhouse/reproduction/runs.h"
#include "cardhouse/scenes/library.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse::reproduction {
namespace {

constexpr double pile_step = 0.05;       // s
constexpr int published_pivots = 10000;  // "MAX ITER"

/// Impulse of the pyramid's weight in one step (N s): h m g.
constexpr double weight = 1e-3 * 1.0 * 9.81;

/// A body of mass 1 at rest on the six corners of a regular hexagon (Fig. 1), with friction polygons of eight sides.
ContactProblem hexagonal_pyramid(double mu) {
  ContactProblem problem;
  Vec6 inertia;
  inertia << 1.0, 1.0, 1.0, 0.1, 0.1, 0.1;
  problem.a.add(inertia.asDiagonal().toDenseMatrix());
  problem.v_free = VecX::Zero(6);
  problem.v_free[2] = -weight;
  Mat3 frame;  // rows: normal and tangents
  frame << 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0;
  for (int corner = 0; corner < 6; ++corner) {
    const double angle = corner * std::numbers::pi / 3.0;
    const Vec3 arm(0.5 * std::cos(angle), 0.5 * std::sin(angle), -0.3);
    MatX rows(3, 6);
    rows << frame, -frame * cross_matrix(arm);
    problem.j.begin_group(3);
    problem.j.add(problem.a, 0, rows);
    Law law;
    law.friction = FrictionShape::polygon;
    law.mu = law.mu_cross = mu;
    problem.laws.push_back(law);
  }
  problem.b.setZero(18);
  problem.compliance.setZero(18);
  return problem;
}

/// The published solution 1 or 2 (first = 0 or 1): a third of the weight on every other corner, lambda = 1 at the
/// others.
VecX published_solution(const ContactProblem& problem, const PolygonalLcp& lcp, const std::vector<double>& rho,
                        int first) {
  VecX r = VecX::Zero(18);
  for (int corner = first; corner < 6; corner += 2) r[3 * corner] = weight / 3.0;
  VecX y = unknowns_of(problem, lcp, rho, 8, r);
  const int lambda = 9;  // behind alpha and eight betas; unknowns are scaled by √rho
  for (int corner = 1 - first; corner < 6; corner += 2) y[lcp.first[corner] + lambda] = std::sqrt(rho[corner]);
  return y;
}

Findings pyramid(Form, const Progress& progress) {
  Findings findings;
  CsvTable table("pyramid", {"mu", "error 1", "error 2", "violation of the average", "mu h m g / 2",
                             "residual of the average's impulses"});
  PlotLine by_average{"their average", {}, {}, false, true};
  PlotLine derived{"mu h m g / 2", {}, {}};
  PlotLine by_solutions{"either solution", {}, {}, false, true};
  double error = 0.0;
  double worst = 0.0;
  double residual = 0.0;
  const std::vector<double> mus = {0.01, 0.1, 0.5, 1.0};
  for (const double mu : mus) {
    progress.at(fmt::format("mu {:g}", mu), 0.5);
    const ContactProblem problem = hexagonal_pyramid(mu);
    Certifier certifier;
    certifier(problem, VecX::Zero(problem.rows()));
    const std::vector<double> rho = certifier.rho();
    const PolygonalLcp lcp = polygonal_lcp(problem, rho, 8);
    const VecX first = published_solution(problem, lcp, rho, 0);
    const VecX second = published_solution(problem, lcp, rho, 1);
    const VecX average = 0.5 * (first + second);
    const double errors[] = {lcp_error(lcp.mixed.lcp, first), lcp_error(lcp.mixed.lcp, second)};
    const double violation = complementarity_gap(lcp.mixed.lcp, average);
    const double expected = 0.5 * mu * weight;
    const double of_average = certify(problem, impulses_of(lcp, average)).residual;
    error = std::max({error, errors[0], errors[1]});
    worst = std::max(worst, std::abs(violation / expected - 1.0));
    residual = std::max(residual, of_average);
    table.add({mu, errors[0], errors[1], violation, expected, of_average});
    for (PlotLine* line : {&by_average, &derived, &by_solutions}) line->x.push_back(mu);
    by_average.y.push_back(violation);
    derived.y.push_back(expected);
    by_solutions.y.push_back(
        std::max(complementarity_gap(lcp.mixed.lcp, first), complementarity_gap(lcp.mixed.lcp, second)));
  }
  findings.rows = {
      {"", "error of both solutions in the LCP, mu 0.01 to 1", "", 0.0, error, "below 1e-12", agrees_if(error < 1e-12),
       ""},
      {"", "violation by their average over mu h m g / 2", "", 1.0, 1.0 + worst, "within 1e-9", agrees_if(worst < 1e-9),
       "Σ mu c_n lambda over six corners with c_n = h m g / 6 and lambda = 1/2"},
      {"", "residual of the average's impulses", "", "not stated", residual, "none", Verdict::not_readable,
       "they obey Coulomb's law with v = 0: the multipliers alone violate complementarity"},
  };
  Plot plot;
  plot.title = "Hexagonal pyramid: violation of complementarity";
  plot.x = {"mu", true, 0.0, 0.0};
  plot.y = {"Σ of products of complements (J)", true, 1e-18, 1e-1};
  plot.lines = {by_average, derived, by_solutions};
  findings.tables.push_back(std::move(table));
  findings.figures.push_back({"violation", svg_text(plot)});
  return findings;
}

Scene pile(int base, double mu, const std::string& solver) {
  Scene scene = make_scene("cannonball", {{"base", fmt::format("{}", base)}, {"mu", fmt::format("{}", mu)}});
  scene.settings.step = pile_step;
  scene.settings.solver = solver;
  if (solver == "lemke") scene.settings.max_iterations = published_pivots;
  return scene;
}

/// mu lambda over the contacts that push: what the relaxation gets wrong (m/s).
struct NormalError {
  double mean = 0.0;
  double largest = 0.0;
};

NormalError normal_velocity_error(const World& world) {
  NormalError error;
  int pushing = 0;
  for (const ContactRecord& contact : world.contacts()) {
    const double normal_impulse = contact.impulse.dot(contact.normal);
    if (!(normal_impulse > 0.0)) continue;
    const Vec3 slip = contact.velocity - contact.velocity.dot(contact.normal) * contact.normal;
    error.mean += contact.mu * slip.norm();
    error.largest = std::max(error.largest, contact.mu * slip.norm());
    ++pushing;
  }
  error.mean /= std::max(pushing, 1);
  return error;
}

/// One method over a pile's collapse.
struct PileRun {
  std::string name;
  RunOutcome outcome;
  std::vector<double> time, milliseconds, mean_error;
  double largest_mean_error = 0.0;
  double largest_error = 0.0;
  /// When the mean error first passes a limit, in words; empty when it never does.
  std::string passes(double limit) const {
    const auto above = std::find_if(mean_error.begin(), mean_error.end(), [&](double e) { return e > limit; });
    if (above == mean_error.end()) return "";
    return fmt::format("; {:g} is first passed at t = {:.2f} s", limit, time[above - mean_error.begin()]);
  }
  double slowest() const { return *std::max_element(milliseconds.begin(), milliseconds.end()); }
  double mean_milliseconds() const { return 1e3 * outcome.seconds / std::max(outcome.steps, 1); }
};

PileRun run_pile(const std::string& name, Scene scene, double seconds, double step_limit, double wall_limit,
                 const Share& share, std::vector<Plot>* frames = nullptr);

/// Outlines of the disks, as one picture.
Plot picture_of(const World& world) {
  Plot plot;
  plot.title = fmt::format("t = {:.2f} s", world.state().time);
  plot.x = {"x (m)", false, 0.0, 0.0};
  plot.y = {"z (m)", false, 0.0, 0.0};
  plot.equal_scale = true;
  for (std::size_t i = 0; i < world.model().bodies.size(); ++i) {
    const Body& body = world.model().bodies[i];
    if (body.mobility != Mobility::dynamic) continue;
    const double radius = std::get<Disk>(body.shapes[0].geometry).radius;
    PlotLine outline{plot.lines.empty() ? "disks" : "", {}, {}};
    for (int k = 0; k <= 48; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / 48;
      const Vec3 point = world.state().bodies[i].pose.apply(radius * Vec3(std::sin(angle), 0.0, std::cos(angle)));
      outline.x.push_back(point.x());
      outline.y.push_back(point.z());
    }
    plot.lines.push_back(std::move(outline));
  }
  return plot;
}

PileRun run_pile(const std::string& name, Scene scene, double seconds, double step_limit, double wall_limit,
                 const Share& share, std::vector<Plot>* frames) {
  scene.settings.max_step_seconds = step_limit;
  World world = make_world(std::move(scene), share.progress);
  PileRun run;
  run.name = name;
  if (frames != nullptr) frames->push_back(picture_of(world));
  run.outcome = run_to(
      world, seconds, share,
      [&] {
        const NormalError error = normal_velocity_error(world);
        run.time.push_back(world.state().time);
        run.milliseconds.push_back(1e3 * world.last_report().seconds.solve);
        run.mean_error.push_back(error.mean);
        run.largest_mean_error = std::max(run.largest_mean_error, error.mean);
        run.largest_error = std::max(run.largest_error, error.largest);
      },
      wall_limit);
  if (frames != nullptr) frames->push_back(picture_of(world));
  return run;
}

void add_figures(const std::vector<PileRun>& runs, const std::string& title, Findings& findings) {
  CsvTable table("steps", {"method", "time", "milliseconds", "mean normal velocity error"});
  Plot times;
  times.title = title + ": time of each solve";
  times.x = {"simulated time (s)", false, 0.0, 0.0};
  times.y = {"wall time (ms)", true, 0.0, 0.0};
  Plot errors;
  errors.title = title + ": error in normal velocity, LCP2";
  errors.x = times.x;
  errors.y = {"mean of mu lambda (m/s)", false, 0.0, 0.0};
  for (const PileRun& run : runs) {
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      table.add(std::vector<std::string>{run.name, fmt::format("{:.4g}", run.time[i]),
                                         fmt::format("{:.4g}", run.milliseconds[i]),
                                         fmt::format("{:.4g}", run.mean_error[i])});
    }
    times.lines.push_back({run.name, run.time, run.milliseconds, false, run.time.size() < 20});
    if (run.name == "LCP2") errors.lines.push_back({run.name, run.time, run.mean_error});
  }
  findings.tables.push_back(std::move(table));
  findings.figures.push_back({"times", svg_text(times)});
  findings.figures.push_back({"errors", svg_text(errors)});
}

std::string solved_text(const PileRun& run) {
  return fmt::format("{} of {} steps solved", run.outcome.steps - run.outcome.uncertified, run.outcome.steps);
}

PublishedRow ours_row(const PileRun& ours) {
  return {"",
          "ours (auto): certified steps",
          "",
          "all (what is asked of it)",
          solved_text(ours),
          "all steps",
          agrees_if(ours.outcome.uncertified == 0 && !ours.outcome.out_of_time),
          ""};
}

Findings disks_21(Form form, const Progress& progress) {
  const double seconds = form == Form::brief ? 0.3 : 3.0;
  const double mu = 0.05;
  std::vector<Plot> frames;
  std::vector<PileRun> runs;
  runs.push_back(run_pile("LCP0", pile(6, mu, "lemke"), seconds, 10.0, 60.0, {progress, "LCP0", 0.0, 0.3}));
  runs.push_back(run_pile("LCP1", pile(6, mu, "successive-relaxation:anderson=0"), seconds, 10.0, 60.0,
                          {progress, "LCP1", 0.3, 0.6}));
  runs.push_back(run_pile("LCP2", pile(6, mu, "convex-relaxation"), seconds, 10.0, 60.0, {progress, "LCP2", 0.6, 0.8}));
  runs.push_back(
      run_pile("ours (auto)", pile(6, mu, "auto"), seconds, 0.0, 60.0, {progress, "auto", 0.8, 1.0}, &frames));
  const auto& [lcp0, lcp1, lcp2, ours] = std::tie(runs[0], runs[1], runs[2], runs[3]);
  const auto most_below = [](const PileRun& run, double limit) {
    const auto below =
        std::count_if(run.milliseconds.begin(), run.milliseconds.end(), [&](double t) { return t < limit; });
    return static_cast<double>(below) > 0.5 * static_cast<double>(run.milliseconds.size());
  };
  Findings findings;
  findings.rows = {
      {"", "curves of Fig. 3", "", "lines of a figure", "the CSV file and the SVG figures", "none",
       Verdict::not_readable, "the text has no numbers of Fig. 3; the sentences about it are compared below"},
      {"", "LCP1 at mu 0.05", "", "converged", solved_text(lcp1), "all steps certified",
       agrees_if(lcp1.outcome.uncertified == 0), "without acceleration, as there"},
      {"", "mean time per step: LCP2 < LCP0 < LCP1", "", "so",
       fmt::format("{:.2g}, {:.2g}, {:.2g} ms", lcp2.mean_milliseconds(), lcp0.mean_milliseconds(),
                   lcp1.mean_milliseconds()),
       "the same order; times that differ by less than a third count as equal",
       agrees_if(lcp2.mean_milliseconds() < 1.33 * lcp0.mean_milliseconds() &&
                 lcp0.mean_milliseconds() < 1.33 * lcp1.mean_milliseconds()),
       "seconds are of other machines; only their order is compared"},
      {"", "LCP0 and LCP2 most of the time", "", "substantially less than 50 ms",
       fmt::format("at most {:.2g}, {:.2g} ms", lcp0.slowest(), lcp2.slowest()),
       "more than half of the steps below 50 ms", agrees_if(most_below(lcp0, 50.0) && most_below(lcp2, 50.0)), ""},
      ours_row(ours),
  };
  add_figures(runs, "21 disks, mu 0.05", findings);
  findings.figures.push_back({"start", svg_text(frames.front())});
  findings.figures.push_back({"end", svg_text(frames.back())});
  return findings;
}

Findings disks_136(Form form, const Progress& progress) {
  const bool brief = form == Form::brief;
  const int base = brief ? 7 : 16;
  const double mu = 0.2;
  const double seconds = brief ? 0.2 : 3.0;
  std::vector<Plot> frames;
  std::vector<PileRun> runs;
  const double lemke_limit = 15.0;        // s, wall
  const double fixed_point_limit = 10.0;  // s, wall
  runs.push_back(
      run_pile("LCP0", pile(base, mu, "lemke"), seconds, lemke_limit, lemke_limit, {progress, "LCP0", 0.0, 0.4}));
  runs.push_back(run_pile("LCP1", pile(base, mu, "successive-relaxation:anderson=0"), seconds, fixed_point_limit,
                          fixed_point_limit, {progress, "LCP1", 0.4, 0.7}));
  runs.push_back(
      run_pile("LCP2", pile(base, mu, "convex-relaxation"), seconds, 0.0, 60.0, {progress, "LCP2", 0.7, 0.8}));
  runs.push_back(
      run_pile("ours (auto)", pile(base, mu, "auto"), seconds, 0.0, 60.0, {progress, "auto", 0.8, 1.0}, &frames));
  const auto& [lcp0, lcp1, lcp2, ours] = std::tie(runs[0], runs[1], runs[2], runs[3]);
  // A run that solved nothing when its only step was ended by the clock says nothing of the method.
  const auto ended_by_clock = [](const PileRun& run) { return run.outcome.out_of_time && run.outcome.steps <= 1; };
  Findings findings;
  findings.rows = {
      {"", "curves of Fig. 4", "", "lines of a figure", "the CSV file and the SVG figures", "none",
       Verdict::not_readable, "the text has no numbers of Fig. 4; the sentences about it are compared below"},
      {"", "LCP0 at mu 0.2", "", "fails (10,000 iterations)", solved_text(lcp0),
       "some step not solved by 10,000 pivots",
       ended_by_clock(lcp0) ? Verdict::not_decided : agrees_if(lcp0.outcome.uncertified > 0),
       fmt::format("{:g} s of wall time at most", lemke_limit)},
      {"", "LCP1 at mu 0.2", "", "fails (10,000 iterations)", solved_text(lcp1), "some step not solved, time left",
       ended_by_clock(lcp1) ? Verdict::not_decided : agrees_if(lcp1.outcome.uncertified > 0),
       fmt::format("{:g} s of wall time at most; ours gives up after 60 iterations without halving the residual",
                   fixed_point_limit)},
      {"", "LCP2: largest mean error in normal velocity (m/s)", "", "does not exceed 0.12", lcp2.largest_mean_error,
       "at most 0.12", agrees_if(lcp2.largest_mean_error <= 0.12),
       fmt::format("units and simulated time are not in the source: m, 9.81 m/s² and {:g} s here{}", seconds,
                   lcp2.passes(0.12))},
      ours_row(ours),
  };
  add_figures(runs, fmt::format("{} disks, mu 0.2", base * (base + 1) / 2), findings);
  findings.figures.push_back({"start", svg_text(frames.front())});
  findings.figures.push_back({"end", svg_text(frames.back())});
  return findings;
}

struct FirstSolve {
  bool solved = false;
  double seconds = 0.0;
  double residual = 0.0;
  NormalError error;
};

FirstSolve first_step(int base, double mu, const std::string& solver, double limit, const Progress& progress) {
  Scene scene = pile(base, mu, solver);
  scene.settings.max_step_seconds = limit;
  World world = make_world(std::move(scene), progress);
  const StepReport& report = world.step();
  return {report.certified, report.seconds.solve, report.certificate.residual, normal_velocity_error(world)};
}

Findings first_step_of_210(Form form, const Progress& progress) {
  const int base = form == Form::brief ? 5 : 20;
  // s, wall: the published failures are ended by the clock too, if 10,000 pivots should take that long.
  const double limit_of_failures = form == Form::brief ? 2.0 : 60.0;
  struct Case {
    double mu;
    double lcp0;  ///< s; 0: MAX ITER
    double lcp2;  ///< s
    double error;
  };
  const std::vector<Case> cases = {{0.1, 29.76, 34.42, 0.06},
                                   {0.2, 0.0, 36.28, 0.12},
                                   {0.4, 0.0, 24.03, 0.07},
                                   {0.6, 0.0, 20.40, 1e-8},
                                   {0.8, 0.0, 14.52, 8e-11}};
  Findings findings;
  CsvTable table("first_step",
                 {"mu", "published LCP0 s", "published LCP2 s", "published LCP2 error", "LCP0 s", "LCP0 solved",
                  "LCP2 s", "LCP2 mean error", "LCP2 largest error", "auto s", "auto residual"});
  PlotLine published{"LCP2, published", {}, {}, false, true};
  PlotLine mean{"LCP2, mean", {}, {}, false, true};
  PlotLine largest{"LCP2, largest", {}, {}, false, true};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    const double part = static_cast<double>(i) / static_cast<double>(cases.size());
    const std::string mu = fmt::format("mu {:g}", c.mu);
    progress.at(mu + ", LCP0", part);
    const bool fails = c.lcp0 == 0.0;
    const double limit = fails ? limit_of_failures : 0.0;
    const FirstSolve lcp0 = first_step(base, c.mu, "lemke", limit, progress);
    const bool by_the_clock = !lcp0.solved && limit > 0.0 && lcp0.seconds >= limit;
    progress.at(mu + ", LCP2", part);
    const FirstSolve lcp2 = first_step(base, c.mu, "convex-relaxation", 0.0, progress);
    progress.at(mu + ", auto", part);
    const FirstSolve ours = first_step(base, c.mu, "auto", 0.0, progress);
    findings.rows.push_back(
        {"", mu + ": LCP0 (s)", "", fails ? PublishedValue("MAX ITER") : PublishedValue(c.lcp0),
         lcp0.solved ? fmt::format("solved, {:.3g}", lcp0.seconds) : fmt::format("not solved, {:.3g}", lcp0.seconds),
         "solved there and here, or neither", by_the_clock ? Verdict::not_decided : agrees_if(lcp0.solved != fails),
         fails ? fmt::format("10,000 pivots, {:g} s of wall time at most", limit) : "10,000 pivots at most"});
    findings.rows.push_back({"", mu + ": LCP2 (s)", "", c.lcp2, lcp2.seconds, "none", Verdict::not_readable,
                             "seconds of other machines are not compared"});
    const bool small = c.error < 1e-6;
    findings.rows.push_back(
        {"", mu + ": LCP2, error in normal velocity (m/s)", "", c.error, lcp2.error.largest,
         small ? "below 1e-6: nothing slides" : "within a factor of 5",
         agrees_if(small ? lcp2.error.largest < 1e-6 : within_factor(c.error, lcp2.error.largest, 5.0)),
         fmt::format("the largest over the contacts that push (the source does not say which); the mean is {:.2g}; "
                     "took {:.2g} s",
                     lcp2.error.mean, lcp2.seconds)});
    findings.rows.push_back({"", mu + ": ours (auto), residual", "", "certified (what is asked of it)", ours.residual,
                             "certified: at or below 1e-8", agrees_if(ours.solved),
                             fmt::format("took {:.2g} s", ours.seconds)});
    table.add({c.mu, fails ? std::nan("") : c.lcp0, c.lcp2, c.error, lcp0.seconds, lcp0.solved ? 1.0 : 0.0,
               lcp2.seconds, lcp2.error.mean, lcp2.error.largest, ours.seconds, ours.residual});
    for (PlotLine* line : {&published, &mean, &largest}) line->x.push_back(c.mu);
    published.y.push_back(c.error);
    mean.y.push_back(lcp2.error.mean);
    largest.y.push_back(lcp2.error.largest);
  }
  Plot plot;
  plot.title = "First step of the pile: error in normal velocity, LCP2";
  plot.x = {"mu", false, 0.0, 1.0};
  plot.y = {"m/s", true, 1e-16, 1.0};
  plot.lines = {published, mean, largest};
  findings.tables.push_back(std::move(table));
  findings.figures.push_back({"errors", svg_text(plot)});
  return findings;
}

}  // namespace

std::vector<Entry> cannonball_entries() {
  return {{"anitescu-hart-pyramid", "Anitescu & Hart 2003, section 3",
           "hexagonal pyramid: a solution set that is not convex", pyramid},
          {"anitescu-hart-figure-3", "Anitescu & Hart 2003, Figs. 2 and 3", "21 disks, mu 0.05: LCP0, LCP1, LCP2",
           disks_21},
          {"anitescu-hart-figure-4", "Anitescu & Hart 2003, Fig. 4", "136 disks, mu 0.2: who fails", disks_136},
          {"anitescu-hart-table-1", "Anitescu & Hart 2003, Table 1",
           "first step of 210 disks, mu 0.1 to 0.8: LCP0, LCP2, ours", first_step_of_210}};
}

}  // namespace cardhouse::reproduction
