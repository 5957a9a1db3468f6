#include "cardhouse/stepping/overlap_relaxation.h"

#include <algorithm>

#include "cardhouse/stepping/normal_rows.h"

namespace cardhouse {
namespace {

constexpr double softness = 1e-6;     // of a contact's own mobility (−)
constexpr double conflicting = 1e-3;  // part of a row's push (−): far above what softness gives way by itself
constexpr double room = 1e-3;  // part of the relaxation (−) by which more is given, so that the rows surely agree

bool pushes_apart(const Contact& contact, const StepSettings& settings) {
  return settings.scheme == Scheme::gap_over_h && gap_shift(contact.gap, settings) < 0.0;
}

}  // namespace

OverlapRelaxation OverlapRelaxer::relax(std::span<const Contact> contacts, const Island& island,
                                        const StepSettings& settings, ContactProblem& problem) {
  const auto contact_of = [&](std::size_t k) -> const Contact& { return contacts[island.contacts[k]]; };
  OverlapRelaxation result;
  bool any = false;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) any = any || pushes_apart(contact_of(k), settings);
  if (!any) return result;

  soft_ = problem;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const int group = static_cast<int>(k);
    soft_.laws[k].mu = soft_.laws[k].mu_cross = 0.0;
    if (!pushes_apart(contact_of(k), settings)) continue;
    const BlockRows::Group rows = soft_.j.group(group);
    soft_.compliance.segment(rows.row, rows.dim).setConstant(softness * delassus_block(problem, group)(0, 0));
  }
  if (!solver_) solver_ = make_solver("auto", {});
  solution_.r.setZero(soft_.rows());
  solver_->solve(soft_, solution_);
  if (!certifier_(soft_, solution_.r).certified(settings.tolerance)) return result;

  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const Contact& contact = contact_of(k);
    if (!pushes_apart(contact, settings)) continue;
    const int row = soft_.j.group(static_cast<int>(k)).row;
    const double relaxed = soft_.compliance[row] * solution_.r[row];
    const double push = -gap_shift(contact.gap, settings);
    if (!(relaxed > conflicting * push)) continue;
    ++result.rows;
    result.left = std::max(result.left, settings.step * std::min(relaxed, push));
  }
  if (result.rows == 0) return result;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const Contact& contact = contact_of(k);
    if (!pushes_apart(contact, settings)) continue;
    const int row = soft_.j.group(static_cast<int>(k)).row;
    const double relaxed = (1.0 + room) * soft_.compliance[row] * std::max(solution_.r[row], 0.0);
    problem.b[row] += std::min(relaxed, -gap_shift(contact.gap, settings));
  }
  return result;
}

}  // namespace cardhouse
