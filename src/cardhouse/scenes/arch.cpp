// Masonry arches without mortar (Kaufman 2009, section 7.3.4). The centreline is a semicircle (mean radius 2 m), or an
// inverted catenary (half span 2 m, rise 4 m), which is the line of thrust of its own weight. The joints are normal to
// the centreline at equal distances along it; two neighbours share the corner points of their joint, so that the faces
// coincide. Voussoirs count from the right springer (+x) to the left one.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

constexpr double half_span = 2.0;         // m: mean radius of the semicircle, half span of the catenary
constexpr double catenary_rise = 4.0;     // m: as high as wide
constexpr double depth = 0.5;             // m, along y
constexpr double stone_density = 2000.0;  // kg/m³
constexpr double springer_height = 1.0;   // m

/// A standing arch moves by less than a millimetre and settles by centimetres under blows; the voussoirs of a falling
/// one move by metres. A tenth of the radius lies between.
constexpr double arch_fallen = 0.1 * half_span;

/// A point of the centreline and the unit normal there, away from the inside: (x, z).
struct Station {
  Vec2 point;
  Vec2 normal;
};

struct JointLine {
  Vec2 inner;
  Vec2 outer;
};

/// The parameter a of the catenary z = rise + a − a cosh(x/a) that meets z = 0 at the half span.
double catenary_parameter() {
  // With t = half_span/a: (cosh t − 1)/t = rise/half_span, whose left side grows with t. Bisection ends at neighbouring
  // doubles after some 60 halvings.
  double lower = 1e-3;
  double upper = 20.0;
  for (int i = 0; i < 200; ++i) {
    const double t = 0.5 * (lower + upper);
    ((std::cosh(t) - 1.0) / t < catenary_rise / half_span ? lower : upper) = t;
  }
  return half_span / (0.5 * (lower + upper));
}

Station semicircle_station(double fraction) {
  const double angle = fraction * std::numbers::pi;
  const Vec2 normal(std::cos(angle), std::sin(angle));
  return {half_span * normal, normal};
}

Station catenary_station(double fraction) {
  // s: length along the curve from the crown. x = a asinh(s/a), and z and the slope follow without hyperbolics.
  const double a = catenary_parameter();
  const double s = a * std::sinh(half_span / a) * (1.0 - 2.0 * fraction);
  const double hypotenuse = std::hypot(a, s);
  // At the foot x and z are the half span and 0 by definition; say so instead of up to round-off.
  const Vec2 point =
      fraction == 0.0 ? Vec2(half_span, 0.0) : Vec2(a * std::asinh(s / a), catenary_rise + a - hypotenuse);
  return {point, Vec2(s / hypotenuse, a / hypotenuse)};
}

struct Arch {
  bool catenary = false;
  int voussoirs = 21;
  double thickness = 0.4;  ///< m

  Station station(double fraction) const {
    return catenary ? catenary_station(fraction) : semicircle_station(fraction);
  }
  double rise() const { return catenary ? catenary_rise : half_span; }
};

Arch arch_from(const Parameters& p) {
  return {.catenary = p.choice("kind") == "catenary",
          .voussoirs = p.integer("voussoirs"),
          .thickness = p.number("thickness") * half_span};
}

/// The left half mirrors the right one, so that the joints are symmetric to the last bit.
std::vector<JointLine> joints_of(const Arch& arch) {
  const int last = arch.voussoirs;
  std::vector<JointLine> joints(last + 1);
  for (int k = 0; 2 * k <= last; ++k) {
    Station station = arch.station(static_cast<double>(k) / last);
    if (2 * k == last) {
      station.point.x() = 0.0;
      station.normal = Vec2::UnitY();
    }
    const Vec2 half = 0.5 * arch.thickness * station.normal;
    joints[k] = {station.point - half, station.point + half};
    const Vec2 mirror(-1.0, 1.0);
    joints[last - k] = {joints[k].inner.cwiseProduct(mirror), joints[k].outer.cwiseProduct(mirror)};
  }
  return joints;
}

/// Fixed boxes whose top faces hold the first and last joint.
void add_springers(Scene& scene, const Arch& arch) {
  const Box box{Vec3(arch.thickness, depth, 0.5 * springer_height)};
  const Station foot = arch.station(0.0);
  // The box's x axis points along the foot's normal: (cos, −sin) of the turn about y.
  const double turn = std::atan2(-foot.normal.y(), foot.normal.x());
  const Quat right = turn_about_y(turn);
  const Vec3 below = right * Vec3(0.0, 0.0, -0.5 * springer_height);
  const Vec3 right_centre = Vec3(foot.point.x(), 0.0, foot.point.y()) + below;
  const Vec3 left_centre(-right_centre.x(), 0.0, right_centre.z());
  add(scene, still("springer_R", box), {right_centre, right});
  add(scene, still("springer_L", box), {left_centre, turn_about_y(-turn)});
}

