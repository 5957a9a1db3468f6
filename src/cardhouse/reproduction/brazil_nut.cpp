// Size segregation in a shaken bin (Anitescu 2006, section 10.2 and Fig. 10.6; Anitescu 2003, slides): a large ball
// comes up through small ones, with time steps of 0.1 s. Method and step are published; sizes, bin and shaking are not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "cardhouse/report/plot.h"
#include "cardhouse/reproduction/runs.h"
#include "cardhouse/scenes/library.h"

namespace cardhouse::reproduction {
namespace {

constexpr std::size_t nut = 1;  // the body's index: the bin is 0, the small balls follow

double radius_of(const World& world, std::size_t body) {
  return std::get<Disk>(world.model().bodies[body].shapes[0].geometry).radius;
}

/// Small balls that are higher than the large one, and those of them that lie over it.
struct Above {
  int higher = 0;
  int covering = 0;
};

Above above_nut(const World& world) {
  const Vec3& place = world.state().bodies[nut].pose.position;
  Above above;
  for (std::size_t i = nut + 1; i < world.model().bodies.size(); ++i) {
    const Vec3& other = world.state().bodies[i].pose.position;
    if (other.z() <= place.z()) continue;
    ++above.higher;
    if (std::abs(other.x() - place.x()) < radius_of(world, nut)) ++above.covering;
  }
  return above;
}

Figure frame_of(const World& world, int number) {
  Plot plot;
  plot.title = fmt::format("t = {:.1f} s", world.state().time);
  plot.x = {"x (m)", false, 0.0, 0.0};
  plot.y = {"z (m)", false, 0.0, 0.0};
  plot.equal_scale = true;
  for (std::size_t i = nut; i < world.model().bodies.size(); ++i) {
    PlotLine outline{i == nut ? "large" : i == nut + 1 ? "small" : "", {}, {}};
    const double radius = radius_of(world, i);
    const Vec3& centre = world.state().bodies[i].pose.position;
    for (int k = 0; k <= 24; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / 24;
      outline.x.push_back(centre.x() + radius * std::cos(angle));
      outline.y.push_back(centre.z() + radius * std::sin(angle));
    }
    plot.lines.push_back(std::move(outline));
  }
  return {fmt::format("frame_{}", number), svg_text(plot)};
}

struct Shaken {
  PlotLine higher;             ///< over the shakes: the part of the small balls that are higher than the large one
  std::optional<int> emerged;  ///< the first shake after which none lies over it
  double radius = 0.0;         ///< m, of the largest small balls
  RunOutcome outcome;
  std::vector<Figure> frames;
};

struct Method {
  std::string name;
  std::string solver;
  double tolerance = 1e-8;
};

/// The published one, and Coulomb's law as far as a fixed number of seconds allows: piles of balls that collide at
/// h = 0.1 s have thousands of contacts, and at 1e-8 they take minutes.
const Method optimisation{"optimisation method", "convex-relaxation", 1e-3};
const Method coulomb{"Coulomb's law to 1e-2", "gauss-seidel", 1e-2};

using SceneParameters = std::map<std::string, std::string>;

Shaken shake(const SceneParameters& parameters, Restitution law, int seed, const Method& method, double seconds,
             bool with_frames, const Share& share) {
  SceneParameters all = parameters;
  all["seed"] = fmt::format("{}", seed);
  Scene scene = make_scene("brazil_nut", all);
  scene.settings.step = 0.1;
  scene.settings.restitution = law;
  scene.settings.solver = method.solver;
  scene.settings.tolerance = method.tolerance;
  World world = make_world(std::move(scene), share.progress);
  const double period = 1.0 / std::stod(world.scene().parameters.at("frequency"));
  Shaken result;
  result.higher.name = fmt::format("{}, seed {}", method.name, seed);
  result.radius = std::stod(world.scene().parameters.at("radius"));
  const auto small = static_cast<double>(world.model().bodies.size() - nut - 1);
  int shakes = 0;
  result.outcome = run_to(world, seconds, share, [&] {
    if (world.state().time < (shakes + 1) * period - 1e-6) return;
    ++shakes;
    const Above above = above_nut(world);
    if (above.covering == 0 && !result.emerged) result.emerged = shakes;
    result.higher.x.push_back(shakes);
    result.higher.y.push_back(above.higher / small);
    const auto frames = static_cast<double>(result.frames.size());
    if (with_frames && shakes * period >= seconds * frames / 4.0) {
      result.frames.push_back(frame_of(world, static_cast<int>(frames) + 1));
    }
  });
  return result;
}

/// What a source tells of the number of shakes, and what agrees with it: within a factor of two.
struct PublishedShakes {
  std::string text;
  double least = 0.0;
  double most = 0.0;

