#include "cardhouse/scenes/library.h"

#include <fmt/format.h>

#include "cardhouse/base/error.h"
#include "cardhouse/base/nearest.h"
#include "cardhouse/scenes/building.h"

namespace cardhouse {
namespace scenes {

const std::vector<SceneDefinition>& definitions() {
  static const std::vector<SceneDefinition> all = {
      particle_drop_definition(), incline_definition(),        sliding_block_definition(), box_stack_definition(),
      card_house_definition(),    card_house_hit_definition(), arch_definition(),          arch_hit_definition(),
      log_house_definition(),     kapla_tower_definition(),    tilting_plane_definition(), jam_definition(),
      sphere_pile_definition(),   box_pile_definition(),       rock_pile_definition(),     cannonball_definition(),
      painleve_rod_definition(),  pendulum_definition(),       chain_definition(),         chain_body_definition(),
      parallelogram_definition(), grasp_definition(),          brazil_nut_definition(),    newtons_cradle_definition(),
      rolling_ball_definition(),  spinning_top_definition(),   coin_definition(),          turntable_definition(),
      ceiling_block_definition(), ellipse_drop_definition(),
  };
  return all;
}

}  // namespace scenes

const std::vector<SceneInfo>& scene_list() {
  static const std::vector<SceneInfo> list = [] {
    std::vector<SceneInfo> infos;
    for (const scenes::SceneDefinition& definition : scenes::definitions()) {
      SceneInfo info{definition.name, definition.summary, {}};
      for (const scenes::ParameterSpec& spec : definition.parameters) info.parameters.push_back(describe(spec));
      infos.push_back(std::move(info));
    }
    return infos;
  }();
  return list;
}

Scene make_scene(const std::string& name, const std::map<std::string, std::string>& parameters) {
  std::vector<std::string_view> names;
  for (const scenes::SceneDefinition& definition : scenes::definitions()) {
    if (definition.name == name) {
      return definition.make(scenes::Parameters(definition.name, definition.parameters, parameters));
    }
    names.push_back(definition.name);
  }
  const std::string_view near = nearest(name, names);
  throw InputError(fmt::format("unknown scene '{}'{} `cardhouse scene --list` shows them all", name,
                               near.empty() ? "." : fmt::format(": did you mean '{}'?", near)));
}

}  // namespace cardhouse
