#pragma once

#include <map>
#include <string>
#include <vector>

#include "cardhouse/world/scene.h"

namespace cardhouse {

struct SceneParameter {
  std::string name;
  std::string default_value;
  std::string unit;  ///< "m", "deg", "-", or the choices "semicircle|catenary"
  std::string meaning;
};

struct SceneInfo {
  std::string name;
  std::string summary;  ///< one line
  std::vector<SceneParameter> parameters;
};

/// All scenes of the library, in the order in which `cardhouse scene --list` shows them.
const std::vector<SceneInfo>& scene_list();

/// Throws InputError for an unknown name (with the nearest known one), an unknown parameter (with the known ones) or a
/// value out of range ("card_house: levels = 0: must be an integer in 1 … 50").
Scene make_scene(const std::string& name, const std::map<std::string, std::string>& parameters = {});

}  // namespace cardhouse
