#pragma once

#include <vector>

#include "cardhouse/collision/core.h"
#include "cardhouse/collision/feature.h"

namespace cardhouse {

/// A corner of the part of an incident face that lies over a reference face.
struct ClipPoint {
  Vec3 point;  ///< on the incident core
  double gap;  ///< above the plane of the reference face (m)
  Feature reference;
  Feature incident;
  // The side of the polygon that leaves this corner lies on an edge of the reference face or of the incident one.
  bool side_of_reference;
  int side;
};

/// Buffers that are kept between calls.
struct Clipper {
  std::vector<ClipPoint> points;
  std::vector<ClipPoint> previous;
};

/// Leaves in clipper.points the corners of the incident face (or bare segment) of `incident`, cut by the sides of the
/// reference face: vertices of the incident core that lie over the face (within `tolerance`, so that flush sides make
/// no difference), crossings of edges, and corners of the reference face that lie under the incident one. Each is named
/// by its two features, and no two are closer than 2 tolerance.
void clip_to_face(const Core& reference, int face, const Core& incident, double tolerance, Clipper& clipper);

}  // namespace cardhouse
