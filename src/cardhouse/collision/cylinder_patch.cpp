// Contact patches of a cylinder: where a cap or a generator lies on a face, a cap or a line.
//
// The direction m is given, and every point is found by projection along m: a point q of the other solid lies above
// the cap plane z = σ h at the gap t = (q_z − σ h) / m_z, and a rim point lies below a face at the gap
// t = (offset − n·q) / (n·m). So on_other − on_cylinder = t m holds for each, whichever of the two features is the
// tilted one, and t ≥ s(m), the separation along m.
//
// A standing cylinder is carried by four rim points at fixed azimuths of its own frame. They stay in place when the
// cylinder is exactly upright and the lowest point of the rim is noise; as soon as it tilts by more than kUpright the
// lowest point joins them, so that the support reaches out to the full radius in every direction.
#include "cardhouse/collision/cylinder_patch.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {

namespace {

/// Below this tilt (rad) all points of a rim are equally low: the error is 0.3 kUpright radius at most.
constexpr double kUpright = 1e-6;

/// The largest angle (rad) between a generator and a line that may touch in more than one point within a margin.
constexpr double kNearlyParallel = 0.02;

/// Rims of caps that are tilted more than this (as a cosine) against the normal have no crossing worth a point.
constexpr double kNearlyFlat = 0.98;

}  // namespace

FeatureId cylinder_feature(CylinderFeature kind, int i, int j, int k) {
  constexpr int narrow = 1 << 13;
  if (i >= narrow || j >= narrow) return wide_feature(static_cast<unsigned>(kind), i, j, k);
  return static_cast<FeatureId>(kind) << 28 | static_cast<FeatureId>(i) << 14 | static_cast<FeatureId>(j) << 1 |
         (static_cast<FeatureId>(k) & 1);
}

void PatchWriter::add(const Vec3& on_cylinder, double gap_to_core, const Vec3& m, FeatureId feature) {
  least_gap_ = std::min(least_gap_, gap_to_core);
  const double gap = gap_to_core - skin_;
  if (!(gap < margin_)) return;
  const Vec3 here = pose_.apply(on_cylinder);
  const Vec3 to_other = pose_.orientation * m;
  const Vec3 there = here + gap * to_other;
  const FeatureId swapped_bit = FeatureId{1} << ((feature & wide_feature_bit) != 0 ? 57 : 27);
  manifold_.push_back(swapped_ ? ManifoldPoint{there, here, to_other, gap, feature | swapped_bit}
                               : ManifoldPoint{here, there, -to_other, gap, feature});
}

void PatchWriter::rewind() {
  manifold_.resize(start_);
  least_gap_ = 1e300;
}

bool FlatFace::contains(const Vec3& x, double tie) const {
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 start = corner(i);
    if (normal.cross(corner(i + 1) - start).normalized().dot(x - start) < -tie) return false;
  }
  return true;
}

Vec3 CylinderPatch::fixed_rim_point(int azimuth, double height) const {
  constexpr double kCosine[4] = {1.0, 0.0, -1.0, 0.0};
  constexpr double kSine[4] = {0.0, 1.0, 0.0, -1.0};
  return {cylinder.radius * kCosine[azimuth], cylinder.radius * kSine[azimuth], height};
}

/// Where an edge, projected onto the cap, crosses the rim. Crossings at an end that itself counts as inside are left
/// out, and so is an edge that grazes the rim.
void CylinderPatch::edge_over_rim(const Vec3& m, const Vec3& one, const Vec3& other, int id_one, int id_other) const {
  const double height = std::copysign(cylinder.half_length, m.z());
  const double r = cylinder.radius;
  const double gap_one = (one.z() - height) / m.z();
  const double gap_other = (other.z() - height) / m.z();
  const Vec2 start = (one - gap_one * m).head<2>();
  const Vec2 stop = (other - gap_other * m).head<2>();
  const double length = (stop - start).norm();
  if (length <= tie) return;
  const Vec2 along = (stop - start) / length;
  const double middle = -start.dot(along);
  const double off = std::abs(start.x() * along.y() - start.y() * along.x());
  if (off >= r - tie) return;
  const double half_chord = std::sqrt((r - off) * (r + off));
  for (int k = 0; k < 2; ++k) {
    const double x = k == 0 ? middle - half_chord : middle + half_chord;
    if (x <= 0.0 || x >= length) continue;
    if (x <= 4.0 * tie && start.norm() <= r + tie) continue;
    if (x >= length - 4.0 * tie && stop.norm() <= r + tie) continue;
    const Vec2 crossing = start + x * along;
    const double gap = gap_one + x / length * (gap_other - gap_one);
    const bool ascending = id_one < id_other;
    out.add(Vec3(crossing.x(), crossing.y(), height), gap, m,
            cylinder_feature(CylinderFeature::edge_over_rim, std::min(id_one, id_other), std::max(id_one, id_other),
                             ascending ? k : 1 - k));
  }
}

