#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

/// When a structure counts as standing, or a thing as held: no named body's centre has moved farther than
/// `max_displacement` from where it was at `after`, in the world or in the frame of the body `relative_to`.
struct StandsRule {
  std::vector<int> bodies;         ///< indices; empty: all dynamic bodies
  double max_displacement = 0.01;  ///< m
  double after = 0.0;              ///< s: the moment to compare with
  int relative_to = -1;            ///< index; −1: the world
};

/// A model, where it starts, and how it is to be run: what a scene file holds.
struct Scene {
  std::string name = "scene";
  std::string description;
  std::map<std::string, std::string> parameters;  ///< what it was made with, for the record
  Model model;
  State initial;
  StepSettings settings;
  double duration = 10.0;  ///< s
  std::optional<StandsRule> stands;
  std::vector<std::string>
      notes;  ///< what the reader of a file has to tell of it, such as old words; not kept in files
};

}  // namespace cardhouse
