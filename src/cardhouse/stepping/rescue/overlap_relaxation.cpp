#include "cardhouse/stepping/rescue/overlap_relaxation.h"

#include <algorithm>

#include "cardhouse/stepping/rows/normal_rows.h"
#include "cardhouse/stepping/schemes/solver_options.h"

namespace cardhouse {
namespace {

constexpr double deep = 1e4;  // times the gap rounding (−): overlaps finer than that are hairlines (hairline_gaps.h)
constexpr double softer = 1e-4;  // of the contacts' mobility (−)
constexpr double harder = 1e-6;
constexpr double room = 1e-3;  // part of the relaxation (−) by which more is given, so that the rows surely agree
constexpr double coarsest_tolerance = 1e-8;  // (−): a coarser one would be lost in rows this stiff

}  // namespace

/// The rows of overlaps and their pushes.
void OverlapRelaxer::collect(std::span<const Contact> contacts, const Island& island, const StepSettings& settings,
                             std::span<const double> biases, const ContactProblem& problem) {
  rows_.clear();
  deep_ = false;
  if (!has_gap_rows(settings)) return;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    // What restitution asks for beyond the push stays.
    const Contact& contact = contacts[island.contacts[k]];
    const double bias = std::max(gap_bias(contact, settings), biases[k]);
    if (bias >= 0.0) continue;
    rows_.push_back({problem.j.group(static_cast<int>(k)).row, -bias});
    deep_ = deep_ || -bias * settings.step > deep * contact.gap_rounding;
  }
}

/// s of all rows; false when it could not be found.
bool OverlapRelaxer::find_least(const Island& island, const StepSettings& settings, const ContactProblem& problem,
                                double softness, double Row::*found) {
  soft_ = problem;
  double mobility = 0.0;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    soft_.laws[k].mu = soft_.laws[k].mu_cross = 0.0;
    mobility = std::max(mobility, delassus_block(problem, static_cast<int>(k))(0, 0));
  }
  auto row = rows_.begin();
  for (std::size_t k = 0; k < island.contacts.size() && row != rows_.end(); ++k) {
    const BlockRows::Group& group = soft_.j.group(static_cast<int>(k));
    if (group.row != row->row) continue;
    soft_.compliance.segment(group.row, group.dim).setConstant(softness * mobility);
    ++row;
  }
  if (!solver_)
    solver_ =
        make_solver("auto", solver_options(settings, std::min(settings.tolerance, coarsest_tolerance), deadline_));
  solution_.r.setZero(soft_.rows());
  solve_within_memory(*solver_, soft_, solution_);
  settings.stop.throw_if_requested();
  if (!certifier_(soft_, solution_.r).certified(settings.tolerance)) return false;
  for (Row& each : rows_) each.*found = soft_.compliance[each.row] * std::max(solution_.r[each.row], 0.0);
  return true;
}

OverlapRelaxation OverlapRelaxer::relax(std::span<const Contact> contacts, const Island& island,
                                        const StepSettings& settings, std::span<const double> biases,
                                        const Deadline* deadline, ContactProblem& problem) {
  deadline_ = deadline;
  OverlapRelaxation result;
  asked_ = problem.b;
  collect(contacts, island, settings, biases, problem);
  if (rows_.empty() || !find_least(island, settings, problem, softer, &Row::coarse) ||
      !find_least(island, settings, problem, harder, &Row::relaxed)) {
    return result;
  }
  const bool deepens =
      std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.relaxed > (1.0 + room) * row.push; });
  for (Row& row : rows_) {
    if (!row.conflicts()) continue;
    if (deepens) row.relaxed = row.push;
    ++result.rows;
    result.left = std::max(result.left, settings.step * std::min(row.relaxed, row.push));
  }
  if (result.rows == 0) return result;
  for (const Row& row : rows_) problem.b[row.row] += std::min((1.0 + room) * row.relaxed, row.push);
  return result;
}

OverlapRelaxation OverlapRelaxer::leave_all(const StepSettings& settings, ContactProblem& problem) const {
  OverlapRelaxation result;
  problem.b = asked_;
  for (const Row& row : rows_) {
    problem.b[row.row] += row.push;
    ++result.rows;
    result.left = std::max(result.left, settings.step * row.push);
  }
  return result;
}

}  // namespace cardhouse
