#include "cardhouse/io/siconos_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "cardhouse/base/error.h"
#include "cardhouse/io/problem_parts.h"

namespace cardhouse {
namespace {

using Triplet = Eigen::Triplet<double, int>;

/// Words separated by white space, with messages that tell the line.
class TextCursor {
 public:
  TextCursor(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::int64_t integer(std::string_view what) {
    const std::string_view word = next(what);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) fail_at(word, what, "a whole number");
    return value;
  }

  /// A count of things that take at least one character each. A count larger than the text is an error.
  int count(std::string_view what) {
    const std::int64_t value = integer(what);
    if (value < 0) fail(fmt::format("{} is {}", what, value));
    if (value > static_cast<std::int64_t>(text_.size())) {
      fail(fmt::format("{} is {}, more than the file holds: it is cut short or damaged", what, value));
    }
    return static_cast<int>(value);
  }

  int index(std::string_view what, int below) {
    const std::int64_t value = integer(what);
    if (value < 0 || value >= below) fail(fmt::format("{} {} is out of range: there are {}", what, value, below));
    return static_cast<int>(value);
  }

  double real(std::string_view what) {
    std::string_view word = next(what);
    if (word.size() > 1 && word[0] == '+') word.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc::result_out_of_range) return std::strtod(std::string(word).c_str(), nullptr);
    if (error != std::errc() || end != word.data() + word.size()) fail_at(word, what, "a number");
    return value;
  }

  VecX reals(Eigen::Index size, std::string_view what) {
    VecX values(size);
    for (double& value : values) value = real(what);
    return values;
  }

  void expect(std::string_view word, std::string_view what) {
    const std::string_view found = next(what);
    if (found != word) fail_at(found, what, fmt::format("\"{}\"", word));
  }

  std::string_view word(std::string_view what) { return next(what); }

  std::string_view word_or_nothing() {
    skip_space();
    const std::size_t start = at_;
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) == 0) ++at_;
    return text_.substr(start, at_ - start);
  }

  /// The rest of the line that the cursor is in.
  std::string_view line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view result = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    return result;
  }

  /// Old versions of Siconos put a last 0 or 1 behind the problem.
  void expect_end() {
    const std::size_t before = at_;
    const std::string_view flag = word_or_nothing();
    if (flag != "0" && flag != "1") at_ = before;
    skip_space();
    if (at_ < text_.size()) fail("more text than the problem takes; the sizes don't fit");
  }

  [[noreturn]] void fail(const std::string& what) const {
    const auto before = text_.substr(0, at_);
    throw InputError(fmt::format("{}: line {}: {}", name_, 1 + std::count(before.begin(), before.end(), '\n'), what));
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  std::string_view next(std::string_view what) {
    const std::string_view word = word_or_nothing();
    if (word.empty()) fail(fmt::format("the file ends where {} should be: it is cut short", what));
    return word;
  }

  [[noreturn]] void fail_at(std::string_view word, std::string_view what, std::string_view wanted) const {
    constexpr std::size_t longest = 40;
    std::string shown(word.substr(0, longest));
    for (char& c : shown) c = std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
    fail(fmt::format("{} should be {}, but \"{}\" is there", what, wanted, shown));
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

struct Entries {
  int rows;
  int columns;
  std::vector<Triplet> triplets;
};

/// Column by column, whatever the line breaks suggest. What is zero is left out.
void read_dense(TextCursor& text, Entries& matrix) {
  if (text.integer("a matrix's rows") != matrix.rows || text.integer("a matrix's columns") != matrix.columns) {
    text.fail("a dense matrix gives its size twice, and not the same");
  }
  for (int k = 0; k < matrix.columns; ++k) {
    for (int i = 0; i < matrix.rows; ++i) {
      const double value = text.real("an entry of a dense matrix");
      if (value != 0.0) matrix.triplets.emplace_back(i, k, value);
    }
  }
}

/// The ends of blocks that must come in order and cover everything.
std::vector<int> read_block_ends(TextCursor& text, int blocks, int all) {
  std::vector<int> ends(static_cast<std::size_t>(blocks));
  int last = 0;
  for (int& end : ends) {
    end = text.count("the end of a block");
    if (end < last || end > all) text.fail(fmt::format("a block ends at {}, out of order or outside", end));
    last = end;
  }
  if (last != all) text.fail(fmt::format("the blocks end at {}, but the matrix at {}", last, all));
  return ends;
}

void read_blocks(TextCursor& text, Entries& matrix) {
  const int blocks = text.count("the number of blocks");
  const int block_rows = text.count("the number of block rows");
  const int block_columns = text.count("the number of block columns");
  const std::vector<int> row_ends = read_block_ends(text, block_rows, matrix.rows);
  const std::vector<int> column_ends = read_block_ends(text, block_columns, matrix.columns);
  const int filled_rows = text.count("the length of index1");
  const int filled = text.count("the length of index2");
  if (filled != blocks) text.fail(fmt::format("{} blocks, but index2 has {} entries", blocks, filled));
  if (filled_rows < 1 || filled_rows > block_rows + 1) {
    text.fail(fmt::format("index1 has {} entries for {} block rows", filled_rows, block_rows));
  }
  std::vector<int> first(static_cast<std::size_t>(filled_rows));
  for (int& each : first) each = text.count("an entry of index1");
  if (first.front() != 0 || first.back() != blocks || !std::is_sorted(first.begin(), first.end())) {
    text.fail("index1 does not count the blocks from first to last");
  }
  std::vector<int> column(static_cast<std::size_t>(blocks));
  for (int& each : column) each = text.index("block column", block_columns);
  for (int block_row = 0; block_row + 1 < filled_rows; ++block_row) {
    const int row = block_row == 0 ? 0 : row_ends[block_row - 1];
    for (int k = first[block_row]; k < first[block_row + 1]; ++k) {
      if (text.integer("a block's number") != k) text.fail(fmt::format("block {} should come here", k));
      const int start = column[k] == 0 ? 0 : column_ends[column[k] - 1];
      for (int j = start; j < column_ends[column[k]]; ++j) {
        for (int i = row; i < row_ends[block_row]; ++i) {
          matrix.triplets.emplace_back(i, j, text.real("an entry of a block"));
        }
      }
    }
  }
}

/// The whole numbers in a line like "4040-by-4040, nzmax: 20616 nnz: 20616, 1-norm: 25584.9".
std::vector<std::int64_t> numbers_in(std::string_view line) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < line.size();) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(line.data() + i, line.data() + line.size(), value);
    if (error == std::errc() && line[i] != '-') {
      numbers.push_back(value);
      i = static_cast<std::size_t>(end - line.data());
    } else {
      ++i;
    }
  }
  return numbers;
}

