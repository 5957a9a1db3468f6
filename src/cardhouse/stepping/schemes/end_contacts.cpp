#include "cardhouse/stepping/schemes/end_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/stepping/rows/normal_rows.h"

namespace cardhouse {
namespace {

/// Part of the smaller shape's size (−). Shapes that move less in the step keep their rows: the gap then differs from
/// its tangent by the square of this, a tenth of the gap rounding.
constexpr double still = 1e-5;
/// Part of the size (−): overlaps up to this count as touching where features are chosen. A step that is lower is not
/// felt by a body that slides over it.
constexpr double slight = 1e-6;
/// Part of the way (−): who gets no deeper moves along the surface, and lies on what is nearest at the end.
constexpr double grazing = 1e-2;
/// Part of the size (−): shapes that are closer touch, on the way to their first touch.
constexpr double close_enough = 1e-7;
/// Part of the tolerance of gaps (−): a pass that changes gaps at the end by less is not worth its solve.
constexpr double settled_part = 0.1;
/// From this pass on a feature keeps the row that it had: its normal and place, written from where bodies were thought
/// to end then, only say where the force acts. Rows that are written anew each time take turns, and passes do not end.
constexpr int rows_stay_from = 4;
/// Part of the size (−): contacts that are closer at the start touch.
constexpr double touching_part = 1e-8;
/// rad: normals that differ by less are the same.
constexpr double same_direction = 1e-6;
/// On the way to a first touch: what is left then is so slow that the last place will do.
constexpr int most_advances = 60;
/// Samples of a path along which shapes must not pass through each other.
constexpr int most_samples = 256;

/// m: where the frame that a piece moves with is after the part of the step.
Vec3 origin_at(const StepPath& path, const ShapePiece& piece, double part) {
  const Vec3 start = origin_of(path.start.bodies[piece.body], piece.stencil);
  return start + part * path.settings.step * point_velocity(path.motions[piece.body], piece.stencil, Vec3::Zero());
}

Pose pose_at(const StepPath& path, const ShapePiece& piece, const Shape& shape, double part) {
  const Pose start = frame_at(path.start.bodies[piece.body], piece.stencil);
  const Vec3 turn = part * path.settings.step * spin_at(path.motions[piece.body], piece.stencil);
  return Pose{origin_at(path, piece, part), rotation_from_vector(turn) * start.orientation} * shape.pose;
}

/// m: how far any point of the first piece gets as seen from the second, which has a frame that may turn.
double travel_of(const StepPath& path, const ShapePiece& piece, const ShapePiece& seen_from) {
  const BodyMotion& a = path.motions[piece.body];
  const BodyMotion& b = path.motions[seen_from.body];
  const Vec3 apart = origin_at(path, piece, 0.0) - origin_at(path, seen_from, 0.0);
  const Vec3 linear = point_velocity(a, piece.stencil, Vec3::Zero()) - point_velocity(b, seen_from.stencil, apart);
  const double spin = (spin_at(a, piece.stencil) - spin_at(b, seen_from.stencil)).norm();
  // The frame goes on turning while the piece moves in it, and what moves along its tangent gets away from it.
  const double turn = path.settings.step * spin_at(b, seen_from.stencil).norm();
  return (1.0 + turn) * path.settings.step * (linear.norm() + (spin > 0.0 ? spin * piece.radius : 0.0)) +
         0.5 * turn * turn * apart.norm();
}

double travel_of_pair(const StepPath& path, const ShapePiece& a, const ShapePiece& b) {
  return std::min(travel_of(path, a, b), travel_of(path, b, a));
}

double least_gap(std::span<const ManifoldPoint> points) {
  double least = std::numeric_limits<double>::infinity();
  for (const ManifoldPoint& point : points) least = std::min(least, point.gap);
  return least;
}

const ManifoldPoint* with_feature(std::span<const ManifoldPoint> points, FeatureId feature) {
  const auto found =
      std::find_if(points.begin(), points.end(), [&](const ManifoldPoint& p) { return p.feature == feature; });
  return found == points.end() ? nullptr : &*found;
}

/// Appends the points with features that the list lacks.
void add_missing(std::span<const ManifoldPoint> points, std::vector<ManifoldPoint>& list) {
  for (const ManifoldPoint& point : points) {
    if (!with_feature(list, point.feature)) list.push_back(point);
  }
}

const Contact* with_feature(std::span<const Contact> contacts, FeatureId feature) {
  const auto found =
      std::find_if(contacts.begin(), contacts.end(), [&](const Contact& c) { return c.key.feature == feature; });
  return found == contacts.end() ? nullptr : &*found;
}

/// m/s, world: of the first side against the second, at points given by their arms from the frames' origins.
Vec3 relative_velocity(const Contact& contact, std::span<const BodyMotion> motions, const Vec3& arm_a,
                       const Vec3& arm_b) {
  return point_velocity(motions[contact.body_a], contact.stencil_a, arm_a) -
         point_velocity(motions[contact.body_b], contact.stencil_b, arm_b);
}

/// m: the mean of an arm that turns about an axis from one place to the other, by no more than `most` (rad). The mean
/// of the ends would be that of their chord.
Vec3 mean_on_arc(const Vec3& start, const Vec3& end, const Vec3& spin, double most) {
  const Vec3 mean = 0.5 * (start + end);
  const double size = spin.norm();
  if (size == 0.0) return mean;
  const Vec3 axis = spin / size;
  const Vec3 from = start - axis.dot(start) * axis;
  const Vec3 to = end - axis.dot(end) * axis;
  const double half = 0.5 * std::min(std::atan2(from.cross(to).norm(), from.dot(to)), most);
  return half > 0.0 ? Vec3(std::tan(half) / half * mean) : mean;
}

/// m/s: the mean over the step of the velocity of a side's points that touch, given by the arms of the first and the
/// last. Bodies that turn together, as one, do not slip by it, however far they turn: in loops of sticking contacts the
/// step's equations then have a solution. Neither does a ball that rolls, whose arm does not turn.
Vec3 carried_velocity(const StepPath& path, const ShapePiece& piece, const Vec3& arm_start, const Vec3& arm_end) {
  const BodyMotion& motion = path.motions[piece.body];
  const Vec3 spin = spin_at(motion, piece.stencil);
  const double turn = std::min(path.settings.step * spin.norm(), 1.0);
  return point_velocity(motion, piece.stencil, mean_on_arc(arm_start, arm_end, spin, turn));
}

/// m/s: n·v along the path, at the contact's place of the start.
double approach_of(const StepPath& path, const ShapePairs& shapes, const Contact& contact) {
  const Vec3 arm_a = contact.point() - origin_at(path, shapes.pieces()[contact.key.shape_a], 0.0);
  const Vec3 arm_b = contact.point() - origin_at(path, shapes.pieces()[contact.key.shape_b], 0.0);
  return contact.normal().dot(relative_velocity(contact, path.motions, arm_a, arm_b));
}

/// The turn that brings one unit vector halfway to another.
Quat halfway(const Vec3& from, const Vec3& to) {
  const Vec3 middle = from + to;
  return middle.norm() < 0.1 ? Quat::Identity() : Quat::FromTwoVectors(from, middle);
}

}  // namespace

struct EndContacts::Pair {
  const StepPath& path;
  std::span<const Contact> start;
  std::span<const Contact> old;  ///< of the last pass
  std::span<const ContactRecord> solved;
  int first = 0;
  int second = 0;
  double size = 0.0;       ///< m
  double thickness = 0.0;  ///< m
  double travel = 0.0;     ///< m: no point of one gets farther against the other
  double margin = 0.0;     ///< m: gaps at the end up to this make contacts
  double kept = 0.0;       ///< m: overlap that is kept
  double gap = 0.0;        ///< m: at the start