  double fewest() const { return 0.5 * least; }
  double limit() const { return 2.0 * most; }
  std::string rule() const {
    return fmt::format("{:g} to {:g}: within a factor of two of {}", fewest(), limit(), text);
  }
};

std::string emerged_text(const Shaken& run) {
  return run.emerged ? fmt::format("{}", *run.emerged) : fmt::format("not in {}", run.higher.x.size());
}

bool in_range(const Shaken& run, const PublishedShakes& published) {
  return run.emerged && *run.emerged >= published.fewest() && *run.emerged <= published.limit();
}

/// A setting with one of its numbers a tenth less or more.
struct Neighbour {
  std::string parameter;
  double factor = 1.0;
};

/// By how much the number of shakes hangs on what was chosen: Coulomb's law, which takes an eighth of the
/// published method's time, in three packings of each neighbour. Asked for by Form::long_runs alone.
std::vector<PublishedRow> sensitivity_rows(const SceneParameters& parameters, Restitution law, double seconds,
                                           const Progress& progress) {
  constexpr int packings = 3;
  const std::vector<Neighbour> neighbours = {{"amplitude", 0.9}, {"amplitude", 1.1}, {"frequency", 0.9},
                                             {"frequency", 1.1}, {"ratio", 0.9},     {"ratio", 1.1}};
  const SceneParameters all = make_scene("brazil_nut", parameters).parameters;
  std::vector<PublishedRow> rows;
  double done = 0.5;
  for (const auto& [parameter, factor] : neighbours) {
    SceneParameters changed = parameters;
    changed[parameter] = fmt::format("{}", factor * std::stod(all.at(parameter)));
    const std::string name = fmt::format("{} times {:g}", parameter, factor);
    std::vector<std::string> texts;
    for (int seed = 1; seed <= packings; ++seed) {
      const double next = done + 0.5 / static_cast<double>(packings * neighbours.size());
      texts.push_back(emerged_text(shake(changed, law, seed, coulomb, seconds, false, {progress, name, done, next})));
      done = next;
    }
    rows.push_back({"", fmt::format("Coulomb's law to 1e-2, {}: the same, {} packings", name, packings), "",
                    "not stated", fmt::format("{}", fmt::join(texts, ", ")), "none", Verdict::not_readable,
                    "how much the number of shakes hangs on the setting"});
  }
  return rows;
}

Findings segregation(const SceneParameters& parameters, Restitution law, double seconds, int seeds,
                     const PublishedShakes& published, const std::string& chosen, Form form, const Progress& progress) {
  const double whole = form == Form::long_runs ? 0.5 : 1.0;
  const Shaken relaxed =
      shake(parameters, law, 1, optimisation, seconds, true, {progress, optimisation.name, 0.0, 0.7 * whole});
  std::vector<Shaken> exact;
  for (int i = 0; i < seeds; ++i) {
    exact.push_back(
        shake(parameters, law, i + 1, coulomb, seconds, false,
              {progress, coulomb.name, whole * (0.7 + 0.3 * i / seeds), whole * (0.7 + 0.3 * (i + 1) / seeds)}));
  }
  std::vector<std::string> texts;
  int agreeing = 0;
  for (const Shaken& run : exact) {
    texts.push_back(emerged_text(run));
    agreeing += in_range(run, published) ? 1 : 0;
  }
  Findings findings;
  findings.rows = {
      {"", "frames", "", "pictures", "SVG figures of four moments", "none", Verdict::not_readable, chosen},
      {"", "optimisation method: shakes until no ball lies over the large one", "", published.text,
       emerged_text(relaxed), published.rule(), agrees_if(in_range(relaxed, published)),
       "bed and shaking are ours, chosen with the published number in view: that the ball comes up is a test; when it "
       "does scatters from packing to packing"},
      {"", fmt::format("Coulomb's law to 1e-2: the same, {} packings", seeds), "", "not stated",
       fmt::format("{}", fmt::join(texts, ", ")), "most of them " + published.rule(), agrees_if(2 * agreeing > seeds),
       "by Gauss–Seidel sweeps; the motion is chaotic, so that packings differ"},
      {"", "optimisation method: deepest overlap over a small ball's radius", "", "no backtracking at collisions",
       relaxed.outcome.deepest / relaxed.radius, "below 0.05",
       agrees_if(relaxed.outcome.deepest < 0.05 * relaxed.radius), ""},
      {"", "Coulomb's law to 1e-2: steps within the tolerance", "", "not stated",
       fmt::format("{} of {}", exact[0].outcome.steps - exact[0].outcome.uncertified, exact[0].outcome.steps), "all",
       agrees_if(exact[0].outcome.uncertified == 0), ""},
  };
  if (form == Form::long_runs) {
    for (PublishedRow& row : sensitivity_rows(parameters, law, seconds, progress))
      findings.rows.push_back(std::move(row));
  }
  CsvTable table("higher", {"run", "shakes", "part of the small balls above the large one"});
  Plot plot;
  plot.title = "Part of the small balls that are higher than the large one";
  plot.x = {"shakes", false, 0.0, 0.0};
  plot.y = {"part", false, 0.0, 1.0};
  plot.lines.push_back(relaxed.higher);
  for (const Shaken& run : exact) plot.lines.push_back(run.higher);
  for (const PlotLine& line : plot.lines) {
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      table.add(std::vector<std::string>{line.name, fmt::format("{}", line.x[i]), fmt::format("{:.4g}", line.y[i])});
    }
  }
  findings.tables.push_back(std::move(table));
  findings.figures = relaxed.frames;
  findings.figures.push_back({"higher", svg_text(plot)});
  return findings;
}

/// A small bed, for tests: few balls, few shakes.
SceneParameters small_bed(SceneParameters parameters) {
  parameters["count"] = "31";
  parameters["columns"] = "9";
  return parameters;
}

Findings inelastic(Form form, const Progress& progress) {
  const SceneParameters bed = {{"count", "201"}, {"columns", "20"}, {"frequency", "0.83333333333333337"}};
  const bool brief = form == Form::brief;
  return segregation(brief ? small_bed(bed) : bed, Restitution::newton, brief ? 6.0 : 75.0, brief ? 1 : 3,
                     {"30 to 50", 30.0, 50.0},
                     "sizes, bin and shaking are not stated: disks of 0.6 to 0.75 m and one of 2.25 m, 30 m of width, "
                     "2 m at 1/1.2 Hz here; planar, which is not stated either",
                     form, progress);
}

Findings elastic(Form form, const Progress& progress) {
  const SceneParameters bed = {
      {"count", "270"}, {"columns", "27"}, {"frequency", "1"}, {"ratio", "5"}, {"restitution", "0.5"}};
  const bool brief = form == Form::brief;
  return segregation(brief ? small_bed(bed) : bed, Restitution::lagged, brief ? 5.0 : 50.0, brief ? 1 : 3,
                     {"about 40", 40.0, 40.0},
                     "sizes, bin and shaking are not stated: disks of 0.6 to 0.75 m and one of 3.75 m, 41 m of width, "
                     "2 m at 1 Hz here; restitution is Newton's with the velocity lagged by one step, the slides' "
                     "remedy, without rebounds below g h",
                     form, progress);
}

}  // namespace

std::vector<Entry> brazil_nut_entries() {
  return {{"anitescu-2006-figure-10.6", "Anitescu 2006, section 10.2 and Fig. 10.6",
           "Brazil nut: 201 bodies, mu 0.5, inelastic, h = 0.1 s, 75 s", inelastic},
          {"slides-2003-brazil-nut", "Anitescu 2003, slides, Brazil nut effect",
           "Brazil nut: 270 bodies, mu 0.5, e = 0.5, h = 0.1 s, 50 s", elastic}};
}

}  // namespace cardhouse::reproduction
