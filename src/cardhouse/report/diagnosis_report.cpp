#include "cardhouse/report/diagnosis_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "cardhouse/base/error.h"
#include "cardhouse/contact/natural_map.h"
#include "cardhouse/report/json_values.h"
#include "cardhouse/solvers/gauss_seidel.h"

namespace cardhouse {
namespace {

/// A W whose asymmetry is below this part of its size differs by round-off alone.
constexpr double symmetric_enough = 1e-13;

// Thresholds of the condition: below the first hardly anything is hard; above the second half of the 16 digits of some
// impulses are lost.
constexpr double harmless_condition = 1e4;
constexpr double severe_condition = 1e8;

// The trial of sweeps: the tolerance of `solve`, the number of sweeps that counts as few, and the number that is tried.
// Beyond a thousand a factorisation is cheaper for every problem size that was measured.
constexpr double trial_tolerance = 1e-8;
constexpr int few_sweeps = 100;
constexpr int most_sweeps = 1000;

// Thresholds of the subspace angle (rad): alternating methods are quick above one, hopeless below the other.
constexpr double wide_angle = std::numbers::pi / 4.0;
constexpr double touching_angle = 1e-3;

/// Two lines of the report: the finding, and what it means for solvers.
struct Finding {
  std::string label;
  std::string value;
  std::string meaning;
};

double degrees(double angle) {
  return angle * 180.0 / std::numbers::pi;
}

/// Contacts at which Painlevé's paradox is possible.
std::vector<int> painleve_contacts(const Diagnosis& diagnosis) {
  std::vector<int> contacts;
  for (std::size_t g = 0; g < diagnosis.painleve_ratios.size(); ++g) {
    if (diagnosis.painleve_ratios[g] >= 1.0) contacts.push_back(static_cast<int>(g));
  }
  return contacts;
}

const char* definiteness_name(Definiteness definiteness) {
  switch (definiteness) {
    case Definiteness::definite:
      return "definite";
    case Definiteness::semidefinite:
      return "semidefinite";
    case Definiteness::rounded:
      return "semidefinite_but_for_rounding";
    case Definiteness::indefinite:
      break;
  }
  return "indefinite";
}

Finding rank_finding(const MatrixDiagnosis& matrix) {
  Finding found{"rank of W", fmt::format("{} of {} rows", matrix.rank, matrix.rows), ""};
  if (matrix.rank == matrix.rows) {
    found.meaning = "No row is redundant: velocities determine the impulses.";
  } else {
    found.meaning = fmt::format(
        "{} rows depend on others: many impulses give the same velocities. Solvers may differ in r and all be right; "
        "a method that inverts W needs a regularisation, one that factors the bodies or adds a proximal term does not.",
        matrix.rows - matrix.rank);
  }
  return found;
}

Finding symmetry_finding(const ProblemDiagnosis& diagnosis) {
  if (diagnosis.dofs) return {"symmetry of W", "symmetric, being made of bodies", ""};
  if (diagnosis.asymmetry <= symmetric_enough) return {"symmetry of W", "symmetric", ""};
  return {"symmetry of W", fmt::format("not symmetric: ‖W − Wᵀ‖ = {:.1e} ‖W‖", diagnosis.asymmetry),
          "This W belongs to no energy. Where it is also singular, there may be no exact answer. All methods here take "
          "W as "
          "it is; those made for an energy (staggered, ADMM, relaxations) may stop at an error of about that size."};
}

Finding definiteness_finding(const MatrixDiagnosis& matrix) {
  const std::string range = fmt::format("eigenvalues {:.2e} … {:.2e}", matrix.least, matrix.largest);
  switch (matrix.definiteness) {
    case Definiteness::definite:
      return {"definiteness", "positive definite, " + range, "Without friction the impulses would be unique."};
    case Definiteness::semidefinite:
      return {"definiteness", "positive semidefinite, " + range,
              "Without friction the velocities would be unique, the impulses not."};
    case Definiteness::rounded:
      return {
          "definiteness", "semidefinite but for rounding, " + range,
          "The negative eigenvalues are as small as rounding the file's numbers makes them. Errors below that part of "
          "the largest may be out of reach of methods that need a convex energy."};
    case Definiteness::indefinite:
      break;
  }
  return {
      "definiteness", "indefinite, " + range,
      "Impulses can gain energy: no rigid bodies have this W. A solution may not exist, and methods that minimise an "
      "energy can run away."};
}

Finding condition_finding(const MatrixDiagnosis& matrix) {
  const double condition = matrix.condition();
  Finding found{"conditioning", fmt::format("{:.1e} without the null space", condition), ""};
  if (condition < harmless_condition) {
    found.meaning = "Harmless for every method.";
  } else if (condition < severe_condition) {
    found.meaning =
        "First-order methods (Gauss–Seidel, gradients, ADMM) may be slow, but only if contacts that carry load are "
        "coupled that badly: see the sweeps. Newton-type methods are not affected.";
  } else {
    found.meaning = fmt::format(
        "Some impulses are determined to {:.0f} of 16 digits only; velocities and residual need not suffer. "
        "First-order "
        "methods may be slow, but only if contacts that carry load are coupled that badly: see the sweeps.",
        std::max(16.0 - std::log10(condition), 0.0));
  }
  return found;
}

Finding sweeps_finding(const SweepTrial& trial) {
  Finding found{"sweeps",
                fmt::format("Gauss–Seidel's natural-map error is {:.1e} after {} sweeps", trial.error, trial.sweeps),
                ""};
  if (!trial.converged) {
    found.meaning = fmt::format(
        "Sweeps need thousands of rounds here to get to {:.0e}, if they get there, and other first-order methods are "
        "likely to be slow, too: Newton-type methods are the ones to take.",
        trial_tolerance);
  } else if (trial.sweeps > few_sweeps) {
    found.meaning = "First-order methods converge, but slowly: Newton-type methods are likely to be quicker.";
  } else {
    found.meaning = "First-order methods are quick here.";
  }
  return found;
}

Finding angle_finding(const Diagnosis& diagnosis) {
  Finding found{"subspace angle",
                fmt::format("{:.3g}° between normals and friction", degrees(diagnosis.subspace_angle)), ""};
  if (diagnosis.subspace_angle > wide_angle) {
    found.meaning = "Normal and friction impulses hardly meet: methods that take turns between them are quick.";
  } else if (diagnosis.subspace_angle > touching_angle) {
    found.meaning =
        "Normal and friction impulses are coupled: methods that take turns between them need the more rounds the "
        "smaller the angle is.";
  } else {
    found.meaning =
        "Some friction impulses do the same as normal ones: methods that take turns between them have no rate of "
        "convergence to rely on. Methods that treat both at once are not affected.";
  }
  return found;
}

Finding painleve_finding(const Diagnosis& diagnosis) {
  const std::vector<int> contacts = painleve_contacts(diagnosis);
  if (diagnosis.painleve_contact < 0) return {"Painlevé ratio", "no contacts with friction", ""};
  const std::string largest =
      fmt::format("{:.3g} at most, at contact {}", diagnosis.painleve_ratio, diagnosis.painleve_contact);
  if (contacts.empty()) {
    return {"Painlevé ratio", largest,
            "Below 1 everywhere: pushing a contact never pulls it apart by its own friction."};
  }
  constexpr std::size_t most_named = 10;
  const std::vector<int> named(contacts.begin(),
                               contacts.begin() + static_cast<std::ptrdiff_t>(std::min(contacts.size(), most_named)));
  return {"Painlevé ratio", largest,
          fmt::format("1 or above at {} contact{} ({}{}): sliding there can jam, solutions need not be unique, and "
                      "contact-by-contact methods may cycle.",
                      contacts.size(), contacts.size() == 1 ? "" : "s", fmt::join(named, ", "),
                      contacts.size() > most_named ? ", …" : "")};
}

Finding cone_finding(const Diagnosis& diagnosis) {
  if (diagnosis.pointed) {
    return {"friction cone", "pointed", "Impulses cannot grow without effect: solutions are bounded."};
  }
  return {
      "friction cone", "not pointed: bodies are wedged",
      "Impulses can grow without moving anything. Solutions of any size exist; methods without a bound or a proximal "
      "term may drift, and a warm start decides which solution is found."};
}

std::vector<Finding> findings(const ProblemDiagnosis& diagnosis) {
  std::vector<Finding> list;
  if (diagnosis.rows == 0) return list;
  if (diagnosis.matrix) list.push_back(rank_finding(*diagnosis.matrix));
  list.push_back(symmetry_finding(diagnosis));
  if (diagnosis.matrix) {
    list.push_back(definiteness_finding(*diagnosis.matrix));
    list.push_back(condition_finding(*diagnosis.matrix));
    list.push_back(angle_finding(diagnosis.contact));
  }
  list.push_back(painleve_finding(diagnosis.contact));
  if (diagnosis.matrix) list.push_back(cone_finding(diagnosis.contact));
  list.push_back(sweeps_finding(diagnosis.sweeps));
  return list;
}

/// Words in lines that fit a terminal, each after a margin.
std::string wrapped(const std::string& words, const std::string& margin) {
  constexpr std::size_t most = 92;
  std::string text;
  std::string line;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string word = words.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > most) {
      text += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return line.empty() ? text : text + margin + line + "\n";
}

bool is_finite(const ContactProblem& problem) {
  if (problem.delassus) {
    const SparseRows& w = problem.delassus->w;
    for (int i = 0; i < w.outerSize(); ++i) {
      for (SparseRows::InnerIterator it(w, i); it; ++it) {
        if (!std::isfinite(it.value())) return false;
      }
    }
    return problem.delassus->q.allFinite();
  }
  for (int i = 0; i < problem.a.blocks(); ++i) {
    if (!problem.a.block(i).allFinite()) return false;
  }
  for (int g = 0; g < problem.groups(); ++g) {
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      if (!problem.j.block(g, entry).allFinite()) return false;
    }
  }
  return problem.compliance.allFinite();
}

bool laws_are_finite(const ContactProblem& problem) {
  return std::none_of(problem.laws.begin(), problem.laws.end(),
                      [](const Law& law) { return !std::isfinite(law.mu) || !std::isfinite(law.mu_cross); });
}

SweepTrial try_sweeps(const ContactProblem& problem) {
  SolverOptions options;
  options.tolerance = trial_tolerance;
  options.measure = SolverOptions::Measure::natural_map;
  options.max_iterations = most_sweeps;
  GaussSeidel solver(options);
  ContactSolution solution{VecX::Zero(problem.rows()), VecX()};
  const SolveReport report = solver.solve(problem, solution);
  return {report.status == SolveStatus::converged, report.iterations, natural_map_error(problem, solution.r).scaled};
}

}  // namespace

