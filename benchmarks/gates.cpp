// The gates of the time step in one table: geometry, fast bodies, energy, heaps. The tests of tests/world judge the
// same scenes at 1 ms. With --order it also tells the orders of convergence in h.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "bench_tools.h"
#include "cardhouse/io/scene_keys.h"
#include "cardhouse/report/rest_watch.h"
#include "cardhouse/scenes/building.h"
#include "cardhouse/scenes/library.h"
#include "scenes/thrown_heap.h"
#include "world/fast_scenes.h"
#include "world/motion_scenes.h"
#include "world/rim_reference.h"
#include "world/seam_scenes.h"

namespace {

using namespace cardhouse;
using namespace cardhouse::test;

constexpr std::array gate_steps{2e-3, 1e-3, 5e-4};  // s
constexpr double usual_step = 1e-3;                 // s

struct Options {
  int heaps = 100;
  std::uint64_t seed = 1;
  bool order = false;
  std::string scheme;
  std::string only;
};

enum class Verdict { met, missed, shown };

Verdict judge(bool met) {
  return met ? Verdict::met : Verdict::missed;
}

/// Rows in Markdown, each printed when it is measured. "-" in the place of the old figure: the issue gives none.
class Table {
 public:
  explicit Table(const std::string& only) : only_(only) {}

  bool wants(const std::string& gate) const { return gate.find(only_) != std::string::npos; }
  void add(const std::string& gate, const std::string& setting, const std::string& wanted, const std::string& old,
           const std::string& measured, Verdict verdict) {
    if (rows_++ == 0) {
      print("gate", "setting", "wanted", "old", "now", "");
      print("---", "---", "---", "---", "---", "---");
    }
    const char* const words[] = {"met", "MISSED", "shown"};
    print(gate, setting, wanted, old, measured, words[static_cast<int>(verdict)]);
    missed_ += verdict == Verdict::missed ? 1 : 0;
  }
  bool empty() const { return rows_ == 0; }
  int missed() const { return missed_; }

 private:
  static void print(const std::string& gate, const std::string& setting, const std::string& wanted,
                    const std::string& old, const std::string& measured, const std::string& verdict) {
    fmt::print("| {:14} | {:44} | {:30} | {:13} | {:52} | {:6} |\n", gate, setting, wanted, old, measured, verdict);
    std::fflush(stdout);
  }
  std::string only_;
  int rows_ = 0;
  int missed_ = 0;
};

/// What all gates get: the table, and the scheme that their scenes are run with.
struct Bench {
  Table table;
  Options options;

  Scene prepared(Scene scene) const {
    const auto* const found = std::find(scene_keys::schemes.begin(), scene_keys::schemes.end(), options.scheme);
    if (found != scene_keys::schemes.end()) {
      scene.settings.scheme = Scheme{static_cast<int>(found - scene_keys::schemes.begin())};
    }
    return scene;
  }
};

std::string step_text(double h) {
  return fmt::format("h = {:g} ms", 1e3 * h);
}

/// The largest of some figures, and what it was measured on.
struct Worst {
  double value = 0.0;
  std::string name = "all";
  int uncertified = 0;

