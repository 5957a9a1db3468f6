// Houses of rigid cards (Kaufman 2009, section 7.3.5). Pairs of cards lean against each other; flat cards bridge from
// pair to pair and carry the next row. All cards touch exactly: edges on faces, and the inner top edges of a pair on
// each other. How far neighbours stay apart is given in card thicknesses, so that a flat card of any measures rests on
// the upper edges of both pairs (a thickness times cos(lean) from the middle) and carries the feet of the next row.
#include "cardhouse/scenes/card_house.h"

#include <fmt/format.h>

#include <cmath>

namespace cardhouse::scenes {
namespace {

constexpr double cardboard_density = 900.0;  // kg/m³, cardboard
constexpr double half_ground_height = 0.05;  // m

/// No card of a standing house moves by more than micrometres; a card that loses its place moves by a good part of its
/// length.
constexpr double house_fallen = 0.01;  // m

Pose placement_from(const Parameters& p) {
  return {Vec3(p.number("offset"), 0.0, 0.0), rotation_from_vector(Vec3(0.0, 0.0, radians(p.number("yaw"))))};
}

int missing_card(const Parameters& p, const CardHouse& house) {
  const int missing = p.integer("missing");
  if (missing >= house.cards()) {
    p.reject("missing", fmt::format("an integer in -1 … {} (with {} levels; -1: no card is missing)", house.cards() - 1,
                                    house.levels));
  }
  return missing;
}

/// Ground and cards; returns the cards.
std::vector<int> add_house(Scene& scene, const Parameters& p, const CardHouse& house, const Pose& placement) {
  const Pose ground{Vec3(0.0, 0.0, -half_ground_height), Quat::Identity()};
  add(scene, still("ground", Box{house.ground_half_extents()}), placement * ground);
  return add_cards(scene, house, placement, missing_card(p, house));
}

Scene card_house(const Parameters& p) {
  const CardHouse house = card_house_from(p);
  Scene scene = start_scene(p, "A house of rigid cards that friction alone holds up.", p.number("mu"));
  const std::vector<int> cards = add_house(scene, p, house, placement_from(p));
  scene.duration = 10.0;
  scene.stands = StandsRule{.bodies = cards, .max_displacement = house_fallen, .after = 0.0};
  return scene;
}

Scene card_house_hit(const Parameters& p) {
  const CardHouse house = card_house_from(p);
  Scene scene = start_scene(p, "Small blocks fall one after the other on the right flank of a card house.",
                            p.number("mu"), p.number("restitution"));
  const Pose placement = placement_from(p);
  const std::vector<int> cards = add_house(scene, p, house, placement);
  // Cubes of 23 mm and 11 g, about a card's mass: enough to knock out the cards they meet and leave others standing.
  const double half_size = 0.0115;
  const int blocks = p.integer("blocks");
  const double half_width = 0.5 * house.levels * house.pitch();
  for (int i = 0; i < blocks; ++i) {
    // From the foot of the flank inwards; each next block starts so much higher that it lands about 0.3 s later.
    const double x = half_width * (blocks - i) / (blocks + 1.0);
    const double fall_time = std::sqrt(2.0 * p.number("drop") / 9.81) + 0.3 * i;
    const double z = house.height() + half_size + 0.5 * 9.81 * fall_time * fall_time;
    add(scene, solid(fmt::format("block{}", i), Box{Vec3::Constant(half_size)}, cardboard_density),
        placement * Pose{Vec3(x, 0.0, z), Quat::Identity()});
  }
  scene.duration = 5.0;
  scene.stands = StandsRule{.bodies = cards, .max_displacement = house_fallen, .after = 0.0};
  return scene;
}

}  // namespace

double CardHouse::half_spread() const {
  return 0.5 * length * std::sin(lean) + 0.5 * thickness * std::cos(lean);
}

double CardHouse::half_rise() const {
  return 0.5 * length * std::cos(lean) + 0.5 * thickness * std::sin(lean);
}

double CardHouse::pitch() const {
  return 4.0 * half_spread() + 0.5 * thickness;
}

Vec3 CardHouse::ground_half_extents() const {
  return {levels * pitch(), 5.0 * width, half_ground_height};
}

std::vector<ParameterSpec> card_house_parameters() {
  return {integer("levels", "4", 1, 50, "rows of leaning cards"),
          number("mu", "0.8", "-", 0.0, 10.0, "coefficient of friction"),
          number("lean", "22", "deg", 1.0, 60.0, "angle of the leaning cards from the vertical"),
          number("length", "0.088", "m", 0.01, 10.0, "of a leaning card"),
          number("width", "0.063", "m", 0.01, 10.0, "of all cards, across the row"),
          number("thickness", "0.002", "m", 1e-4, 0.01, "of all cards"),
          number("yaw", "0", "deg", -360.0, 360.0, "turns the whole scene about the vertical"),
          number("offset", "0", "m", -1000.0, 1000.0, "then moves it along +x"),
          integer("missing", "-1", -1, 3774, "index of a card left out, from the lowest row up; -1: none")};
}

CardHouse card_house_from(const Parameters& p) {
  return {.levels = p.integer("levels"),
          .lean = radians(p.number("lean")),
          .length = p.number("length"),
          .width = p.number("width"),
          .thickness = p.number("thickness")};
}

std::vector<int> add_cards(Scene& scene, const CardHouse& house, const Pose& placement, int missing) {
  const Box leaning{0.5 * Vec3(house.thickness, house.width, house.length)};
  const Box flat{0.5 * Vec3(house.pitch() - 0.25 * house.thickness, house.width, house.thickness)};
  std::vector<int> bodies;
  int index = 0;
  const auto add_card = [&](const std::string& name, const Box& box, double x, double z, double angle) {
    if (index++ == missing) return;
    bodies.push_back(
        add(scene, solid(name, box, cardboard_density), placement * Pose{Vec3(x, 0.0, z), turn_about_y(angle)}));
  };
  for (int row = 0; row < house.levels; ++row) {
    const int pairs = house.levels - row;
    const double foot = row * house.storey();
    const auto middle = [&](int pair) { return (pair - 0.5 * (pairs - 1)) * house.pitch(); };
    for (int pair = 0; pair < pairs; ++pair) {
      const double z = foot + house.half_rise();
      add_card(fmt::format("lean_{}_{}L", row, pair), leaning, middle(pair) - house.half_spread(), z, house.lean);
      add_card(fmt::format("lean_{}_{}R", row, pair), leaning, middle(pair) + house.half_spread(), z, -house.lean);
    }
    for (int pair = 0; pair + 1 < pairs; ++pair) {
      const double z = foot + 2.0 * house.half_rise() + 0.5 * house.thickness;
      add_card(fmt::format("flat_{}_{}", row, pair), flat, 0.5 * (middle(pair) + middle(pair + 1)), z, 0.0);
    }
  }
  return bodies;
}

SceneDefinition card_house_definition() {
  return {"card_house", "a house of cards that stands by friction", card_house_parameters(), card_house};
}

SceneDefinition card_house_hit_definition() {
  std::vector<ParameterSpec> parameters = card_house_parameters();
  parameters.push_back(number("restitution", "0.1", "-", 0.0, 1.0, "Newton's coefficient of restitution"));
  parameters.push_back(integer("blocks", "3", 1, 20, "blocks that fall on the house"));
  parameters.push_back(number("drop", "0.2", "m", 0.01, 10.0, "height of the first block above the house"));
  return {"card_house_hit", "a house of cards under falling blocks", parameters, card_house_hit};
}

}  // namespace cardhouse::scenes