void read_triplets(TextCursor& text, Entries& matrix, std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) {
    const int i = text.index("row", matrix.rows);
    const int j = text.index("column", matrix.columns);
    text.expect(":", "what follows an index");
    matrix.triplets.emplace_back(i, j, text.real("an entry of a sparse matrix"));
  }
}

/// "col 3 : locations 7 to 9", then that many lines "row : value"; with rows and columns changed over for csr.
void read_compressed(TextCursor& text, Entries& matrix, std::int64_t count, bool by_rows) {
  const int outer = by_rows ? matrix.rows : matrix.columns;
  const int inner = by_rows ? matrix.columns : matrix.rows;
  std::int64_t seen = 0;
  for (int k = 0; k < outer; ++k) {
    const std::string_view word = text.word("a column of a sparse matrix");
    // CSparse says "col" of whatever it prints.
    if (word != "col" && word != "row") text.fail("\"col\" should begin a column of a sparse matrix");
    if (text.integer("a column's number") != k) text.fail(fmt::format("column {} should come here", k));
    text.expect(":", "what follows a column's number");
    text.expect("locations", "what follows a column's number");
    const std::int64_t first = text.integer("a column's first location");
    text.expect("to", "what follows a location");
    const std::int64_t last = text.integer("a column's last location");
    if (first != seen || last < first - 1 || last >= count) text.fail("the locations of the columns don't follow");
    for (; seen <= last; ++seen) {
      const int i = text.index(by_rows ? "column" : "row", inner);
      text.expect(":", "what follows an index");
      const double value = text.real("an entry of a sparse matrix");
      matrix.triplets.emplace_back(by_rows ? k : i, by_rows ? i : k, value);
    }
  }
  if (seen != count) text.fail(fmt::format("a sparse matrix has {} entries instead of {}", seen, count));
}

void read_sparse(TextCursor& text, Entries& matrix) {
  constexpr int triplet = 1;
  constexpr int csr = 3;  // between them: csc
  const std::int64_t origin = text.integer("the kind of a sparse matrix");
  if (origin < triplet || origin > csr) {
    text.fail(fmt::format("a sparse matrix is of kind {}; 1 (triplet), 2 (csc) and 3 (csr) are known", origin));
  }
  text.line();                                  // the rest of this one
  const std::string_view banner = text.line();  // "CSparse Version …"
  if (banner.find("(null)") != std::string_view::npos) text.fail("a sparse matrix was written as (null)");
  const std::vector<std::int64_t> header = numbers_in(text.line());
  if (header.size() < 4) text.fail("\"M-by-N, nzmax: Z nnz: K\" should head a sparse matrix");
  if (header[0] != matrix.rows || header[1] != matrix.columns) {
    text.fail(fmt::format("a sparse matrix is {} × {} in one line and {} × {} in another", matrix.rows, matrix.columns,
                          header[0], header[1]));
  }
  if (origin == triplet) {
    read_triplets(text, matrix, header[3]);
  } else {
    read_compressed(text, matrix, header[3], origin == csr);
  }
}

