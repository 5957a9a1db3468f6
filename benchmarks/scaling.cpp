// How the cost of a step grows with the number of bodies, in piles at rest that are one island each. `scaling --help`
// tells the options.
//
// Falling piles of thousands would take days to settle, so the piles are built at rest or nearly so:
//   boxes    crossed layers of bricks like a tower of building blocks, each brick over two of the layer below, shifted
//            from layer to layer so that all hang together; places, angles and masses are jittered;
//   spheres  a close packing in a bin; radii up to 1.5 % too small, so that it must find its own contacts.
// Both then run for some steps before anything is measured. --dropped takes the library's
// box_pile and sphere_pile instead, and lets them fall.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <numbers>

#include "bench_tools.h"
#include "cardhouse/scenes/building.h"
#include "cardhouse/scenes/library.h"
#include "cardhouse/world/world.h"

namespace {

using namespace cardhouse;

struct Settings {
  std::vector<int> boxes = {100, 200, 500, 1000, 2000, 5000};
  std::vector<int> spheres = {100, 200, 500, 1000, 2000, 5000};
  std::string solver = "auto";
  bool dropped = false;
  int settle = 0;                 ///< steps; 0: as many as the kind of pile takes
  double settle_tolerance = 0.0;  ///< 0: the kind's
  int steps = 60;
  int tight_steps = 5;
  double tight_seconds = 60.0;  ///< wall, for each step's solve at 1e-8
  double budget = 600.0;        ///< s CPU for each pile: no new step is begun after it
  std::string csv, svg;
};

constexpr double step = 5e-3;       // s
constexpr double density = 1000.0;  // kg/m³
constexpr double mu = 0.5;

int add_half_space(Scene& scene, const std::string& name, const Vec3& point, const Vec3& normal) {
  return scenes::add(scene, scenes::still(name, HalfSpace{normal}), {point, Quat::Identity()});
}

Scene empty_scene(const std::string& name) {
  Scene scene;
  scene.name = name;
  scene.model.materials = {Material{.name = "all", .mu = mu, .restitution = 0.0, .anisotropy = std::nullopt}};
  scene.settings.step = step;
  add_half_space(scene, "ground", Vec3::Zero(), Vec3::UnitZ());
  return scene;
}

/// Rows of bricks of one layer along the layer's own direction: where each begins and how long it is, in columns of the
/// layer below. Every other layer of a direction is shifted by one column and has half bricks at its ends.
std::vector<std::pair<int, int>> bricks_of_row(int columns, bool shifted) {
  std::vector<std::pair<int, int>> bricks;
  for (int column = 0; column < columns;) {
    const int length = shifted && (column == 0 || column == columns - 1) ? 1 : 2;
    bricks.emplace_back(column, length);
    column += length;
  }
  return bricks;
}

/// About as high as wide; the topmost layer may be unfinished.
Scene built_boxes(int count) {
  constexpr double pitch = 0.15;  // m, between columns
  constexpr double width = 0.1;   // m
  constexpr double height = 0.1;  // m
  Scene scene = empty_scene("boxes");
  scenes::Random random(1);
  const int columns = 2 * std::max(1, static_cast<int>(std::lround(std::cbrt(count / 6.0))));
  for (int layer = 0, made = 0; made < count; ++layer) {
    const bool along_y = layer % 2 == 1;
    for (int row = 0; row < columns; ++row) {
      for (const auto& [column, length] : bricks_of_row(columns, layer % 4 >= 2)) {
        if (made++ >= count) break;
        const Vec3 half = 0.5 * Vec3(length * pitch * random.uniform(0.9, 0.95), width, height);
        const double along = (column + 0.5 * length) * pitch + random.uniform(-2e-3, 2e-3);
        const double across = (row + 0.5) * pitch + random.uniform(-5e-3, 5e-3);
        const double yaw = random.uniform(-0.02, 0.02) + (along_y ? 0.5 * std::numbers::pi : 0.0);
        const Vec3 place(along_y ? across : along, along_y ? along : across, (layer + 0.5) * height);
        scenes::add(scene, scenes::solid(fmt::format("brick{}", made), Box{half}, density * random.uniform(0.5, 2.0)),
                    {place, rotation_from_vector(Vec3(0.0, 0.0, yaw))});
      }
    }
  }
  return scene;
}

/// Square layers, each in the hollows of the one below; walls hold every other layer.
Scene built_spheres(int count) {
  constexpr double largest = 0.1;  // m
  Scene scene = empty_scene("spheres");
  scenes::Random random(1);
  // A cube of n × n spheres a layer has n √2 layers of n² and (n − 1)² spheres by turns.
  const int across = std::max(2, static_cast<int>(std::lround(std::cbrt(count / std::numbers::sqrt2) + 0.3)));
  const double side = 2.0 * largest * across;
  add_half_space(scene, "wall0", Vec3::Zero(), Vec3::UnitX());
  add_half_space(scene, "wall1", Vec3::Zero(), Vec3::UnitY());
  add_half_space(scene, "wall2", Vec3(side, 0.0, 0.0), -Vec3::UnitX());
  add_half_space(scene, "wall3", Vec3(0.0, side, 0.0), -Vec3::UnitY());
  for (int layer = 0, made = 0; made < count; ++layer) {
    const int odd = layer % 2;
    for (int place = 0; place < (across - odd) * (across - odd) && made < count; ++place, ++made) {
      const int column = place % (across - odd);
      const int row = place / (across - odd);
      const Vec3 centre(1.0 + odd + 2.0 * column, 1.0 + odd + 2.0 * row, 1.0 + std::numbers::sqrt2 * layer);
      const double radius = largest * random.uniform(0.985, 1.0);
      scenes::add(scene, scenes::solid(fmt::format("sphere{}", made), Sphere{radius}, density),
                  {largest * centre, Quat::Identity()});
    }
  }
  return scene;
}

/// One kind of pile and the accuracy that it is measured at.
struct Kind {
  std::string name;
  double tolerance = 0.0;
  int settle = 0;                 ///< steps until it is settled
  double settle_tolerance = 0.0;  ///< of these: boxes come to rest at 1e-8, spheres go on rolling at any
  std::vector<int> counts;
  Scene (*built)(int) = nullptr;
  std::string dropped;
};

struct Measurement {
  std::string pile;
  int bodies = 0;
  int contacts = 0;
  double tolerance = 0.0;
  double step_seconds = 0.0;   ///< CPU, the mean: in a pile at rest some steps need no iteration and others one
  double solve_seconds = 0.0;  ///< wall, the mean, as the step reports it
  double iterations = 0.0;     ///< the mean
  int steps = 0, certified = 0;
  double tight_seconds = 0.0;  ///< CPU, the mean at 1e-8
  int tight_steps = 0, tight_certified = 0;
  double speed = 0.0;  ///< m/s: the fastest body's at the end of settling
};

void change_tolerance(World& world, double tolerance, double max_seconds = 0.0) {
  StepSettings settings = world.settings();
  settings.tolerance = tolerance;
  settings.max_step_seconds = max_seconds;
  world.change_settings(settings);
}

double fastest(const World& world) {
  double speed = 0.0;
  for (const BodyState& body : world.state().bodies) speed = std::max(speed, body.linear.norm());
  return speed;
}

/// Some warm steps from where the world is: how many there were, how many got their certificate, the mean cost.
struct Steps {
  std::vector<double> seconds, solve, iterations;
  int certified = 0;
};
Steps take_steps(World& world, int count, double end_of_budget) {
  Steps steps;
  for (int i = 0; i < count && bench::cpu_seconds() < end_of_budget; ++i) {
    const double start = bench::cpu_seconds();
    const StepReport& report = world.step();
    steps.seconds.push_back(bench::cpu_seconds() - start);
    steps.solve.push_back(report.seconds.solve);
    steps.iterations.push_back(report.iterations);
    steps.certified += report.certified ? 1 : 0;
    fmt::print(stderr, "{} at {:g}: step {} of {}, {:.2f} s, residual {:.1e}, {} iterations\n", world.scene().name,
               world.settings().tolerance, i + 1, count, steps.seconds.back(), report.certificate.residual,
               report.iterations);
  }
  return steps;
}

Measurement measure(const Kind& kind, int count, const Settings& settings) {
  Scene scene = settings.dropped ? make_scene(kind.dropped, {{"count", std::to_string(count)}}) : kind.built(count);
  scene.settings.solver = settings.solver;
  scene.settings.tolerance = settings.settle_tolerance > 0.0 ? settings.settle_tolerance : kind.settle_tolerance;
  const int built = settings.settle > 0 ? settings.settle : kind.settle;
  const int settle = settings.dropped ? static_cast<int>(std::lround(scene.duration / scene.settings.step)) : built;
  World world(scene);
  const double start = bench::cpu_seconds();
  const double end = start + settings.budget;
  for (int i = 0; i < settle && bench::cpu_seconds() < start + 0.5 * settings.budget; ++i) {
    const double before = bench::cpu_seconds();
    const StepReport& report = world.step();
    fmt::print(stderr, "{} {}: settling, step {} of {}, {:.2f} s, residual {:.1e}, {} iterations, {:.1e} m/s\n",
               kind.name, count, i + 1, settle, bench::cpu_seconds() - before, report.certificate.residual,
               report.iterations, fastest(world));
  }
  Measurement m{.pile = kind.name, .bodies = count, .contacts = 0, .tolerance = kind.tolerance};
  m.speed = fastest(world);
  const State settled = world.state();
  change_tolerance(world, kind.tolerance);
  const Steps steps = take_steps(world, settings.steps, end);
  m.contacts = world.last_report().contacts;
  m.step_seconds = bench::mean(steps.seconds);
  m.solve_seconds = bench::mean(steps.solve);
  m.iterations = bench::mean(steps.iterations);
  m.steps = static_cast<int>(steps.seconds.size());
  m.certified = steps.certified;
  world.restore(settled);
  change_tolerance(world, 1e-8, settings.tight_seconds);
  const Steps tight = take_steps(world, settings.tight_steps, end);
  m.tight_seconds = bench::mean(tight.seconds);
  m.tight_steps = static_cast<int>(tight.seconds.size());
  m.tight_certified = tight.certified;
  return m;
}

void print_row(const Measurement& m) {
  fmt::print("{:8} {:6} {:8} {:>9.0e} {:>10} {:>10.4g} {:>4}/{:<4} {:>10} {:>4}/{:<4} {:>9.1e}\n", m.pile, m.bodies,
             m.contacts, m.tolerance, bench::time_text(m.step_seconds), m.iterations, m.certified, m.steps,
             bench::time_text(m.tight_seconds), m.tight_certified, m.tight_steps, m.speed);
  std::fflush(stdout);
}

void print_exponent(const std::string& pile, const std::vector<Measurement>& all) {
  std::vector<double> bodies;
  std::vector<double> seconds;
  for (const Measurement& m : all) {
    if (m.pile != pile || m.steps == 0) continue;
    bodies.push_back(m.bodies);
    seconds.push_back(m.step_seconds);
  }
  if (bodies.size() < 2) return;
  fmt::print("{}: time per step ~ bodies^{:.2f} over {:.0f} ... {:.0f} bodies\n", pile,
             bench::fitted_exponent(bodies, seconds), bodies.front(), bodies.back());
}

void write_csv(const std::string& file, const std::vector<Measurement>& all) {
  std::ofstream out(file);
  out << "pile,bodies,contacts,tolerance,cpu_seconds_per_step,wall_seconds_per_solve,iterations,steps,certified,"
         "cpu_seconds_per_step_1e-8,steps_1e-8,certified_1e-8,fastest_m_per_s\n";
  for (const Measurement& m : all) {
    out << fmt::format("{},{},{},{:g},{:.6g},{:.6g},{:g},{},{},{:.6g},{},{},{:.3g}\n", m.pile, m.bodies, m.contacts,
                       m.tolerance, m.step_seconds, m.solve_seconds, m.iterations, m.steps, m.certified,
                       m.tight_seconds, m.tight_steps, m.tight_certified, m.speed);
  }
  if (!out) throw std::runtime_error(file + ": can't be written");
}

/// Both axes logarithmic: bodies from 10 to 10⁴, times from 1e-4 to 1e3 s.
struct Axes {
  double x(double bodies) const { return 60.0 + 180.0 * (std::log10(bodies) - 1.0); }
  double y(double seconds) const { return 420.0 - 55.0 * (std::log10(seconds) + 4.0); }
};

void write_svg(const std::string& file, const std::vector<Measurement>& all) {
  const Axes axes;
  std::ofstream out(file);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 470\" font-family=\"sans-serif\" "
         "font-size=\"12\">\n<rect width=\"720\" height=\"470\" fill=\"white\"/>\n";
  const auto line = [&](double x0, double y0, double x1, double y1, const char* colour) {
    out << fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x0, y0, x1,
                       y1, colour);
  };
  for (int decade = 1; decade <= 4; ++decade) {
    const double x = axes.x(std::pow(10.0, decade));
    line(x, axes.y(1e-4), x, axes.y(1e3), "#ddd");
    out << fmt::format("<text x=\"{:.1f}\" y=\"438\" text-anchor=\"middle\">{:.0f}</text>\n", x,
                       std::pow(10.0, decade));
  }
  for (int decade = -4; decade <= 3; ++decade) {
    const double y = axes.y(std::pow(10.0, decade));
    line(axes.x(10.0), y, axes.x(1e4), y, "#ddd");
    out << fmt::format("<text x=\"54\" y=\"{:.1f}\" text-anchor=\"end\">1e{}</text>\n", y + 4.0, decade);
  }
  out << "<text x=\"330\" y=\"460\" text-anchor=\"middle\">bodies</text>\n"
         "<text x=\"60\" y=\"22\">CPU seconds per step, warm</text>\n";
  const auto colour = [](const Measurement& m) { return m.pile == "boxes" ? "#1f6fb2" : "#c4501b"; };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Measurement& m = all[i];
    if (m.steps == 0) continue;
    const double x = axes.x(m.bodies);
    const double y = axes.y(m.step_seconds);
    out << fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x, y, colour(m));
    const bool joined = i + 1 < all.size() && all[i + 1].pile == m.pile && all[i + 1].steps > 0;
    if (joined) line(x, y, axes.x(all[i + 1].bodies), axes.y(all[i + 1].step_seconds), colour(m));
    if (!joined) {
      out << fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">{} at {:.0e}</text>\n", x + 8.0, y + 4.0,
                         colour(m), m.pile, m.tolerance);
    }
  }
  out << "</svg>\n";
  if (!out) throw std::runtime_error(file + ": can't be written");
}

