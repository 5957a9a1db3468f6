#include "cardhouse/report/start_overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cardhouse/report/table.h"
#include "cardhouse/stepping/schemes/detect.h"

namespace cardhouse {
namespace {

/// Part of the smaller shape's size up to which an overlap is rounding: of the numbers in a scene file, or of the
/// collision's, which are good to 1e-10 of the size.
constexpr double rounding = 1e-9;

/// m, of every shape, counted over all bodies as contact keys count them. A half-space has none.
std::vector<double> shape_sizes(const Model& model) {
  std::vector<double> sizes;
  for (const Body& body : model.bodies) {
    for (const Shape& shape : body.shapes) sizes.push_back(characteristic_size(shape.geometry));
  }
  return sizes;
}

double smaller_size(double a, double b) {
  return a > 0.0 && b > 0.0 ? std::min(a, b) : std::max(a, b);
}

}  // namespace

std::optional<StartOverlap> find_start_overlap(const Scene& scene) {
  const std::vector<double> sizes = shape_sizes(scene.model);
  StartOverlap found;
  Detector detector(scene.model);
  std::vector<BodyMotion> at_rest;
  for (const BodyState& body : scene.initial.bodies) at_rest.push_back(rest_of(body));
  for (const Contact& contact : detector.detect(scene.model, scene.initial, at_rest, scene.settings)) {
    const double size = smaller_size(sizes[contact.key.shape_a], sizes[contact.key.shape_b]);
    const double depth = -contact.gap;
    if (depth <= rounding * size) continue;
    ++found.contacts;
    if (depth <= found.deepest) continue;
    found.deepest = depth;
    found.first = scene.model.bodies[contact.body_a].name;
    found.second = scene.model.bodies[contact.body_b].name;
  }
  return found.contacts > 0 ? std::optional(found) : std::nullopt;
}

std::string start_overlap_words(const StartOverlap& overlap, const StepSettings& settings) {
  const std::string what = fmt::format("{} contact{} at the start, the deepest by {} between \"{}\" and \"{}\"",
                                       overlap.contacts, overlap.contacts == 1 ? " overlaps" : "s overlap",
                                       with_unit(overlap.deepest, "m"), overlap.first, overlap.second);
  if (settings.initial_overlaps == InitialOverlaps::separate) return what + "; bodies are moved apart before the run";
  if (settings.scheme == Scheme::moreau_jean) return what + "; the Moreau–Jean scheme leaves them as they are";
  if (settings.contact == ContactModel::soft) return what + "; the springs of soft contacts push them apart";
  if (settings.initial_overlaps == InitialOverlaps::keep) {
    return what + "; they are kept: none grows, and they shrink as bodies come apart";
  }
  return what + fmt::format("; the first step pushes them apart at depth/h = {}",
                            with_unit(overlap.deepest / settings.step, "m/s"));
}

}  // namespace cardhouse