void CylinderPatch::cap_on_face(const Vec3& m, const FlatFace& face) const {
  const double height = std::copysign(cylinder.half_length, m.z());
  const int cap = m.z() > 0.0 ? 1 : 0;
  const auto add_rim_point = [&](const Vec3& q, FeatureId feature) {
    const double gap = face.gap_from(q, m);
    if (face.contains(q + gap * m, tie)) out.add(q, gap, m, feature);
  };
  for (int k = 0; k < 4; ++k) {
    add_rim_point(fixed_rim_point(k, height), cylinder_feature(CylinderFeature::fixed_rim_point, cap, k));
  }
  // The rim point nearest to the face: where the face's normal, not m, has its part across the axis.
  const Vec2 down = -face.normal.head<2>();
  if (down.norm() > kUpright) {
    const Vec2 q = cylinder.radius * down.normalized();
    add_rim_point(Vec3(q.x(), q.y(), height), cylinder_feature(CylinderFeature::lowest_rim_point, cap));
  }
  for (std::size_t i = 0; i < face.corners.size(); ++i) {
    const Vec3 corner = face.corner(i);
    const double gap = (corner.z() - height) / m.z();
    const Vec3 foot = corner - gap * m;
    if (foot.head<2>().norm() <= cylinder.radius + tie) {
      out.add(foot, gap, m, cylinder_feature(CylinderFeature::corner_on_cap, face.corner_id(i)));
    }
    edge_over_rim(m, corner, face.corner(i + 1), face.corner_id(i), face.corner_id(i + 1));
  }
}

void CylinderPatch::cap_on_round_face(const Vec3& m, const RoundFace& face) const {
  const double height = std::copysign(cylinder.half_length, m.z());
  const int cap = m.z() > 0.0 ? 1 : 0;
  const Vec3 axis = face.axes.col(2);
  const auto gap_up = [&](const Vec3& q) { return axis.dot(face.centre - q) / axis.dot(m); };
  const auto add_own = [&](const Vec2& q2, FeatureId feature) {
    const Vec3 q(q2.x(), q2.y(), height);
    const double gap = gap_up(q);
    if ((q + gap * m - face.centre).norm() <= face.radius + tie) out.add(q, gap, m, feature);
  };
  const auto add_others = [&](const Vec3& q, FeatureId feature) {
    const double gap = (q.z() - height) / m.z();
    const Vec3 foot = q - gap * m;
    if (foot.head<2>().norm() <= cylinder.radius + tie) out.add(foot, gap, m, feature);
  };
  for (int k = 0; k < 4; ++k) {
    add_own(fixed_rim_point(k, height).head<2>(), cylinder_feature(CylinderFeature::fixed_rim_point, cap, k));
  }
  const double lean = std::hypot(axis.x(), axis.y());
  if (lean > kUpright) {
    // Each rim is lowest where the other's axis leans: the near side of its own disk.
    const double sign = axis.dot(m) > 0.0 ? 1.0 : -1.0;
    add_own(sign * cylinder.radius / lean * axis.head<2>(), cylinder_feature(CylinderFeature::lowest_rim_point, cap));
    const Vec3 own(0.0, 0.0, std::copysign(1.0, m.z()));
    const Vec3 toward = -(own - axis.dot(own) * axis).normalized();
    add_others(face.centre + face.radius * toward, cylinder_feature(CylinderFeature::other_lowest_rim_point, face.cap));
  }

  // Circles that coincide would name every point twice.
  const Vec3 foot = face.centre - (face.centre.z() - height) / m.z() * m;
  const Vec2 centre = foot.head<2>();
  const double distance = centre.norm();
  const double r = cylinder.radius;
  if (distance <= tie && std::abs(r - face.radius) <= tie) return;
  for (int k = 0; k < 4; ++k) {
    const Vec3 q = face.centre + face.axes * (face.radius / r * fixed_rim_point(k, 0.0));
    add_others(q, cylinder_feature(CylinderFeature::other_fixed_rim_point, face.cap, k));
  }
  if (distance <= tie || std::min(std::abs(m.z()), std::abs(axis.dot(m))) < kNearlyFlat) return;
  const double along = 0.5 * (distance + (r - face.radius) * (r + face.radius) / distance);
  if (std::abs(along) >= r - tie) return;
  const double aside = std::sqrt((r - along) * (r + along));
  for (int k = 0; k < 2; ++k) {
    const Vec2 guess = along * centre + (k == 0 ? aside : -aside) * Vec2(-centre.y(), centre.x());
    const auto crossing = rims_cross(face, m, height, std::atan2(guess.y(), guess.x()));
    if (!crossing) continue;
    out.add(*crossing, gap_up(*crossing), m, cylinder_feature(CylinderFeature::rim_over_rim, cap, face.cap, k));
  }
}