  void see(double next, const std::string& of) {
    if (next <= value) return;
    value = next;
    name = of;
  }
  std::string text(const char* unit) const {
    const std::string steps = uncertified == 0 ? "" : fmt::format(", {} steps uncertified", uncertified);
    return fmt::format("{:.2g}{} ({}){}", value, unit, name, steps);
  }
};

// Seams.

void seam_of_two_blocks(Bench& bench) {
  for (const double h : gate_steps) {
    Worst worst;
    double least = 2.0;
    for (const double phase : {0.0, 0.3, 0.7}) {
      const Scene scene = bench.prepared(over_seams(two_blocks(), box_slider(), 2.0, 0.0, h, phase));
      const SlideFigures figures = slide(scene, steps_for(way_ahead(two_blocks(), box_slider()), 2.0, h, 5000));
      worst.see(figures.changed, fmt::format("phase {:g}", phase));
      worst.uncertified += figures.uncertified;
      least = std::min(least, figures.least_forward);
    }
    bench.table.add("seam", "box over two blocks, 2 m/s, " + step_text(h), "speed kept to 1e-9", "-0.30 m/s",
                    fmt::format("{:+.2f} m/s, changed by {}", least, worst.text(" m/s")),
                    judge(worst.value <= 1e-9 * 2.0 && worst.uncertified == 0));
  }
}

/// m/s over the larger of the speed and 1 m/s.
void see_seam(const Bench& bench, const TiledFloor& floor, const Slider& slider, double speed, int most, Worst& worst) {
  const Scene scene = bench.prepared(over_seams(floor, slider, speed, 0.0, usual_step));
  const SlideFigures figures = slide(scene, steps_for(way_ahead(floor, slider), speed, usual_step, most));
  worst.see(figures.changed / std::max(speed, 1.0), fmt::format("{}, {}, {:g} m/s", slider.name, floor.name, speed));
  worst.uncertified += figures.uncertified;
}

void seams_of_tiles(Bench& bench, const std::string& where, const std::vector<TiledFloor>& floors,
                    const std::vector<Slider>& sliders) {
  constexpr std::array speeds{0.1, 1.0, 2.0, 10.0, 50.0};
  Worst by_floor;
  for (const TiledFloor& floor : floors) {
    for (const Slider& slider : sliders) see_seam(bench, floor, slider, 2.0, 800, by_floor);
  }
  bench.table.add("seam", where + ", every slider on every floor", "speed kept to 1e-9", "-", by_floor.text(""),
                  judge(by_floor.value <= 1e-9 && by_floor.uncertified == 0));
  for (const double speed : speeds) {
    Worst worst;
    for (const Slider& slider : sliders) see_seam(bench, floors[1], slider, speed, 5000, worst);
    bench.table.add("seam", fmt::format("{}, every slider at {:g} m/s", where, speed), "speed kept to 1e-9", "-",
                    worst.text(""), judge(worst.value <= 1e-9 && worst.uncertified == 0));
  }
}

void seams_with_friction(Bench& bench, const std::string& where, const TiledFloor& floor, const Slider& box,
                         const std::vector<Slider>& round) {
  constexpr double mu = 0.3;
  Worst stop;
  Worst roll;
  for (const double speed : {0.1, 1.0, 2.0, 10.0}) {
    const int braking = static_cast<int>(speed / (mu * gate_gravity) / usual_step) + 20;
    const SlideFigures figures = slide(bench.prepared(over_seams(floor, box, speed, mu, usual_step)), braking);
    // With mean velocities nothing is missing of the way.
    const bool means = bench.prepared({}).settings.scheme == Scheme::energy_momentum;
    const double wanted = braking_distance(speed, mu, means ? 0.0 : usual_step);
    stop.see(std::abs(figures.travelled - wanted), fmt::format("{:g} m/s", speed));
    stop.uncertified += figures.uncertified;
    for (const Slider& slider : round) {
      const double sliding = (1.0 - slider.rolling_part) * speed / (mu * gate_gravity);
      const int steps = static_cast<int>(sliding / usual_step) + steps_for(2.0, speed, usual_step, 1000);
      const SlideFigures end = slide(bench.prepared(over_seams(floor, slider, speed, mu, usual_step)), steps);
      roll.see(std::abs(end.end_speed / speed - slider.rolling_part), fmt::format("{}, {:g} m/s", slider.name, speed));
      roll.uncertified += end.uncertified;
    }
  }
  // The last step brakes less than the others: up to mu g h²/8 of the way.
  const double rounding_of_time = 0.125 * mu * gate_gravity * usual_step * usual_step;
  bench.table.add("seam, friction", where + ", boxes", "stop at v^2/(2 mu g) - v h/2", "-", stop.text(" m off"),
                  judge(stop.value <= rounding_of_time + 1e-6 && stop.uncertified == 0));
  bench.table.add("seam, friction", where + ", round bodies", "roll at 5/7, 2/3 of v to 1e-6", "-", roll.text(" off"),
                  judge(roll.value <= 1e-6 && roll.uncertified == 0));
}

void seams(Bench& bench) {
  if (!bench.table.wants("seam")) return;
  seam_of_two_blocks(bench);
  seams_of_tiles(bench, "space", spatial_floors(), spatial_sliders());
  seams_of_tiles(bench, "plane", planar_floors(), planar_sliders());
  seams_with_friction(bench, "space", forty_tiles(), box_slider(), {sphere_slider(), lying_cylinder_slider()});
  seams_with_friction(bench, "plane", forty_tiles(true), planar_box_slider(), {disk_slider()});
}

// Fast bodies.

void near_misses(Bench& bench) {
  if (!bench.table.wants("near miss")) return;
  Worst worst;
  constexpr int phases = 50;
  for (int i = 0; i < phases; ++i) {
    const double phase = static_cast<double>(i) / phases;
    worst.see(change_of_velocity(bench.prepared(near_miss(phase)), 20), fmt::format("phase {:g}", phase));
  }
  bench.table.add("near miss", "sphere of 5 cm, 1 cm clear, 100 m/s", "velocity unchanged", "31 %",
                  fmt::format("changed by {:.3g} %, {}", 100.0 * worst.value, worst.name), judge(worst.value <= 1e-12));
}

/// How many of the crossings were certified, or did not say why they were not.
struct Crossings {
  int tried = 0;
  int bad = 0;
  int told = 0;  ///< not certified, with a reason

