// What the walks along central paths share, onto cones (central_cone.h) and polygons (central_projection.h): slacks s
// and multipliers η of the sides, with η s = ε².
#pragma once

namespace cardhouse {

/// Errors of the products η s against ε², and of the balance of forces, from which one Newton step more reaches
/// round-off.
inline constexpr double central = 1e-9;
/// ε against the lengths at hand below which slacks, about ε², are round-off: there the projection itself is taken.
inline constexpr double least_smoothing = 1e-7;
/// Of the sum of the multipliers, which may be far larger than z where the cone or the polygon is narrow.
inline constexpr double multiplier_round_off = 1e-14;
/// Part of the way to the nearest side that a step may go.
inline constexpr double stay_inside = 0.99;

}  // namespace cardhouse
