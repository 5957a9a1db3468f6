#include "cardhouse/cli/arguments.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "cardhouse/base/error.h"
#include "cardhouse/base/memory_limit.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse::cli {
namespace {

template <typename Number>
std::optional<Number> parse_number(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

CLI::Validator number_check(const std::string& unit, const std::string& range, bool zero_allowed) {
  const std::string in_unit = unit.empty() ? "" : " (in " + unit + ")";
  const auto check = [=](std::string& text) -> std::string {
    const std::optional<double> value = parse_number<double>(text);
    const bool good = value && std::isfinite(*value) && (zero_allowed ? *value >= 0.0 : *value > 0.0);
    return good ? "" : fmt::format("'{}': must be a finite number {}{}", text, range, in_unit);
  };
  return CLI::Validator(check, "");
}

struct SolverWords {
  std::string_view name;
  std::string_view words;
};
constexpr std::array<SolverWords, 12> solvers = {{
    {"auto", "the others in turn, until one is certified"},
    {"newton", "semismooth Newton on the law's equations"},
    {"interior-point", "Newton along a smoothed central path"},
    {"staggered-projections", "normal and friction impulses in turn"},
    {"admm", "alternating directions on the exact law"},
    {"gauss-seidel", "contact after contact, each solved exactly"},
    {"successive-relaxation", "convex programs that lead to Coulomb's law"},
    {"convex-relaxation", "one convex program: not quite Coulomb's law"},
    {"lemke", "complementary pivoting on polygons; small problems"},
    {"sqp", "descent on the nonconvex program; small problems"},
    {"projected-gauss-seidel", "box friction, as games do"},
    {"regularised-gauss-seidel", "regularised pyramids, row by row"},
}};

std::string_view solver_words(const std::string& name) {
  for (const SolverWords& solver : solvers) {
    if (solver.name == name) return solver.words;
  }
  return "";
}

}  // namespace

bool is_file(const std::string& word) {
  std::error_code ignored;
  return std::filesystem::exists(word, ignored);
}

CLI::Validator positive_number(const std::string& unit) {
  return number_check(unit, "> 0", false);
}
CLI::Validator non_negative_number(const std::string& unit) {
  return number_check(unit, "≥ 0", true);
}

CLI::Validator tolerance_number() {
  const auto check = [](std::string& text) -> std::string {
    const std::optional<double> value = parse_number<double>(text);
    const bool good = value && *value > 0.0 && *value < 1.0;
    return good ? "" : fmt::format("'{}': must be a finite number > 0 and < 1", text);
  };
  return CLI::Validator(check, "");
}

CLI::Validator positive_integer(int most) {
  const auto check = [most](std::string& text) -> std::string {
    const std::optional<int> value = parse_number<int>(text);
    const bool good = value && *value >= 1 && *value <= most;
    return good ? "" : fmt::format("'{}': must be a whole number ≥ 1 and ≤ {}", text, most);
  };
  return CLI::Validator(check, "");
}

std::string solver_help(const std::string& what) {
  std::string help = what + ":";
  for (const std::string& name : solver_names()) help += fmt::format("\n  {:<24}  {}", name, solver_words(name));
  return help + "\nOptions follow as in interior-point:law=relaxed";
}

SceneWords split_scene_words(const std::vector<std::string>& words) {
  SceneWords result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    if (i == 0 && (equals == std::string::npos || is_file(word))) {
      result.scene = word;
      continue;
    }
    if (equals == std::string::npos || equals == 0) {
      throw InputError(fmt::format("'{}': expected a parameter of the form name=value", word));
    }
    const bool is_new = result.parameters.emplace(word.substr(0, equals), word.substr(equals + 1)).second;
    if (!is_new) throw InputError(fmt::format("'{}': this parameter was given before", word));
  }
  return result;
}

std::int64_t parse_step(const std::string& text, const std::string& option, const std::string& expected) {
  const std::optional<std::int64_t> step = parse_number<std::int64_t>(text);
  if (!step || *step < 1)
    throw InputError(fmt::format("{} {}: expected {} (steps count from 1)", option, text, expected));
  return *step;
}

std::pair<std::string, std::string> split_at_step(const std::string& text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos) return {text, ""};
  return {text.substr(0, at), text.substr(at + 1)};
}

RecordingStep parse_recording_step(const std::string& text) {
  const auto [recording, number] = split_at_step(text);
  const std::optional<std::int64_t> step = parse_number<std::int64_t>(number);
  if (recording.empty() || !step || *step < 0) {
    throw InputError(fmt::format(
        "--from {}: expected RECORDING@STEP with a step number ≥ 0, such as out/run/recording.h5@500", text));
  }
  return {recording, *step};
}

void add_memory_option(CLI::App& command, const std::string& group) {
  command
      .add_option_function<double>(
          "--max-memory", [](double gigabytes) { set_memory_limit(1e9 * gigabytes); },
          "Memory above which a factorisation or a matrix is refused, with the estimate (GB) [what the machine has]")
      ->type_name("GB")
      ->check(positive_number("GB"))
      ->group(group);
}

}  // namespace cardhouse::cli
