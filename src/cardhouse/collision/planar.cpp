// Contacts between figures of the x–z plane.
//
// All work is done in plane coordinates (x, z) with the world's axes and a's origin. Every figure becomes one of four
// kinds: disk, ellipse, outline (a polygon, or a segment seen as a polygon of two vertices and two faces) and
// half-plane; a pair is handled in that order of kinds and the result is turned round where the caller's order is the
// other one. Within a pair the figures are called `first` and `second`, and n is the normal from second to first.
//
// The answer is always the direction n that maximises the separation
//
//   s(n) = min over first of n·x − max over second of n·x,
//
// the distance when the figures are apart and minus the least overlap when they are not. For a disk, an ellipse and
// a half-plane the maximiser is unique, and so is the point (planar_round.h). Outlines may touch along an edge
// (planar_outlines.h).
#include "cardhouse/collision/planar.h"

#include "cardhouse/collision/planar_outlines.h"
#include "cardhouse/collision/planar_round.h"

namespace cardhouse {
namespace {

using PairFunction = void (*)(const Figure&, const Figure&, FigureOutput&);

/// By kind of the first and of the second; only the upper triangle is ever asked for.
constexpr PairFunction kPairs[4][4] = {
    {disk_disk, disk_ellipse, disk_outline, disk_half_plane},
    {nullptr, ellipse_ellipse, ellipse_outline, ellipse_half_plane},
    {nullptr, nullptr, outline_outline, outline_half_plane},
    {nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

void collide_planar(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                    std::vector<ManifoldPoint>& manifold) {
  // A half-space may be placed at any y; the plane of the contact is that of the figure.
  Vec3 origin = pose_a.position;
  if (std::holds_alternative<HalfSpace>(a)) origin.y() = pose_b.position.y();
  const Figure figure_a = place_figure(a, pose_a, origin);
  const Figure figure_b = place_figure(b, pose_b, origin);
  const bool swapped = figure_a.kind > figure_b.kind;
  const Figure& first = swapped ? figure_b : figure_a;
  const Figure& second = swapped ? figure_a : figure_b;
  FigureOutput out(manifold, origin, swapped, margin);
  const PairFunction pair = kPairs[static_cast<int>(first.kind)][static_cast<int>(second.kind)];
  if (pair) pair(first, second, out);
}

}  // namespace cardhouse
