#pragma once

#include <vector>

#include "cardhouse/model/model.h"

namespace cardhouse {

/// For every joint whether it is part of a closed loop of joints: there is a way from one of its bodies to the other
/// that does not pass it. All bodies that don't move by themselves count as one with the world. Only in loops can rows
/// of joints ask for the same thing twice.
std::vector<bool> joints_in_loops(const Model& model);

}  // namespace cardhouse
