// Contact problems in files: FCLIB's HDF5 and Siconos's text format (docs/problem-files.md).
#pragma once

#include <filesystem>
#include <optional>

#include "cardhouse/contact/problem.h"

namespace cardhouse {

/// Reads an FCLIB HDF5 file (local or global), with all that write_problem keeps beside it, or a Siconos text file.
/// Throws InputError with the file and what is wrong with it. NaN in the data is let through: solvers must report it.
ContactProblem read_problem(const std::filesystem::path& path);

/// The impulses that an HDF5 file keeps as its first guess, for the rows of read_problem; empty when there is none.
std::optional<VecX> read_problem_guess(const std::filesystem::path& path);

/// Writes FCLIB HDF5: global for the first form of the problem, local for the second. What FCLIB cannot express goes
/// into a group of our own, so read_problem gives the same problem bit for bit. The file appears in one operation.
/// Throws InputError when the path cannot be used, std::runtime_error when the system fails.
void write_problem(const std::filesystem::path& path, const ContactProblem& problem, const VecX* guess = nullptr);

}  // namespace cardhouse
