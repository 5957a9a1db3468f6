#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cardhouse/base/error.h"
#include "cardhouse/io/fclib.h"

namespace cardhouse {
namespace {

// Each is written where the one before does not do.
constexpr int plain_version = 1;
constexpr int leader_version = 2;   ///< with the leaders of dependent laws
constexpr int coupled_version = 3;  ///< with bodies of many blocks; leaders where there are any

int version_for(const ContactProblem& problem) {
  if (problem.a.has_coupled_bodies()) return coupled_version;
  return has_dependent_laws(problem) ? leader_version : plain_version;
}

// ---- writing

template <typename Get>
auto of_laws(const ContactProblem& problem, Get get) {
  std::vector<decltype(get(problem.laws[0]))> values;
  for (const Law& law : problem.laws) values.push_back(get(law));
  return values;
}

void write_laws(ArrayWriter& file, const ContactProblem& problem) {
  file.make_group("/cardhouse/laws");
  file.write("/cardhouse/laws/kind", of_laws(problem, [](const Law& law) { return static_cast<int>(law.kind); }));
  file.write("/cardhouse/laws/friction",
             of_laws(problem, [](const Law& law) { return static_cast<int>(law.friction); }));
  file.write("/cardhouse/laws/sides", of_laws(problem, [](const Law& law) { return law.sides; }));
  file.write("/cardhouse/laws/mu", of_laws(problem, [](const Law& law) { return law.mu; }));
  file.write("/cardhouse/laws/mu_cross", of_laws(problem, [](const Law& law) { return law.mu_cross; }));
  file.write("/cardhouse/laws/lower", of_laws(problem, [](const Law& law) { return law.lower; }));
  file.write("/cardhouse/laws/upper", of_laws(problem, [](const Law& law) { return law.upper; }));
  if (!has_dependent_laws(problem)) return;
  file.write("/cardhouse/laws/leader", of_laws(problem, [](const Law& law) { return law.leader; }));
}

void append(const Eigen::Ref<const MatX>& block, std::vector<double>& values) {
  for (Eigen::Index k = 0; k < block.cols(); ++k) {
    for (Eigen::Index i = 0; i < block.rows(); ++i) values.push_back(block(i, k));
  }
}

/// Of each body with coupled blocks its first block, its blocks and its couplings; of each coupling its two blocks,
/// counted in the body, and its values.
void write_couplings(ArrayWriter& file, const BodyMatrix& a) {
  std::vector<int> first;
  std::vector<int> nodes;
  std::vector<int> count;
  std::vector<int> row;
  std::vector<int> column;
  std::vector<double> value;
  for (const BodyMatrix::Coupled& body : a.coupled_bodies()) {
    first.push_back(body.first_block);
    nodes.push_back(body.matrix->nodes());
    count.push_back(static_cast<int>(body.matrix->couplings().size()));
    for (const CoupledBlocks::Coupling& coupling : body.matrix->couplings()) {
      row.push_back(coupling.row);
      column.push_back(coupling.column);
      append(body.matrix->block(coupling), value);
    }
  }
  file.make_group("/cardhouse/a/coupled");
  file.write("/cardhouse/a/coupled/first_block", first);
  file.write("/cardhouse/a/coupled/blocks", nodes);
  file.write("/cardhouse/a/coupled/couplings", count);
  file.write("/cardhouse/a/coupled/row", row);
  file.write("/cardhouse/a/coupled/column", column);
  file.write("/cardhouse/a/coupled/value", value);
}

void write_mass(ArrayWriter& file, const BodyMatrix& a) {
  std::vector<int> size;
  std::vector<double> value;
  std::vector<double> inverse;
  for (int i = 0; i < a.blocks(); ++i) {
    size.push_back(a.size(i));
    append(a.block(i), value);
    if (!a.is_coupled(i)) append(a.kept_inverse(i), inverse);
  }
  file.make_group("/cardhouse/a");
  file.write("/cardhouse/a/size", size);
  file.write("/cardhouse/a/value", value);
  file.write("/cardhouse/a/inverse", inverse);
  if (a.has_coupled_bodies()) write_couplings(file, a);
}

void write_group_sizes(ArrayWriter& file, const BlockRows& j) {
  std::vector<int> dim;
  for (int g = 0; g < j.groups(); ++g) dim.push_back(j.group(g).dim);
  file.make_group("/cardhouse/j");
  file.write("/cardhouse/j/dim", dim);
}

void write_jacobian(ArrayWriter& file, const BlockRows& j) {
  std::vector<int> entries;
  std::vector<int> block;
  std::vector<double> value;
  for (int g = 0; g < j.groups(); ++g) {
    entries.push_back(j.group(g).entry_count);
    for (const BlockRows::Entry& entry : j.entries(g)) {
      block.push_back(entry.block);
      append(j.block(g, entry), value);
    }
  }
  file.write("/cardhouse/j/entries", entries);
  file.write("/cardhouse/j/block", block);
  file.write("/cardhouse/j/value", value);
}

void write_delassus(ArrayWriter& file, const ExplicitDelassus& delassus) {
  SparseRows w = delassus.w;
  w.makeCompressed();
  const auto rows = static_cast<std::size_t>(w.rows());
  const auto entries = static_cast<std::size_t>(w.nonZeros());
  file.make_group("/cardhouse/w");
  file.write("/cardhouse/w/p", std::span<const int>(w.outerIndexPtr(), rows + 1));
  file.write("/cardhouse/w/i", std::span<const int>(w.innerIndexPtr(), entries));
  file.write("/cardhouse/w/x", std::span<const double>(w.valuePtr(), entries));
  file.write("/cardhouse/q", delassus.q);
  if (delassus.terms.size() > 0) file.write("/cardhouse/terms", delassus.terms);
  if (!delassus.islands.empty()) file.write("/cardhouse/islands", std::span<const int>(delassus.islands));
}

// ---- reading

[[noreturn]] void fail(const ArrayReader& file, const std::string& what) {
  throw InputError(fmt::format("{}: /cardhouse: {}", file.name(), what));
}

void require(bool good, const ArrayReader& file, const std::string& what) {
  if (!good) fail(file, what);
}

std::vector<int> integers(const ArrayReader& file, const std::string& name, std::size_t size) {
  std::vector<int> values = file.integers("/cardhouse/" + name);
  require(values.size() == size, file, fmt::format("{} has {} numbers instead of {}", name, values.size(), size));
  return values;
}

VecX reals(const ArrayReader& file, const std::string& name, Eigen::Index size) {
  VecX values = file.reals("/cardhouse/" + name);
  require(values.size() == size, file, fmt::format("{} has {} numbers instead of {}", name, values.size(), size));
  return values;
}

void read_laws(const ArrayReader& file, int version, std::size_t groups, std::vector<Law>& laws) {
  const bool plain = version == plain_version || (version == coupled_version && !file.has("/cardhouse/laws/leader"));
  const Law::Kind last_kind = plain ? Law::Kind::coulomb : Law::Kind::dependent;
  const std::vector<int> leader = plain ? std::vector<int>(groups, -1) : integers(file, "laws/leader", groups);
  const auto count = static_cast<Eigen::Index>(groups);
  const std::vector<int> kind = integers(file, "laws/kind", groups);
  const std::vector<int> friction = integers(file, "laws/friction", groups);
  const std::vector<int> sides = integers(file, "laws/sides", groups);
  const VecX mu = reals(file, "laws/mu", count);
  const VecX mu_cross = reals(file, "laws/mu_cross", count);
  const VecX lower = reals(file, "laws/lower", count);
  const VecX upper = reals(file, "laws/upper", count);
  for (std::size_t g = 0; g < groups; ++g) {
    const auto i = static_cast<Eigen::Index>(g);
    require(kind[g] >= 0 && kind[g] <= static_cast<int>(last_kind), file,
            fmt::format("law {} is of kind {}, which is not known", g, kind[g]));
    require(friction[g] >= 0 && friction[g] <= static_cast<int>(FrictionShape::polygon), file,
            fmt::format("law {} has a friction of kind {}, which is not known", g, friction[g]));
    require(!(mu[i] < 0.0) && !(mu_cross[i] < 0.0), file, fmt::format("law {} has a negative mu", g));
    require(friction[g] != static_cast<int>(FrictionShape::polygon) || (sides[g] >= 4 && sides[g] % 2 == 0), file,
            fmt::format("law {} has a polygon of {} sides; it must be even and ≥ 4", g, sides[g]));
    require(!(lower[i] > upper[i]), file, fmt::format("law {} has a lower bound above the upper one", g));
    laws.push_back(
        {Law::Kind{kind[g]}, FrictionShape{friction[g]}, mu[i], mu_cross[i], sides[g], lower[i], upper[i], leader[g]});
  }
}

std::vector<int> read_group_sizes(const ArrayReader& file) {
  std::vector<int> dims = file.integers("/cardhouse/j/dim");
  for (const int dim : dims) require(dim >= 1 && dim <= 3, file, fmt::format("a group has {} rows", dim));
  return dims;
}

std::vector<int> read_islands(const ArrayReader& file, std::size_t groups) {
  std::vector<int> islands = file.integers("/cardhouse/islands");
  require(islands.size() == groups, file, fmt::format("{} islands for {} groups", islands.size(), groups));
  for (const int island : islands) {
    require(island >= 0 && island < static_cast<int>(groups), file, fmt::format("a group is in the island {}", island));
  }
  return islands;
}

/// What write_couplings() wrote; none where there is no such group.
class Couplings {
 public:
  explicit Couplings(const ArrayReader& file) {
    if (!file.has("/cardhouse/a/coupled")) return;
    first_ = file.integers("/cardhouse/a/coupled/first_block");
    nodes_ = integers(file, "a/coupled/blocks", first_.size());
    count_ = integers(file, "a/coupled/couplings", first_.size());
    row_ = file.integers("/cardhouse/a/coupled/row");
    column_ = integers(file, "a/coupled/column", row_.size());
    value_ = file.reals("/cardhouse/a/coupled/value");
  }

