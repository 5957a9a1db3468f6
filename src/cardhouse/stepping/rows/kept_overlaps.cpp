#include "cardhouse/stepping/rows/kept_overlaps.h"

#include <fmt/format.h>

#include <algorithm>

namespace cardhouse {
namespace {

ShapePair pair_of(const ContactKey& key) {
  return {key.shape_a, key.shape_b};
}

ShapePair pair_of(const KeptOverlap& overlap) {
  return {overlap.shape_a, overlap.shape_b};
}

/// Springs push by the depth as it is, and the Moreau–Jean scheme leaves every overlap alone.
bool may_keep(const StepSettings& settings) {
  return settings.initial_overlaps != InitialOverlaps::push && settings.contact == ContactModel::hard &&
         has_gap_rows(settings);
}

/// The contacts of a pair follow each other.
template <class AnyContact>
std::span<AnyContact> points_of(std::span<AnyContact> contacts, const ShapePair& pair) {
  const auto first =
      std::lower_bound(contacts.begin(), contacts.end(), pair,
                       [](const Contact& contact, const ShapePair& wanted) { return pair_of(contact.key) < wanted; });
  const auto last = std::find_if(first, contacts.end(), [&](const Contact& c) { return pair_of(c.key) != pair; });
  return {first, last};
}

/// m: of the deepest point; 0 where that is not more than rounding, or nothing overlaps.
double depth_of(std::span<const Contact> points) {
  double depth = 0.0;
  for (const Contact& point : points) {
    if (point.overlaps()) depth = std::max(depth, -point.distance());
  }
  return depth;
}

std::vector<KeptOverlap>::const_iterator place_of(const std::vector<KeptOverlap>& kept, const ShapePair& pair) {
  return std::lower_bound(kept.begin(), kept.end(), pair,
                          [](const KeptOverlap& each, const ShapePair& wanted) { return pair_of(each) < wanted; });
}

/// The name of the body with the shape; shapes are counted over all bodies.
const std::string& owner_of(const Model& model, int shape) {
  std::size_t body = 0;
  for (; shape >= static_cast<int>(model.bodies[body].shapes.size()); ++body) {
    shape -= static_cast<int>(model.bodies[body].shapes.size());
  }
  return model.bodies[body].name;
}

/// What a certified step may leave is no overlap of the start.
void add_new(const StepSettings& settings, std::span<const ShapePair> met, std::span<const Contact> contacts,
             std::vector<KeptOverlap>& kept) {
  while (!contacts.empty()) {
    const ContactKey& key = contacts.front().key;
    const std::span<const Contact> points = points_of(contacts, pair_of(key));
    contacts = contacts.subspan(points.size());
    const double depth = depth_of(points);
    if (!(depth > gap_tolerance(settings) * points.front().size) ||
        std::binary_search(met.begin(), met.end(), pair_of(key)))
      continue;
    const auto place = place_of(kept, pair_of(key));
    if (place != kept.end() && pair_of(*place) == pair_of(key)) continue;
    kept.insert(place, {key.shape_a, key.shape_b, depth});
  }
}

}  // namespace

void list_pairs(std::span<const StoredImpulse> impulses, std::vector<ShapePair>& pairs) {
  pairs.clear();
  for (const StoredImpulse& stored : impulses) {
    const ShapePair pair = pair_of(stored.key);
    if (pairs.empty() || pairs.back() != pair) pairs.push_back(pair);
  }
}

void keep_overlaps(const StepSettings& settings, std::span<const ShapePair> met, std::vector<KeptOverlap>& kept,
                   std::span<Contact> contacts) {
  if (!may_keep(settings)) {
    kept.clear();
    return;
  }
  for (KeptOverlap& each : kept) {
    each.depth = std::min(each.depth, depth_of(points_of(contacts, pair_of(each))));
  }
  std::erase_if(kept, [](const KeptOverlap& each) { return !(each.depth > 0.0); });
  add_new(settings, met, contacts, kept);
  for (const KeptOverlap& each : kept) {
    for (Contact& point : points_of(contacts, pair_of(each))) {
      point.kept = each.depth;
      point.gap += each.depth;
    }
  }
}

double deepest(std::span<const KeptOverlap> kept) {
  double depth = 0.0;
  for (const KeptOverlap& each : kept) depth = std::max(depth, each.depth);
  return depth;
}

std::string words_of_new_overlaps(const Model& model, std::span<const KeptOverlap> before,
                                  std::span<const KeptOverlap> kept) {
  int count = 0;
  KeptOverlap worst;
  for (const KeptOverlap& each : kept) {
    const auto same = [&](const KeptOverlap& old) { return pair_of(old) == pair_of(each); };
    if (std::any_of(before.begin(), before.end(), same)) continue;
    ++count;
    if (each.depth > worst.depth) worst = each;
  }
  if (count == 0) return {};
  return fmt::format("{} pair{} of shapes overlap{} and {} kept so, the deepest by {:.3g} m: \"{}\" and \"{}\"", count,
                     count == 1 ? "" : "s", count == 1 ? "s" : "", count == 1 ? "is" : "are", worst.depth,
                     owner_of(model, worst.shape_a), owner_of(model, worst.shape_b));
}

}  // namespace cardhouse