int run(const Settings& settings) {
  const Kind kinds[] = {{"boxes", 1e-6, 15, 1e-8, settings.boxes, built_boxes, "box_pile"},
                        {"spheres", 1e-4, 60, 1e-4, settings.spheres, built_spheres, "sphere_pile"}};
  fmt::print(
      "# {}; {}; CPU time of whole warm steps of {:g} ms, means; one thread. {}.\n", bench::processor(),
      settings.solver, 1e3 * step,
      settings.dropped ? "Piles dropped into a bin and settled for 3 s" : "Piles built nearly at rest and settled");
  fmt::print(
      "# certified: steps at or below the tolerance, of those measured. m/s: the fastest body's when settled.\n");
  fmt::print("{:8} {:>6} {:>8} {:>9} {:>10} {:>10} {:>9} {:>10} {:>9} {:>9}\n", "pile", "bodies", "contacts",
             "tolerance", "per step", "iterations", "certified", "at 1e-8", "certified", "m/s");
  std::vector<Measurement> all;
  for (const Kind& kind : kinds) {
    for (const int count : kind.counts) {
      if (count <= 0) continue;
      all.push_back(measure(kind, count, settings));
      print_row(all.back());
      if (!settings.csv.empty()) write_csv(settings.csv, all);
    }
  }
  for (const Kind& kind : kinds) print_exponent(kind.name, all);
  if (!settings.svg.empty()) write_svg(settings.svg, all);
  return 0;
}

