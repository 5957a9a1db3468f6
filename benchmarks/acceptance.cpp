// The promises of the README in full length: runs each scene, prints promise and measurement side by side, and writes
// the table as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "cardhouse/base/stopwatch.h"
#include "cardhouse/scenes/library.h"
#include "cardhouse/world/world.h"

namespace {

using namespace cardhouse;
using Parameters = std::map<std::string, std::string>;

constexpr double g = 9.81;
constexpr double degrees = 180.0 / std::numbers::pi;

struct Figures {
  double displacement = 0.0;
  double displacement_after_1s = 0.0;
  double residual = 0.0;
  double largest_gain = 0.0;
  double total_gain = 0.0;
  double dissipated = 0.0;
  double initial_energy = 0.0;
  int steps = 0;
  int uncertified = 0;
  bool same_contacts = true;
  double ms_per_step = 0.0;
  State end;
};

/// Runs a scene until the time is over or something has moved farther than `stop_at`.
Figures run(Scene scene, double seconds, double stop_at = 1e9) {
  World world(scene);
  Figures f;
  f.initial_energy = world.energy().total();
  double energy = f.initial_energy;
  std::vector<ContactKey> keys;
  std::vector<BodyState> at_1s;
  const Stopwatch watch;
  const bool show_progress = isatty(STDERR_FILENO) != 0;
  double shown = 0.0;
  double stepping = 0.0;
  while (world.state().time < seconds - 0.5 * scene.settings.step && f.displacement < stop_at) {
    Stopwatch step_watch;
    const StepReport& report = world.step();
    stepping += step_watch.seconds();
    ++f.steps;
    f.residual = std::max(f.residual, report.certificate.residual);
    f.uncertified += report.certified ? 0 : 1;
    const State& state = world.state();
    if (at_1s.empty() && state.time >= 1.0 - 1e-9) at_1s = state.bodies;
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
      if (scene.model.bodies[i].mobility != Mobility::dynamic) continue;
      const Vec3& x = state.bodies[i].pose.position;
      f.displacement = std::max(f.displacement, (x - scene.initial.bodies[i].pose.position).norm());
      if (!at_1s.empty()) {
        f.displacement_after_1s = std::max(f.displacement_after_1s, (x - at_1s[i].pose.position).norm());
      }
    }
    const double next = world.energy().total();
    f.largest_gain = std::max(f.largest_gain, next - energy);
    f.total_gain += std::max(next - energy, 0.0);
    f.dissipated += std::max(energy - next, 0.0);
    energy = next;
    std::vector<ContactKey> now;
    for (const ContactRecord& contact : world.contacts()) now.push_back(contact.key);
    if (f.steps == 1) keys = now;
    f.same_contacts = f.same_contacts && now == keys;
    if (show_progress && watch.seconds() - shown > 0.2) {
      shown = watch.seconds();
      fmt::print(stderr, "\r  {} t = {:.2f} s, {:.1f} ms/step ", scene.name, state.time, 1e3 * stepping / f.steps);
    }
  }
  f.ms_per_step = 1e3 * stepping / std::max(f.steps, 1);
  f.end = world.state();
  if (show_progress) fmt::print(stderr, "\r{:60}\r", "");
  return f;
}

Figures run(const std::string& name, const Parameters& parameters, double seconds, double step = 1e-3,
            double stop_at = 1e9, double tolerance = 1e-8) {
  Scene scene = make_scene(name, parameters);
  scene.settings.step = step;
  scene.settings.tolerance = tolerance;
  return run(scene, seconds, stop_at);
}

int dynamic_body(const Scene& scene) {
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    if (scene.model.bodies[i].mobility == Mobility::dynamic) return static_cast<int>(i);
  }
  return -1;
}

struct Row {
  std::string name, promise, measured;
  bool kept = false;
};

class Table {
 public:
  explicit Table(std::string only) : only_(std::move(only)) {}

  bool wants(const std::string& name) {
    names_.push_back(name);
    return name.find(only_) != std::string::npos;
  }
  /// All that could have been run, one per line.
  std::string names() const { return fmt::format("  {}\n", fmt::join(names_, "\n  ")); }
  bool empty() const { return rows_.empty(); }
  void add(const std::string& name, const std::string& promise, const std::string& measured, bool kept) {
    rows_.push_back({name, promise, measured, kept});
    fmt::print("{:4}  {:44} {:34} {}\n", kept ? "ok" : "MISS", name, promise, measured);
    std::fflush(stdout);
  }
  int misses() const {
    return static_cast<int>(std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return !row.kept; }));
  }
  void write(const std::string& file) const {
    std::ofstream out(file);
    out << "[\n";
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      out << fmt::format("  {{\"name\": \"{}\", \"promise\": \"{}\", \"measured\": \"{}\", \"kept\": {}}}{}\n",
                         rows_[i].name, rows_[i].promise, rows_[i].measured, rows_[i].kept,
                         i + 1 < rows_.size() ? "," : "");
    }
    out << "]\n";
  }

 private:
  std::string only_;
  std::vector<std::string> names_;
  std::vector<Row> rows_;
};