  /// Numbers in the diagonal blocks of all coupled bodies.
  std::int64_t entries(const std::vector<int>& sizes) const {
    std::int64_t sum = 0;
    for (std::size_t b = 0; b < first_.size(); ++b) {
      for (std::int64_t i = first_[b]; i < std::int64_t{first_[b]} + nodes_[b]; ++i) {
        if (i >= 0 && i < static_cast<std::int64_t>(sizes.size())) sum += std::int64_t{sizes[i]} * sizes[i];
      }
    }
    return sum;
  }

  int body_at(int block) const {
    const auto found = std::find(first_.begin(), first_.end(), block);
    return found == first_.end() ? -1 : static_cast<int>(found - first_.begin());
  }

  /// Appends a coupled body, whose blocks begin at `start` of the values; returns how many blocks it has.
  std::size_t add(const ArrayReader& file, int body, std::span<const int> sizes, const VecX& value, Eigen::Index& start,
                  BodyMatrix& a) {
    require(nodes_[body] > 0 && static_cast<std::size_t>(nodes_[body]) <= sizes.size(), file,
            fmt::format("a coupled body has {} blocks; {} are left", nodes_[body], sizes.size()));
    auto matrix = std::make_shared<CoupledBlocks>();
    for (int n = 0; n < nodes_[body]; ++n) {
      matrix->add_node(sizes[n]);
      matrix->diagonal(n) = Eigen::Map<const MatX>(value.data() + start, sizes[n], sizes[n]);
      start += Eigen::Index{sizes[n]} * sizes[n];
    }
    read_couplings(file, body, *matrix);
    require(matrix->factorise(), file,
            fmt::format("the coupled body at block {} is not positive definite", first_[body]));
    a.add(std::move(matrix));
    return static_cast<std::size_t>(nodes_[body]);
  }