/// Ground, springers and voussoirs; returns the voussoirs.
std::vector<int> add_arch(Scene& scene, const Arch& arch) {
  // What falls lands on ground level with the springers' feet.
  add_ground(scene, Vec3(10.0, 10.0, 0.5), -springer_height);
  add_springers(scene, arch);
  const std::vector<JointLine> joints = joints_of(arch);
  std::vector<int> voussoirs;
  for (int i = 0; i < arch.voussoirs; ++i) {
    const std::array<Vec2, 4> outline = {joints[i].inner, joints[i].outer, joints[i + 1].outer, joints[i + 1].inner};
    const Prism stone = prism(fmt::format("voussoir{}", i), outline, depth, stone_density);
    voussoirs.push_back(add(scene, stone.body, {stone.centre, Quat::Identity()}));
  }
  return voussoirs;
}

Scene arch(const Parameters& p) {
  Scene scene = start_scene(p, "An arch of wedge-shaped stones without mortar.", p.number("mu"));
  scene.stands = StandsRule{.bodies = add_arch(scene, arch_from(p)), .max_displacement = arch_fallen, .after = 0.0};
  scene.duration = 10.0;
  return scene;
}

/// 16 kg each, about a tenth of a voussoir, from 0.5 m: less than 0.1 kJ a blow. The next one starts so much higher
/// that it lands 0.5 s later.
void add_falling_blocks(Scene& scene, const Arch& arch, int blocks) {
  const double half_size = 0.1;
  const double crown = arch.rise() + 0.5 * arch.thickness;
  for (int i = 0; i < blocks; ++i) {
    const double fall_time = std::sqrt(2.0 * 0.5 / 9.81) + 0.5 * i;
    const double z = crown + half_size + 0.5 * 9.81 * fall_time * fall_time;
    add(scene, solid(fmt::format("block{}", i), Box{Vec3::Constant(half_size)}, stone_density),
        {Vec3(0.0, 0.0, z), Quat::Identity()});
  }
}

/// 128 kg each at 15 m/s: 14 kJ a blow, several times what friction between the leg's joints takes up before a
/// voussoir is out of line. They come from +x, 0.2 s apart, aimed at a height of 1 m.
void add_thrown_blocks(Scene& scene, const Arch& arch, int blocks) {
  const double half_size = 0.2;
  const double speed = 15.0;
  for (int i = 0; i < blocks; ++i) {
    const double distance = 1.0 + 0.2 * speed * i;
    const double flight = distance / speed;
    const double x = half_span + arch.thickness + half_size + distance;
    const double z = 1.0 + 0.5 * 9.81 * flight * flight;
    add(scene, solid(fmt::format("block{}", i), Box{Vec3::Constant(half_size)}, stone_density),
        {Vec3(x, 0.0, z), Quat::Identity()}, Vec3(-speed, 0.0, 0.0));
  }
}

Scene arch_hit(const Parameters& p) {
  const Arch arch = arch_from(p);
  const bool keystone = p.choice("target") == "keystone";
  Scene scene = start_scene(p,
                            keystone ? "Blocks fall on the keystone of an arch, which stays up."
                                     : "Blocks are thrown at a leg of an arch, which comes down.",
                            p.number("mu"));
  scene.stands = StandsRule{.bodies = add_arch(scene, arch), .max_displacement = arch_fallen, .after = 0.0};
  if (keystone) {
    add_falling_blocks(scene, arch, p.integer("blocks"));
  } else {
    add_thrown_blocks(scene, arch, p.integer("blocks"));
  }
  scene.duration = 5.0;
  return scene;
}

std::vector<ParameterSpec> arch_parameters(std::vector<std::string> kinds) {
  return {choice("kind", std::move(kinds), "centreline"), integer("voussoirs", "21", 3, 500, "wedge-shaped stones"),
          number("thickness", "0.2", "-", 0.01, 0.6, "of the arch, to its mean radius or half span (2 m)"),
          number("mu", "0.6", "-", 0.0, 10.0, "coefficient of friction")};
}

}  // namespace

SceneDefinition arch_definition() {
  return {"arch", "a masonry arch without mortar", arch_parameters({"semicircle", "catenary"}), arch};
}

SceneDefinition arch_hit_definition() {
  std::vector<ParameterSpec> parameters = arch_parameters({"catenary", "semicircle"});
  parameters.push_back(choice("target", {"keystone", "leg"}, "where the blocks hit: from above, or from the side"));
  parameters.push_back(integer("blocks", "3", 1, 20, "blocks that fall or are thrown"));
  return {"arch_hit", "an arch under falling or thrown blocks", parameters, arch_hit};
}

}  // namespace cardhouse::scenes
