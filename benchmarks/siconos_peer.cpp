#include "siconos_peer.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "bench_tools.h"

namespace bench {
namespace {

using cardhouse::BlockRows;
using cardhouse::BodyMatrix;
using cardhouse::ContactProblem;
using cardhouse::FrictionShape;
using cardhouse::Law;
using cardhouse::MatX;
using cardhouse::SparseRows;
using cardhouse::VecX;
using Triplet = Eigen::Triplet<double, int>;

/// Most rows of a problem that is also tried with a dense W, and most contacts of one that is enumerated.
constexpr int most_dense_rows = 5000;
constexpr int most_enumerated_contacts = 10;
/// Outer iterations: none but the time limit shall stop a solver.
constexpr int most_iterations = 10000000;

/// Siconos frees with free().
template <class T>
T* allocate(std::size_t count) {
  return static_cast<T*>(std::calloc(count, sizeof(T)));
}

double* copy_of(const VecX& x) {
  auto* copy = allocate<double>(static_cast<std::size_t>(x.size()));
  std::memcpy(copy, x.data(), static_cast<std::size_t>(x.size()) * sizeof(double));
  return copy;
}

NumericsMatrix* dense_matrix(const SparseRows& w) {
  NumericsMatrix* matrix = NM_create(NM_DENSE, static_cast<int>(w.rows()), static_cast<int>(w.cols()));
  Eigen::Map<MatX>(matrix->matrix0, w.rows(), w.cols()) = MatX(w);
  return matrix;
}

NumericsMatrix* sparse_matrix(const SparseRows& a) {
  NumericsMatrix* matrix = NM_create(NM_SPARSE, static_cast<int>(a.rows()), static_cast<int>(a.cols()));
  NM_triplet_alloc(matrix, a.nonZeros());
  for (int i = 0; i < a.outerSize(); ++i) {
    for (SparseRows::InnerIterator it(a, i); it; ++it) NM_entry(matrix, i, static_cast<int>(it.col()), it.value());
  }
  return matrix;
}

/// The blocks of one block row by block column, each column-major.
std::map<int, MatX> blocks_of_row(const SparseRows& w, int row, int dim) {
  std::map<int, MatX> blocks;
  blocks.try_emplace(row, MatX::Zero(dim, dim));  // solvers look for the diagonal block
  for (int i = 0; i < dim; ++i) {
    for (SparseRows::InnerIterator it(w, row * dim + i); it; ++it) {
      const int column = static_cast<int>(it.col());
      const auto entry = blocks.try_emplace(column / dim, MatX::Zero(dim, dim)).first;
      entry->second(i, column % dim) = it.value();
    }
  }
  return blocks;
}

NumericsMatrix* block_matrix(const SparseRows& w, int dim) {
  const int rows = static_cast<int>(w.rows()) / dim;
  std::vector<double*> values;
  std::vector<std::size_t> row_start = {0};
  std::vector<std::size_t> columns;
  for (int row = 0; row < rows; ++row) {
    for (const auto& [column, block] : blocks_of_row(w, row, dim)) {
      auto* copy = allocate<double>(static_cast<std::size_t>(block.size()));
      Eigen::Map<MatX>(copy, dim, dim) = block;
      values.push_back(copy);
      columns.push_back(static_cast<std::size_t>(column));
    }
    row_start.push_back(values.size());
  }
  SparseBlockStructuredMatrix* blocks = SBM_new();
  blocks->nbblocks = static_cast<unsigned>(values.size());
  blocks->blocknumber0 = blocks->blocknumber1 = static_cast<unsigned>(rows);
  blocks->block = allocate<double*>(values.size());
  blocks->blocksize0 = allocate<unsigned>(static_cast<std::size_t>(rows));
  blocks->blocksize1 = allocate<unsigned>(static_cast<std::size_t>(rows));
  for (int i = 0; i < rows; ++i) blocks->blocksize0[i] = blocks->blocksize1[i] = static_cast<unsigned>((i + 1) * dim);
  blocks->filled1 = row_start.size();
  blocks->filled2 = columns.size();
  blocks->index1_data = allocate<std::size_t>(row_start.size());
  blocks->index2_data = allocate<std::size_t>(columns.size());
  std::copy(values.begin(), values.end(), blocks->block);
  std::copy(row_start.begin(), row_start.end(), blocks->index1_data);
  std::copy(columns.begin(), columns.end(), blocks->index2_data);
  return NM_new_SBM(static_cast<int>(w.rows()), static_cast<int>(w.cols()), blocks);
}

void add_blocks(const BodyMatrix& a, bool inverse, std::vector<Triplet>& triplets) {
  for (int b = 0; b < a.blocks(); ++b) {
    const BodyMatrix::Block block = inverse ? a.kept_inverse(b) : a.block(b);
    for (int i = 0; i < a.size(b); ++i) {
      for (int k = 0; k < a.size(b); ++k) {
        if (block(i, k) != 0.0) triplets.emplace_back(a.offset(b) + i, a.offset(b) + k, block(i, k));
      }
    }
  }
}

SparseRows mass_matrix(const ContactProblem& problem, bool inverse) {
  std::vector<Triplet> triplets;
  add_blocks(problem.a, inverse, triplets);
  SparseRows result(problem.a.rows(), problem.a.rows());
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

SparseRows jacobian(const ContactProblem& problem) {
  std::vector<Triplet> triplets;
  for (int g = 0; g < problem.groups(); ++g) {
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      const BlockRows::Block block = problem.j.block(g, entry);
      for (int i = 0; i < block.rows(); ++i) {
        for (int k = 0; k < block.cols(); ++k) {
          triplets.emplace_back(problem.j.group(g).row + i, entry.column + k, block(i, k));
        }
      }
    }
  }
  SparseRows result(problem.rows(), problem.a.rows());
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

struct OptionsDeleter {
  void operator()(SolverOptions* options) const { solver_options_delete(options); }
};
using Options = std::unique_ptr<SolverOptions, OptionsDeleter>;

Options options_for(const SiconosSolver& solver, double tolerance) {
  Options options(solver_options_create(solver.id));
  options->iparam[SICONOS_IPARAM_MAX_ITER] = most_iterations;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  // By default Gauss–Seidel stops on the change of r; here on the error, like all others.
  if (solver.id == SICONOS_FRICTION_3D_NSGS || solver.id == SICONOS_GLOBAL_FRICTION_3D_NSGS_WR) {
    SolverOptions* own = solver.id == SICONOS_FRICTION_3D_NSGS ? options.get() : options->internalSolvers[0];
    own->iparam[SICONOS_IPARAM_MAX_ITER] = most_iterations;
    own->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
        SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL;
  }
  return options;
}

SiconosRun run_local(const ReducedProblem& reduced, const SiconosSolver& solver, SolverOptions* options) {
  const int rows = static_cast<int>(reduced.q.size());
  NumericsMatrix* w =
      solver.form == SiconosSolver::Form::dense ? dense_matrix(reduced.w) : block_matrix(reduced.w, reduced.dimension);
  FrictionContactProblem* problem = frictionContactProblem_new_with_data(reduced.dimension, rows / reduced.dimension, w,
                                                                         copy_of(reduced.q), copy_of(reduced.mu));
  SiconosRun run;
  run.r.setZero(rows);
  VecX u = VecX::Zero(rows);
  const double start = cpu_seconds();
  if (reduced.dimension == 3) {
    fc3d_driver(problem, run.r.data(), u.data(), options);
  } else {
    fc2d_driver(problem, run.r.data(), u.data(), options);
  }
  run.seconds = cpu_seconds() - start;
  frictionContactProblem_free(problem);
  return run;
}

SiconosRun run_global(const ContactProblem& ours, const ReducedProblem& reduced, SolverOptions* options) {
  GlobalFrictionContactProblem* problem = globalFrictionContactProblem_new();
  VecX momentum;
  ours.a.multiply(ours.v_free, momentum);
  problem->dimension = reduced.dimension;
  problem->numberOfContacts = ours.groups();
  problem->M = sparse_matrix(mass_matrix(ours, false));
  problem->H = sparse_matrix(SparseRows(jacobian(ours).transpose()));
  problem->q = copy_of(momentum);
  problem->b = copy_of(ours.b);
  problem->mu = copy_of(reduced.mu);
  SiconosRun run;
  run.r.setZero(ours.rows());
  VecX u = VecX::Zero(ours.rows());
  VecX v = VecX::Zero(ours.a.rows());
  const double start = cpu_seconds();
  gfc3d_driver(problem, run.r.data(), u.data(), v.data(), options);
  run.seconds = cpu_seconds() - start;
  return run;  // the problem stays: freeing it after some global solvers frees their matrices twice
}

std::vector<SiconosSolver> spatial_solvers(bool with_bodies) {
  using Form = SiconosSolver::Form;
  std::vector<SiconosSolver> list = {
      {"NSGS", SICONOS_FRICTION_3D_NSGS, Form::blocks},     {"NSGS dense", SICONOS_FRICTION_3D_NSGS, Form::dense},
      {"PROX", SICONOS_FRICTION_3D_PROX, Form::blocks},     {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, Form::blocks},
      {"NSN_FB", SICONOS_FRICTION_3D_NSN_FB, Form::blocks}, {"NSN_NM", SICONOS_FRICTION_3D_NSN_NM, Form::blocks},
      {"ADMM", SICONOS_FRICTION_3D_ADMM, Form::blocks},     {"EG", SICONOS_FRICTION_3D_EG, Form::blocks},
      {"VI_EG", SICONOS_FRICTION_3D_VI_EG, Form::blocks},   {"FPP", SICONOS_FRICTION_3D_FPP, Form::blocks},
      {"VI_FPP", SICONOS_FRICTION_3D_VI_FPP, Form::blocks}, {"DSFP", SICONOS_FRICTION_3D_DSFP, Form::blocks},
      {"TFP", SICONOS_FRICTION_3D_TFP, Form::blocks},       {"ACLMFP", SICONOS_FRICTION_3D_ACLMFP, Form::blocks},
      {"HP", SICONOS_FRICTION_3D_HP, Form::blocks},
  };
  if (with_bodies) {
    list.push_back({"global NSGS_WR", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, Form::global});
    list.push_back({"global NSN_AC", SICONOS_GLOBAL_FRICTION_3D_NSN_AC, Form::global});
    list.push_back({"global VI_EG", SICONOS_GLOBAL_FRICTION_3D_VI_EG, Form::global});
    list.push_back({"global ADMM", SICONOS_GLOBAL_FRICTION_3D_ADMM, Form::global});
    list.push_back({"global IPM", SICONOS_GLOBAL_FRICTION_3D_IPM, Form::global});
  }
  return list;
}

std::vector<SiconosSolver> planar_solvers(int contacts) {
  using Form = SiconosSolver::Form;
  std::vector<SiconosSolver> list = {
      {"NSGS", SICONOS_FRICTION_2D_NSGS, Form::blocks},
      {"NSGS dense", SICONOS_FRICTION_2D_NSGS, Form::dense},
      {"CPG", SICONOS_FRICTION_2D_CPG, Form::dense},
      {"LEMKE", SICONOS_FRICTION_2D_LEMKE, Form::dense},
  };
  if (contacts <= most_enumerated_contacts) list.push_back({"ENUM", SICONOS_FRICTION_2D_ENUM, Form::dense});
  return list;
}

}  // namespace

std::string siconos_obstacle(const ContactProblem& problem) {
  if (problem.groups() == 0) return "there are no contacts";
  const int dim = problem.j.group(0).dim;
  for (int g = 0; g < problem.groups(); ++g) {
    const Law& law = problem.laws[g];
    if (law.kind != Law::Kind::coulomb) return "there are rows that are no contacts";
    if (law.friction != FrictionShape::disk) return "friction is not isotropic";
    if (problem.j.group(g).dim != dim || dim < 2) return "contacts have different numbers of rows";
  }
  return {};
}

ReducedProblem reduce(const ContactProblem& problem) {
  ReducedProblem reduced;
  reduced.dimension = problem.j.group(0).dim;
  cardhouse::free_velocity(problem, reduced.q);
  reduced.mu.resize(problem.groups());
  for (int g = 0; g < problem.groups(); ++g) reduced.mu[g] = problem.laws[g].mu;
  if (problem.delassus) {
    reduced.w = problem.delassus->w;
    return reduced;
  }
  const SparseRows j = jacobian(problem);
  SparseRows compliance(problem.rows(), problem.rows());
  compliance.setIdentity();
  compliance.diagonal() = problem.compliance;
  reduced.w = SparseRows(j * mass_matrix(problem, true) * SparseRows(j.transpose())) + compliance;
  return reduced;
}

std::vector<SiconosSolver> siconos_solvers(const ContactProblem& problem) {
  const bool with_bodies = !problem.delassus;
  std::vector<SiconosSolver> list =
      problem.j.group(0).dim == 3 ? spatial_solvers(with_bodies) : planar_solvers(problem.groups());
  std::erase_if(list, [&](const SiconosSolver& solver) {
    return solver.form == SiconosSolver::Form::dense && problem.rows() > most_dense_rows;
  });
  return list;
}

SiconosRun solve_with_siconos(const ContactProblem& problem, const ReducedProblem& reduced, const SiconosSolver& solver,
                              double tolerance) {
  numerics_set_verbose(0);
  const Options options = options_for(solver, tolerance);
  SiconosRun run = solver.form == SiconosSolver::Form::global ? run_global(problem, reduced, options.get())
                                                              : run_local(reduced, solver, options.get());
  run.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  return run;
}

}  // namespace bench