 private:
  /// Bodies come in the order of the file: their couplings follow each other.
  void read_couplings(const ArrayReader& file, int body, CoupledBlocks& matrix) {
    for (int k = 0; k < count_[body]; ++k, ++next_) {
      require(next_ < row_.size(), file, "a/coupled/row is too short");
      const int row = row_[next_];
      const int column = column_[next_];
      require(column >= 0 && column < row && row < matrix.nodes(), file,
              fmt::format("blocks {} and {} can't be coupled: the body has {}", row, column, matrix.nodes()));
      Eigen::Map<MatX> block = matrix.block(matrix.add_coupling(row, column));
      require(value_.size() - next_value_ >= block.size(), file, "a/coupled/value is too short");
      block = Eigen::Map<const MatX>(value_.data() + next_value_, block.rows(), block.cols());
      next_value_ += block.size();
    }
  }

  std::vector<int> first_, nodes_, count_, row_, column_;
  VecX value_;
  std::size_t next_ = 0;         ///< coupling to read
  Eigen::Index next_value_ = 0;  ///< and its first value
};

void read_mass(const ArrayReader& file, BodyMatrix& a) {
  const std::vector<int> sizes = file.integers("/cardhouse/a/size");
  std::int64_t entries = 0;
  for (const int n : sizes) {
    require(n > 0, file, fmt::format("a block of A has the size {}", n));
    entries += std::int64_t{n} * n;
    require(entries < (std::int64_t{1} << 31), file, "A is larger than can be used");
  }
  const VecX value = reals(file, "a/value", entries);
  Couplings couplings(file);
  const VecX inverse = reals(file, "a/inverse", entries - couplings.entries(sizes));
  a.reserve(static_cast<int>(sizes.size()), static_cast<int>(entries));
  Eigen::Index start = 0;
  Eigen::Index inverse_start = 0;
  for (std::size_t i = 0; i < sizes.size();) {
    if (const int body = couplings.body_at(static_cast<int>(i)); body >= 0) {
      i += couplings.add(file, body, std::span(sizes).subspan(i), value, start, a);
      continue;
    }
    const int n = sizes[i++];
    const Eigen::Map<const MatX> block(value.data() + start, n, n);
    const Eigen::Map<const MatX> inverse_block(inverse.data() + inverse_start, n, n);
    a.add(block, inverse_block);
    start += block.size();
    inverse_start += block.size();
  }
}

void read_jacobian(const ArrayReader& file, const std::vector<int>& dims, const BodyMatrix& a, BlockRows& j) {
  const std::vector<int> entries = integers(file, "j/entries", dims.size());
  const std::vector<int> block = file.integers("/cardhouse/j/block");
  const VecX value = file.reals("/cardhouse/j/value");
  std::size_t entry = 0;
  Eigen::Index at = 0;
  for (std::size_t g = 0; g < dims.size(); ++g) {
    j.begin_group(dims[g]);
    for (int i = 0; i < entries[g]; ++i, ++entry) {
      require(entry < block.size(), file, "j/block is too short");
      require(block[entry] >= 0 && block[entry] < a.blocks(), file,
              fmt::format("J has an entry at block {}; there are {}", block[entry], a.blocks()));
      const int columns = a.size(block[entry]);
      require(value.size() - at >= Eigen::Index{dims[g]} * columns, file, "j/value is too short");
      const Eigen::Map<const MatX> part(value.data() + at, dims[g], columns);
      j.add(a, block[entry], part);
      at += part.size();
    }
  }
  require(entry == block.size() && at == value.size(), file, "J has more entries than its groups");
}

SparseRows read_delassus(const ArrayReader& file, int rows) {
  const std::vector<int> p = integers(file, "w/p", static_cast<std::size_t>(rows) + 1);
  const std::vector<int> i = file.integers("/cardhouse/w/i");
  const VecX x = reals(file, "w/x", static_cast<Eigen::Index>(i.size()));
  std::vector<Eigen::Triplet<double, int>> triplets;
  for (int row = 0; row < rows; ++row) {
    require(p[row] >= 0 && p[row] <= p[row + 1] && p[row + 1] <= x.size(), file, "w/p does not count the entries");
    for (int k = p[row]; k < p[row + 1]; ++k) {
      require(i[k] >= 0 && i[k] < rows, file, fmt::format("W has an entry in column {} of {}", i[k], rows));
      triplets.emplace_back(row, i[k], x[k]);
    }
  }
  SparseRows w(rows, rows);
  w.setFromTriplets(triplets.begin(), triplets.end());
  return w;
}

void require_leaders(const ArrayReader& file, const ContactProblem& problem) {
  require(has_sound_leaders(problem), file,
          "laws/leader: a dependent law must have one or two rows and name a Coulomb contact on the same bodies");
}

}  // namespace

void write_own_problem(ArrayWriter& file, const ContactProblem& problem, const VecX* guess) {
  file.make_group("/cardhouse");
  file.write("/cardhouse/version", version_for(problem));
  write_laws(file, problem);
  write_group_sizes(file, problem.j);
  if (problem.delassus) {
    write_delassus(file, *problem.delassus);
  } else {
    write_mass(file, problem.a);
    write_jacobian(file, problem.j);
    file.write("/cardhouse/v_free", problem.v_free);
    file.write("/cardhouse/b", problem.b);
    file.write("/cardhouse/compliance", problem.compliance);
  }
  if (guess != nullptr) file.write("/cardhouse/guess", *guess);
}

ContactProblem read_own_problem(const ArrayReader& file) {
  const int version = file.integer("/cardhouse/version");
  require(
      version >= plain_version && version <= coupled_version, file,
      fmt::format("its version is {}; this program reads versions {} to {}", version, plain_version, coupled_version));
  ContactProblem problem;
  const std::vector<int> dims = read_group_sizes(file);
  read_laws(file, version, dims.size(), problem.laws);
  if (file.has("/cardhouse/w")) {
    for (const int dim : dims) problem.j.begin_group(dim);
    ExplicitDelassus& delassus = problem.delassus.emplace();
    delassus.w = read_delassus(file, problem.rows());
    delassus.q = reals(file, "q", problem.rows());
    if (file.has("/cardhouse/terms")) delassus.terms = reals(file, "terms", problem.rows());
    if (file.has("/cardhouse/islands")) delassus.islands = read_islands(file, dims.size());
    require_leaders(file, problem);
    return problem;
  }
  read_mass(file, problem.a);
  read_jacobian(file, dims, problem.a, problem.j);
  problem.v_free = reals(file, "v_free", problem.a.rows());
  problem.b = reals(file, "b", problem.rows());
  problem.compliance = reals(file, "compliance", problem.rows());
  require_leaders(file, problem);
  return problem;
}

}  // namespace cardhouse