  Pair(const StepPath& way, std::span<const Contact> own, const ShapePairs& shapes, std::span<const double> slack)
      : path(way), start(own), first(own.front().key.shape_a), second(own.front().key.shape_b), kept(own.front().kept) {
    const ShapePiece& a = shapes.pieces()[first];
    const ShapePiece& b = shapes.pieces()[second];
    size = shapes.size_of(first, second);
    thickness = shapes.thickness_of(first, second);
    travel = travel_of_pair(way, a, b);
    margin = ShapePairs::margin(way.settings, size) + slack[a.body] + slack[b.body];
    gap =
        std::min_element(own.begin(), own.end(), [](const Contact& x, const Contact& y) { return x.gap < y.gap; })->gap;
    // What rebounds is apart again where the step ends.
    if (own.front().restitution > 0.0) margin += travel + std::max(gap, 0.0);
  }

  /// The contact of the start that goes on as this one: it touches then, or its normal is the same.
  const Contact* begun(const ManifoldPoint& point) const {
    const Contact* found = with_feature(start, point.feature);
    if (!found || found->gap <= touching_part * size) return found;
    return (found->normal() - point.normal).norm() <= same_direction ? found : nullptr;
  }
  /// What the pair pushed with in the last pass, with what holds it against adhesion.
  bool pushed(std::size_t c) const { return solved[c].mode != ContactMode::open; }
  /// A pair that pushed too much ends far apart, and one whose bodies turn comes near by other features next. Without
  /// rows for these it would end deep in itself.
  void look_farther() {
    for (std::size_t c = 0; c < old.size(); ++c) {
      if (!pushed(c)) continue;
      margin += travel + std::max(gap, 0.0);
      return;
    }
  }
  bool knows(std::span<const ManifoldPoint> points) const {
    return std::all_of(points.begin(), points.end(),
                       [&](const ManifoldPoint& point) { return with_feature(start, point.feature) != nullptr; });
  }
};

namespace {

/// Writes what the contact is like at the end of the path, where `point` is its place.
void bend_to(const StepPath& path, const ShapePairs& shapes, double kept, const ManifoldPoint& point,
             Contact& contact) {
  const double h = path.settings.step;
  const ShapePiece& a = shapes.pieces()[contact.key.shape_a];
  const ShapePiece& b = shapes.pieces()[contact.key.shape_b];
  const Vec3 arm_a = contact.point() - origin_at(path, a, 0.0);
  const Vec3 arm_b = contact.point() - origin_at(path, b, 0.0);
  const Vec3 place = 0.5 * (point.on_a + point.on_b);
  const Vec3 now = relative_velocity(contact, path.motions, arm_a, arm_b);
  const Vec3 middle = carried_velocity(path, a, arm_a, place - origin_at(path, a, 1.0)) -
                      carried_velocity(path, b, arm_b, place - origin_at(path, b, 1.0));
  contact.end_gap = point.gap + kept;
  contact.ends = true;
  contact.end_point = place;
  contact.end_normal = point.normal;
  contact.bend = contact.end_gap - contact.gap - h * contact.normal().dot(now);
  const Vec3 turned = halfway(contact.normal(), point.normal).conjugate() * middle;
  contact.slip = contact.basis.transpose() * (turned - now);
  contact.slip[0] = 0.0;
  // What begins to touch does so exactly: a corner that is passed by a hair must not push.
  if (contact.gap > touching_part * contact.size) contact.gap_rounding = 0.0;
  if (std::abs(contact.bend) <= contact.gap_rounding) contact.bend = 0.0;
  if (h * contact.slip.norm() <= contact.gap_rounding) contact.slip.setZero();
}

}  // namespace

bool EndContacts::are_still(const StepPath& path, std::span<const Contact> contacts) const {
  const ContactKey* last = nullptr;
  return std::all_of(contacts.begin(), contacts.end(), [&](const Contact& contact) {
    const ContactKey& key = contact.key;
    if (last && last->shape_a == key.shape_a && last->shape_b == key.shape_b) return true;
    last = &key;
    return travel_of_pair(path, shapes_.pieces()[key.shape_a], shapes_.pieces()[key.shape_b]) <= still * contact.size;
  });
}

EndResidual EndContacts::residual_of_still(const StepPath& path, std::span<const Contact> contacts,
                                           std::span<const ContactRecord> solved) const {
  EndResidual residual;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Contact& contact = contacts[c];
    const double end_gap = contact.gap + path.settings.step * approach_of(path, shapes_, contact);
    const bool pushes = solved[c].mode != ContactMode::open && contact.restitution == 0.0;
    const double off = std::max(pushes ? end_gap : 0.0, std::min(contact.gap, 0.0) - end_gap);
    if (off <= residual.gap * contact.size) continue;
    residual.gap = off / contact.size;
    residual.worst = contact.key;
  }
  return residual;
}