SparseRows read_matrix(TextCursor& text) {
  const std::int64_t storage = text.integer("a matrix's kind of storage");
  if (storage < 0 || storage > 2) {
    text.fail(fmt::format("a matrix is of storage {}; 0 (dense), 1 (sparse block) and 2 (sparse) are known", storage));
  }
  Entries entries{text.count("a matrix's rows"), text.count("a matrix's columns"), {}};
  if (storage == 0) read_dense(text, entries);
  if (storage == 1) read_blocks(text, entries);
  if (storage == 2) read_sparse(text, entries);
  SparseRows matrix(entries.rows, entries.columns);
  matrix.setFromTriplets(entries.triplets.begin(), entries.triplets.end());
  return matrix;
}

struct Start {
  int dimension = 0;
  int contacts = 0;
  SparseRows first;  ///< W or M
};

Start read_start(TextCursor& text, const std::string& name) {
  Start start;
  try {
    const std::int64_t dimension = text.integer("the dimension");
    if (dimension != 2 && dimension != 3) text.fail(fmt::format("the dimension is {}", dimension));
    start.dimension = static_cast<int>(dimension);
  } catch (const InputError&) {
    throw InputError(name +
                     ": neither an HDF5 file nor Siconos's text format, which begins with the dimension, 2 or 3");
  }
  start.contacts = text.count("the number of contacts");
  start.first = read_matrix(text);
  return start;
}

ContactProblem finish_local(TextCursor text, Start start, const std::string& name) {
  LocalParts parts;
  parts.dimension = start.dimension;
  if (start.first.rows() != static_cast<Eigen::Index>(start.dimension) * start.contacts) {
    text.fail(fmt::format("W has {} rows, but {} contacts of dimension {} need {}", start.first.rows(), start.contacts,
                          start.dimension, static_cast<Eigen::Index>(start.dimension) * start.contacts));
  }
  parts.w.swap(start.first);
  parts.q = text.reals(parts.w.rows(), "an element of q");
  parts.mu = text.reals(start.contacts, "a coefficient of friction");
  text.expect_end();
  return assemble_problem(std::move(parts), name);
}

ContactProblem finish_global(TextCursor text, Start start, const std::string& name) {
  GlobalParts parts;
  parts.dimension = start.dimension;
  parts.m.swap(start.first);
  parts.h = read_matrix(text);
  parts.f = text.reals(parts.m.rows(), "an element of q");
  parts.w = text.reals(parts.h.cols(), "an element of b");
  parts.mu = text.reals(start.contacts, "a coefficient of friction");
  text.expect_end();
  return assemble_problem(std::move(parts), name);
}

/// Siconos writes the numbers of q with a point and an exponent, and a matrix's storage as 0, 1 or 2.
bool goes_on_with_a_matrix(TextCursor text) {
  const std::string_view word = text.word_or_nothing();
  return word == "0" || word == "1" || word == "2";
}

bool is_named_global(const std::string& name) {
  std::string file = std::filesystem::path(name).filename().string();
  std::transform(file.begin(), file.end(), file.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto contains = [&](const char* part) { return file.find(part) != std::string::npos; };
  return (contains("gfc") || contains("global")) && !contains("condensed");
}

}  // namespace

ContactProblem parse_siconos_text(const std::string& text, const std::string& name) {
  TextCursor cursor(text, name);
  const Start start = read_start(cursor, name);
  // The text does not say which form it is. The file's name is the first hint. But only one form uses up all of the
  // text, and that one is read.
  const auto read = [&](bool global) {
    return global ? finish_global(cursor, start, name) : finish_local(cursor, start, name);
  };
  const bool named_global = is_named_global(name);
  try {
    return read(named_global);
  } catch (const InputError&) {
    const std::exception_ptr by_name = std::current_exception();
    try {
      return read(!named_global);
    } catch (const InputError&) {
      // Neither fits: report the error of the form that fits farther.
      if (goes_on_with_a_matrix(cursor) == named_global) std::rethrow_exception(by_name);
      throw;
    }
  }
}

}  // namespace cardhouse