  void see(const std::optional<Crossing>& crossing) {
    ++tried;
    if (!crossing) return;
    const bool good = !crossing->certified && !crossing->reason.empty();
    (good ? told : bad) += 1;
  }
  std::string text() const { return fmt::format("{} of {} certified, {} uncertified", bad, tried, told); }
};

void crossings(Bench& bench) {
  if (bench.table.wants("rod")) {
    for (const bool planar : {true, false}) {
      Crossings rods;
      for (const RodAndPost& setting : rods_and_posts()) {
        if (setting.planar != planar) continue;
        rods.see(rod_jumps(bench.prepared(hinged_rod(setting)), setting.post, 8));
      }
      bench.table.add("rod", planar ? "0.7 … 1.5 rad per step, plane" : "0.7 … 1.5 rad per step, space",
                      "no certified jump of the post", "jumps", rods.text(), judge(rods.bad == 0));
    }
  }
  if (!bench.table.wants("plate")) return;
  for (const bool dynamic : {false, true}) {
    Crossings plates;
    for (const BallAndPlate& setting : balls_and_plates(dynamic)) {
      plates.see(ball_crosses(bench.prepared(ball_at_plate(setting)), 8));
    }
    bench.table.add("plate", dynamic ? "dynamic, 100 thicknesses per step" : "fixed, 100 thicknesses per step",
                    "no certified crossing", "-", plates.text(), judge(plates.bad == 0));
  }
}

void huge_gravity(Bench& bench) {
  if (!bench.table.wants("gravity")) return;
  for (const double mu : {0.0, 0.5}) {
    std::string reason;
    const double depth = certified_depth(bench.prepared(sideways_gravity(mu)), 50, reason);
    bench.table.add("gravity", fmt::format("1e12 m/s^2 along the floor, mu {:g}", mu), "no certified fall",
                    "falls through", fmt::format("{:.2g} m deep; {}", depth, reason.empty() ? "certified" : reason),
                    judge(depth <= 1e-8 * 0.1 * std::sqrt(3.0)));
  }
}

// Energy.

/// One row for all overlaps of a gate; `overlap` is a part of the size.
void overlap_row(Bench& bench, const std::string& gate, const Worst& overlap) {
  bench.table.add("overlap", gate + ", all steps", "<= 1e-8 of the size", "-", overlap.text(""),
                  judge(overlap.value <= 1e-8));
}

void rocking(Bench& bench) {
  if (!bench.table.wants("rocking")) return;
  const RockingEllipse ellipse;
  std::vector<double> steps;
  std::vector<double> gains;
  double swing = 0.0;  // J
  Worst overlap;
  for (const double h : gate_steps) {
    const RockingFigures figures = rock(bench.prepared(rocking_ellipse(ellipse, h)), ellipse, 10.0);
    const bool fine = h <= usual_step;
    // The period is promised at 1 ms.
    const bool in_time = !fine || std::abs(figures.period_error) <= 1e-3;
    bench.table.add(
        "rocking", "ellipse 1 x 0.2 m, 10 s, " + step_text(h), fine ? "swing >= 0.999, period 0.1 %" : "swing >= 0.999",
        h == usual_step ? "0.87, -2.6 %" : "-",
        fmt::format("{:.5f}, {:+.4f} %, {} uncertified", figures.kept, 100.0 * figures.period_error,
                    figures.course.uncertified),
        judge(figures.kept >= 0.999 && figures.kept <= 1.001 && in_time && figures.course.uncertified == 0));
    overlap.see(figures.course.penetration / std::hypot(1.0, 0.2), step_text(h));
    swing = figures.course.most_kinetic;
    steps.push_back(h);
    gains.push_back(figures.course.largest_gain);
  }
  // Between second and third order the gains of a step still add up to something that a smaller h does not cure.
  const double exponent = bench::fitted_exponent(steps, gains);
  // A scheme that conserves the energy leaves nothing of which an order could be told.
  const bool none = *std::max_element(gains.begin(), gains.end()) <= 1e-9 * swing;
  bench.table.add("rocking", "largest gain in a step, 2 to 0.5 ms", "falls as h^3 (2.7 or more)", "-",
                  fmt::format("h^{:.2f}, {:.2g} J at 1 ms", exponent, gains[1]), judge(exponent >= 2.7 || none));
  overlap_row(bench, "rocking", overlap);
}

void drifts(Bench& bench) {
  if (!bench.table.wants("drift")) return;
  Worst overlap;
  for (const LosslessMotion& motion : lossless_motions()) {
    for (const double h : gate_steps) {
      const EnergyCourse course = follow_energy(bench.prepared(motion.make(h)), 10.0);
      // What swings is of second order in h, some 1e-5 at 1 ms.
      const double allowed = 1e-4 * std::max(1.0, std::pow(h / usual_step, 2));
      bench.table.add("drift", fmt::format("{}, {}", motion.name, step_text(h)),
                      fmt::format("<= {:g} in 10 s", allowed), "-",
                      fmt::format("{:+.2e}, {} uncertified", course.drift(), course.uncertified),
                      judge(std::abs(course.drift()) <= allowed && course.uncertified == 0));
      overlap.see(course.penetration / motion.size, fmt::format("{}, {}", motion.name, step_text(h)));
    }
  }
  overlap_row(bench, "rolling, swinging", overlap);
}

void eulers_disks(Bench& bench) {
  if (!bench.table.wants("disk")) return;
  Worst overlap;
  for (const double h : gate_steps) {
    const EnergyCourse course = follow_energy(bench.prepared(eulers_disk(h)), 2.0);
    const bool met = std::abs(course.left() - 1.0) <= 1e-3 && course.uncertified == 0;
    const bool promised = h <= usual_step;
    bench.table.add("Euler's disk", "75 mm, at 30 deg, 2 s, " + step_text(h), promised ? "energy within 0.1 %" : "-",
                    h == usual_step ? "88 %" : "-",
                    fmt::format("{:.3f} %, {} uncertified", 100.0 * course.left(), course.uncertified),
                    promised ? judge(met) : Verdict::shown);
    overlap.see(course.penetration / eulers_disk_size, step_text(h));
  }
  overlap_row(bench, "Euler's disk", overlap);
}

/// The part of a coin's energy that friction leaves, by the smooth equations. A tenth of this slip speed changes it by
/// less than 1e-4.
double converged_energy(const Scene& scene, double seconds) {
  const BodyState& coin = scene.initial.bodies.back();
  const RimState start{.velocity = coin.linear, .axis = coin.pose.orientation * Vec3::UnitZ(), .angular = coin.angular};
  RimDisk disk = rim_disk_of(scene.model.bodies.back(), scene.model.materials[0].mu);
  disk.slip = 2e-6;  // m/s
  return follow_rim(disk, start, seconds, 4e-7).left;
}

void coins(Bench& bench) {
  if (!bench.table.wants("coin")) return;
  Worst overlap;
  struct Coin {
    const char* name;
    Scene (*make)(double h);
  };
  for (const Coin& coin : {Coin{"spun at 40 rad/s", coin_at_40}, Coin{"flicked at 100 rad/s", coin_flicked}}) {
    const double converged = converged_energy(coin.make(usual_step), 2.0);
    for (const double h : {2e-3, 1e-3, 5e-4, 2.5e-4}) {
      const EnergyCourse course = follow_energy(bench.prepared(coin.make(h)), 2.0);
      bench.table.add("coin", fmt::format("{}, 2 s, {}", coin.name, step_text(h)),
                      fmt::format("{:.2f} to 0.1 %", 100.0 * converged), "-",
                      fmt::format("{:.3f} %, {} uncertified", 100.0 * course.left(), course.uncertified),
                      judge(std::abs(course.left() - converged) <= 1e-3 && course.uncertified == 0));
      overlap.see(course.penetration / coin_size, fmt::format("{}, {}", coin.name, step_text(h)));
    }
  }
  overlap_row(bench, "coins", overlap);
}

void standing(Bench& bench) {
  if (!bench.table.wants("standing")) return;
  Scene scene = on_level_ground(0.5, usual_step);
  BodyState start;
  start.pose.position.z() = 0.1;
  put_solid(scene, "box", {shape_at(Box{Vec3(0.2, 0.2, 0.1)})}, 1000.0, start);
  const EnergyCourse course = follow_energy(bench.prepared(scene), 10.0);
  const double moved = (course.end.bodies.back().pose.position - start.pose.position).norm();
  bench.table.add("standing", "box, 10 s, h = 1 ms", "moves by 1e-15 m at most", "-", fmt::format("{:.1e} m", moved),
                  judge(moved <= 1e-15));
}

// Heaps.

std::vector<int> dynamic_bodies(const Scene& scene) {
  std::vector<int> bodies;
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    if (scene.model.bodies[i].mobility == Mobility::dynamic) bodies.push_back(static_cast<int>(i));
  }
  return bodies;
}

