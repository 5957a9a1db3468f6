#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cardhouse/base/error.h"
#include "cardhouse/io/fclib.h"
#include "cardhouse/io/problem_parts.h"

namespace cardhouse {
namespace {

using Triplet = Eigen::Triplet<double, int>;

/// One matrix of a file: "/fclib_local/W" and the arrays below it.
class MatrixReader {
 public:
  MatrixReader(const ArrayReader& file, const std::string& path)
      : file_(file), path_(path), rows_(file.integer(path + "/m")), columns_(file.integer(path + "/n")) {}

  /// `rows` and `columns` are what the vectors of the problem say: a damaged size must not be allocated.
  SparseRows read(Eigen::Index rows, Eigen::Index columns) const {
    if (rows_ != rows || columns_ != columns) {
      fail(fmt::format("is {} × {}, but the vectors need {} × {}", rows_, columns_, rows, columns));
    }
    const int kind = file_.integer(path_ + "/nz");
    const std::vector<int> p = file_.integers(path_ + "/p");
    const std::vector<int> i = file_.integers(path_ + "/i");
    const VecX x = file_.reals(path_ + "/x");
    std::vector<Triplet> triplets;
    if (kind >= 0) {
      read_triplets(kind, p, i, x, triplets);
    } else if (kind == -1) {
      read_compressed(columns_, p, i, x, false, triplets);
    } else if (kind == -2) {
      read_compressed(rows_, p, i, x, true, triplets);
    } else {
      fail(fmt::format("has nz = {}; ≥ 0 (triplet), −1 (csc) and −2 (csr) are known", kind));
    }
    SparseRows matrix(rows_, columns_);
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    return matrix;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {} {}", file_.name(), path_, what));
  }

  void add(int row, int column, double value, std::vector<Triplet>& triplets) const {
    if (row < 0 || row >= rows_ || column < 0 || column >= columns_) {
      fail(fmt::format("has an entry in row {}, column {}; it is {} × {}", row, column, rows_, columns_));
    }
    triplets.emplace_back(row, column, value);
  }

  /// As in CSparse, i holds the rows and p the columns; the comment in fclib.h says otherwise, the files say this.
  void read_triplets(int count, const std::vector<int>& p, const std::vector<int>& i, const VecX& x,
                     std::vector<Triplet>& triplets) const {
    const auto shortest = std::min({p.size(), i.size(), static_cast<std::size_t>(x.size())});
    if (shortest < static_cast<std::size_t>(count)) {
      fail(fmt::format("is to have {} entries, but there are {}", count, shortest));
    }
    for (int k = 0; k < count; ++k) add(i[k], p[k], x[k], triplets);
  }

  void read_compressed(int outer, const std::vector<int>& p, const std::vector<int>& i, const VecX& x, bool by_rows,
                       std::vector<Triplet>& triplets) const {
    if (p.size() != static_cast<std::size_t>(outer) + 1 || p.front() != 0 || !std::is_sorted(p.begin(), p.end())) {
      fail(fmt::format("has no pointers 0 … to {} rows or columns", outer));
    }
    const auto shortest = std::min(i.size(), static_cast<std::size_t>(x.size()));
    if (shortest < static_cast<std::size_t>(p.back())) {
      fail(fmt::format("is to have {} entries, but there are {}", p.back(), shortest));
    }
    for (int k = 0; k < outer; ++k) {
      for (int entry = p[k]; entry < p[k + 1]; ++entry) {
        add(by_rows ? k : i[entry], by_rows ? i[entry] : k, x[entry], triplets);
      }
    }
  }

  const ArrayReader& file_;
  std::string path_;
  int rows_;
  int columns_;
};

SparseRows read_matrix(const ArrayReader& file, const std::string& path, Eigen::Index rows, Eigen::Index columns) {
  return MatrixReader(file, path).read(rows, columns);
}

ContactProblem read_local(const ArrayReader& file) {
  LocalParts parts;
  parts.dimension = file.integer("/fclib_local/spacedim");
  parts.q = file.reals("/fclib_local/vectors/q");
  parts.mu = file.reals("/fclib_local/vectors/mu");
  parts.w = read_matrix(file, "/fclib_local/W", parts.q.size(), parts.q.size());
  if (file.has("/fclib_local/V") || file.has("/fclib_local/R")) {
    parts.s = file.reals("/fclib_local/vectors/s");
    parts.v = read_matrix(file, "/fclib_local/V", parts.q.size(), parts.s.size());
    parts.r = read_matrix(file, "/fclib_local/R", parts.s.size(), parts.s.size());
  }
  return assemble_problem(std::move(parts), file.name());
}

ContactProblem read_global(const ArrayReader& file) {
  GlobalParts parts;
  parts.dimension = file.integer("/fclib_global/spacedim");
  parts.f = file.reals("/fclib_global/vectors/f");
  parts.w = file.reals("/fclib_global/vectors/w");
  parts.mu = file.reals("/fclib_global/vectors/mu");
  parts.m = read_matrix(file, "/fclib_global/M", parts.f.size(), parts.f.size());
  parts.h = read_matrix(file, "/fclib_global/H", parts.f.size(), parts.w.size());
  if (file.has("/fclib_global/G")) {
    parts.b = file.reals("/fclib_global/vectors/b");
    parts.g = read_matrix(file, "/fclib_global/G", parts.f.size(), parts.b.size());
  }
  return assemble_problem(std::move(parts), file.name());
}

}  // namespace

ContactProblem read_fclib_problem(const ArrayReader& file) {
  if (file.has("/fclib_global")) return read_global(file);
  if (file.has("/fclib_local")) return read_local(file);
  throw InputError(file.name() + ": holds no contact problem: neither /fclib_local nor /fclib_global is there");
}

std::optional<VecX> read_fclib_guess(const ArrayReader& file, int rows) {
  if (!file.has("/guesses/1/r")) return std::nullopt;
  const VecX contacts = file.reals("/guesses/1/r");
  const VecX bilateral = file.has("/guesses/1/l") ? file.reals("/guesses/1/l") : VecX();
  if (contacts.size() + bilateral.size() != rows) {
    throw InputError(fmt::format("{}: /guesses/1 has {} numbers, but the problem has {} rows", file.name(),
                                 contacts.size() + bilateral.size(), rows));
  }
  VecX guess(rows);
  guess.head(contacts.size()) = contacts;
  guess.tail(bilateral.size()) = bilateral;
  return guess;
}

}  // namespace cardhouse
