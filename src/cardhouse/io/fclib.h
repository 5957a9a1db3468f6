// FCLIB's HDF5 format, and the group /cardhouse that we put beside it (docs/problem-files.md).
#pragma once

#include <optional>

#include "cardhouse/contact/problem.h"
#include "cardhouse/io/hdf5_arrays.h"

namespace cardhouse {

/// A problem together with everything that FCLIB cannot express.
ContactProblem read_own_problem(const ArrayReader& file);
void write_own_problem(ArrayWriter& file, const ContactProblem& problem, const VecX* guess);

ContactProblem read_fclib_problem(const ArrayReader& file);
std::optional<VecX> read_fclib_guess(const ArrayReader& file, int rows);
void write_fclib_problem(ArrayWriter& file, const ContactProblem& problem, const VecX* guess);

/// Whether FCLIB's part of the file alone gives the problem back bit for bit.
bool fclib_keeps_all(const ContactProblem& problem);

}  // namespace cardhouse
