// The keys and choices of the scene format, written once: the reader, and the test that compares docs/scene.schema.json
// with them, use these lists.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "cardhouse/io/json_reader.h"

namespace cardhouse::scene_keys {

using Key = std::string_view;

inline constexpr int format_version = 1;

inline constexpr auto scene = std::to_array<Key>(
    {"$schema", "format_version", "name", "description", "parameters", "gravity", "settings", "duration", "friction",
     "materials", "material_pairs", "bodies", "springs", "joints", "global_forces", "stands"});
inline constexpr auto global_forces =
    std::to_array<Key>({"gravitation", "electrostatics", "softening", "opening_angle", "tree_from"});
inline constexpr auto settings =
    std::to_array<Key>({"step", "adaptive", "least_step", "error_tolerance", "scheme", "stabilisation", "gamma",
                        "overlaps", "initial_overlaps", "restitution", "contact", "soft", "solver", "tolerance",
                        "max_iterations", "max_rescues", "margin"});
inline constexpr auto soft =
    std::to_array<Key>({"normal_stiffness", "tangential_stiffness", "stick", "viscosity", "order"});
inline constexpr auto friction = std::to_array<Key>({"cone", "sides"});
inline constexpr auto material = std::to_array<Key>({"name", "mu", "restitution", "anisotropy", "mu_static",
                                                     "slip_velocity", "mu_rolling", "mu_torsional", "adhesion"});
inline constexpr auto anisotropy = std::to_array<Key>({"mu_cross", "direction"});
inline constexpr auto material_pair =
    std::to_array<Key>({"first", "second", "mu", "restitution", "mu_cross", "mu_static", "slip_velocity", "mu_rolling",
                        "mu_torsional", "adhesion"});
inline constexpr auto body = std::to_array<Key>({"name",
                                                 "kind",
                                                 "mobility",
                                                 "density",
                                                 "mass",
                                                 "inertia",
                                                 "axes",
                                                 "position",
                                                 "orientation",
                                                 "angle",
                                                 "linear_velocity",
                                                 "angular_velocity",
                                                 "shapes",
                                                 "motion",
                                                 "linear_damping",
                                                 "angular_damping",
                                                 "force",
                                                 "torque",
                                                 "charge",
                                                 "nodes",
                                                 "links"});
inline constexpr auto node = std::to_array<Key>({"position", "velocity", "mass"});
inline constexpr auto link = std::to_array<Key>({"nodes", "stiffness", "rest_length", "damping"});
inline constexpr auto weighted_node = std::to_array<Key>({"node", "weight"});
inline constexpr auto spring =
    std::to_array<Key>({"first", "second", "point_first", "point_second", "stiffness", "rest_length", "damping",
                        "implicit", "nodes_first", "nodes_second"});
inline constexpr auto joint =
    std::to_array<Key>({"name",         "type",        "first",        "second",        "anchor",
                        "axis",         "second_axis", "anchor_first", "anchor_second", "frame_first",
                        "frame_second", "length",      "collide",      "compliance",    "angular_compliance",
                        "limits",       "motor",       "friction",     "second_drive",  "nodes_first",
                        "nodes_second"});
inline constexpr auto joint_frame = std::to_array<Key>({"position", "orientation"});
inline constexpr auto joint_drive = std::to_array<Key>({"limits", "motor", "friction"});
inline constexpr auto joint_limits = std::to_array<Key>({"lower", "upper"});
inline constexpr auto joint_motor =
    std::to_array<Key>({"velocity", "position", "max_force", "max_speed", "stiffness", "damping"});
inline constexpr auto stands = std::to_array<Key>({"bodies", "max_displacement", "after", "relative_to"});

// In the order of the enumerations and variants that they stand for.
inline constexpr auto schemes = std::to_array<Key>({"leapfrog", "stewart_trinkle", "moreau_jean", "energy_momentum"});
inline constexpr auto stabilisations = std::to_array<Key>({"none", "gamma", "projection", "sqp"});
inline constexpr auto initial_overlaps = std::to_array<Key>({"keep", "separate", "push"});
inline constexpr auto joint_types =
    std::to_array<Key>({"fixed", "ball", "hinge", "slider", "universal", "distance", "revolute", "prismatic"});
inline constexpr auto restitution_laws = std::to_array<Key>({"newton", "lagged", "poisson", "impact"});
inline constexpr auto adaptive_rules = std::to_array<Key>({"none", "collision", "error"});
inline constexpr auto contact_models = std::to_array<Key>({"hard", "soft"});
inline constexpr auto stick_rules = std::to_array<Key>({"anchored", "viscous"});
inline constexpr auto cones = std::to_array<Key>({"exact", "polygon"});
inline constexpr auto kinds = std::to_array<Key>({"spatial", "planar", "particle", "network"});
inline constexpr auto mobilities = std::to_array<Key>({"dynamic", "fixed", "kinematic"});
inline constexpr auto axes = std::to_array<Key>({"x", "y", "z"});
inline constexpr auto shape_types = std::to_array<Key>(
    {"sphere", "box", "capsule", "cylinder", "polytope", "half_space", "disk", "ellipse", "polygon", "segment"});
inline constexpr auto motion_types = std::to_array<Key>({"constant_velocity", "shaking", "tilting", "lift_and_shake"});

// What earlier versions called some of these: such files still load, with a note.
inline constexpr auto old_overlaps = std::to_array<Key>({"paid", "whole"});
inline constexpr auto old_mobilities = std::to_array<OldWord>({{"moving", "dynamic"}});
inline constexpr auto old_schemes =
    std::to_array<OldWord>({{"gap_over_h", "stewart_trinkle"}, {"midpoint", "moreau_jean"}});

/// Of every shape and every motion, beside its own.
inline constexpr auto shape_common = std::to_array<Key>({"type", "position", "orientation", "material", "node"});
inline constexpr auto motion_common = std::to_array<Key>({"type"});

inline constexpr auto sphere = std::to_array<Key>({"radius"});
inline constexpr auto box = std::to_array<Key>({"half_extents"});
inline constexpr auto capsule = std::to_array<Key>({"radius", "half_length"});
inline constexpr auto polytope = std::to_array<Key>({"points"});
inline constexpr auto half_space = std::to_array<Key>({"normal"});
inline constexpr auto ellipse = std::to_array<Key>({"semi_axis_x", "semi_axis_z"});
inline constexpr auto polygon = std::to_array<Key>({"vertices"});
inline constexpr auto segment = std::to_array<Key>({"start", "end"});
inline constexpr std::array<std::span<const Key>, 10> shapes = {sphere,     box,    capsule, capsule, polytope,
                                                                half_space, sphere, ellipse, polygon, segment};

inline constexpr auto constant_velocity = std::to_array<Key>({"linear", "angular"});
inline constexpr auto shaking = std::to_array<Key>({"amplitude", "frequency", "phase"});
inline constexpr auto tilting = std::to_array<Key>({"axis", "pivot", "rate", "start", "ramp", "max_angle"});
inline constexpr auto lift_and_shake =
    std::to_array<Key>({"displacement", "start", "time", "amplitude", "frequency", "shake_start"});
inline constexpr std::array<std::span<const Key>, 4> motions = {constant_velocity, shaking, tilting, lift_and_shake};

/// The name of a spring's or joint's second end when it is not a body.
inline constexpr Key world = "world";

}  // namespace cardhouse::scene_keys