/// The rim point whose projection along m lies on the other rim. Two circles in parallel planes give the guess for the
/// azimuth; Newton's method corrects it for the tilt.
std::optional<Vec3> CylinderPatch::rims_cross(const RoundFace& face, const Vec3& m, double height,
                                              double azimuth) const {
  const Vec3 axis = face.axes.col(2);
  const double r = cylinder.radius;
  for (int iteration = 0; iteration < 12; ++iteration) {
    const Vec3 q(r * std::cos(azimuth), r * std::sin(azimuth), height);
    const Vec3 turned(-q.y(), q.x(), 0.0);
    const Vec3 x = q - face.centre - axis.dot(q - face.centre) / axis.dot(m) * m;
    const Vec3 slope = turned - axis.dot(turned) / axis.dot(m) * m;
    const double excess = x.squaredNorm() - face.radius * face.radius;
    if (std::abs(excess) <= 1e-14 * face.radius * (r + face.radius)) return q;
    const double step = -excess / (2.0 * x.dot(slope));
    if (!(std::abs(step) < 0.5)) return std::nullopt;
    azimuth += step;
  }
  return std::nullopt;
}

void CylinderPatch::cap_on_line(const Vec3& m, const std::array<Vec3, 2>& ends) const {
  const double height = std::copysign(cylinder.half_length, m.z());
  for (int k = 0; k < 2; ++k) {
    const Vec3& end = ends[static_cast<std::size_t>(k)];
    const double gap = (end.z() - height) / m.z();
    const Vec3 foot = end - gap * m;
    if (foot.head<2>().norm() <= cylinder.radius + tie) {
      out.add(foot, gap, m, cylinder_feature(CylinderFeature::line_end_on_cap, k));
    }
  }
  edge_over_rim(m, ends[0], ends[1], 0, 1);
}

/// Clips the generator below m to the face's sides (Cyrus and Beck).
void CylinderPatch::generator_on_face(const Vec3& m, const FlatFace& face) const {
  const Vec2 side = cylinder.radius * m.head<2>().normalized();
  std::array<Vec3, 2> ends;
  std::array<double, 2> gaps;
  std::array<double, 2> cut{0.0, 1.0};
  std::array<FeatureId, 2> features;
  for (std::size_t k = 0; k < 2; ++k) {
    ends[k] = Vec3(side.x(), side.y(), k == 0 ? -cylinder.half_length : cylinder.half_length);
    gaps[k] = face.gap_from(ends[k], m);
    features[k] = cylinder_feature(CylinderFeature::generator_end, static_cast<int>(k));
  }
  for (std::size_t i = 0; i < face.corners.size(); ++i) {
    const Vec3 start = face.corner(i);
    const Vec3 inward = face.normal.cross(face.corner(i + 1) - start).normalized();
    const std::array<double, 2> depth{inward.dot(ends[0] + gaps[0] * m - start),
                                      inward.dot(ends[1] + gaps[1] * m - start)};
    if (depth[0] < -tie && depth[1] < -tie) return;
    for (std::size_t k = 0; k < 2; ++k) {
      if (depth[k] >= -tie) continue;
      const double fraction = depth[0] / (depth[0] - depth[1]);
      if (k == 0 ? fraction <= cut[0] : fraction >= cut[1]) continue;
      cut[k] = std::clamp(fraction, 0.0, 1.0);
      const int one = face.corner_id(i);
      const int other = face.corner_id(i + 1);
      features[k] = cylinder_feature(CylinderFeature::generator_over_edge, std::min(one, other), std::max(one, other),
                                     static_cast<int>(k));
    }
  }
  if (cut[0] > cut[1]) return;
  for (std::size_t k = 0; k < 2; ++k) {
    out.add(ends[0] + cut[k] * (ends[1] - ends[0]), gaps[0] + cut[k] * (gaps[1] - gaps[0]), m, features[k]);
  }
}

