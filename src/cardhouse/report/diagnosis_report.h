// What a contact problem's diagnosis means for those who are to solve it, in plain words and as JSON.
#pragma once

#include <optional>
#include <string>

#include "cardhouse/contact/diagnosis.h"
#include "cardhouse/contact/matrix_diagnosis.h"

namespace cardhouse {

struct ProblemDiagnosis {
  std::string problem;  ///< its name
  int contacts = 0;     ///< groups with Coulomb's law
  int groups = 0;
  int rows = 0;
  std::optional<int> dofs;  ///< empty where W is given
  double asymmetry = 0.0;
  Diagnosis contact;                      ///< without `matrix` only what each contact alone tells
  std::optional<MatrixDiagnosis> matrix;  ///< empty for more rows than most_dense_rows
};

/// Throws InputError when the problem's numbers are not finite.
ProblemDiagnosis diagnose_problem(const std::string& name, const ContactProblem& problem);

std::string diagnosis_text(const ProblemDiagnosis& diagnosis);
std::string diagnosis_json(const ProblemDiagnosis& diagnosis);

}  // namespace cardhouse
