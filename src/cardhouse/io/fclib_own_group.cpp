#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "cardhouse/base/error.h"
#include "cardhouse/io/fclib.h"

namespace cardhouse {
namespace {

constexpr int plain_version = 1;
constexpr int format_version = 2;  ///< with the leaders of dependent laws; written where there are any

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

void write_mass(ArrayWriter& file, const BlockDiagonal& a) {
  std::vector<int> size;
  std::vector<double> value;
  std::vector<double> inverse;
  for (int i = 0; i < a.blocks(); ++i) {
    size.push_back(a.size(i));
    append(a.block(i), value);
    append(a.inverse(i), inverse);
  }
  file.make_group("/cardhouse/a");
  file.write("/cardhouse/a/size", size);
  file.write("/cardhouse/a/value", value);
  file.write("/cardhouse/a/inverse", inverse);
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
  const bool plain = version == plain_version;
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

void read_mass(const ArrayReader& file, BlockDiagonal& a) {
  const std::vector<int> sizes = file.integers("/cardhouse/a/size");
  std::int64_t entries = 0;
  for (const int n : sizes) {
    require(n > 0, file, fmt::format("a block of A has the size {}", n));
    entries += std::int64_t{n} * n;
    require(entries < (std::int64_t{1} << 31), file, "A is larger than can be used");
  }
  const VecX value = reals(file, "a/value", entries);
  const VecX inverse = reals(file, "a/inverse", entries);
  a.reserve(static_cast<int>(sizes.size()), static_cast<int>(entries));
  Eigen::Index start = 0;
  for (const int n : sizes) {
    const Eigen::Map<const MatX> block(value.data() + start, n, n);
    const Eigen::Map<const MatX> inverse_block(inverse.data() + start, n, n);
    a.add(block, inverse_block);
    start += block.size();
  }
}

void read_jacobian(const ArrayReader& file, const std::vector<int>& dims, const BlockDiagonal& a, BlockRows& j) {
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
  file.write("/cardhouse/version", has_dependent_laws(problem) ? format_version : plain_version);
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
      version == plain_version || version == format_version, file,
      fmt::format("its version is {}; this program reads versions {} and {}", version, plain_version, format_version));
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
