#include <algorithm>
#include <cmath>

#include "cardhouse/scenes/card_house.h"

namespace cardhouse::scenes {
namespace {

/// s: a card house bears the plane's start when it is this gentle.
constexpr double ramp = 1.0;

/// A plane that turns about the y axis through the origin, its +x side going down, until `max_angle`.
int add_plane(Scene& scene, const Vec3& half_extents, double rate, double max_angle) {
  Body plane = still("plane", Box{half_extents});
  plane.mobility = Mobility::kinematic;
  plane.motion = Tilting{
      .axis = Vec3::UnitY(), .pivot = Vec3::Zero(), .rate = rate, .start = 0.0, .ramp = ramp, .max_angle = max_angle};
  return add(scene, plane, {Vec3(0.0, 0.0, -half_extents.z()), Quat::Identity()});
}

Scene tilting_plane(const Parameters& p) {
  const double rate = radians(p.number("rate"));
  const double mu = p.number("mu");
  Scene scene = start_scene(p, "A plane tilts from level at a constant rate until its load slides or falls.", mu);
  double max_angle = 0.0;
  if (p.choice("load") == "box") {
    // The box slides at atan(mu); five degrees more show it.
    max_angle = std::atan(mu) + radians(5.0);
    add_plane(scene, Vec3(5.0, 1.0, 0.05), rate, max_angle);
    const Vec3 half(0.2, 0.2, 0.1);
    add(scene, solid("box", Box{half}, 1000.0), {Vec3(0.0, 0.0, half.z()), Quat::Identity()});
  } else {
    const CardHouse house{.levels = p.integer("levels"), .lean = radians(22.0)};
    // When the plane has turned by the lean, the uphill cards hang over their feet: no house stands much beyond.
    max_angle = house.lean + radians(8.0);
    add_plane(scene, house.ground_half_extents(), rate, max_angle);
    add_cards(scene, house, {});
  }
  // No rule for standing: all that rests on the plane moves with it. What the angle was when the load let go is the
  // question here.
  scene.duration = max_angle / rate + 0.5 * ramp + 1.0;
  return scene;
}

}  // namespace

SceneDefinition tilting_plane_definition() {
  return {"tilting_plane",
          "a plane tilts under a box or a card house",
          {number("mu", "0.8", "-", 0.0, 1.5, "coefficient of friction"),
           number("rate", "2", "deg/s", 0.1, 45.0, "of the plane's turning about +y"),
           choice("load", {"box", "card_house"}, "what stands on the plane"),
           integer("levels", "2", 1, 50, "rows of leaning cards of the card house")},
          tilting_plane};
}

}  // namespace cardhouse::scenes