void heaps(Bench& bench) {
  if (!bench.table.wants("heap") || bench.options.heaps == 0) return;
  constexpr double longest = 10.0;  // s
  constexpr double size = 0.1;      // m, of the smallest rock
  int resting = 0;
  Worst sum;
  Worst single;
  Worst overlap;
  const std::uint64_t end = bench.options.seed + static_cast<std::uint64_t>(bench.options.heaps);
  for (std::uint64_t seed = bench.options.seed; seed < end; ++seed) {
    const Scene scene = bench.prepared(thrown_heap(seed, 8));
    RestWatch watch(scene, scene.initial, dynamic_bodies(scene), -1);
    const EnergyCourse course = follow_energy(scene, longest, [&](const World& world) {
      watch.see(world.state());
      return !watch.at_rest();
    });
    const std::string name = fmt::format("seed {}", seed);
    resting += watch.at_rest() ? 1 : 0;
    if (!watch.at_rest()) fmt::print(stderr, "heap {} moves at {:.2g} m/s after 10 s\n", name, watch.speed());
    sum.see(course.gained / course.lost, name);
    single.see(course.worst_gain, name);
    overlap.see(course.penetration / size, name);
    sum.uncertified += course.uncertified;
    if (isatty(STDERR_FILENO) != 0)
      fmt::print(stderr, "\r  {} of {} heaps ", seed - bench.options.seed + 1, bench.options.heaps);
  }
  const std::string setting = fmt::format("{} heaps of 8, seeds from {}", bench.options.heaps, bench.options.seed);
  bench.table.add("heap", setting, "all come to rest in 10 s", "-", fmt::format("{} rest", resting),
                  judge(resting == bench.options.heaps));
  bench.table.add("heap", setting, "gains <= 1e-3 of losses", "-", sum.text(""), judge(sum.value <= 1e-3));
  bench.table.add("heap", setting, "a step gains <= 1e-3 of E_kin", "-", single.text(""), judge(single.value <= 1e-3));
  bench.table.add("overlap", setting, "<= 1e-8 of the size", "-", overlap.text(""), judge(overlap.value <= 1e-8));
}