void card_houses(Table& table) {
  for (const bool turned : {false, true}) {
    for (const double h : {1e-3, 1e-2}) {
      for (int levels = 2; levels <= 6; ++levels) {
        const std::string name =
            fmt::format("card house, {} levels, h = {} ms{}", levels, 1e3 * h, turned ? ", turned and moved" : "");
        if (!table.wants(name)) continue;
        Parameters p = {{"levels", std::to_string(levels)}};
        if (turned) {
          p["yaw"] = "37";
          p["offset"] = "10";
        }
        const Figures f = run("card_house", p, 10.0, h);
        table.add(name, "10 s < 50 um, < 10 um after 1 s, certified",
                  fmt::format("{:.3g} um, {:.3g} um, {} uncertified, residual {:.1e}, same contacts {}, {:.2f} ms/step",
                              1e6 * f.displacement, 1e6 * f.displacement_after_1s, f.uncertified, f.residual,
                              f.same_contacts, f.ms_per_step),
                  f.displacement < 50e-6 && f.displacement_after_1s < 10e-6 && f.uncertified == 0 && f.same_contacts);
      }
    }
  }
}

/// The default is faster; these are the figures that were promised for staggered projections.
void card_houses_by_staggered_projections(Table& table) {
  for (const auto& [levels, limit] : {std::pair(4, 5.0), std::pair(6, 15.0)}) {
    const std::string name = fmt::format("card house, {} levels, by staggered projections", levels);
    if (!table.wants(name)) continue;
    Scene scene = make_scene("card_house", {{"levels", std::to_string(levels)}});
    scene.settings.solver = "staggered-projections";
    const Figures f = run(scene, 10.0, 1e9);
    table.add(
        name, fmt::format("< {} ms/step, 10 s < 50 um, certified", limit),
        fmt::format("{:.2f} ms/step, {:.3g} um, {} uncertified", f.ms_per_step, 1e6 * f.displacement, f.uncertified),
        f.ms_per_step < limit && f.displacement < 50e-6 && f.uncertified == 0);
  }
}

void falling_card_houses(Table& table) {
  for (int levels = 2; levels <= 6; ++levels) {
    const std::string name = fmt::format("card house, {} levels, mu = 0.2", levels);
    if (!table.wants(name)) continue;
    const Figures f = run("card_house", {{"levels", std::to_string(levels)}, {"mu", "0.2"}}, 2.0, 2e-3, 0.02, 1e-6);
    table.add(name, "falls", fmt::format("moved {:.1f} mm in {:.2f} s", 1e3 * f.displacement, f.end.time),
              f.displacement >= 0.02);
  }
  for (int levels = 2; levels <= 6; ++levels) {
    for (int missing = 0; missing < 2 * levels; ++missing) {
      // Without a card of an outer pair, three levels and more have an equilibrium: the card that is left is a strut
      // within its friction cones. Nothing is promised there.
      const bool outer = levels > 2 && (missing < 2 || missing >= 2 * levels - 2);
      const std::string name = fmt::format("card house, {} levels, card {} missing", levels, missing);
      if (outer || !table.wants(name)) continue;
      const Parameters p = {{"levels", std::to_string(levels)}, {"missing", std::to_string(missing)}};
      const Figures f = run("card_house", p, 3.0, 2e-3, 0.02, 1e-6);
      table.add(name, "falls", fmt::format("moved {:.3g} mm in {:.2f} s", 1e3 * f.displacement, f.end.time),
                f.displacement >= 0.02);
    }
  }
}

/// The angle at which a card has left its place on the plane by 5 mm.
double failure_angle(int levels, double h) {
  Scene scene =
      make_scene("tilting_plane", {{"load", "card_house"}, {"levels", std::to_string(levels)}, {"rate", "2"}});
  scene.settings.step = h;
  World world(scene);
  int plane = 0;
  while (scene.model.bodies[plane].mobility != Mobility::kinematic) ++plane;
  const auto place = [&](const State& state, std::size_t body) {
    return state.bodies[plane].pose.apply_inverse(state.bodies[body].pose.position);
  };
  const State start = world.state();
  while (world.state().time < scene.duration) {
    world.step();
    for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
      if (scene.model.bodies[i].mobility != Mobility::dynamic) continue;
      if ((place(world.state(), i) - place(start, i)).norm() > 5e-3) return 2.0 * (world.state().time - 0.5);
    }
  }
  return std::numeric_limits<double>::infinity();
}