ProblemDiagnosis diagnose_problem(const std::string& name, const ContactProblem& problem) {
  if (!is_finite(problem) || !laws_are_finite(problem)) {
    throw InputError(name + ": holds numbers that are not finite; there is nothing to diagnose");
  }
  ProblemDiagnosis result;
  result.problem = name;
  result.groups = problem.groups();
  result.rows = problem.rows();
  if (!problem.delassus) result.dofs = problem.a.rows();
  result.contacts = static_cast<int>(std::count_if(problem.laws.begin(), problem.laws.end(),
                                                   [](const Law& law) { return law.kind == Law::Kind::coulomb; }));
  result.asymmetry = asymmetry(problem);
  const bool dense = problem.rows() <= most_dense_rows;
  result.contact = dense ? diagnose(problem) : diagnose_contacts(problem);
  if (dense) result.matrix = diagnose_matrix(problem);
  result.sweeps = try_sweeps(problem);
  return result;
}

std::string diagnosis_text(const ProblemDiagnosis& diagnosis) {
  std::string text =
      fmt::format("{}: {} contacts, {} rows, {}\n", diagnosis.problem, diagnosis.contacts, diagnosis.rows,
                  diagnosis.dofs ? fmt::format("{} degrees of freedom", *diagnosis.dofs) : "W given");
  if (diagnosis.rows == 0) return text + "\n  Nothing touches: there is nothing to solve.\n";
  for (const Finding& finding : findings(diagnosis)) {
    text += fmt::format("\n  {:<16}{}\n", finding.label, finding.value);
    text += wrapped(finding.meaning, std::string(18, ' '));
  }
  if (!diagnosis.matrix) {
    text +=
        "\n" + wrapped(fmt::format("Rank, definiteness, conditioning, subspace angle and the friction cone need dense "
                                   "matrices and are computed for up to {} rows; this problem has {}.",
                                   most_dense_rows, diagnosis.rows),
                       "  ");
  }
  return text;
}