void EndContacts::begin(const StepPath& free, std::span<const Contact> start, int passes) {
  start_.assign(start.begin(), start.end());
  contacts_.clear();
  pass_ = passes;
  first_ = true;
  followed_.clear();
  slack_.assign(free.model.bodies.size(), 0.0);
  const double h = free.settings.step;
  for (const ShapePiece& piece : shapes_.pieces()) {
    if (free.model.bodies[piece.body].mobility != Mobility::dynamic || !std::isfinite(piece.radius)) continue;
    const BodyState& now = free.start.bodies[piece.body];
    const BodyMotion& motion = free.motions[piece.body];
    const double linear =
        (point_velocity(motion, piece.stencil, Vec3::Zero()) - point_velocity(now, piece.stencil, Vec3::Zero())).norm();
    const double angular = (spin_at(motion, piece.stencil) - spin_at(now, piece.stencil)).norm();
    slack_[piece.body] = std::max(slack_[piece.body], h * (linear + angular * piece.radius));
  }
}

EndResidual EndContacts::follow(const StepPath& path, std::span<const ContactRecord> solved) {
  ++pass_;
  residual_ = {};
  next_.clear();
  const auto same_pair = [](const Contact& a, const Contact& b) {
    return a.key.shape_a == b.key.shape_a && a.key.shape_b == b.key.shape_b;
  };
  auto old = contacts_.begin();
  for (auto from = start_.begin(); from != start_.end();) {
    const auto to = std::find_if(from, start_.end(), [&](const Contact& c) { return !same_pair(c, *from); });
    const auto old_to = std::find_if(old, contacts_.end(), [&](const Contact& c) { return !same_pair(c, *from); });
    Pair pair(path, {from, to}, shapes_, slack_);
    if (!first_) {
      pair.old = {old, old_to};
      pair.solved = solved.subspan(static_cast<std::size_t>(old - contacts_.begin()), pair.old.size());
      pair.look_farther();
    }
    follow_pair(pair);
    from = to;
    old = old_to;
  }
  if (!first_) followed_.assign(path.motions.begin(), path.motions.end());
  first_ = false;
  return residual_;
}

