// The stages of `auto`, as one table: what is tried, from where, and what for. docs/solvers.md shows it; benchmarks/
// stages.cpp measures which stage ends which problem.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct AutoStage {
  enum class Start {
    guess,  ///< the caller's; where the method is not done from there, what it leaves is dropped
    best,   ///< the best answer so far
    zero,   ///< no impulses
  };
  enum class Where {
    anywhere,
    plane,  ///< planar problems of up to 1500 rows
    space,  ///< all others
  };

  std::string_view name;
  std::string_view purpose;
  std::unique_ptr<Solver> (*make)(const SolverOptions& options) = nullptr;
  Start start = Start::best;
  Where where = Where::anywhere;
  bool sweeps = false;    ///< goes through the rows one by one
  bool thorough = false;  ///< takes as long as hundreds of factorisations
  int least_rows = 0;
  int most_rows = std::numeric_limits<int>::max();

  bool is_for(int rows, bool planar) const;
};

/// In the order in which they run. The first one alone starts from the guess.
std::span<const AutoStage> auto_stages();

}  // namespace cardhouse