/// A generator beside a nearly parallel line: the two ends of the common length. Where the lines cross at a small angle
/// the cores are beside each other by δ there, and of two circles whose radii add up to R the points that are closest
/// along m are at the angle α from m with sin α = δ / R: the gap grows by R (1 − cos α).
void CylinderPatch::generator_on_line(const Vec3& m, const StraightLine& line) const {
  Vec3 along = (line.ends[1] - line.ends[0]).normalized();
  const bool reversed = along.z() < 0.0;
  if (reversed) along = -along;
  if (along.head<2>().norm() > kNearlyParallel) return;
  const Vec3& low_end = line.ends[reversed ? 1 : 0];
  const Vec3& high_end = line.ends[reversed ? 0 : 1];
  const double h = cylinder.half_length;
  const bool low_is_own = -h + tie >= low_end.z();
  const bool high_is_own = h - tie <= high_end.z();
  const std::array<double, 2> heights{low_is_own ? -h : low_end.z(), high_is_own ? h : high_end.z()};
  if (heights[0] > heights[1]) return;
  const std::array<FeatureId, 2> features{
      low_is_own ? cylinder_feature(CylinderFeature::generator_end, 0)
                 : cylinder_feature(CylinderFeature::line_end_on_side, reversed ? 1 : 0),
      high_is_own ? cylinder_feature(CylinderFeature::generator_end, 1)
                  : cylinder_feature(CylinderFeature::line_end_on_side, reversed ? 0 : 1)};
  const Vec3 radial = Vec3(m.x(), m.y(), 0.0).normalized();
  const Vec3 lateral = Vec3::UnitZ().cross(radial);
  const double sum = cylinder.radius + line.radius + out.skin();
  const Vec3 radial_other = (m - m.dot(along) * along).normalized();
  const std::array<bool, 2> is_own{low_is_own, high_is_own};
  for (std::size_t k = 0; k < 2; ++k) {
    Vec3 own(0.0, 0.0, heights[k]);
    Vec3 other = low_end + (own.z() - low_end.z()) / along.z() * along;
    double sine = 0.0;
    double cosine = 1.0;
    double gap = 0.0;
    // The free one of the two points slides along its core until the two surface points face each other along m.
    for (int iteration = 0; iteration < 4; ++iteration) {
      sine = std::clamp(lateral.dot(other - own) / sum, -0.5, 0.5);
      cosine = std::sqrt((1.0 - sine) * (1.0 + sine));
      const double reach = cylinder.radius * m.dot(radial) + line.radius * m.dot(radial_other) + out.skin();
      gap = m.dot(other - own) - cosine * reach + out.skin();
      const double ahead = other.z() - line.radius * cosine * radial_other.z() - gap * m.z() - own.z();
      is_own[k] ? other -= ahead / along.z()* along : own += Vec3(0.0, 0.0, ahead);
    }
    const bool beyond_line = other.z() < low_end.z() - tie || other.z() > high_end.z() + tie;
    if (std::abs(sine) >= 0.5 || std::abs(own.z()) > h + tie || beyond_line) continue;
    out.add(own + cylinder.radius * (sine * lateral + cosine * radial), gap, m, features[k]);
  }
}

}  // namespace cardhouse