/// Whether the pair moves just as it did when it was followed last. What it did then stands, but for the first time:
/// there only the features of the first touch count.
bool EndContacts::moves_as_before(const Pair& pair) const {
  const auto same = [&](int piece) {
    const int body = shapes_.pieces()[piece].body;
    const BodyMotion& now = pair.path.motions[body];
    const BodyMotion& then = followed_[body];
    return now.linear == then.linear && now.angular == then.angular && now.node_velocities == then.node_velocities;
  };
  return !followed_.empty() && !renews_ && pair.travel <= pair.thickness && same(pair.first) && same(pair.second);
}

void EndContacts::follow_pair(const Pair& pair) {
  const auto count = next_.size();
  if (moves_as_before(pair)) {
    next_.insert(next_.end(), pair.old.begin(), pair.old.end());
    is_settled(pair, pair.old);
    return;
  }
  if (pair.travel <= still * pair.size) {
    follow_still_pair(pair);
  } else {
    follow_moving_pair(pair);
  }
  const auto found = next_.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(found, next_.end(), [](const Contact& a, const Contact& b) { return a.key < b.key; });
  for (auto contact = found; contact != next_.end(); ++contact) contact->pass = pass_;
  if (first_ || renews_ || !is_settled(pair, {found, next_.end()})) return;
  keep_rows(pair, count);
}

/// Puts the rows of the last pass in the place of those found from `first` on, which say where they end.
void EndContacts::keep_rows(const Pair& pair, std::size_t first) {
  carried_.assign(next_.begin() + static_cast<std::ptrdiff_t>(first), next_.end());
  next_.resize(first);
  for (const Contact& old : pair.old) {
    next_.push_back(old);
    if (const Contact* now = with_feature(carried_, old.key.feature)) next_.back().end_gap = now->end_gap;
  }
}

void EndContacts::follow_moving_pair(const Pair& pair) {
  if (pair.gap - pair.travel > pair.margin) return;  // it comes nowhere near
  find_points(pair, 1.0, pair.margin, end_);
  features_ = end_;
  const std::optional<double> touch = needs_first_touch(pair) ? first_touch(pair) : std::nullopt;
  const double part = touch ? std::min(*touch + slight * pair.size / pair.travel, 1.0) : 1.0;
  if (touch) {
    find_points(pair, part, pair.margin, features_);
    if (!first_) add_missing(end_, features_);  // rows of the first touch alone did not keep them apart
    if (pair.travel > pair.thickness && passes_through(pair, *touch)) residual_.crossed = pair.start.front().key;
  }
  take_features(pair, part);
  keep_pushing(pair);
}