// Orders of convergence.

/// Places and turns of the last body at the end of a run.
Vec3 end_of(const Scene& scene, double seconds) {
  World world(scene);
  const auto steps = static_cast<int>(seconds / scene.settings.step + 0.5);
  for (int k = 0; k < steps; ++k) world.step();
  const BodyState& s = world.state().bodies.back();
  return {s.pose.position.x(), s.pose.position.z(), planar_angle(s)};
}

Scene sliding_box(double h) {
  Scene scene = on_level_ground(0.3, h);
  BodyState start;
  start.pose.position.z() = 0.1;
  start.linear.x() = 2.0;
  put_solid(scene, "box", {shape_at(rectangle(0.2, 0.1))}, 1000.0, start);
  return scene;
}

/// An ellipse that falls on its flank with friction. `phase` in [0, 1) shifts the impact by parts of 4 ms.
Scene falling_ellipse(double phase, double h) {
  Scene scene = on_level_ground(0.3, h);
  const RockingEllipse ellipse{.long_axis = 0.4, .short_axis = 0.2, .tilt = 0.5};
  BodyState start;
  start.linear = Vec3(0.5, 0.0, -2.0);
  start.pose = {Vec3(0.0, 0.0, ellipse.height(ellipse.tilt) + 0.1 + 4e-3 * 2.5 * phase),
                rotation_from_vector(Vec3(0.0, ellipse.tilt, 0.0))};
  put_solid(scene, "ellipse", {shape_at(Ellipse{ellipse.long_axis, ellipse.short_axis})}, 1.0, start);
  return scene;
}

