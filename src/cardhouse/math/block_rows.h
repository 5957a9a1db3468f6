#pragma once

#include <span>
#include <vector>

#include "cardhouse/math/body_matrix.h"

namespace cardhouse {

/// A block-sparse matrix J whose rows come in groups (a contact, a joint row) and whose columns come in the blocks of a
/// BodyMatrix: a rigid body, or a node of another one. A group touches few of them: its entries are dense dim × size
/// blocks.
class BlockRows {
 public:
  struct Group {
    int row = 0;          ///< first row
    int dim = 0;          ///< number of rows
    int first_entry = 0;  ///< into entries()
    int entry_count = 0;
  };
  struct Entry {
    int block = 0;   ///< column block
    int column = 0;  ///< first column
    int size = 0;    ///< columns
    int data = 0;    ///< into the values, column-major dim × size
  };
  using Block = Eigen::Map<const MatX>;

  void clear();
  /// Starts a group of `dim` rows.
  void begin_group(int dim);
  /// Adds the entry of the group begun last at a column block of `columns`.
  void add(const BodyMatrix& columns, int block, const Eigen::Ref<const MatX>& value);

  int rows() const { return rows_; }
  int groups() const { return static_cast<int>(groups_.size()); }
  const Group& group(int g) const { return groups_[g]; }
  std::span<const Entry> entries(int g) const {
    return {entries_.data() + groups_[g].first_entry, static_cast<std::size_t>(groups_[g].entry_count)};
  }
  Block block(int g, const Entry& entry) const {
    return Block(values_.data() + entry.data, groups_[g].dim, entry.size);
  }
  Eigen::Map<MatX> block(int g, const Entry& entry) {
    return Eigen::Map<MatX>(values_.data() + entry.data, groups_[g].dim, entry.size);
  }

  /// u = J v.
  void multiply(const VecX& v, VecX& u) const;
  /// x += Jᵀ r.
  void add_transposed(const VecX& r, VecX& x) const;
  /// u_g = J_g v for one group.
  void multiply_group(int g, const VecX& v, double* u) const;
  /// x += J_gᵀ r_g for one group.
  void add_transposed_group(int g, const double* r, VecX& x) const;
  /// J_g A⁻¹ J_gᵀ: the group's diagonal block of the Delassus matrix.
  Mat3 delassus_block(int g, const BodyMatrix& a) const;

 private:
  int rows_ = 0;
  std::vector<Group> groups_;
  std::vector<Entry> entries_;
  std::vector<double> values_;
};

}  // namespace cardhouse