/// What hardly moves keeps its rows, so that a structure at rest has the same problem in each step.
void EndContacts::follow_still_pair(const Pair& pair) {
  for (const Contact& contact : pair.start) {
    next_.push_back(contact);
    next_.back().end_gap = contact.gap + pair.path.settings.step * approach_of(pair.path, shapes_, contact);
  }
}

/// Whether the features of the end may be the wrong ones: shapes went through each other, or so deep that what is
/// nearest there is not what they met by.
bool EndContacts::needs_first_touch(const Pair& pair) const {
  const bool fast = pair.travel > 0.5 * pair.thickness;
  if (end_.empty()) return fast;
  if (fast && end_.front().normal.dot(pair.start.front().normal()) < 0.0) return true;
  const double depth = -(least_gap(end_) + pair.kept);
  return depth > std::max(slight * pair.size, grazing * pair.travel) && !pair.knows(end_);
}

/// The part of the step after which the pair first touches, by conservative advancement: no point gets farther than
/// `travel` in the whole step.
std::optional<double> EndContacts::first_touch(const Pair& pair) {
  double part = 0.0;
  for (int advances = 0; advances < most_advances; ++advances) {
    const double gap =
        find_points(pair, part, (1.0 - part) * pair.travel + close_enough * pair.size, scratch_) + pair.kept;
    if (gap <= close_enough * pair.size) return part;
    part += gap / pair.travel;
    if (!(part < 1.0)) return std::nullopt;
  }
  return part;
}

/// The contacts of features_, which were found after this part of the step.
void EndContacts::take_features(const Pair& pair, double part) {
  carried_.clear();
  const bool all_begun =
      std::all_of(features_.begin(), features_.end(), [&](const ManifoldPoint& f) { return pair.begun(f) != nullptr; });
  if (!all_begun) carry_to_start(pair, part);
  for (const ManifoldPoint& feature : features_) {
    const Contact* at_start = pair.begun(feature);
    const Contact* used = pass_ >= rows_stay_from && !renews_ ? with_feature(pair.old, feature.feature) : nullptr;
    next_.push_back(used ? *used : at_start ? *at_start : *with_feature(carried_, feature.feature));
    const ManifoldPoint* at_end = with_feature(end_, feature.feature);
    if (at_end && at_end->normal.dot(feature.normal) > 0.5) {
      bend_to(pair.path, shapes_, pair.kept, *at_end, next_.back());
    } else {
      leave_as_it_was(pair, next_.back());
    }
  }
}

/// A contact whose feature is not there at the end. Where the pair touches, it may push beside those that are.
void EndContacts::leave_as_it_was(const Pair& pair, Contact& contact) const {
  if (const Contact* old = with_feature(pair.old, contact.key.feature)) contact = *old;
  contact.ends = false;
  const double end_gap = least_gap(end_) + pair.kept;
  contact.end_gap = end_gap <= slight * pair.size ? std::min(end_gap, 0.0) : std::numeric_limits<double>::infinity();
}

/// Contacts that push stay while the pair touches, so that features of equal right do not take turns.
void EndContacts::keep_pushing(const Pair& pair) {
  if (!(least_gap(end_) + pair.kept <= slight * pair.size)) return;
  for (std::size_t c = 0; c < pair.old.size(); ++c) {
    if (!pair.pushed(c) || with_feature(features_, pair.old[c].key.feature)) continue;
    next_.push_back(pair.old[c]);
    leave_as_it_was(pair, next_.back());
  }
}

