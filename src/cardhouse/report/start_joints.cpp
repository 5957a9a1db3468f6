#include "cardhouse/report/start_joints.h"

#include <fmt/format.h>

#include "cardhouse/report/table.h"

namespace cardhouse {
namespace {

/// m and rad: what the numbers of a scene file may be off.
constexpr double joint_rounding = 1e-9;

std::string what_happens(double violation, const std::string& unit, const StepSettings& settings) {
  switch (settings.stabilisation) {
    case Stabilisation::none:
      return "it stays so, as the scene asks for no stabilisation";
    case Stabilisation::gamma:
      return fmt::format("the first step closes it at {}",
                         with_unit(settings.gamma * violation / settings.step, unit + "/s"));
    case Stabilisation::projection:
    case Stabilisation::sqp:
      break;
  }
  // It corrects velocities by its motion over h.
  return fmt::format("the first step's projection closes it, and leaves bodies with up to {}",
                     with_unit(violation / settings.step, unit + "/s"));
}

}  // namespace

std::optional<WorstJointViolation> find_start_violation(const Scene& scene) {
  const WorstJointViolation worst = worst_joint_violation(scene.model, scene.initial);
  if (worst.length <= joint_rounding && worst.angle <= joint_rounding) return std::nullopt;
  return worst;
}

std::string start_violation_words(const WorstJointViolation& violation, const Scene& scene) {
  const bool angular = violation.length <= joint_rounding;
  const std::string unit = angular ? "rad" : "m";
  const double size = angular ? violation.angle : violation.length;
  const int joint = angular ? violation.angle_joint : violation.length_joint;
  return fmt::format("joint \"{}\" is off by {} at the start; {} (--project-joints moves the bodies first)",
                     scene.model.joints[joint].name, with_unit(size, unit), what_happens(size, unit, scene.settings));
}

}  // namespace cardhouse
