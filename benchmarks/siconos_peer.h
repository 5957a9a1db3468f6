// Siconos as a peer: our contact problems in its structures, its solvers by name. Only siconos_peer.cpp sees its
// headers.
#pragma once

#include <string>
#include <vector>

#include "cardhouse/contact/problem.h"

namespace bench {

/// One solver of Siconos on one storage of the problem.
struct SiconosSolver {
  enum class Form {
    blocks,  ///< u = W r + q, W in sparse blocks
    dense,   ///< u = W r + q, W dense
    global,  ///< M v = H r + f, u = Hᵀ v + w: its own reduction is part of the time
  };
  std::string name;
  int id = 0;
  Form form = Form::blocks;
};

/// u = W r + q, of either form of our problem: W = J A⁻¹ Jᵀ + C is formed here.
struct ReducedProblem {
  int dimension = 3;
  cardhouse::SparseRows w;
  cardhouse::VecX q;
  cardhouse::VecX mu;
};

/// Why Siconos's friction-contact problem can't hold this one; empty when it can.
std::string siconos_obstacle(const cardhouse::ContactProblem& problem);

ReducedProblem reduce(const cardhouse::ContactProblem& problem);

/// The solvers that make sense for the problem.
std::vector<SiconosSolver> siconos_solvers(const cardhouse::ContactProblem& problem);

struct SiconosRun {
  cardhouse::VecX r;
  double seconds = 0.0;  ///< CPU, of the driver's call alone
  int iterations = 0;
};

/// One cold solve, from r = 0. The problem is laid out anew for each, outside of the time.
SiconosRun solve_with_siconos(const cardhouse::ContactProblem& problem, const ReducedProblem& reduced,
                              const SiconosSolver& solver, double tolerance);

}  // namespace bench
