// The default: the methods of one table (auto_stages.h), one after the other until one ends with a certificate. The
// best answer is kept; the report names each stage and each method that was used.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cardhouse/solvers/auto_stages.h"
#include "cardhouse/solvers/convergence_monitor.h"

namespace cardhouse {

class AutoSolver final : public Solver {
 public:
  /// The stages must outlive it. Only the first may start from the guess.
  explicit AutoSolver(const SolverOptions& options, std::span<const AutoStage> stages = auto_stages());
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  /// Runs one stage; true when there is nothing left to do.
  bool run(std::size_t index, const ContactProblem& problem, ContactSolution& solution, SolveReport& report);
  /// The same for the first one, which starts from the guess.
  bool sweep(const ContactProblem& problem, ContactSolution& solution, SolveReport& report);
  /// Its method, from candidate_, and what it adds to the report.
  SolveReport attempt(std::size_t index, const ContactProblem& problem, SolveReport& report);

  SolverOptions options_;
  ConvergenceMonitor monitor_;
  std::span<const AutoStage> stages_;
  std::vector<std::unique_ptr<Solver>> methods_;  ///< one for each stage, made when it runs for the first time
  ContactSolution candidate_;
};

}  // namespace cardhouse
