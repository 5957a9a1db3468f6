// A contact problem's diagnosis and what it means for solvers, in plain words and as JSON.
#pragma once

#include <optional>
#include <string>

#include "cardhouse/contact/diagnosis.h"
#include "cardhouse/contact/matrix_diagnosis.h"

namespace cardhouse {

/// What a first-order method reaches on the problem, found by trying. No number of W alone predicts it: it depends on
/// which contacts carry load and which of them slide.
struct SweepTrial {
  bool converged = false;
  int sweeps = 0;
  double error = 0.0;  ///< natural-map error in Siconos's scaling (−)
};

struct ProblemDiagnosis {
  std::string problem;  ///< its name
  int contacts = 0;     ///< groups with Coulomb's law
  int groups = 0;
  int rows = 0;
  std::optional<int> dofs;  ///< empty where W is given
  double asymmetry = 0.0;
  SweepTrial sweeps;                      ///< of Gauss–Seidel from no impulses
  Diagnosis contact;                      ///< without `matrix` only what each contact alone tells
  std::optional<MatrixDiagnosis> matrix;  ///< empty for more rows than most_dense_rows
};

/// Throws InputError when the problem's numbers are not finite.
ProblemDiagnosis diagnose_problem(const std::string& name, const ContactProblem& problem);

std::string diagnosis_text(const ProblemDiagnosis& diagnosis);
std::string diagnosis_json(const ProblemDiagnosis& diagnosis);

}  // namespace cardhouse
