#include "cardhouse/stepping/records/step_problem.h"

#include <algorithm>
#include <vector>

namespace cardhouse {
namespace {

/// A body or group of rows of the step and where it is found.
struct Place {
  int index = 0;  ///< in the model or the step
  int part = 0;   ///< the island
  int local = 0;  ///< its number there
};

std::vector<Place> sorted_places(std::span<const IslandProblem> parts, std::vector<int> Island::*members) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::vector<int>& list = parts[p].island.*members;
    for (std::size_t i = 0; i < list.size(); ++i) {
      places.push_back({list[i], static_cast<int>(p), static_cast<int>(i)});
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.index < b.index; });
  return places;
}

/// The first block of each body of a problem.
std::vector<int> first_blocks(const BodyMatrix& a) {
  std::vector<int> first;
  for (int block = 0; block < a.blocks(); block += a.body_blocks(block)) first.push_back(block);
  return first;
}

/// Appends a body; its blocks' new numbers go into `block`.
void join_body(const ContactProblem& part, int first, ContactProblem& whole, std::vector<int>& block) {
  const int added = whole.a.add_body_of(part.a, first);
  const int size = part.a.body_size(first);
  whole.v_free.segment(whole.a.offset(added), size) = part.v_free.segment(part.a.offset(first), size);
  for (int k = 0; k < part.a.body_blocks(first); ++k) block[first + k] = added + k;
}

/// Appends the bodies; returns for each island the new numbers of its blocks. What an island has beside its bodies,
/// the pistons of Poisson's law (stepping/rows/restituted_impulse.h), comes behind them.
std::vector<std::vector<int>> join_bodies(std::span<const IslandProblem> parts, ContactProblem& whole) {
  std::vector<std::vector<int>> block(parts.size());
  std::vector<std::vector<int>> first(parts.size());
  int dofs = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    block[p].resize(static_cast<std::size_t>(parts[p].problem.a.blocks()));
    first[p] = first_blocks(parts[p].problem.a);
    dofs += parts[p].problem.a.rows();
  }
  whole.v_free.resize(dofs);
  for (const Place& body : sorted_places(parts, &Island::bodies)) {
    join_body(parts[body.part].problem, first[body.part][body.local], whole, block[body.part]);
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t i = parts[p].island.bodies.size(); i < first[p].size(); ++i) {
      join_body(parts[p].problem, first[p][i], whole, block[p]);
    }
  }
  return block;
}

/// Rolling and torsional friction, by the contacts that they belong to.
std::vector<Place> sorted_rolling_torsional_groups(std::span<const IslandProblem> parts) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const IslandProblem& part = parts[p];
    for (int g = 0; g < part.problem.groups(); ++g) {
      const Law& law = part.problem.laws[g];
      if (is_dependent(law)) places.push_back({part.island.contacts[law.leader], static_cast<int>(p), g});
    }
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.index < b.index; });
  return places;
}

/// Contacts in the step's order, then rows of joints in theirs, then what depends on contacts, then
/// what else islands have.
std::vector<Place> sorted_groups(std::span<const IslandProblem> parts) {
  std::vector<Place> groups = sorted_places(parts, &Island::contacts);
  for (Place place : sorted_places(parts, &Island::joint_rows)) {
    place.local += static_cast<int>(parts[place.part].island.contacts.size());
    groups.push_back(place);
  }
  for (const Place& place : sorted_rolling_torsional_groups(parts)) groups.push_back(place);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Island& island = parts[p].island;
    const int own = static_cast<int>(island.contacts.size() + island.joint_rows.size());
    for (int g = own; g < parts[p].problem.groups(); ++g) {
      if (!is_dependent(parts[p].problem.laws[g])) groups.push_back({g, static_cast<int>(p), g});
    }
  }
  return groups;
}

}  // namespace

StepProblem join_islands(std::span<const IslandProblem> parts) {
  StepProblem result;
  ContactProblem& whole = result.problem;
  const std::vector<std::vector<int>> block = join_bodies(parts, whole);
  int rows = 0;
  for (const IslandProblem& part : parts) rows += part.problem.rows();
  whole.b.resize(rows);
  whole.compliance.resize(rows);
  result.guess.resize(rows);
  for (const Place& group : sorted_groups(parts)) {
    const IslandProblem& part = parts[group.part];
    const BlockRows::Group& from = part.problem.j.group(group.local);
    whole.j.begin_group(from.dim);
    const BlockRows::Group& to = whole.j.group(whole.groups() - 1);
    whole.b.segment(to.row, to.dim) = part.problem.b.segment(from.row, from.dim);
    whole.compliance.segment(to.row, to.dim) = part.problem.compliance.segment(from.row, from.dim);
    result.guess.segment(to.row, to.dim) = part.guess.segment(from.row, from.dim);
    Law law = part.problem.laws[group.local];
    if (is_dependent(law)) law.leader = part.island.contacts[law.leader];  // contacts keep their places
    whole.laws.push_back(law);
    for (const BlockRows::Entry& entry : part.problem.j.entries(group.local)) {
      whole.j.add(whole.a, block[group.part][entry.block], part.problem.j.block(group.local, entry));
    }
  }
  return result;
}

}  // namespace cardhouse
