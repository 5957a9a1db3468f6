// Block nonsmooth Gauss–Seidel: sweeps over the groups of rows; each gets the exact solution of its own law
// (solvers/machinery/local_contact_solver.h) while the others are held (Jean & Moreau 1992; Jourdan, Alart & Jean
// 1998). After the first sweeps Anderson acceleration combines the last ones.
#pragma once

#include <utility>
#include <vector>

#include "cardhouse/optimization/quick_anderson.h"
#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/machinery/row_sweep.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct GaussSeidelOptions {
  /// The sweeps aim at this part of the tolerance (−): small enough that the next step's guess is not at its edge.
  double aim_part = 0.5;
  /// Sweeps that are combined (−); 0: plain sweeps.
  int anderson_depth = 8;
  /// Plain sweeps before acceleration starts. The first sweeps find out which contacts are closed, and easy problems
  /// need only a few.
  int plain_sweeps = 5;
  /// Where sweeps go in circles, plain and accelerated sweeps alternate. In the plain ones each group goes only this
  /// part of the way to its own solution (−), and less each time.
  double calming = 0.7;
  double least_relaxation = 0.3;
  /// When not 0: from this sweep on, they are given up where their rate says that they will not be done in time.
  int hope_after = 0;
  /// What is in time: so many sweeps per group (−), but always `hope_after`. Of the iterations allowed, none count
  /// more.
  double sweeps_per_group = 0.0;
};

class GaussSeidel final : public Solver {
 public:
  explicit GaussSeidel(const SolverOptions& options, const GaussSeidelOptions& own = {})
      : options_(options), own_(own), monitor_(options) {}

  /// Iterations in the report are sweeps; the residual history has only those that were judged.
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  /// How the sweeps are made at the moment.
  struct Gear {
    bool accelerated = false;
    double relaxation = 1.0;
    int plain_turns = 0;
    double last_change = 0.0;  ///< of the sweep before
  };

  void iterate(const ContactProblem& problem, ContactSolution& solution, SolveReport& report);
  void start(const ContactProblem& problem, const VecX& r);
  /// Returns the largest ‖change of r_g‖/√rho_g.
  double sweep(double relaxation);
  /// One sweep, and in next_ where to go on from.
  double accelerated_sweep(Gear& gear);
  void shift(Gear& gear);
  /// Whether sweeps that go on at the rate of their second half so far will be done in time.
  bool hopeful(int sweeps, double best, double aim, int groups);

  SolverOptions options_;
  GaussSeidelOptions own_;
  ConvergenceMonitor monitor_;
  RowSweep rows_;
  QuickAnderson anderson_;
  VecX weight_;  ///< 1/√rho of each row
  VecX next_;
  std::vector<std::pair<int, double>> checks_;  ///< sweeps done, and the best error by then
};

}  // namespace cardhouse
