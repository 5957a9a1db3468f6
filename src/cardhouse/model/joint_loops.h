#pragma once

#include <vector>

#include "cardhouse/model/model.h"

namespace cardhouse {

/// For every joint, whether it is part of a closed loop: another path of joints connects its two bodies. All fixed and
/// kinematic bodies count as one with the world. Only in loops can rows of joints repeat each other.
std::vector<bool> joints_in_loops(const Model& model);

}  // namespace cardhouse
