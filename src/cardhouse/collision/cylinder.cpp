// Contacts of a cylinder.
//
// Everything happens in the frame of cylinder a (axis z). m is a unit direction from a to b, and the separation along
// it is s(m) = min over b of m·x − max over a of m·x: its maximum over m is the distance when the solids are apart and
// minus the least overlap when they are not. The maximum lies at one of
//
//   face   the normal of a face of b                        cap    ± the axis of a, or of b when b is a cylinder
//   edge   a direction perpendicular to an edge of b        point  the direction from a to a vertex of b
//   rims   a direction at which two rims meet
//
// (cylinder_separation finds the last three). Each candidate is a value of s, so the largest is never more than the
// true separation, and a search that stops early errs on the side of overlap. Precision: gap and normal to about 1e-12
// of the size where there is no tie, and the gap to kTie of it where there is one. Two cylinders that overlap may have
// several maxima, and the search over rims may then return one that is not the best: of 5000 random overlapping pairs
// of size 1 three were too deep, by 2e-4 at most (7e-6 for overlaps below 0.15).
//
// Faces and caps win ties: they carry load on a patch, whose points cylinder_patch finds. When the best direction is
// an edge, a point or a pair of rims, the patch along it is used as well (a nearly standing or nearly parallel solid
// has more points within the margin), and the deepest point is added unless the patch already has it.
#include "cardhouse/collision/cylinder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "cardhouse/base/error.h"
#include "cardhouse/collision/cylinder_partner.h"
#include "cardhouse/collision/cylinder_patch.h"
#include "cardhouse/collision/cylinder_separation.h"

namespace cardhouse {

namespace {

/// Directions whose separations differ by less than this part of the smaller solid's size are equally good.
constexpr double kTie = 1e-6;

/// The cap is the touching feature when the axis is within 45° of m; the generator is it otherwise.
constexpr double kCapCosine = 0.70710678;

/// A direction that is no feature's normal carries a patch only when the features are this nearly perpendicular to it.
constexpr double kAligned = 0.98;

/// A face that is steeper than this is no candidate for a patch below a vertex; an edge is then.
constexpr double kSteepFace = 0.7;

enum class Touching { face, cap, other_cap, edge, point, rims };

struct Candidate {
  CylinderSeparation separation;
  Touching touching = Touching::point;
  int index = -1;  ///< of the face, edge or vertex
};

/// The best candidate of each rank; a lower rank wins ties.
struct Ranking {
  std::array<Candidate, 3> ranks;

  void offer(std::size_t rank, const Candidate& candidate) {
    if (candidate.separation.value > ranks[rank].separation.value) ranks[rank] = candidate;
  }