/// Whether the pair's rows are those of its end; tells how far they are off. What pushes must be there, with the gap
/// and the slip that its row has; nothing may overlap.
bool EndContacts::is_settled(const Pair& pair, std::span<const Contact> found) {
  const double h = pair.path.settings.step;
  const double worth = settled_part * gap_tolerance(pair.path.settings) * pair.size;
  bool settled = true;
  // `error`: what the geometry is off; `curable`: what a row that knew of it would change.
  const auto tell = [&](const Contact& contact, double error, double curable) {
    if (!(error <= residual_.gap * pair.size)) {
      residual_.gap = error / pair.size;
      residual_.worst = contact.key;
    }
    if (!(curable <= worth)) settled = false;
  };
  // An overlap that the step began with may stay, but not become deeper.
  const auto overlap = [&](const Contact& contact) { return std::min(pair.gap, 0.0) - contact.end_gap; };
  for (const Contact& contact : found) {
    if (!with_feature(pair.old, contact.key.feature)) tell(contact, overlap(contact), overlap(contact));
  }
  for (std::size_t c = 0; c < pair.old.size(); ++c) {
    const Contact& old = pair.old[c];
    const bool pushes = pair.pushed(c);
    const Contact* now = with_feature(found, old.key.feature);
    if (now && std::isfinite(now->end_gap)) {
      const double asked = old.gap + old.bend + h * approach_of(pair.path, shapes_, old);
      const double bent = now->bend == old.bend ? 0.0 : std::abs(now->end_gap - asked);
      const double changed = std::max(bent, h * (now->basis * now->slip - old.basis * old.slip).norm());
      const double open = pushes && old.restitution == 0.0 ? now->end_gap : 0.0;
      tell(old, std::max({pushes ? changed : 0.0, open, overlap(*now)}),
           pushes ? changed : std::min(bent, overlap(*now)));
    } else if (pushes && old.restitution == 0.0) {
      tell(old, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
    }
  }
  residual_.settled = residual_.settled && settled;
  return settled;
}

/// Contacts of features that the pair does not have as the step begins: with the orientations of the start, at the
/// place along the surface to which they move. There the same features are near, and the arms are those of the start.
/// Both sides need one point, so that the impulse keeps the angular momentum: it is right for the smaller one.
void EndContacts::carry_to_start(const Pair& pair, double part) {
  const ShapePiece& a = shapes_.pieces()[pair.first];
  const ShapePiece& b = shapes_.pieces()[pair.second];
  const StepPath& path = pair.path;
  const Vec3 moved_a = origin_at(path, a, part) - origin_at(path, a, 0.0);
  const Vec3 moved_b = origin_at(path, b, part) - origin_at(path, b, 0.0);
  const bool of_first = b.radius > a.radius;
  const Vec3 n = features_.front().normal;
  const Vec3 along = (moved_a - moved_b) - n.dot(moved_a - moved_b) * n;
  Pose pose_a = pose_at(path, a, shapes_.shape(path.model, pair.first), 0.0);
  pose_a.position += along;
  shapes_.find_points(path.model, pair.first, pair.second, pose_a,
                      pose_at(path, b, shapes_.shape(path.model, pair.second), 0.0), pair.margin + pair.travel,
                      scratch_);
  for (ManifoldPoint& point : scratch_) {
    if (!of_first) break;
    point.on_a -= along;
    point.on_b -= along;
  }
  for (const ManifoldPoint& feature : features_) {
    if (with_feature(scratch_, feature.feature)) continue;
    scratch_.push_back(feature);
    scratch_.back().on_a -= of_first ? moved_a : moved_b;
    scratch_.back().on_b -= of_first ? moved_a : moved_b;
    scratch_.back().gap -= n.dot(moved_a - moved_b);
  }
  shapes_.make_contacts(path.model, path.start, pair.first, pair.second, scratch_, carried_);
  for (Contact& contact : carried_) {
    contact.kept = pair.kept;
    contact.gap += pair.kept;
    contact.carried = true;
  }
}

/// Whether the pair is halfway through each other somewhere on its way.
bool EndContacts::passes_through(const Pair& pair, double from) {
  const double way = (1.0 - from) * pair.travel;
  const int samples = static_cast<int>(std::min<double>(std::ceil(2.0 * way / pair.thickness), most_samples));
  for (int k = 1; k <= samples; ++k) {
    const double part = from + (1.0 - from) * k / samples;
    if (find_points(pair, part, 0.0, scratch_) + pair.kept < -0.5 * pair.thickness) return true;
  }
  return false;
}

/// The least gap of the pair after this part of the step, and its points.
double EndContacts::find_points(const Pair& pair, double part, double margin,
                                std::vector<ManifoldPoint>& points) const {
  const StepPath& path = pair.path;
  shapes_.find_points(path.model, pair.first, pair.second,
                      pose_at(path, shapes_.pieces()[pair.first], shapes_.shape(path.model, pair.first), part),
                      pose_at(path, shapes_.pieces()[pair.second], shapes_.shape(path.model, pair.second), part),
                      margin, points);
  return least_gap(points);
}

}  // namespace cardhouse
