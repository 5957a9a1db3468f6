#include "cardhouse/stepping/hairline_gaps.h"

#include <algorithm>
#include <cmath>

#include "cardhouse/stepping/normal_rows.h"

namespace cardhouse {

bool restore_negligible_gaps(const StepSettings& settings, std::span<const Contact> contacts, const Island& island,
                             std::vector<double>& shifts, ContactProblem& problem) {
  if (settings.scheme != Scheme::gap_over_h) return false;
  bool changed = false;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    Contact contact = contacts[island.contacts[k]];
    if (shifts[k] != gap_shift(contact, settings)) continue;
    contact.negligible_gap = 0.0;
    const double whole = gap_shift(contact, settings);
    if (whole == shifts[k]) continue;
    problem.b[problem.j.group(static_cast<int>(k)).row] += whole - shifts[k];
    shifts[k] = whole;
    changed = true;
  }
  return changed;
}

HairlineGaps close_hairlines(const Model& model, std::span<const Contact> contacts, const Island& island, double width,
                             double h, std::vector<double>& shifts, ContactProblem& problem) {
  HairlineGaps closed;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const Contact& contact = contacts[island.contacts[k]];
    const double size = smaller_radius_of_gyration(model.bodies[contact.body_a], model.bodies[contact.body_b]);
    const double asked = std::abs(shifts[k]) * h;
    if (!(asked > 0.0 && asked <= width * size)) continue;
    problem.b[problem.j.group(static_cast<int>(k)).row] -= shifts[k];
    shifts[k] = 0.0;
    ++closed.rows;
    closed.largest = std::max(closed.largest, asked);
  }
  return closed;
}

}  // namespace cardhouse