/// The differences between runs at h and h/2, for h = 4, 2, 1 ms, as root mean squares over the phases: where in a step
/// an impact falls is a matter of luck.
std::vector<double> differences(const Bench& bench, const std::function<Scene(double, double)>& make, double seconds,
                                int phases) {
  std::vector<double> squares(3, 0.0);
  for (int i = 0; i < phases; ++i) {
    const double phase = static_cast<double>(i) / phases;
    Vec3 coarse = end_of(bench.prepared(make(phase, 4e-3)), seconds);
    double h = 2e-3;
    for (double& square : squares) {
      const Vec3 fine = end_of(bench.prepared(make(phase, h)), seconds);
      square += (fine - coarse).squaredNorm() / phases;
      coarse = fine;
      h *= 0.5;
    }
  }
  for (double& square : squares) square = std::sqrt(square);
  return squares;
}

void order_row(Bench& bench, const std::string& name, const std::function<Scene(double, double)>& make, double seconds,
               int phases) {
  const std::vector<double> d = differences(bench, make, seconds, phases);
  bench.table.add(
      "order", fmt::format("{}, {:g} s, h = 4 to 0.5 ms", name, seconds), "-", "-",
      fmt::format("{:.2f}, {:.2f}; last difference {:.2g}", std::log2(d[0] / d[1]), std::log2(d[1] / d[2]), d[2]),
      Verdict::shown);
}

void orders(Bench& bench) {
  if (!bench.options.order || !bench.table.wants("order")) return;
  order_row(
      bench, "sliding", [](double, double h) { return sliding_box(h); }, 0.4, 1);
  order_row(
      bench, "rolling", [](double, double h) { return rolling_ellipse(h); }, 1.0, 1);
  order_row(
      bench, "rocking", [](double, double h) { return rocking_ellipse(RockingEllipse{}, h); }, 1.0, 1);
  order_row(bench, "impact", falling_ellipse, 0.2, 64);
}

int run(const Options& options) {
  Bench bench{Table(options.only), options};
  seams(bench);
  near_misses(bench);
  crossings(bench);
  huge_gravity(bench);
  rocking(bench);
  drifts(bench);
  eulers_disks(bench);
  coins(bench);
  standing(bench);
  heaps(bench);
  orders(bench);
  if (bench.table.empty()) {
    fmt::print(stderr, "gates: --only {}: no gate has this in its name\n", options.only);
    return 2;
  }
  fmt::print("{} missed\n", bench.table.missed());
  return bench.table.missed() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "The gates of the time step, wanted and measured. Ends with 0 when all are met, with 1 when some are not.");
  Options options;
  app.add_option("--heaps", options.heaps, "random heaps that must come to rest")->check(CLI::Range(0, 1000000));
  app.add_option("--seed", options.seed, "of the first heap; each has the next one");
  app.add_flag("--order", options.order, "tell the orders of convergence in h too");
  app.add_option("--scheme", options.scheme, "run all with this scheme, by its word in scene files")
      ->check(CLI::IsMember(std::vector<std::string>(scene_keys::schemes.begin(), scene_keys::schemes.end())));
  app.add_option("--only", options.only, "those gates whose name has this text in it, such as seam");
  CLI11_PARSE(app, argc, argv);
  return bench::run_program("gates", [&] { return run(options); });
}
