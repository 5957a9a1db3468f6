#include "cardhouse/stepping/hairline_gaps.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {

HairlineGaps close_hairlines(const Model& model, std::span<const Contact> contacts, const Island& island, double width,
                             double h, std::vector<double>& shifts, ContactProblem& problem) {
  HairlineGaps closed;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const Contact& contact = contacts[island.contacts[k]];
    const double size =
        std::min(radius_of_gyration(model.bodies[contact.body_a]), radius_of_gyration(model.bodies[contact.body_b]));
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
