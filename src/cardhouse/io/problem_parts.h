// A problem as other projects write it: matrices and vectors, before they become blocks and groups.
#pragma once

#include <optional>
#include <string>

#include "cardhouse/contact/problem.h"

namespace cardhouse {

/// u = W r + V l + q, with Vᵀ r + R l + s = 0.
struct LocalParts {
  int dimension = 3;  ///< rows per contact: 2 or 3
  SparseRows w;
  VecX q;
  VecX mu;
  std::optional<SparseRows> v;  ///< with r: bilateral constraints
  std::optional<SparseRows> r;
  VecX s;
};

/// M v = H r + G l + f, u = Hᵀ v + w, with Gᵀ v + b = 0.
struct GlobalParts {
  int dimension = 3;
  SparseRows m;
  SparseRows h;
  VecX f;
  VecX w;
  VecX mu;
  std::optional<SparseRows> g;  ///< bilateral constraints
  VecX b;
};

/// Contacts first, then each bilateral row as a group of its own. Throws InputError that begins with `name` when the
/// sizes don't fit or a coefficient of friction is negative. W stays as it is, symmetric or not.
ContactProblem assemble_problem(LocalParts parts, const std::string& name);

/// Each block of A is a connected part of M's graph, or a whole rigid body where M is diagonal; where they don't come
/// one after the other, the velocities are reordered. Of a matrix M with one triangle only, the other is its mirror
/// image.
ContactProblem assemble_problem(GlobalParts parts, const std::string& name);

}  // namespace cardhouse