void tilting(Table& table) {
  for (int levels : {2, 3}) {
    const std::string name = fmt::format("tilting plane, card house of {} levels", levels);
    if (!table.wants(name)) continue;
    const double fine = failure_angle(levels, 1e-3);
    const double coarse = failure_angle(levels, 5e-3);
    table.add(name, "h = 1, 5 ms: same angle to 1 deg", fmt::format("{:.2f} deg, {:.2f} deg", fine, coarse),
              std::isfinite(fine) && std::abs(fine - coarse) < 1.0);
  }
}

void arches(Table& table) {
  for (const char* kind : {"semicircle", "catenary"}) {
    for (const char* voussoirs : {"21", "101"}) {
      const std::string name = fmt::format("arch, {}, {} voussoirs, mu 0.6", kind, voussoirs);
      if (!table.wants(name)) continue;
      const Figures f = run("arch", {{"kind", kind}, {"voussoirs", voussoirs}}, 5.0);
      table.add(name, "stands",
                fmt::format("moved {:.3g} um in 5 s, {} of {} uncertified, {:.1f} ms/step", 1e6 * f.displacement,
                            f.uncertified, f.steps, f.ms_per_step),
                f.displacement < 1e-3);
    }
  }
  for (const char* thickness : {"0.10", "0.11"}) {
    const std::string name = fmt::format("arch, 101 voussoirs, thickness {}", thickness);
    if (!table.wants(name)) continue;
    const bool falls = std::string(thickness) == "0.10";
    const Figures f = run("arch", {{"voussoirs", "101"}, {"thickness", thickness}}, 3.0, 2e-3, 0.5, 1e-6);
    table.add(name, falls ? "falls" : "stands",
              fmt::format("moved {:.3g} mm in {:.2f} s", 1e3 * f.displacement, f.end.time),
              falls ? f.displacement > 0.2 : f.displacement < 1e-3);
  }
  for (const char* target : {"keystone", "leg"}) {
    for (const char* kind : {"semicircle", "catenary"}) {
      const std::string name = fmt::format("arch hit, {}, {}", kind, target);
      if (!table.wants(name)) continue;
      Scene scene = make_scene("arch_hit", {{"kind", kind}, {"target", target}});
      scene.settings.tolerance = 1e-6;
      scene.settings.step = 2e-3;
      World world(scene);
      double moved = 0.0;
      int steps = 0;
      int uncertified = 0;
      while (world.state().time < scene.duration) {
        ++steps;
        uncertified += world.step().certified ? 0 : 1;
        moved = 0.0;
        for (int body : scene.stands->bodies) {
          const Vec3 x = world.state().bodies[body].pose.position - scene.initial.bodies[body].pose.position;
          moved = std::max(moved, x.norm());
        }
      }
      const bool stands = moved <= scene.stands->max_displacement;
      table.add(name, std::string(target) == "keystone" ? "stands" : "falls",
                fmt::format("voussoirs moved {:.3g} mm, {} of {} steps above 1e-6", 1e3 * moved, uncertified, steps),
                stands == (std::string(target) == "keystone"));
    }
  }
}

