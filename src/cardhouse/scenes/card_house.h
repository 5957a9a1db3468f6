#pragma once

#include <vector>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {

/// Measures of a card house, whose rows run along x and whose cards are as wide as `width` along y.
struct CardHouse {
  int levels = 4;
  double lean = 0.0;         ///< rad, from the vertical
  double length = 0.088;     ///< m
  double width = 0.063;      ///< m
  double thickness = 0.002;  ///< m

  /// From a pair's middle to the middle of either card, along x (m): the inner top edges meet in the pair's middle.
  double half_spread() const;
  /// From a card's middle to its highest edge (m).
  double half_rise() const;
  /// Between the middles of neighbouring pairs (m): their feet stay half a thickness apart.
  double pitch() const;
  /// From one row's foot to the next row's foot (m).
  double storey() const { return 2.0 * half_rise() + thickness; }
  double height() const { return levels * storey() - thickness; }
  Vec3 ground_half_extents() const;
  int cards() const { return levels * (levels + 1) + levels * (levels - 1) / 2; }
};

/// The parameters that all scenes with a card house share.
std::vector<ParameterSpec> card_house_parameters();
CardHouse card_house_from(const Parameters& parameters);

/// Adds the cards, all but the one with index `missing`, standing on the plane z = 0 of `placement`. Returns the
/// bodies' indices. Cards count from the lowest row up, leaning ones before the flat ones above them, left to right.
std::vector<int> add_cards(Scene& scene, const CardHouse& house, const Pose& placement, int missing = -1);

}  // namespace cardhouse::scenes
