#pragma once

#include "cardhouse/base/stopwatch.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

/// How a solver asks how far it is: by the common certificate, or by the natural-map error where the user's tolerance
/// is one of that.
class Judge {
 public:
  explicit Judge(const SolverOptions& options) : options_(options) {}

  void restart() { stopwatch_ = Stopwatch(); }
  /// What is compared with the tolerance.
  double error(const ContactProblem& problem, const VecX& r);
  /// The last call's velocities, rho and scale.
  const Certifier& certifier() const { return certifier_; }
  /// Reads a clock only when the user sets a time limit.
  bool out_of_time() const { return options_.max_seconds > 0.0 && stopwatch_.seconds() > options_.max_seconds; }
  double seconds() const { return stopwatch_.seconds(); }

 private:
  SolverOptions options_;
  Certifier certifier_;
  Stopwatch stopwatch_;
};

/// p = the law's projection of every group of r.
void project_on_laws(const ContactProblem& problem, const VecX& r, VecX& p);

/// Fills in why a solve that ended with this error did not converge, or that it did.
void conclude(const SolverOptions& options, double error, bool out_of_time, SolveReport& report);

}  // namespace cardhouse
