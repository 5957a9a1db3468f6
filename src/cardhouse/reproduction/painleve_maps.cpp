#include "cardhouse/reproduction/painleve_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cardhouse/math/constants.h"
#include "cardhouse/report/heat_map.h"
#include "cardhouse/reproduction/entry.h"

namespace cardhouse::reproduction {
namespace {

constexpr double pi = std::numbers::pi;
/// "Iterations to converge to a relative error of 1e-7" (section 6.7.1), read as ‖Δf‖/‖f‖: Eq. 5.21 is its square. With
/// 1e-7 for the square the residual would be a thousand times the 1e-6 of the captions.
constexpr double tolerance = 1e-14;
/// Where a sequence counts as not converging; the slowest that converge here take some hundred.
constexpr int most_iterations = 2000;
/// The residual that the captions call "~10⁻⁶" is read as: no more than ten times that, in a domain of size 1.
constexpr double published_residual = 1e-6;

struct Angle {
  const char* name;
  double value;
};
constexpr Angle angles[] = {{"2π/3", 2.0 * pi / 3.0}, {"π/5", pi / 5.0}, {"π/9", pi / 9.0}};

/// Iterations and residuals over the square |x| ≤ 1 of negative predicted velocities, at the middles of cells.
struct Map {
  Angle angle;
  double mu = 0.0;
  int cells = 0;
  std::vector<double> iterations;  ///< infinite where the sequence did not converge
  std::vector<double> residuals;   ///< |objective|
  // What the text speaks of; over points whose prediction is not feasible, but for the first.
  double most_feasible = 0.0;  ///< iterations where the prediction is feasible
  double most = 0.0;           ///< iterations, of those that converged
  double mean_inside = 0.0;    ///< iterations in the friction cone
  double mean_outside = 0.0;   ///< of those that converged
  int lost_inside = 0;         ///< points that did not converge
  int lost_outside = 0;
  int infeasible = 0;               ///< points
  double converged_residual = 0.0;  ///< the largest where it converged
  double lost_residual = 0.0;       ///< the largest where it did not
};

Map make_map(const Angle& angle, double mu, int cells) {
  Map map;
  map.angle = angle;
  map.mu = mu;
  map.cells = cells;
  int inside = 0;
  int outside = 0;
  for (int row = 0; row < cells; ++row) {
    for (int column = 0; column < cells; ++column) {
      const Vec2 x(2.0 * (column + 0.5) / cells - 1.0, 2.0 * (row + 0.5) / cells - 1.0);
      const PainleveCase problem{angle.value, mu};
      const PainleveSolve solve = staggered_solve(problem, x, tolerance, most_iterations);
      const double count = solve.iterations;
      map.iterations.push_back(solve.converged ? count : infinity);
      map.residuals.push_back(std::abs(solve.objective));
      double& residual = solve.converged ? map.converged_residual : map.lost_residual;
      residual = std::max(residual, map.residuals.back());
      if (x.y() <= 0.0) {
        map.most_feasible = std::max(map.most_feasible, count);
        continue;
      }
      ++map.infeasible;
      const bool sticks = in_friction_cone(problem, x);
      if (!solve.converged) {
        ++(sticks ? map.lost_inside : map.lost_outside);
        continue;
      }
      map.most = std::max(map.most, count);
      (sticks ? map.mean_inside : map.mean_outside) += count;
      ++(sticks ? inside : outside);
    }
  }
  map.mean_inside /= std::max(inside, 1);
  map.mean_outside /= std::max(outside, 1);
  return map;
}

/// As in the figures: the normal (white), the border of what is feasible (white, dashed), the friction segment at a
/// normal impulse of a third (red), the friction cone's edges (yellow).
std::vector<HeatMapPanel::Line> drawings(const Map& map) {
  const Vec2 n(0.0, 1.0);
  const Vec2 t(std::sin(map.angle.value), std::cos(map.angle.value));
  // The part of a ray from the origin that lies in the square.
  const auto ray = [](const Vec2& d) { return Vec2(d / std::max(std::abs(d.x()), std::abs(d.y()))); };
  const auto line = [](const Vec2& a, const Vec2& b, const char* colour, bool dashed) {
    return HeatMapPanel::Line{{a.x(), b.x()}, {a.y(), b.y()}, colour, dashed};
  };
  const double third = 1.0 / 3.0;
  std::vector<HeatMapPanel::Line> lines = {line(Vec2::Zero(), 0.8 * n, "#ffffff", false),
                                           line(Vec2(-1.0, 0.0), Vec2(1.0, 0.0), "#ffffff", true)};
  for (const double side : {-1.0, 1.0})
    lines.push_back(line(Vec2::Zero(), ray(n + side * map.mu * t), "#ffd800", true));
  const Vec2 reach = std::min(third * map.mu, 1.0) * t;
  lines.push_back(line(-reach, reach, "#ff4040", true));
  return lines;
}

HeatMap figure_of(const std::string& title, const std::vector<Map>& maps, bool of_residuals) {
  HeatMap figure;
  figure.title = title;
  figure.x = {"along the surface (m/s)", false, -1.0, 1.0};
  figure.y = {"along the normal (m/s)", false, -1.0, 1.0};
  figure.value = {of_residuals ? "|objective| (J)" : "iterations", true, 0.0, 0.0};
  if (of_residuals) figure.value = {"|objective| (J)", true, 1e-12, 10.0};
  if (!of_residuals) figure.infinite_name = "not converged";
  for (const Map& map : maps) {
    figure.panels.push_back({fmt::format("theta {}, mu {:.3g}", map.angle.name, map.mu), map.cells, map.cells,
                             of_residuals ? map.residuals : map.iterations, drawings(map)});
  }
  return figure;
}

CsvTable table_of(const std::vector<Map>& maps) {
  CsvTable table("maps", {"theta", "mu", "x", "y", "iterations", "objective"});
  for (const Map& map : maps) {
    for (int row = 0; row < map.cells; ++row) {
      for (int column = 0; column < map.cells; ++column) {
        const std::size_t i = static_cast<std::size_t>(row) * map.cells + column;
        table.add({map.angle.value, map.mu, 2.0 * (column + 0.5) / map.cells - 1.0, 2.0 * (row + 0.5) / map.cells - 1.0,
                   map.iterations[i], map.residuals[i]});
      }
    }
  }
  return table;
}

std::vector<Map> make_maps(const std::vector<Angle>& some_angles, const std::vector<double>& mus, Form form,
                           const Progress& progress) {
  const int cells = form == Form::brief ? 24 : 100;
  std::vector<Map> maps;
  const double all = static_cast<double>(some_angles.size() * mus.size());
  for (const double mu : mus) {
    for (const Angle& angle : some_angles) {
      progress.at(fmt::format("theta {}, mu {:g}", angle.name, mu), static_cast<double>(maps.size()) / all);
      maps.push_back(make_map(angle, mu, cells));
    }
  }
  return maps;
}

std::string list_of(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format("{:.3g}", value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

PublishedRow colours_row(const std::string& what) {
  return {"",
          what,
          "",
          "colours of a figure",
          "the CSV file and the SVG figure",
          "none",
          Verdict::not_readable,
          "the text of the source has no scale for the colours; the sentences about them are compared below"};
}

PublishedRow feasible_row(const std::vector<Map>& maps) {
  double most = 0.0;
  for (const Map& map : maps) most = std::max(most, map.most_feasible);
  return {"", "iterations where the prediction is feasible", "", 1.0, most, "1 in all points", agrees_if(most == 1.0),
          ""};
}

PublishedRow residual_row(const std::vector<Map>& maps) {
  double most = 0.0;
  for (const Map& map : maps) most = std::max(most, map.converged_residual);
  return {"",
          "largest residual where it converges (J)",
          "",
          "~1e-6",
          most,
          "at most ten times the published one",
          agrees_if(most <= 10.0 * published_residual),
          "of the objective of Eq. 5.32, which grows with the square of the domain's size; here |x| ≤ 1. This value "
          "decided how the "
          "tolerance of 1e-7 is read, see the documentation"};
}

/// The largest counts of maps of one angle, by rising mu; infinite where some points do not converge.
PublishedRow friction_row(const std::vector<Map>& maps, const Angle& angle) {
  std::vector<double> most;
  for (const Map& map : maps) {
    if (map.angle.value != angle.value) continue;
    most.push_back(map.lost_inside + map.lost_outside > 0 ? infinity : map.most);
  }
  const bool rises = std::is_sorted(most.begin(), most.end()) && most.front() < most.back();
  return {"",
          fmt::format("most iterations as mu rises, theta {}", angle.name),
          "",
          "more as mu rises",
          list_of(most),
          "never fewer, and more in the end",
          agrees_if(rises),
          ""};
}

/// In the cone convergence is as cos² theta, outside as mu |cos theta|: which is faster turns at mu = |cos theta|.
PublishedRow flip_row(const std::vector<Map>& maps) {
  int right = 0;
  int cases = 0;
  for (const Map& map : maps) {
    if (map.lost_inside + map.lost_outside > 0) continue;  // a mean over what converged would say nothing
    if (std::abs(map.mu - std::abs(std::cos(map.angle.value))) < 0.05) continue;  // at the turn itself
    ++cases;
    const bool inside_faster = map.mean_inside < map.mean_outside;
    right += inside_faster == (map.mu > std::abs(std::cos(map.angle.value)));
  }
  return {"",
          "sticking faster than sliding just when mu > |cos theta|",
          "",
          "always",
          fmt::format("{} of {} maps", right, cases),
          "in all maps but those within 0.05 of the turn, by the means over both regions",
          agrees_if(right == cases),
          ""};
}

Findings angles_and_friction(Form form, const Progress& progress) {
  const std::vector<double> mus = {0.4, 0.8, 1.0};
  const std::vector<Map> maps = make_maps({std::begin(angles), std::end(angles)}, mus, form, progress);
  Findings findings;
  findings.rows = {colours_row("maps of iterations, mu 0.4, 0.8, 1"), feasible_row(maps), residual_row(maps)};
  findings.rows[0].note += "; nor has it the angles of this figure: those of Figs. 6.3 to 6.5 are used";
  for (std::size_t m = 0; m < mus.size(); ++m) {
    const std::vector<double> most = {maps[3 * m].most, maps[3 * m + 1].most, maps[3 * m + 2].most};
    findings.rows.push_back({"", fmt::format("most iterations at 60°, 36°, 20°, mu {:g}", mus[m]), "",
                             "more as the angle falls", list_of(most), "rises from left to right",
                             agrees_if(most[0] < most[1] && most[1] < most[2]), ""});
  }
  for (const Angle& angle : angles) findings.rows.push_back(friction_row(maps, angle));
  findings.rows.push_back(flip_row(maps));
  for (const auto& [name, theta, published] : {std::tuple{"0", 0.0, 1.0}, std::tuple{"π/2", 0.5 * pi, 2.0}}) {
    double most = 0.0;
    for (const double mu : {0.1, 0.4, 0.8, 1.0, 1.2, 5.0}) {
      most = std::max(most, make_map({name, theta}, mu, form == Form::brief ? 24 : 50).most);
    }
    findings.rows.push_back({"", fmt::format("iterations at theta {}, mu 0.1 to 5", name), "", published, most,
                             "the same number", agrees_if(most == published), ""});
  }
  findings.tables.push_back(table_of(maps));
  findings.figures.push_back({"iterations", svg_text(figure_of("Iterations over the predictor plane", maps, false))});
  return findings;
}

Findings realistic_friction(const Angle& angle, Form form, const Progress& progress) {
  const std::vector<Map> maps = make_maps({angle}, {0.2, 0.4, 0.6, 0.8, 1.0, 1.2}, form, progress);
  Findings findings;
  findings.rows = {colours_row("maps of iterations, mu 0.2 to 1.2"), feasible_row(maps), residual_row(maps),
                   friction_row(maps, angle), flip_row(maps)};
  findings.rows[0].note += "; nor has it the values of mu of this figure: 0.2 to 1.2 are chosen here";
  findings.tables.push_back(table_of(maps));
  findings.figures.push_back(
      {"iterations", svg_text(figure_of(fmt::format("Iterations, theta {}", angle.name), maps, false))});
  return findings;
}

/// Sliding contracts by mu |cos theta| from iteration to iteration: it stops converging where that reaches 1.
Findings large_friction(const Angle& angle, Form form, const Progress& progress) {
  const double limit = 1.0 / std::abs(std::cos(angle.value));
  const std::vector<double> mus = {0.9 * limit, 1.1 * limit, 1.5 * limit, 2.5 * limit, 5.0 * limit, 10.0 * limit};
  const std::vector<Map> maps = make_maps({angle}, mus, form, progress);
  std::vector<double> lost, inside;
  double residual = 0.0;
  bool none_inside = true;
  for (const Map& map : maps) {
    lost.push_back(100.0 * map.lost_outside / map.infeasible);
    inside.push_back(map.mean_inside);
    residual = std::max(residual, map.lost_residual);
    none_inside = none_inside && map.lost_inside == 0;
  }
  Findings findings;
  findings.rows = {
      colours_row("maps of iterations and residuals, large mu"),
      residual_row(maps),
      {"", "sliding points that do not converge (%), mu rising", "", "none, then many", list_of(lost),
       "none below mu = 1/|cos theta|, some above",
       agrees_if(lost[0] == 0.0 && *std::min_element(lost.begin() + 1, lost.end()) > 0.0), ""},
      {"", "the same: the region as mu rises further", "", "becomes smaller", list_of({lost[1], lost.back()}),
       "smaller at the largest mu than just above the limit", agrees_if(lost.back() < lost[1]), ""},
      {"", "points in the friction cone that do not converge", "", "none", none_inside ? "none" : "some", "none",
       agrees_if(none_inside), ""},
      {"", "mean iterations in the friction cone, mu rising", "", "essentially static", list_of(inside),
       "the last three, of the largest mu, within 15 %",
       agrees_if(*std::max_element(inside.begin() + 3, inside.end()) <=
                 1.15 * *std::min_element(inside.begin() + 3, inside.end())),
       ""},
      {"", "largest residual where it does not converge (J)", "", "~3", residual, "within a factor of 10: its order",
       agrees_if(within_factor(3.0, residual, 10.0)),
       "it grows with the square of the domain's size and with mu, which the text does not tell; |x| ≤ 1 here, as for "
       "the residual of 1e-6 where it converges"},
  };
  findings.rows[0].note += fmt::format("; nor has it the values of mu: 0.9 to 10 times 1/|cos theta| are chosen here");
  findings.tables.push_back(table_of(maps));
  findings.figures.push_back(
      {"iterations", svg_text(figure_of(fmt::format("Iterations, theta {}", angle.name), maps, false))});
  findings.figures.push_back(
      {"residuals", svg_text(figure_of(fmt::format("Residuals, theta {}", angle.name), maps, true))});
  return findings;
}

}  // namespace

PainleveSolve staggered_solve(const PainleveCase& problem, const Vec2& x, double tolerance_of_change,
                              int max_iterations) {
  const double c = std::cos(problem.theta);
  const Vec2 t(std::sin(problem.theta), c);
  const double along_t = t.dot(x);
  const auto contact = [&](double friction) { return std::max(0.0, x.y() - c * friction); };
  PainleveSolve solve;
  double change = infinity;
  while (change > tolerance_of_change && solve.iterations < max_iterations) {
    ++solve.iterations;
    solve.alpha = contact(solve.friction);
    const double limit = problem.mu * solve.alpha;
    const double before = solve.friction;
    solve.friction = std::clamp(along_t - c * solve.alpha, -limit, limit);
    const double moved = solve.friction - before;
    change = moved == 0.0 ? 0.0 : moved * moved / (before * before);
  }
  solve.converged = change <= tolerance_of_change;
  solve.alpha = contact(solve.friction);
  const double u_n = solve.alpha + c * solve.friction - x.y();
  const double u_t = c * solve.alpha + solve.friction - along_t;
  solve.objective = solve.alpha * u_n + solve.friction * u_t + problem.mu * solve.alpha * std::abs(u_t);
  return solve;
}

bool in_friction_cone(const PainleveCase& problem, const Vec2& x) {
  // x = alpha n + f t; along t alone there is no cone.
  const double sine = std::sin(problem.theta);
  if (std::abs(sine) < 1e-12) return std::abs(x.x()) < 1e-12 && x.y() >= 0.0;
  const double friction = x.x() / sine;
  const double alpha = x.y() - friction * std::cos(problem.theta);
  return alpha >= 0.0 && std::abs(friction) <= problem.mu * alpha;
}

std::vector<Entry> painleve_map_entries() {
  std::vector<Entry> list = {{"thesis-6.2", "Kaufman 2009, Fig. 6.2",
                              "Painlevé's rod: iterations over the predictor plane for three angles and mu",
                              angles_and_friction}};
  for (int i = 0; i < 3; ++i) {
    const Angle angle = angles[i];
    list.push_back(
        {fmt::format("thesis-6.{}", 3 + i), fmt::format("Kaufman 2009, Fig. 6.{}", 3 + i),
         fmt::format("the same for theta = {}, realistic mu", angle.name),
         [angle](Form form, const Progress& progress) { return realistic_friction(angle, form, progress); }});
  }
  for (int i = 0; i < 3; ++i) {
    const Angle angle = angles[i];
    list.push_back({fmt::format("thesis-6.{}", 6 + i), fmt::format("Kaufman 2009, Fig. 6.{}", 6 + i),
                    fmt::format("the same for theta = {}, mu so large that sliding stops converging", angle.name),
                    [angle](Form form, const Progress& progress) { return large_friction(angle, form, progress); }});
  }
  return list;
}

}  // namespace cardhouse::reproduction
