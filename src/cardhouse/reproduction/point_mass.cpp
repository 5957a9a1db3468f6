// Hard and soft contact of a point mass (ETH Zürich, Computational Models of Motion, slides "Contact Mechanics"): a
// constraint, an impact law and springs at the floor, with BDF1 and BDF2; sticking and sliding on an incline. The
// slides' figures have no numbers: what is compared are their equations and sentences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/report/plot.h"
#include "cardhouse/reproduction/runs.h"
#include "cardhouse/scenes/library.h"

namespace cardhouse::reproduction {
namespace {

constexpr double swing = 200.0;  // rad/s: √(k/m) of the soft floor, chosen: in contact for 16 ms

enum class Floor { hard, impact_law, bdf1, bdf2 };

Scene mass_on(Floor floor, double h) {
  // The slides' law, 0 ≤ λ ⊥ v⁺ + v⁻ ≥ 0 where the unconstrained step ends below the floor and v⁻ < 0, is `impact` with
  // e = 1.
  const std::string restitution = floor == Floor::impact_law ? "1" : "0";
  Scene scene = make_scene("particle_drop", {{"height", fmt::format("{}", drop)}, {"restitution", restitution}});
  scene.settings.step = h;
  if (floor == Floor::impact_law) scene.settings.restitution = Restitution::impact;
  if (floor == Floor::bdf1 || floor == Floor::bdf2) {
    scene.settings.contact = ContactModel::soft;
    scene.settings.soft.order = floor == Floor::bdf1 ? 1 : 2;
    scene.settings.soft.normal_stiffness = scene.model.bodies[1].mass * swing * swing;
  }
  return scene;
}

/// What a mass does that falls on the floor.
struct Fall {
  PlotLine height;           ///< of its lowest point
  double least = 0.0;        ///< m: the lowest
  double restitution = 0.0;  ///< of the first impact: speeds just after and just before, at the floor's height (−)
  double rest = 0.0;         ///< m: the height at the end
  double end_speed = 0.0;    ///< m/s
  double complementarity = 0.0;  ///< J: the largest |r_N u_N|
  std::vector<double> apexes;    ///< m: of the flights after each impact
  int uncertified = 0;
};

/// ½ v² + g x (J/kg).
double specific_energy(double speed, double height) {
  return 0.5 * speed * speed + gravity * height;
}

Fall fall_on(Floor floor, double h, double seconds, const Share& share) {
  World world = make_world(mass_on(floor, h), share.progress);
  const double radius = world.state().bodies[1].pose.position.z() - drop;
  Fall fall;
  fall.height.name = share.words;
  double before = 0.0;
  double last_speed = 0.0;
  double last_height = drop;
  bool left = false;
  double highest = 0.0;
  const RunOutcome outcome = run_to(world, seconds, share, [&] {
    const double height = world.state().bodies[1].pose.position.z() - radius;
    const double speed = world.state().bodies[1].linear.z();
    fall.height.x.push_back(world.state().time);
    fall.height.y.push_back(height);
    fall.least = std::min(fall.least, height);
    fall.complementarity = std::max(fall.complementarity, world.last_report().certificate.complementarity);
    const bool falls = last_speed < 0.0 && last_height > 0.0;
    // Free flight before, so that what was lost in it does not count.
    if (!left && falls && height > 0.0 && speed < 0.0) before = specific_energy(speed, height);
    if (!left && speed > 0.0 && height > 0.0) {
      left = true;
      fall.restitution = std::sqrt(specific_energy(speed, height) / before);
    }
    if (left && speed > 0.0) highest = std::max(highest, height);
    if (left && speed <= 0.0 && highest > 0.0) {
      fall.apexes.push_back(std::max(highest, height));
      highest = 0.0;
    }
    last_speed = speed;
    last_height = height;
  });
  fall.rest = last_height;
  fall.end_speed = std::abs(last_speed);
  fall.uncertified = outcome.uncertified;
  return fall;
}

Figure heights_figure(const std::string& title, const std::vector<Fall>& falls) {
  Plot plot;
  plot.title = title;
  plot.x = {"time (s)", false, 0.0, 0.0};
  plot.y = {"height (m)", false, 0.0, 0.0};
  for (const Fall& fall : falls) plot.lines.push_back(fall.height);
  plot.marks.push_back({"floor", 0.0});
  return {"heights", svg_text(plot)};
}

CsvTable heights_table(const std::vector<Fall>& falls) {
  CsvTable table("heights", {"run", "time", "height"});
  for (const Fall& fall : falls) {
    for (std::size_t i = 0; i < fall.height.x.size(); ++i) {
      table.add(std::vector<std::string>{fall.height.name, fmt::format("{:.6g}", fall.height.x[i]),
                                         fmt::format("{:.10g}", fall.height.y[i])});
    }
  }
  return table;
}

PublishedRow curves_row(const std::string& chosen) {
  return {"",     "curves of the figures", "",    "lines of a figure", "the CSV file and the SVG figure",
          "none", Verdict::not_readable,   chosen};
}

Findings hard_and_soft(Form form, const Progress& progress) {
  const double seconds = 1.5;
  std::vector<Fall> falls;
  falls.push_back(fall_on(Floor::hard, 1e-3, seconds, {progress, "hard", 0.0, 0.1}));
  falls.push_back(fall_on(Floor::bdf1, 1e-3, seconds, {progress, "soft, BDF1", 0.1, 0.2}));
  falls.push_back(fall_on(Floor::bdf2, 1e-3, seconds, {progress, "soft, BDF2", 0.2, 0.3}));
  const std::vector<double> steps =
      form == Form::brief ? std::vector<double>{1e-3, 5e-4} : std::vector<double>{1e-3, 5e-4, 2.5e-4, 1.25e-4};
  std::vector<double> loss[2];
  std::string texts[2];
  for (const int order : {1, 2}) {
    for (const double h : steps) {
      const Fall fall = fall_on(order == 1 ? Floor::bdf1 : Floor::bdf2, h, 0.5,
                                {progress, "soft, smaller steps", 0.3 * order, 0.3 * order});
      loss[order - 1].push_back(-std::log(fall.restitution));
      texts[order - 1] += fmt::format("{}{:.4g}", h == steps.front() ? "" : ", ", fall.restitution);
    }
  }
  const Fall& hard = falls[0];
  const double landing = std::sqrt(2.0 * gravity * drop);
  const double deepest = landing / swing;  // m: of an elastic bounce, v √(m/k)
  int uncertified = 0;
  for (const Fall& fall : falls) uncertified += fall.uncertified;
  Findings findings;
  findings.rows = {
      curves_row("height, stiffness and h are not stated: 0.5 m, k = m (200/s)² and 1 ms here"),
      {"", "hard: lowest point (m)", "", "x ≥ 0", hard.least, "at or above −1e-12 m: round-off",
       agrees_if(hard.least >= -1e-12), ""},
      {"", "hard: largest |λ x'| in a step (J)", "", "λ ⊥ x + h v", hard.complementarity, "below 1e-12 J",
       agrees_if(hard.complementarity < 1e-12), ""},
      {"", "hard, BDF1 with the constraint alone: height at the end (m)", "", "stays on the floor", std::abs(hard.rest),
       "below 1e-12 m", agrees_if(std::abs(hard.rest) < 1e-12 && hard.end_speed < 1e-9), ""},
      {"", "soft: deepest point over v √(m/k), BDF1 and BDF2", "", "a small violation of the constraint",
       fmt::format("{:.3g}, {:.3g}", -falls[1].least / deepest, -falls[2].least / deepest),
       "above 0 and at most 1.1: the elastic bounce's",
       agrees_if(falls[1].least < 0.0 && falls[2].least < 0.0 &&
                 std::min(falls[1].least, falls[2].least) >= -1.1 * deepest),
       ""},
      {"", "soft: speed after the first bounce over that before, BDF1 and BDF2", "", "bounces without an impact law",
       fmt::format("{:.3g}, {:.3g}", falls[1].restitution, falls[2].restitution),
       "above 0.5 and below 1, and more with BDF2",
       agrees_if(falls[1].restitution > 0.5 && falls[1].restitution < falls[2].restitution &&
                 falls[2].restitution < 1.0),
       ""},
      {"", "soft, BDF1: order in h of the loss −ln e", "", "conservative forces: none as h → 0",
       slope_of_logarithms(steps, loss[0]), "at least 0.8", agrees_if(slope_of_logarithms(steps, loss[0]) >= 0.8),
       fmt::format("e = {} for h from 1 ms down", texts[0])},
      {"", "soft, BDF2: the same", "", "conservative forces: none as h → 0", slope_of_logarithms(steps, loss[1]),
       "at least 1.7", agrees_if(slope_of_logarithms(steps, loss[1]) >= 1.7),
       fmt::format("e = {} for h from 1 ms down", texts[1])},
      {"", "steps that are not certified", "", "solved", fmt::format("{}", uncertified), "none",
       agrees_if(uncertified == 0), ""},
  };
  findings.tables.push_back(heights_table(falls));
  findings.figures.push_back(heights_figure("A point mass on a hard and on a soft floor", falls));
  return findings;
}

Findings impact_law(Form form, const Progress& progress) {
  const double seconds = form == Form::brief ? 1.5 : 4.0;
  std::vector<Fall> falls;
  falls.push_back(fall_on(Floor::impact_law, 1e-3, seconds, {progress, "impact law, h = 1 ms", 0.0, 0.3}));
  falls.push_back(fall_on(Floor::impact_law, 1e-4, seconds, {progress, "impact law, h = 0.1 ms", 0.3, 0.9}));
  falls.push_back(fall_on(Floor::hard, 1e-3, seconds, {progress, "constraint alone", 0.9, 1.0}));
  // The apex that the last whole flight reached.
  const auto lost = [](const Fall& fall) {
    return fall.apexes.empty() ? 1.0 : std::abs(1.0 - fall.apexes.back() / drop);
  };
  int uncertified = 0;
  for (const Fall& fall : falls) uncertified += fall.uncertified;
  // A law that reflects velocities at the start of the step finds the mass up to h v above the floor.
  const double reach = 1e-3 * std::sqrt(2.0 * gravity * drop);
  Findings findings;
  findings.rows = {
      curves_row("height and h are not stated: 0.5 m, and 1 and 0.1 ms here"),
      {"", "speed after the first impact over that before", "", 1.0, falls[0].restitution,
       "within 2 g h/v: gravity of the step of the impact",
       agrees_if(std::abs(falls[0].restitution - 1.0) < 2.0 * gravity * 1e-3 / std::sqrt(2.0 * gravity * drop)),
       "the law of the slides, of velocities at the ends of one step: `impact` with e = 1"},
      {"", fmt::format("impacts in {:g} s", seconds), "", "bounces for ever", fmt::format("{}", falls[0].apexes.size()),
       "as many as flights of 2 √(2 drop/g), the last one left out",
       agrees_if(
           std::abs(static_cast<double>(falls[0].apexes.size()) -
                    std::floor((seconds - std::sqrt(2.0 * drop / gravity)) / (2.0 * std::sqrt(2.0 * drop / gravity)) +
                               0.5)) <= 1.0),
       ""},
      {"", "part of the height that is missing or too much after the last impact, h = 1 ms", "", 0.0, lost(falls[0]),
       "below 0.05", agrees_if(lost(falls[0]) < 0.05), ""},
      {"", "the same, h = 0.1 ms", "", "0 as h → 0", lost(falls[1]),
       "below a third of that of h = 1 ms, or below 1e-12",
       agrees_if(lost(falls[1]) < std::max(lost(falls[0]) / 3.0, 1e-12)),
       "flights up and down are one another's mirror images, and the law turns round at the same point"},
      {"", "lowest point (m)", "", "found when x⁺ ≤ 0", falls[0].least, "above −h v: one step's way",
       agrees_if(falls[0].least > -reach), ""},
      {"", "steps that are not certified", "", "solved", fmt::format("{}", uncertified), "none",
       agrees_if(uncertified == 0), ""},
  };
  findings.tables.push_back(heights_table(falls));
  findings.figures.push_back(heights_figure("A point mass with the impact law", falls));
  return findings;
}

/// A block on a slope with tan(angle) = ratio · mu.
struct Slide {
  PlotLine way;                 ///< m, down the slope
  double acceleration = 0.0;    ///< m/s², over the second half
  double speed = 0.0;           ///< m/s, mean over the second half
  double friction_ratio = 0.0;  ///< of the sums of tangential and normal impulses over the last step (−)
  int uncertified = 0;
};

constexpr double incline_mu = 0.5;

enum class Hold { hard, anchored, viscous };

Slide slide_on(double ratio, Hold hold, double viscosity, double seconds, const Share& share) {
  Scene scene = make_scene("incline", {{"mu", fmt::format("{}", incline_mu)}, {"ratio", fmt::format("{}", ratio)}});
  if (hold != Hold::hard) {
    scene.settings.contact = ContactModel::soft;
    scene.settings.soft.stick = hold == Hold::anchored ? StickRule::anchored : StickRule::viscous;
    scene.settings.soft.viscosity = viscosity;
  }
  World world = make_world(std::move(scene), share.progress);
  const Quat tilt = world.state().bodies[0].pose.orientation;
  const Vec3 down = tilt * Vec3::UnitX();
  const Vec3 start = world.state().bodies[1].pose.position;
  Slide slide;
  slide.way.name = share.words;
  std::vector<double> speeds;
  const RunOutcome outcome = run_to(world, seconds, share, [&] {
    slide.way.x.push_back(world.state().time);
    slide.way.y.push_back(down.dot(world.state().bodies[1].pose.position - start));
    speeds.push_back(down.dot(world.state().bodies[1].linear));
  });
  const std::size_t half = speeds.size() / 2;
  const double span = slide.way.x.back() - slide.way.x[half];
  slide.acceleration = (speeds.back() - speeds[half]) / span;
  slide.speed = (slide.way.y.back() - slide.way.y[half]) / span;
  Vec3 sum = Vec3::Zero();
  for (const ContactRecord& contact : world.contacts()) sum += contact.impulse;
  const double normal = std::abs(sum.dot(tilt * Vec3::UnitZ()));
  slide.friction_ratio = (sum - sum.dot(tilt * Vec3::UnitZ()) * (tilt * Vec3::UnitZ())).norm() / normal;
  slide.uncertified = outcome.uncertified;
  return slide;
}

Findings incline(Form form, const Progress& progress) {
  const double seconds = form == Form::brief ? 0.5 : 2.0;
  const double stick = 0.8;
  const double slip = 1.25;
  const double mass = 32.0;  // kg: of the scene's block
  // N s/m at each of its four contacts; the block creeps with m g sin(a)/(4 k_v) = 0.7 mm/s.
  const double viscosity = 4.0e4;
  const Slide sticks = slide_on(stick, Hold::hard, 0.0, seconds, {progress, "hard, sticks", 0.0, 0.2});
  const Slide slides = slide_on(slip, Hold::hard, 0.0, seconds, {progress, "hard, slides", 0.2, 0.4});
  const Slide soft_slides = slide_on(slip, Hold::anchored, 0.0, seconds, {progress, "soft, slides", 0.4, 0.6});
  const Slide anchored =
      slide_on(stick, Hold::anchored, 0.0, seconds, {progress, "soft and anchored, sticks", 0.6, 0.8});
  const Slide viscous =
      slide_on(stick, Hold::viscous, viscosity, seconds, {progress, "soft and viscous, sticks", 0.8, 1.0});
  const double angle = std::atan(slip * incline_mu);
  const double exact = gravity * (std::sin(angle) - incline_mu * std::cos(angle));
  const double creep = mass * gravity * std::sin(std::atan(stick * incline_mu)) / (4.0 * viscosity);
  const int uncertified =
      sticks.uncertified + slides.uncertified + soft_slides.uncertified + anchored.uncertified + viscous.uncertified;
  Findings findings;
  findings.rows = {
      curves_row("mass, mu, angles and stiffness are not stated: a block, mu 0.5, tan a = 0.4 and 0.625 here"),
      {"", "hard, sticks: way (m)", "", "v_t = 0", std::abs(sticks.way.y.back()), "below 1e-9 m",
       agrees_if(std::abs(sticks.way.y.back()) < 1e-9), ""},
      {"", "hard, sticks: friction over normal force", "", "below mu", sticks.friction_ratio,
       "within 1e-6 of tan a = 0.4", agrees_if(std::abs(sticks.friction_ratio - stick * incline_mu) < 1e-6), ""},
      {"", "hard, slides: friction over normal force", "", worked_out(incline_mu), slides.friction_ratio,
       "within 1e-6 of mu", agrees_if(std::abs(slides.friction_ratio - incline_mu) < 1e-6),
       "the slides' law, for the mu chosen here"},
      {"", "hard, slides: acceleration (m/s²)", "", worked_out(exact), slides.acceleration,
       "within 1e-6 of g (sin a − mu cos a)", agrees_if(std::abs(slides.acceleration - exact) < 1e-6 * exact),
       "from the slides' equations, for the angle chosen here"},
      {"", "soft, slides: acceleration (m/s²)", "", worked_out(exact), soft_slides.acceleration, "within 1e-3",
       agrees_if(std::abs(soft_slides.acceleration - exact) < 1e-3 * exact),
       "from the slides' equations, for the angle chosen here"},
      {"", "soft and viscous, sticks: speed (m/s)", "", worked_out(creep), viscous.speed,
       "within 1 % of m g sin a over k_t", agrees_if(std::abs(viscous.speed - creep) < 0.01 * creep),
       "\"drift for sticking contact\": the slides' rule"},
      {"", "soft and anchored, sticks: speed (m/s)", "", "not in the slides", std::abs(anchored.speed), "none",
       Verdict::not_readable, "a spring to where the contact took hold does not drift"},
      {"", "steps that are not certified", "", "solved", fmt::format("{}", uncertified), "none",
       agrees_if(uncertified == 0), ""},
  };
  CsvTable table("ways", {"time", "hard sticks", "hard slides", "soft slides", "anchored sticks", "viscous sticks"});
  for (std::size_t i = 0; i < sticks.way.x.size(); ++i) {
    table.add(
        {sticks.way.x[i], sticks.way.y[i], slides.way.y[i], soft_slides.way.y[i], anchored.way.y[i], viscous.way.y[i]});
  }
  Plot plot;
  plot.title = "A block on an incline";
  plot.x = {"time (s)", false, 0.0, 0.0};
  plot.y = {"way down the slope (m)", false, 0.0, 0.0};
  plot.lines = {sticks.way, slides.way, soft_slides.way, anchored.way, viscous.way};
  findings.tables.push_back(std::move(table));
  findings.figures.push_back({"ways", svg_text(plot)});
  return findings;
}

}  // namespace

std::vector<Entry> point_mass_entries() {
  const std::string slides = "ETH Zürich, Computational Models of Motion, slides on contact mechanics";
  return {{"eth-hard-and-soft", slides + ", hard and soft constraints",
           "a point mass on a hard and on a soft floor, BDF1 and BDF2", hard_and_soft},
          {"eth-impact-law", slides + ", contact with impact law", "a point mass that bounces by the impact law",
           impact_law},
          {"eth-incline", slides + ", Coulomb friction", "sticking and sliding on an incline, hard and soft", incline}};
}

}  // namespace cardhouse::reproduction
