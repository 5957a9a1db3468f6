#pragma once

#include <optional>
#include <string>

#include "cardhouse/model/joint_kinematics.h"
#include "cardhouse/world/scene.h"

namespace cardhouse {

/// How far joints are off where a scene starts; empty when it is by rounding only.
std::optional<WorstJointViolation> find_start_violation(const Scene& scene);

/// What it means for the run, in a sentence.
std::string start_violation_words(const WorstJointViolation& violation, const Scene& scene);

}  // namespace cardhouse