std::string diagnosis_json(const ProblemDiagnosis& diagnosis) {
  const auto dense = [&](auto get) { return diagnosis.matrix ? Json(get(*diagnosis.matrix)) : Json(nullptr); };
  Json meaning = Json::array();
  for (const Finding& finding : findings(diagnosis)) {
    if (!finding.meaning.empty()) meaning.push_back(finding.label + ": " + finding.meaning);
  }
  const Json json = {
      {"problem", diagnosis.problem},
      {"contacts", diagnosis.contacts},
      {"rows", diagnosis.rows},
      {"dofs", diagnosis.dofs ? Json(*diagnosis.dofs) : Json(nullptr)},
      {"rank", dense([](const MatrixDiagnosis& m) { return m.rank; })},
      {"asymmetry", number(diagnosis.asymmetry)},
      {"definiteness", dense([](const MatrixDiagnosis& m) { return definiteness_name(m.definiteness); })},
      {"eigenvalues",
       {{"least", dense([](const MatrixDiagnosis& m) { return number(m.least); })},
        {"least_nonzero", dense([](const MatrixDiagnosis& m) { return number(m.least_nonzero); })},
        {"largest", dense([](const MatrixDiagnosis& m) { return number(m.largest); })}}},
      {"condition", dense([](const MatrixDiagnosis& m) { return number(m.condition()); })},
      {"subspace_angle", diagnosis.matrix ? number(diagnosis.contact.subspace_angle) : Json(nullptr)},
      {"painleve",
       {{"largest", number(diagnosis.contact.painleve_ratio)},
        {"contact", diagnosis.contact.painleve_contact < 0 ? Json(nullptr) : Json(diagnosis.contact.painleve_contact)},
        {"contacts", painleve_contacts(diagnosis.contact)}}},
      {"pointed", diagnosis.matrix ? Json(diagnosis.contact.pointed) : Json(nullptr)},
      {"sweeps",
       {{"converged", diagnosis.sweeps.converged},
        {"count", diagnosis.sweeps.sweeps},
        {"natural_map", number(diagnosis.sweeps.error)}}},
      {"meaning", meaning}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cardhouse
