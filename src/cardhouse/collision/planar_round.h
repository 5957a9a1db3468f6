// Disks and ellipses against any figure: one point, whose direction is unique. `second` is not before `first` in the
// order of FigureKind.
#pragma once

#include "cardhouse/collision/planar_figure.h"

namespace cardhouse {

void disk_disk(const Figure& first, const Figure& second, FigureOutput& out);
void disk_ellipse(const Figure& first, const Figure& second, FigureOutput& out);
void disk_outline(const Figure& first, const Figure& second, FigureOutput& out);
void disk_half_plane(const Figure& first, const Figure& second, FigureOutput& out);
void ellipse_ellipse(const Figure& first, const Figure& second, FigureOutput& out);
void ellipse_outline(const Figure& first, const Figure& second, FigureOutput& out);
void ellipse_half_plane(const Figure& first, const Figure& second, FigureOutput& out);

}  // namespace cardhouse
