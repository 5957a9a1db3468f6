// How large and how small a number may be that is given from outside: by a scene file, the command line, the library's
// user or the viewer's page. The bounds are far beyond anything that the simulator is good for. They are there so that
// products of given numbers stay within the range of doubles: the worst one, the determinant of an inertia, goes with
// the third power of mass · length², from 1e-162 to 1e183. Checks that use them: model/limits.h.
#pragma once

#include <array>
#include <string_view>

namespace cardhouse::limits {

struct Bound {
  std::string_view unit;
  double least;  ///< of what must be above zero; what may be zero may also be smaller than this
  double most;   ///< in size, whatever the sign
  std::string_view reason;
};

inline constexpr Bound length{"m", 1e-12, 1e13, "a hundredth of an atom, and the size of the solar system"};
inline constexpr Bound mass{"kg", 1e-30, 1e35, "that of an electron, and of fifty thousand suns"};
inline constexpr Bound inertia{"kg m²", 1e-60, 1e61, "the least and the most of mass times length²"};
inline constexpr Bound density{"kg/m³", 1e-20, 1e20, "that of the gas between stars, and above a neutron star's"};
inline constexpr Bound speed{"m/s", 1e-12, 3e8, "that of light"};
inline constexpr Bound angular_speed{"rad/s", 1e-12, 1e12, "above anything that was ever spun"};
inline constexpr Bound acceleration{"m/s²", 1e-12, 1e13, "above a neutron star's gravity"};
inline constexpr Bound time{"s", 1e-12, 1e12, "a millionth of a microsecond, and thirty thousand years"};
inline constexpr Bound step{"s", 1e-12, 1e6, "a millionth of a microsecond, and eleven days"};
inline constexpr Bound adaptive_step{"s", 1e-15, 1e6, "a thousandth of the shortest step, and eleven days"};
inline constexpr Bound angle{"rad", 1e-12, 1e6, "a larger angle has lost its precision"};
inline constexpr Bound force{"N", 1e-30, 1e30, "above the pull of the sun on any planet"};
inline constexpr Bound torque{"N m", 1e-30, 1e40, "the most of force, at a very long lever"};
inline constexpr Bound stiffness{"N/m", 1e-30, 1e30, "nothing is as stiff: a contact without compliance is"};
inline constexpr Bound damping{"N s/m", 1e-30, 1e30, "nothing damps as much"};
inline constexpr Bound damping_rate{"1/s", 1e-12, 1e12, "the inverse of the shortest step"};
inline constexpr Bound frequency{"Hz", 1e-12, 1e12, "the inverse of the shortest step"};
inline constexpr Bound compliance{"m/N", 1e-30, 1e30, "the inverse of the stiffness"};
inline constexpr Bound angular_compliance{"rad/(N m)", 1e-30, 1e30, "the inverse of the stiffness"};
inline constexpr Bound charge{"C", 1e-30, 1e20, "far above any charge"};
inline constexpr Bound gravitation{"m³/(kg s²)", 1e-30, 1e10, "nature's is 6.7e-11"};
inline constexpr Bound electrostatics{"N m²/C²", 1e-30, 1e20, "nature's is 9e9"};
/// Coefficients of friction. Above it, a cone of friction is a half-space to all digits of a contact force.
inline constexpr Bound friction{"(-)", 1e-12, 1e9, "more holds nothing better"};

/// For readers that know the unit of a number.
inline constexpr std::array all = {length,
                                   mass,
                                   inertia,
                                   density,
                                   speed,
                                   angular_speed,
                                   acceleration,
                                   time,
                                   angle,
                                   force,
                                   torque,
                                   stiffness,
                                   damping,
                                   damping_rate,
                                   frequency,
                                   compliance,
                                   angular_compliance,
                                   charge,
                                   gravitation,
                                   electrostatics};

}  // namespace cardhouse::limits