  double best() const {
    return std::max({ranks[0].separation.value, ranks[1].separation.value, ranks[2].separation.value});
  }
};

// ---- cylinder against a core ------------------------------------------------------------------------------------

void offer_faces(const Cylinder& cylinder, const CylinderPartner& core, Ranking& ranking) {
  for (int i = 0; i < core.face_count(); ++i) {
    const FlatFace face = core.face(i);
    const Vec3 m = -face.normal;
    ranking.offer(0, {{m, -face.offset - cylinder_reach(cylinder, m)}, Touching::face, i});
  }
}

void offer_caps(const Cylinder& cylinder, const CylinderPartner& core, Ranking& ranking) {
  for (const double sign : {-1.0, 1.0}) {
    const Vec3 m = sign * Vec3::UnitZ();
    const int vertex = core.first_along(m);
    ranking.offer(1, {{m, m.dot(core.vertex(vertex)) - cylinder.half_length}, Touching::cap, vertex});
  }
}

/// Of the vertices outside only the nearest can be the nearest point of the core; those inside all count.
void offer_points(const Cylinder& cylinder, const CylinderPartner& core, Ranking& ranking) {
  Candidate nearest;
  nearest.separation.value = std::numeric_limits<double>::infinity();
  const auto offer = [&](Candidate candidate) {
    const Vec3& m = candidate.separation.direction;
    candidate.separation.value = m.dot(core.vertex(core.first_along(m))) - cylinder_reach(cylinder, m);
    ranking.offer(2, candidate);
  };
  for (int i = 0; i < core.vertex_count(); ++i) {
    const Candidate candidate{separate_cylinder_point(cylinder, core.vertex(i)), Touching::point, i};
    if (candidate.separation.value < 0.0) {
      // The way out through a cap is a candidate already; the one through the side may win although it is longer.
      const Vec3 v = core.vertex(i);
      const double rho = std::hypot(v.x(), v.y());
      const Vec3 radial = rho > 0.0 ? Vec3(v.x() / rho, v.y() / rho, 0.0) : Vec3::UnitX();
      offer({{radial, 0.0}, Touching::point, i});
    } else if (candidate.separation.value < nearest.separation.value) {
      nearest = candidate;
    }
  }
  if (nearest.index >= 0) offer(nearest);
}

void offer_edges(const Cylinder& cylinder, const CylinderPartner& core, Ranking& ranking) {
  if (core.is_line()) {
    const Vec3 start = core.vertex(0);
    if (core.size() == 0.0) return;  // a capsule without length is a sphere
    const Vec3 line = (core.vertex(1) - start).normalized();
    ranking.offer(2, {separate_cylinder_line(cylinder, start, line), Touching::edge, 0});
    return;
  }
  const double reach = std::hypot(cylinder.radius, cylinder.half_length);
  for (std::size_t i = 0; i < core.edges().size(); ++i) {
    const Hull::Edge& edge = core.edges()[i];
    const Vec3 start = core.vertex(edge.vertices[0]);
    const Vec3 from = -core.face_normal(edge.faces[0]);
    const Vec3 to = -core.face_normal(edge.faces[1]);
    // s changes by at most (|start| + reach) per radian, so a short arc beside poor faces cannot win.
    const double ends =
        std::max(from.dot(start) - cylinder_reach(cylinder, from), to.dot(start) - cylinder_reach(cylinder, to));
    const double half_arc = 0.5 * std::atan2(from.cross(to).norm(), from.dot(to));
    if (ends + half_arc * (start.norm() + reach) < ranking.best()) continue;
    const Vec3 along = (core.vertex(edge.vertices[1]) - start).normalized();
    ranking.offer(2, {separate_cylinder_edge(cylinder, start, along, from, to), Touching::edge, static_cast<int>(i)});
  }
}

int face_toward(const CylinderPartner& core, const Vec3& m) {
  int best = -1;
  double facing = -2.0;
  for (int i = 0; i < core.face_count(); ++i) {
    const double other = -m.dot(core.face_normal(i));
    if (other > facing + kTie) {
      facing = other;
      best = i;
    }
  }
  return best;
}

/// The edge whose farther end comes first along m.
std::array<int, 2> edge_toward(const CylinderPartner& core, const Vec3& m) {
  if (core.is_line()) return {0, 1};
  std::array<int, 2> best{0, 0};
  double nearest = std::numeric_limits<double>::infinity();
  for (const Hull::Edge& edge : core.edges()) {
    const double far = std::max(m.dot(core.vertex(edge.vertices[0])), m.dot(core.vertex(edge.vertices[1])));
    if (far < nearest) {
      nearest = far;
      best = edge.vertices;
    }
  }
  return best;
}

void patch_on_core(const CylinderPatch& patch, const CylinderPartner& core, const Candidate& candidate) {
  const Vec3& m = candidate.separation.direction;
  const bool cap = std::abs(m.z()) >= kCapCosine;
  const bool normal_of_a_feature = candidate.touching == Touching::face || candidate.touching == Touching::cap;
  if (core.size() == 0.0) return;
  const bool aligned = cap ? std::abs(m.z()) >= kAligned : std::abs(m.z()) <= 1.0 - kAligned;
  if (!normal_of_a_feature && !aligned) return;
  int face = candidate.touching == Touching::face ? candidate.index : face_toward(core, m);
  if (face >= 0 && -m.dot(core.face_normal(face)) < (normal_of_a_feature ? kSteepFace : kAligned)) face = -1;
  if (face >= 0) {
    cap ? patch.cap_on_face(m, core.face(face)) : patch.generator_on_face(m, core.face(face));
    return;
  }
  const bool edge_known = candidate.touching == Touching::edge && !core.is_line();
  const std::array<Vec3, 2> line =
      core.line(edge_known ? core.edges()[static_cast<std::size_t>(candidate.index)].vertices : edge_toward(core, m));
  cap ? patch.cap_on_line(m, line) : patch.generator_on_line(m, {line, 0.0});
}

/// The point of the generator below m that a crossing line touches.
Vec3 crossing_on_generator(const Cylinder& cylinder, const Vec3& m, const std::array<Vec3, 2>& line) {
  const Vec3 radial = Vec3(m.x(), m.y(), 0.0).normalized();
  const Vec3 lateral = Vec3::UnitZ().cross(radial);
  const double from = lateral.dot(line[0]);
  const double to = lateral.dot(line[1]);
  const double fraction = from == to ? 0.5 : std::clamp(from / (from - to), 0.0, 1.0);
  const double height = (1.0 - fraction) * line[0].z() + fraction * line[1].z();
  return cylinder.radius * radial + std::clamp(height, -cylinder.half_length, cylinder.half_length) * Vec3::UnitZ();
}

/// The rim point below m, when m singles it out.
std::optional<Vec3> unique_rim_point(const Cylinder& cylinder, const Vec3& m, double tie) {
  const double rho = std::hypot(m.x(), m.y());
  if (rho * cylinder.radius <= tie || std::abs(m.z()) * cylinder.half_length <= tie) return std::nullopt;
  return Vec3(cylinder.radius * m.x() / rho, cylinder.radius * m.y() / rho, std::copysign(cylinder.half_length, m.z()));
}

Vec3 deepest_on_core(const Cylinder& cylinder, const CylinderPartner& core, const Candidate& candidate, double tie) {
  const Vec3& m = candidate.separation.direction;
  if (const auto rim = unique_rim_point(cylinder, m, tie)) return *rim;
  if (candidate.touching == Touching::edge && std::abs(m.z()) < kCapCosine) {
    const std::array<int, 2> ends =
        core.is_line() ? std::array<int, 2>{0, 1} : core.edges()[static_cast<std::size_t>(candidate.index)].vertices;
    return crossing_on_generator(cylinder, m, core.line(ends));
  }
  return core.vertex(core.first_along(m)) - candidate.separation.value * m;
}

/// Tries the candidates in order of rank: one within a tie of the best wins when its patch has a point that is as deep.
template <typename MakePatch>
bool write_patch(const Ranking& ranking, double tie, PatchWriter& out, const MakePatch& make_patch) {
  const double best = ranking.best();
  for (const Candidate& candidate : ranking.ranks) {
    if (candidate.separation.value < best - tie) continue;
    make_patch(candidate);
    if (out.least_gap() <= best + tie) return true;
    out.rewind();
  }
  return false;
}

/// For solids that do not overlap a patch proves itself: its points show that the distance is no larger than the
/// separation. Then the directions that are costly to find need not be searched.
template <typename MakePatch>
bool settle_early(const Ranking& ranking, double tie, PatchWriter& out, const MakePatch& make_patch) {
  return ranking.best() >= -tie && write_patch(ranking, tie, out, make_patch);
}

/// The best candidate has no patch as deep as itself: what patch it has, and its deepest point.
template <typename MakePatch, typename Deepest>
void write_deepest(const Ranking& ranking, PatchWriter& out, const MakePatch& make_patch, const Deepest& deepest) {
  const auto winner = std::find_if(ranking.ranks.begin(), ranking.ranks.end(),
                                   [&](const Candidate& c) { return c.separation.value == ranking.best(); });
  make_patch(*winner);
  out.add(deepest(*winner), winner->separation.value, winner->separation.direction,
          cylinder_feature(CylinderFeature::deepest));
}

void collide_core(const Cylinder& cylinder, const CylinderPartner& core, double skin, double margin, PatchWriter& out) {
  const double reach = margin + skin;
  const double tie = kTie * std::min(core.size() + skin, std::hypot(cylinder.radius, cylinder.half_length));
  const CylinderPatch patch{cylinder, tie, out};
  const auto make_patch = [&](const Candidate& c) { patch_on_core(patch, core, c); };
  Ranking ranking;
  offer_faces(cylinder, core, ranking);
  offer_caps(cylinder, core, ranking);
  if (ranking.best() >= reach || settle_early(ranking, tie, out, make_patch)) return;
  offer_points(cylinder, core, ranking);
  if (ranking.best() >= reach) return;
  offer_edges(cylinder, core, ranking);
  if (ranking.best() >= reach || write_patch(ranking, tie, out, make_patch)) return;
  write_deepest(ranking, out, make_patch, [&](const Candidate& c) { return deepest_on_core(cylinder, core, c, tie); });
}

// ---- cylinder against half-space and sphere ---------------------------------------------------------------------

void collide_half_space(const Cylinder& cylinder, const Vec3& normal, const Vec3& position, PatchWriter& out) {
  FlatFace plane;
  plane.normal = normal;
  plane.offset = normal.dot(position);
  const CylinderPatch patch{cylinder, kTie * std::hypot(cylinder.radius, cylinder.half_length), out};
  const Vec3 m = -normal;
  std::abs(m.z()) >= kCapCosine ? patch.cap_on_face(m, plane) : patch.generator_on_face(m, plane);
}

// ---- cylinder against cylinder ----------------------------------------------------------------------------------

struct OtherCylinder {
  Cylinder shape;
  Mat3 axes = Mat3::Identity();
  Vec3 centre = Vec3::Zero();

