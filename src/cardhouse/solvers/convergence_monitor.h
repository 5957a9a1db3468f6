// What every solver needs around its own iteration: judge the guess, keep the best answer, watch the clock, and say at
// the end why it stopped.
#pragma once

#include <limits>

#include "cardhouse/base/deadline.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

/// Measures how far a solver is: by the certificate's residual, or by the natural-map error where the user's tolerance
/// is one of that.
class ConvergenceMonitor {
 public:
  explicit ConvergenceMonitor(const SolverOptions& options)
      : options_(options), deadline_(options.max_seconds, options.stop, options.within) {}

  /// Starts the clock, projects the guess onto the laws and judges it. False, with the status and the reason in the
  /// report, when its residual is not finite: then nothing can be solved.
  bool begin(const ContactProblem& problem, ContactSolution& solution, SolveReport& report);
  /// The same after restart().
  bool take_guess(const ContactProblem& problem, ContactSolution& solution, SolveReport& report);

  /// One outer iteration's impulses: projects them onto the laws, adds their error to the history and keeps them in
  /// `solution` when they are the best so far. Returns their error.
  double offer(const ContactProblem& problem, const VecX& r, ContactSolution& solution, SolveReport& report);

  /// For methods whose friction is not the law's: counts the impulses like offer(), but keeps them as they are, even if
  /// earlier ones were better. Returns their error. Impulses without a finite error are not kept.
  double replace(const ContactProblem& problem, const VecX& r, ContactSolution& solution, SolveReport& report);

  /// offer() in two halves, for methods that choose by another measure. The first counts impulses as an iteration and
  /// returns their error. The second keeps the impulses that were judged last.
  double look(const ContactProblem& problem, const VecX& r, SolveReport& report);
  void keep(double error, const VecX& r, ContactSolution& solution);

  /// Fills in the time, and whether the best answer is good enough. If it is not, fills in why: where impulses grew,
  /// whether rows contradict each other, and which.
  void end(const ContactProblem& problem, SolveReport& report);

  /// Whether an answer that was judged elsewhere beats the best so far; if so, it becomes the best.
  bool improves(double error);

  /// The error of the best answer so far.
  double best() const { return best_; }
  bool good_enough() const { return best_ <= options_.tolerance; }
  /// Iterations left, and time.
  bool may_go_on(const SolveReport& report) const {
    return report.iterations < options_.max_iterations && !out_of_time();
  }

  /// Makes end() search for rows that contradict each other, however small the impulses stayed.
  void suspect_conflict() { growth_ = std::numeric_limits<double>::infinity(); }

  void start_clock() { deadline_.restart(); }
  /// What all errors of the problem share: the caller's, where there is one.
  void prepare(const ContactProblem& problem);
  /// For callers that judge guesses without begin(): starts the clock and prepares what all errors of this problem
  /// share.
  void restart(const ContactProblem& problem) {
    start_clock();
    prepare(problem);
  }
  /// What is compared with the tolerance, of the problem that was begun with.
  double error(const ContactProblem& problem, const VecX& r);
  /// The last call's velocities, rho and scale.
  const Certifier& certifier() const { return certifier_; }
  /// Whether the user's time limit has passed or the solve was cancelled.
  bool out_of_time() const { return deadline_.passed(); }
  const Deadline& deadline() const { return deadline_; }
  double seconds() const { return deadline_.seconds(); }

 private:
  void look_for_conflict(const ContactProblem& problem, SolveReport& report);

  SolverOptions options_;
  Certifier certifier_;
  Deadline deadline_;
  double best_ = 0.0;
  double growth_ = 0.0;  ///< the largest of the certifier's since the beginning
  VecX projected_;
};

/// Whether a method refuses a problem of so many unknowns; then the report says so, and why.
bool too_large(int unknowns, int most, const std::string& why, SolveReport& report);

/// p = the law's projection of every group of r.
void project_on_laws(const ContactProblem& problem, const VecX& r, VecX& p);

}  // namespace cardhouse
