#include "cardhouse/stepping/rescue/hairline_gaps.h"

#include <algorithm>
#include <cmath>

#include "cardhouse/stepping/rows/normal_rows.h"

namespace cardhouse {

bool restore_rounded_gaps(const StepSettings& settings, std::span<const Contact> contacts, const Island& island,
                          std::vector<double>& biases, ContactProblem& problem) {
  if (!has_gap_rows(settings)) return false;
  bool changed = false;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    Contact contact = contacts[island.contacts[k]];
    if (biases[k] != gap_bias(contact, settings)) continue;
    contact.gap_rounding = 0.0;
    const double whole = gap_bias(contact, settings);
    if (whole == biases[k]) continue;
    problem.b[problem.j.group(static_cast<int>(k)).row] += whole - biases[k];
    biases[k] = whole;
    changed = true;
  }
  return changed;
}

HairlineGaps close_hairlines(const Model& model, std::span<const Contact> contacts, const Island& island, double width,
                             double h, std::vector<double>& biases, ContactProblem& problem) {
  HairlineGaps closed;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const Contact& contact = contacts[island.contacts[k]];
    const double size = smaller_radius_of_gyration(model.bodies[contact.body_a], model.bodies[contact.body_b]);
    const double asked = std::abs(biases[k]) * h;
    if (!(asked > 0.0 && asked <= width * size)) continue;
    problem.b[problem.j.group(static_cast<int>(k)).row] -= biases[k];
    biases[k] = 0.0;
    ++closed.rows;
    closed.largest = std::max(closed.largest, asked);
  }
  return closed;
}

}  // namespace cardhouse
