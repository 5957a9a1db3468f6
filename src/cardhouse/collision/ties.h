// How near ties are decided, for solids and for figures. All are parts of the smaller body's size.
#pragma once

namespace cardhouse {

/// Two features whose separations differ by less than this may both give a contact its points and their names: a fixed
/// preference decides. Standing structures are full of exact ties (flush blocks, edge on edge, cards beside each
/// other), and poses that jitter by 1e-9…1e-8 of the size must not break them this way now and that way at the next
/// step. 1e-6 lies a hundredfold above. Gap and normal do not depend on it: they are those of the exact distance,
/// whichever features the points are named after.
inline constexpr double kTieTolerance = 1e-6;

/// Bodies at rest touch to within this: the time stepping leaves gaps of 1e-9 of the radius of gyration as they are.
/// There the direction between an edge or a corner and what it rests on is not theirs but that of the jitter.
inline constexpr double kRest = 2e-9;

/// Clearly different directions along which bodies that touch or overlap are separated equally well, to within this:
/// again a fixed preference decides. Half of what the gap is promised to (1e-10).
inline constexpr double kEqual = 5e-11;

/// How far (rad, not a part of the size) a corner may lie beside a face, as seen from the face, and still be over it: a
/// tenth of what the normal is promised to (1e-9).
inline constexpr double kBeside = 1e-10;

/// Face normals that differ by less than this (rad) count as one direction.
inline constexpr double kSameDirection = 1e-3;

}  // namespace cardhouse
