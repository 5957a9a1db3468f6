#include "cardhouse/optimization/nested_dissection.h"

#include <metis.h>

#include <mutex>

namespace cardhouse {

std::vector<int> nested_dissection(std::span<const int> first_neighbour, std::span<const int> neighbours) {
  // METIS draws from the C library's random numbers, which it seeds anew in each call: one call at a time is
  // repeatable.
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  std::vector<idx_t> starts(first_neighbour.begin(), first_neighbour.end());
  std::vector<idx_t> links(neighbours.begin(), neighbours.end());
  idx_t nodes = static_cast<idx_t>(starts.size()) - 1;
  std::vector<idx_t> node_at(static_cast<std::size_t>(nodes));
  std::vector<idx_t> place(static_cast<std::size_t>(nodes));
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  METIS_NodeND(&nodes, starts.data(), links.data(), nullptr, options, node_at.data(), place.data());
  return {node_at.begin(), node_at.end()};
}

}  // namespace cardhouse