int start(int argc, char** argv) {
  Settings settings;
  CLI::App app("the cost of a warm step against the number of bodies");
  app.add_option("--boxes", settings.boxes, "numbers of boxes (default 100,200,500,1000,2000,5000; 0: none)")
      ->delimiter(',');
  app.add_option("--spheres", settings.spheres, "numbers of spheres (the same)")->delimiter(',');
  app.add_option("--solver", settings.solver, "by name (default auto)");
  app.add_flag("--dropped", settings.dropped, "let the library's piles fall instead of building settled ones");
  app.add_option("--settle", settings.settle, "steps before the measurement (default 15 for boxes, 60 for spheres)");
  app.add_option("--settle-tolerance", settings.settle_tolerance,
                 "of these (default 1e-8 for boxes, 1e-4 for spheres)");
  app.add_option("--steps", settings.steps, "measured steps (default 60)");
  app.add_option("--tight-steps", settings.tight_steps, "further steps at tolerance 1e-8 (default 5)");
  app.add_option("--tight-seconds", settings.tight_seconds, "each may take so long, wall (default 60; 0: no limit)");
  app.add_option("--budget", settings.budget, "CPU seconds for each pile; half of them for settling (default 600)");
  app.add_option("--csv", settings.csv, "writes the table");
  app.add_option("--svg", settings.svg, "draws it");
  CLI11_PARSE(app, argc, argv);
  return run(settings);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_program("scaling", [&] { return start(argc, argv); });
}
