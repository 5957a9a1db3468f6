// Polygons and segments: outlines, which may touch along an edge. The edge of the one is clipped against the side lines
// of the face of the other, and each point is a vertex of one of the two. Which edges and vertices these are is decided
// within a tie band, so that the points keep their names; gap and normal are exact (ties.h).
#pragma once

#include "cardhouse/collision/planar_figure.h"

namespace cardhouse {

void outline_outline(const Figure& first, const Figure& second, FigureOutput& out);
void outline_half_plane(const Figure& first, const Figure& second, FigureOutput& out);

}  // namespace cardhouse