  Vec3 axis() const { return axes.col(2); }
  double reach(const Vec3& m) const {
    return shape.radius * m.cross(axis()).norm() + shape.half_length * std::abs(m.dot(axis()));
  }
  std::array<Vec3, 2> core() const {
    return {centre - shape.half_length * axis(), centre + shape.half_length * axis()};
  }
  /// The generator that comes first along m.
  std::array<Vec3, 2> generator(const Vec3& m) const {
    const Vec3 side = shape.radius * (m - m.dot(axis()) * axis()).normalized();
    return {core()[0] - side, core()[1] - side};
  }
};

double separation_along(const Cylinder& a, const OtherCylinder& b, const Vec3& m) {
  return m.dot(b.centre) - cylinder_reach(a, m) - b.reach(m);
}

void offer_caps(const Cylinder& a, const OtherCylinder& b, Ranking& ranking) {
  for (const double sign : {-1.0, 1.0}) {
    const Vec3 own = sign * Vec3::UnitZ();
    const Vec3 other = sign * b.axis();
    ranking.offer(0, {{own, separation_along(a, b, own)}, Touching::cap});
    ranking.offer(1, {{other, separation_along(a, b, other)}, Touching::other_cap});
  }
}

/// A generator of a touches where m is perpendicular to a's axis, one of b where it is perpendicular to b's.
std::array<Vec3, 2> offer_generators(const Cylinder& a, const OtherCylinder& b, Ranking& ranking) {
  const CylinderSeparation beside_b = separate_cylinder_line(a, b.centre, b.axis());
  const CylinderSeparation beside_a =
      separate_cylinder_line(b.shape, b.axes.transpose() * b.centre, b.axes.transpose() * Vec3::UnitZ());
  const std::array<Vec3, 2> directions{b.axes * beside_a.direction, beside_b.direction};
  for (const Vec3& m : directions) ranking.offer(2, {{m, separation_along(a, b, m)}, Touching::edge});
  return directions;
}

/// The rim point of a cylinder, in its own frame, that is farthest along m.
Vec3 rim_point(const Cylinder& cylinder, const Vec3& m) {
  const Vec2 side = cylinder.radius * m.head<2>().stableNormalized();
  return {side.x(), side.y(), std::copysign(cylinder.half_length, m.z())};
}

/// Besides the directions that are roughly right, the climb starts where a rim point above a cap, but a little beside
/// it, would have its own nearest point: there the top is too narrow to be met from afar.
void offer_rims(const Cylinder& a, const OtherCylinder& b, const std::array<Vec3, 2>& beside, Ranking& ranking) {
  const Vec3 between = b.centre.squaredNorm() > 0.0 ? Vec3(b.centre.normalized()) : Vec3::UnitX();
  const Vec3& own = ranking.ranks[0].separation.direction;
  const Vec3& other = ranking.ranks[1].separation.direction;
  const Vec3 of_b = b.centre + b.axes * rim_point(b.shape, -(b.axes.transpose() * own));
  const Vec3 of_a = b.axes.transpose() * (rim_point(a, other) - b.centre);
  const std::array<Vec3, 8> starts{rough_direction(a, b.shape, b.centre, b.axis()),
                                   between,
                                   beside[0],
                                   beside[1],
                                   separate_cylinder_point(a, of_b).direction,
                                   -(b.axes * separate_cylinder_point(b.shape, of_a).direction),
                                   (between + own).normalized(),
                                   (between + other).normalized()};
  // The last two help only where the solids overlap and there are several tops.
  const auto used = std::span<const Vec3>(starts).first(ranking.best() < 0.0 ? 8 : 6);
  ranking.offer(2, {separate_rims(a, b.shape, b.centre, b.axis(), used), Touching::rims});
}

/// a as seen from b, with the direction turned round: b is then the cylinder at hand.
OtherCylinder seen_from_other(const Cylinder& a, const OtherCylinder& b) {
  return {a, b.axes.transpose(), -(b.axes.transpose() * b.centre)};
}

void patch_of_cylinders(const Cylinder& a, const OtherCylinder& b, const Candidate& candidate, double tie,
                        PatchWriter& out, PatchWriter& swapped_out) {
  const Vec3& m = candidate.separation.direction;
  const double own = std::abs(m.z());
  const double other = std::abs(m.dot(b.axis()));
  const bool own_cap = own >= kCapCosine;
  const bool other_cap = other >= kCapCosine;
  const auto aligned = [](double cosine) { return cosine >= kAligned || cosine <= 1.0 - kAligned; };
  const bool normal_of_a_cap = candidate.touching == Touching::cap || candidate.touching == Touching::other_cap;
  if (!normal_of_a_cap && !(aligned(own) && aligned(other))) return;
  const CylinderPatch patch{a, tie, out};
  if (own_cap && other_cap) {
    const int cap = m.dot(b.axis()) > 0.0 ? 0 : 1;
    patch.cap_on_round_face(m, {b.core()[static_cast<std::size_t>(cap)], b.axes, b.shape.radius, cap});
  } else if (own_cap) {
    patch.cap_on_line(m, b.generator(m));
  } else if (other_cap) {
    const OtherCylinder a_from_b = seen_from_other(a, b);
    const Vec3 back = -(b.axes.transpose() * m);
    CylinderPatch{b.shape, tie, swapped_out}.cap_on_line(back, a_from_b.generator(back));
  } else {
    patch.generator_on_line(m, {b.core(), b.shape.radius});
  }
}

Vec3 deepest_of_cylinders(const Cylinder& a, const OtherCylinder& b, const Candidate& candidate, double tie) {
  const Vec3& m = candidate.separation.direction;
  if (const auto rim = unique_rim_point(a, m, tie)) return *rim;
  if (const auto rim = unique_rim_point(b.shape, -(b.axes.transpose() * m), tie)) {
    return b.centre + b.axes * *rim - candidate.separation.value * m;
  }
  return crossing_on_generator(a, m, b.core());
}

void collide_cylinders(const Cylinder& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b, const Mat3& axes,
                       const Vec3& centre, double margin, std::vector<ManifoldPoint>& manifold) {
  const OtherCylinder other{b, axes, centre};
  const double tie = kTie * std::min(std::hypot(a.radius, a.half_length), std::hypot(b.radius, b.half_length));
  PatchWriter out(manifold, pose_a, false, 0.0, margin);
  const auto make_patch = [&](const Candidate& candidate) {
    PatchWriter swapped(manifold, pose_b, true, 0.0, margin);
    patch_of_cylinders(a, other, candidate, tie, out, swapped);
    out.include(swapped);
  };
  Ranking ranking;
  offer_caps(a, other, ranking);
  if (ranking.best() >= margin || settle_early(ranking, tie, out, make_patch)) return;
  const std::array<Vec3, 2> beside = offer_generators(a, other, ranking);
  if (ranking.best() >= margin || settle_early(ranking, tie, out, make_patch)) return;
  offer_rims(a, other, beside, ranking);
  if (ranking.best() >= margin || write_patch(ranking, tie, out, make_patch)) return;
  write_deepest(ranking, out, make_patch, [&](const Candidate& c) { return deepest_of_cylinders(a, other, c, tie); });
}

}  // namespace

void collide_cylinder(const Cylinder& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                      std::vector<ManifoldPoint>& manifold) {
  const Mat3 to_a = pose_a.orientation.conjugate().toRotationMatrix();
  const Mat3 rotation = to_a * pose_b.orientation.toRotationMatrix();
  const Vec3 position = to_a * (pose_b.position - pose_a.position);
  const auto writer = [&](double skin) { return PatchWriter(manifold, pose_a, false, skin, margin); };
  if (const auto* sphere = std::get_if<Sphere>(&b)) {
    PatchWriter out = writer(sphere->radius);
    const CylinderSeparation s = separate_cylinder_point(a, position);
    out.add(position - s.value * s.direction, s.value, s.direction, cylinder_feature(CylinderFeature::only_point));
  } else if (const auto* half_space = std::get_if<HalfSpace>(&b)) {
    PatchWriter out = writer(0.0);
    collide_half_space(a, (rotation * half_space->normal).normalized(), position, out);
  } else if (const auto* box = std::get_if<Box>(&b)) {
    PatchWriter out = writer(0.0);
    collide_core(a, CylinderPartner(*box, rotation, position), 0.0, margin, out);
  } else if (const auto* polytope = std::get_if<Polytope>(&b)) {
    PatchWriter out = writer(0.0);
    collide_core(a, CylinderPartner(*polytope->hull, rotation, position), 0.0, margin, out);
  } else if (const auto* capsule = std::get_if<Capsule>(&b)) {
    PatchWriter out = writer(capsule->radius);
    collide_core(a, CylinderPartner(*capsule, rotation, position), capsule->radius, margin, out);
  } else if (const auto* cylinder = std::get_if<Cylinder>(&b)) {
    collide_cylinders(a, pose_a, *cylinder, pose_b, rotation, position, margin, manifold);
  } else {
    throw InputError(std::string(shape_name(b)) +
                     ": touches no cylinder; allowed are sphere, box, capsule, cylinder, polytope and half_space");
  }
}

}  // namespace cardhouse
