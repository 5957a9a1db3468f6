// A Newton step on the impulses, for laws written as equations E(r, u) = 0 per group: one sparse system
// (solvers/machinery/row_system.h), then a line search on ‖E‖.
#pragma once

#include <functional>
#include <vector>

#include "cardhouse/solvers/machinery/row_system.h"
#include "cardhouse/solvers/machinery/smoothed_law.h"

namespace cardhouse {

class RowNewton {
 public:
  /// ‖E‖² (J) of group g at its impulses and velocities, with its leader's normal impulse if its law is dependent; the
  /// last argument, if given, gets the linearisation.
  using Equation = std::function<double(int g, const double* r, const double* u, double load, NewtonRows* newton)>;

  explicit RowNewton(Equation equation) : equation_(std::move(equation)) {}

  /// The problem must outlive the steps. Call again when any of its matrices changes.
  void set_problem(const ContactProblem& problem);

  struct Step {
    double length = 0.0;  ///< of the Newton direction; 0: none helps, or the system is singular
    double before = 0.0;  ///< ‖E‖
    double after = 0.0;
  };
  /// Moves r along its Newton direction to where ‖E‖ is smaller, or least larger.
  Step take(VecX& r);

 private:
  double evaluate(const VecX& r, bool newton);
  /// Puts the change of the leaders' normal impulses into the equations of those that depend on them.
  void follow_leaders();

  Equation equation_;
  const ContactProblem* problem_ = nullptr;
  RowSystem system_;
  std::vector<Mat3> theta_;
  std::vector<Mat3> cross_;    ///< of dependent laws, in their leaders' columns; empty when there are none
  std::vector<Vec3> by_load_;  ///< of dependent laws
  VecX right_, direction_, trial_, u_, v_;
};

}  // namespace cardhouse