void simple_scenes(Table& table) {
  if (table.wants("box stack of 30")) {
    const Figures f = run("box_stack", {{"count", "30"}}, 20.0);
    table.add("box stack of 30", "20 s < 1 um",
              fmt::format("{:.3g} um, gain per step {:.1e} of the energy", 1e6 * f.displacement,
                          f.largest_gain / f.initial_energy),
              f.displacement < 1e-6 && f.largest_gain <= 1e-12 * f.initial_energy);
  }
  if (table.wants("incline")) {
    const Figures f = run("incline", {{"ratio", "0.98"}}, 5.0);
    table.add("incline at 0.98 of the friction angle", "5 s < 1 um", fmt::format("{:.3g} um", 1e6 * f.displacement),
              f.displacement < 1e-6);
    const Scene scene = make_scene("incline", {{"mu", "0.5"}, {"ratio", "1.02"}});
    const Figures s = run(scene, 1.0);
    const double angle = std::atan(0.51);
    const double expected = g * (std::sin(angle) - 0.5 * std::cos(angle));
    const double error = s.end.bodies[dynamic_body(scene)].linear.norm() / expected - 1.0;
    table.add("incline at 1.02 of the friction angle", "acceleration to 0.1 %", fmt::format("{:.2g} %", 100.0 * error),
              std::abs(error) < 1e-3);
  }
  for (const double heading : {0.0, 10.0, 23.0, 45.0, 77.0, 200.0}) {
    const std::string name = fmt::format("sliding block, heading {} deg", heading);
    if (!table.wants(name)) continue;
    std::string measured;
    bool kept = true;
    for (const double h : {1e-2, 1e-3, 1e-4}) {
      Scene scene = make_scene("sliding_block", {{"heading", std::to_string(heading)}});
      scene.settings.step = h;
      const Figures f = run(scene, 1.3);
      const int body = dynamic_body(scene);
      const Vec3 moved = f.end.bodies[body].pose.position - scene.initial.bodies[body].pose.position;
      const Vec3 forward(std::cos(heading / degrees), std::sin(heading / degrees), 0.0);
      const double error = moved.dot(forward) - 9.0 / (2.0 * 0.3 * g);
      const double sideways = std::abs(moved.cross(forward).z());
      measured += fmt::format("h {}: {:+.2e} m, side {:.0e}, lift {:.0e}; ", h, error, sideways, std::abs(moved.z()));
      kept = kept && std::abs(error) <= 3.0 * h && sideways < 1e-6 && std::abs(moved.z()) < 1e-6 &&
             f.largest_gain <= 1e-12 * f.initial_energy;
    }
    table.add(name, "v^2/(2 mu g) to first order, < 1 um", measured, kept);
  }
  if (table.wants("tumbling boxes")) {
    std::string measured;
    bool kept = true;
    double last = std::numeric_limits<double>::infinity();
    for (const double h : {5e-3, 2e-3, 1e-3}) {
      const Figures f = run("box_pile", {{"count", "20"}}, 1.0, h, 1e9, 1e-6);
      measured += fmt::format("h {}: {:.1e}; ", h, f.total_gain / f.dissipated);
      kept = kept && f.total_gain < 1e-3 * f.dissipated && f.total_gain <= last + 1e-12;
      last = f.total_gain;
    }
    table.add("tumbling boxes", "gains < 1e-3 of losses, fall with h", measured, kept);
  }
}

double resident_megabytes() {
  std::ifstream statm("/proc/self/statm");
  double total = 0.0;
  double resident = 0.0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1048576.0;
}

void memory(Table& table) {
  if (!table.wants("memory")) return;
  World world(make_scene("card_house", {{"levels", "2"}}));
  double at_start = 0.0;
  for (int step = 0; step < 100000; ++step) {
    world.step();
    if (step == 5000) at_start = resident_megabytes();
  }
  const double grown = resident_megabytes() - at_start;
  table.add("memory over 100000 steps", "flat", fmt::format("grew {:.2f} MB of {:.0f}", grown, at_start), grown < 1.0);
}

constexpr const char* help =
    R"(acceptance: the promises of the README in full length
Usage: acceptance [--only TEXT] [--json FILE]

Runs each scene and prints promise and measurement side by side: about half an hour on one core.

  --only TEXT   those whose name has the text in it, e.g. --only "sliding block"
  --json FILE   the table as JSON too
  -h, --help    this text

Exit codes: 0 all promises kept, 1 some missed, 2 bad input.
)";

struct Options {
  std::string only, json;
  bool help = false;
  std::string error;  ///< what is wrong with the arguments; else empty
};

Options read_arguments(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    std::string* const value = argument == "--only" ? &options.only : argument == "--json" ? &options.json : nullptr;
    if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (value == nullptr) {
      options.error = fmt::format("{}: unknown; --only TEXT, --json FILE and --help are known", argument);
    } else if (i + 1 == argc) {
      options.error = fmt::format("{}: a value must follow", argument);
    } else {
      *value = argv[++i];
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_arguments(argc, argv);
  if (options.help) {
    fmt::print("{}", help);
    return 0;
  }
  if (!options.error.empty()) {
    fmt::print(stderr, "acceptance: {}\n", options.error);
    return 2;
  }
  Table table(options.only);
  simple_scenes(table);
  card_houses(table);
  card_houses_by_staggered_projections(table);
  falling_card_houses(table);
  tilting(table);
  arches(table);
  memory(table);
  if (table.empty()) {
    fmt::print(stderr, "acceptance: --only {}: no name has this in it; the names are\n{}", options.only, table.names());
    return 2;
  }
  if (!options.json.empty()) table.write(options.json);
  fmt::print("{} missed\n", table.misses());
  return table.misses() == 0 ? 0 : 1;
}
