#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cardhouse/base/deadline.h"
#include "cardhouse/contact/problem.h"
#include "cardhouse/solvers/report.h"

namespace cardhouse {

class Certifier;

/// What a solver may spend on a problem.
enum class Effort {
  brief,     ///< an answer near the right one will do: another problem follows that starts from it
  usual,     ///< the caller knows other ways than hundreds of factorisations, such as a shorter step
  thorough,  ///< all that the method knows
};

struct SolverOptions {
  double tolerance = 1e-8;           ///< of the measure below (−)
  int max_iterations = 1000;         ///< outer; cold card houses need about a hundred
  Effort effort = Effort::thorough;  ///< of methods that try others after their first one
  double max_seconds = 0.0;          ///< wall; 0: no limit. With one, results depend on the machine
  enum class Measure {
    common,      ///< the certificate's residual
    natural_map  ///< the natural-map error in Siconos's scaling, for comparison with published numbers
  };
  Measure measure = Measure::common;
  CancellationToken stop = {};  ///< when it is set, the solve ends soon, as if its time were up
  /// Deadline of the enclosing solver, which must outlive this one. When it passes, this solve ends too.
  const Deadline* within = nullptr;
  /// What the caller prepared for judging each problem that this solver is given; null: the solver prepares it. It must
  /// outlive this solver, too.
  const Certifier* judge = nullptr;
};

/// One method. A solver object keeps its buffers and factorisations between solves, so that each thread needs its own;
/// its answers depend on the problem and the guess alone.
class Solver {
 public:
  Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  virtual ~Solver() = default;
  /// From the guess in `solution.r` (of the problem's size) to impulses and velocities.
  virtual SolveReport solve(const ContactProblem& problem, ContactSolution& solution) = 0;
};

/// Where the method needs more memory than it may have, it says `unsupported` with the estimate, and the guess stays.
SolveReport solve_within_memory(Solver& solver, const ContactProblem& problem, ContactSolution& solution);

/// The names that make_solver knows.
const std::vector<std::string>& solver_names();

/// NAME, or NAME:option=value… (docs/solvers.md). Throws InputError for what is unknown, listing what is known.
std::unique_ptr<Solver> make_solver(const std::string& name, const SolverOptions& options);

}  // namespace cardhouse
