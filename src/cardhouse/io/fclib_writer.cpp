#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "cardhouse/io/fclib.h"
#include "cardhouse/io/same_bits.h"

namespace cardhouse {
namespace {

using Triplet = Eigen::Triplet<double, int>;

bool is_contact(const ContactProblem& problem, int group, int dimension) {
  return problem.laws[group].kind == Law::Kind::coulomb && problem.j.group(group).dim == dimension;
}

/// 3, unless all contacts are planar.
int space_dimension(const ContactProblem& problem) {
  bool planar = false;
  for (int g = 0; g < problem.groups(); ++g) {
    if (is_contact(problem, g, 3)) return 3;
    planar = planar || is_contact(problem, g, 2);
  }
  return planar ? 2 : 3;
}

/// The problem's rows as FCLIB sees them. The others can't be told there.
struct Rows {
  int dimension = 3;
  std::vector<int> contact;    ///< rows of contacts, in order
  std::vector<int> bilateral;  ///< rows with an equality
  std::vector<double> mu;
};

Rows fclib_rows(const ContactProblem& problem) {
  Rows rows;
  rows.dimension = space_dimension(problem);
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& group = problem.j.group(g);
    const bool contact = is_contact(problem, g, rows.dimension);
    if (!contact && problem.laws[g].kind != Law::Kind::equality) continue;
    std::vector<int>& list = contact ? rows.contact : rows.bilateral;
    for (int i = 0; i < group.dim; ++i) list.push_back(group.row + i);
    if (contact) rows.mu.push_back(problem.laws[g].mu);
  }
  return rows;
}

VecX chosen(const VecX& all, const std::vector<int>& rows) {
  VecX result(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) result[static_cast<Eigen::Index>(i)] = all[rows[i]];
  return result;
}

/// Where each of `rows` comes among them; −1 for the others.
std::vector<int> positions(const std::vector<int>& rows, int all) {
  std::vector<int> result(static_cast<std::size_t>(all), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) result[rows[i]] = static_cast<int>(i);
  return result;
}

/// What other tools don't see, in words; empty when they see everything.
std::string missing_words(const ContactProblem& problem, const Rows& rows) {
  int left_out = 0;
  int not_round = 0;
  for (int g = 0; g < problem.groups(); ++g) {
    const Law& law = problem.laws[g];
    const int dim = problem.j.group(g).dim;
    const bool contact = is_contact(problem, g, rows.dimension);
    if (!contact && law.kind != Law::Kind::equality) left_out += dim;
    if (contact && dim == 3 && law.friction != FrictionShape::disk) ++not_round;
  }
  std::string words;
  if (left_out > 0)
    words += fmt::format(" {} rows that are neither contacts nor bilateral are left out here.", left_out);
  if (not_round > 0) {
    words += fmt::format(" {} contacts with elliptic or polygonal friction are written as round ones.", not_round);
  }
  if ((problem.compliance.array() != 0.0).any()) words += " The compliance of the rows is left out here.";
  return words.empty() ? words : words + " The group /cardhouse holds the whole problem.";
}

void write_info(ArrayWriter& file, const std::string& group, const ContactProblem& problem, const Rows& rows) {
  file.make_group(group);
  file.write_text(group + "/title", "cardhouse");
  file.write_text(group + "/description", "Contact problem of a step." + missing_words(problem, rows));
  file.write_text(group + "/math_info", "");
}

void write_sizes(ArrayWriter& file, const std::string& path, const SparseRows& matrix, int kind) {
  file.make_group(path);
  file.write(path + "/m", static_cast<int>(matrix.rows()));
  file.write(path + "/n", static_cast<int>(matrix.cols()));
  file.write(path + "/nz", kind);
  file.write(path + "/nzmax", static_cast<int>(matrix.nonZeros()));
}

/// The kind that Siconos reads for M and H.
void write_triplets(ArrayWriter& file, const std::string& path, const SparseRows& matrix) {
  std::vector<int> row;
  std::vector<int> column;
  std::vector<double> value;
  for (int i = 0; i < matrix.outerSize(); ++i) {
    for (SparseRows::InnerIterator it(matrix, i); it; ++it) {
      row.push_back(i);
      column.push_back(static_cast<int>(it.col()));
      value.push_back(it.value());
    }
  }
  write_sizes(file, path, matrix, static_cast<int>(matrix.nonZeros()));
  file.write(path + "/i", row);
  file.write(path + "/p", column);
  file.write(path + "/x", value);
}

/// The kind that Siconos reads for W. Zeros that are there stay.
void write_rows(ArrayWriter& file, const std::string& path, SparseRows matrix) {
  matrix.makeCompressed();
  constexpr int compressed_rows = -2;
  const auto rows = static_cast<std::size_t>(matrix.rows());
  const auto entries = static_cast<std::size_t>(matrix.nonZeros());
  write_sizes(file, path, matrix, compressed_rows);
  file.write(path + "/p", std::span<const int>(matrix.outerIndexPtr(), rows + 1));
  file.write(path + "/i", std::span<const int>(matrix.innerIndexPtr(), entries));
  file.write(path + "/x", std::span<const double>(matrix.valuePtr(), entries));
}

SparseRows part_of(const SparseRows& all, const std::vector<int>& rows, const std::vector<int>& columns) {
  const std::vector<int> place = positions(columns, static_cast<int>(all.cols()));
  std::vector<Triplet> triplets;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (SparseRows::InnerIterator it(all, rows[i]); it; ++it) {
      if (place[it.col()] >= 0) triplets.emplace_back(static_cast<int>(i), place[it.col()], it.value());
    }
  }
  SparseRows result(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

SparseRows mass_matrix(const BodyMatrix& a) {
  std::vector<Triplet> triplets;
  for (int b = 0; b < a.blocks(); ++b) {
    const BodyMatrix::Block block = a.block(b);
    for (int i = 0; i < a.size(b); ++i) {
      for (int k = 0; k < a.size(b); ++k) {
        if (block(i, k) != 0.0 || i == k) triplets.emplace_back(a.offset(b) + i, a.offset(b) + k, block(i, k));
      }
    }
  }
  for (const BodyMatrix::Coupled& body : a.coupled_bodies()) {
    const CoupledBlocks& matrix = *body.matrix;
    for (const CoupledBlocks::Coupling& coupling : matrix.couplings()) {
      const CoupledBlocks::Block block = matrix.block(coupling);
      const int row = body.offset + matrix.offset(coupling.row);
      const int column = body.offset + matrix.offset(coupling.column);
      for (int i = 0; i < block.rows(); ++i) {
        for (int k = 0; k < block.cols(); ++k) {
          if (block(i, k) == 0.0) continue;
          triplets.emplace_back(row + i, column + k, block(i, k));
          triplets.emplace_back(column + k, row + i, block(i, k));
        }
      }
    }
  }
  SparseRows result(a.rows(), a.rows());
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

/// The chosen rows of J as columns.
SparseRows transposed_rows(const ContactProblem& problem, const std::vector<int>& rows) {
  const std::vector<int> place = positions(rows, problem.rows());
  std::vector<Triplet> triplets;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& group = problem.j.group(g);
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      const BlockRows::Block block = problem.j.block(g, entry);
      for (int i = 0; i < group.dim; ++i) {
        const int column = place[group.row + i];
        if (column < 0) continue;
        for (int k = 0; k < entry.size; ++k) {
          if (block(i, k) != 0.0) triplets.emplace_back(entry.column + k, column, block(i, k));
        }
      }
    }
  }
  SparseRows result(problem.a.rows(), static_cast<Eigen::Index>(rows.size()));
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

void write_local(ArrayWriter& file, const ContactProblem& problem, const Rows& rows) {
  const ExplicitDelassus& delassus = *problem.delassus;
  file.make_group("/fclib_local");
  file.write("/fclib_local/spacedim", rows.dimension);
  write_rows(file, "/fclib_local/W", part_of(delassus.w, rows.contact, rows.contact));
  file.make_group("/fclib_local/vectors");
  file.write("/fclib_local/vectors/q", chosen(delassus.q, rows.contact));
  file.write("/fclib_local/vectors/mu", rows.mu);
  if (!rows.bilateral.empty()) {
    write_triplets(file, "/fclib_local/V", part_of(delassus.w, rows.contact, rows.bilateral));
    write_triplets(file, "/fclib_local/R", part_of(delassus.w, rows.bilateral, rows.bilateral));
    file.write("/fclib_local/vectors/s", chosen(delassus.q, rows.bilateral));
  }
  write_info(file, "/fclib_local/info", problem, rows);
}

void write_global(ArrayWriter& file, const ContactProblem& problem, const Rows& rows) {
  VecX f;
  problem.a.multiply(problem.v_free, f);
  file.make_group("/fclib_global");
  file.write("/fclib_global/spacedim", rows.dimension);
  write_triplets(file, "/fclib_global/M", mass_matrix(problem.a));
  write_triplets(file, "/fclib_global/H", transposed_rows(problem, rows.contact));
  file.make_group("/fclib_global/vectors");
  file.write("/fclib_global/vectors/f", f);
  file.write("/fclib_global/vectors/w", chosen(problem.b, rows.contact));
  file.write("/fclib_global/vectors/mu", rows.mu);
  if (!rows.bilateral.empty()) {
    write_triplets(file, "/fclib_global/G", transposed_rows(problem, rows.bilateral));
    file.write("/fclib_global/vectors/b", chosen(problem.b, rows.bilateral));
  }
  write_info(file, "/fclib_global/info", problem, rows);
}

/// FCLIB wants velocities beside the impulses: those that the impulses give.
void write_guess(ArrayWriter& file, const ContactProblem& problem, const Rows& rows, const VecX& guess) {
  VecX v;
  VecX u;
  contact_velocity(problem, guess, v, u);
  file.make_group("/guesses");
  file.write("/guesses/number_of_guesses", 1);
  file.make_group("/guesses/1");
  if (!problem.delassus) file.write("/guesses/1/v", v);
  if (!rows.bilateral.empty()) file.write("/guesses/1/l", chosen(guess, rows.bilateral));
  file.write("/guesses/1/u", chosen(u, rows.contact));
  file.write("/guesses/1/r", chosen(guess, rows.contact));
}

/// Whether a law is what a reader makes of a coefficient of friction.
bool is_plain_contact(const Law& law) {
  const Law plain;
  return law.kind == plain.kind && law.friction == plain.friction && same_bits(law.mu, law.mu_cross) &&
         law.sides == plain.sides && same_bits(law.lower, plain.lower) && same_bits(law.upper, plain.upper);
}

}  // namespace

void write_fclib_problem(ArrayWriter& file, const ContactProblem& problem, const VecX* guess) {
  const Rows rows = fclib_rows(problem);
  if (problem.delassus) {
    write_local(file, problem, rows);
  } else {
    write_global(file, problem, rows);
  }
  if (guess != nullptr && !rows.contact.empty()) write_guess(file, problem, rows, *guess);
}

bool fclib_keeps_all(const ContactProblem& problem) {
  if (!problem.delassus) return false;  // v_free, the inverses and the bodies' blocks are not in it
  const int dimension = space_dimension(problem);
  for (int g = 0; g < problem.groups(); ++g) {
    if (!is_contact(problem, g, dimension) || !is_plain_contact(problem.laws[g])) return false;
  }
  return true;
}

}  // namespace cardhouse
