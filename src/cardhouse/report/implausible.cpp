#include "cardhouse/report/implausible.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cardhouse/geometry/aabb.h"
#include "cardhouse/report/table.h"

namespace cardhouse {
namespace {

constexpr double odd_ratio = 999.999;  // of sizes: millimetres beside metres, less a rounding
constexpr double whole_turn = 2.0 * std::numbers::pi;
constexpr double deep_part = 0.1;  // of a shape's size

/// m: the largest of its shapes'; 0 without any.
double size_of(const Body& body) {
  double size = 0.0;
  for (const Shape& shape : body.shapes) size = std::max(size, characteristic_size(shape.geometry));
  return size;
}

void find_odd_sizes(const Model& model, std::vector<std::string>& found) {
  const Body* smallest = nullptr;
  const Body* largest = nullptr;
  for (const Body& body : model.bodies) {
    if (body.mobility != Mobility::dynamic || size_of(body) == 0.0) continue;
    if (smallest == nullptr || size_of(body) < size_of(*smallest)) smallest = &body;
    if (largest == nullptr || size_of(body) > size_of(*largest)) largest = &body;
  }
  if (smallest == nullptr || size_of(*largest) < odd_ratio * size_of(*smallest)) return;
  found.push_back(
      fmt::format("body \"{}\" is {:.0f} times as large as body \"{}\" ({} and {} across): are all lengths in m?",
                  largest->name, size_of(*largest) / size_of(*smallest), smallest->name,
                  with_unit(2.0 * size_of(*largest), "m"), with_unit(2.0 * size_of(*smallest), "m")));
}

void find_odd_limits(const Joint& joint, std::vector<std::string>& found) {
  for (int c = 0; c < coordinate_count(joint); ++c) {
    const auto& limits = joint.drives[static_cast<std::size_t>(c)].limits;
    if (!limits || !is_angle(joint.kind, c)) continue;
    for (const double limit : {limits->lower, limits->upper}) {
      if (!std::isfinite(limit) || std::abs(limit) <= whole_turn) continue;
      found.push_back(
          fmt::format("joint \"{}\" has a limit of {:g} rad, more than a whole turn: angles are in rad, "
                      "{:g}° would be {:.4g}",
                      joint.name, limit, limit, limit * std::numbers::pi / 180.0));
      break;
    }
  }
}

/// m: of the pair's overlap, which the start has told of.
double kept_of(const State& state, const ContactKey& key) {
  const auto same = [&](const KeptOverlap& each) { return each.shape_a == key.shape_a && each.shape_b == key.shape_b; };
  const auto found = std::find_if(state.overlaps.begin(), state.overlaps.end(), same);
  return found == state.overlaps.end() ? 0.0 : found->depth;
}

bool is_dynamic(const Body& body) {
  return body.mobility == Mobility::dynamic;
}

}  // namespace

std::vector<std::string> implausible(const Scene& scene) {
  std::vector<std::string> found;
  const Model& model = scene.model;
  if (std::none_of(model.bodies.begin(), model.bodies.end(), is_dynamic)) {
    found.push_back("nothing moves: all bodies are fixed or follow a prescribed motion");
  }
  find_odd_sizes(model, found);
  for (const Joint& joint : model.joints) find_odd_limits(joint, found);
  if (scene.duration > 0.0 && scene.settings.step > scene.duration) {
    found.push_back(fmt::format("the step, {}, is longer than the duration, {}", with_unit(scene.settings.step, "s"),
                                with_unit(scene.duration, "s")));
  }
  return found;
}

DeepOverlapWatch::DeepOverlapWatch(const Model& model) {
  for (const Body& body : model.bodies) {
    for (const Shape& shape : body.shapes) sizes_.push_back(characteristic_size(shape.geometry));
  }
}

std::optional<std::string> DeepOverlapWatch::see(const Model& model, const State& state,
                                                 std::span<const ContactRecord> contacts) {
  const bool first = !started_;
  started_ = true;
  if (first || told_) return std::nullopt;
  for (const ContactRecord& contact : contacts) {
    const double a = sizes_[static_cast<std::size_t>(contact.key.shape_a)];
    const double b = sizes_[static_cast<std::size_t>(contact.key.shape_b)];
    const double size = a > 0.0 && b > 0.0 ? std::min(a, b) : std::max(a, b);  // a half-space has none
    if (!(-contact.gap - kept_of(state, contact.key) > deep_part * size)) continue;
    told_ = true;
    return fmt::format(
        "step {} ended with \"{}\" and \"{}\" {} deep in each other, {:.0f} % of the smaller one's size: "
        "is the step too long, or are bodies squeezed?",
        state.step - 1, model.bodies[contact.body_a].name, model.bodies[contact.body_b].name,
        with_unit(-contact.gap, "m"), -100.0 * contact.gap / size);
  }
  return std::nullopt;
}

}  // namespace cardhouse
