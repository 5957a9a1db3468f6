#pragma once

#include <span>
#include <vector>

#include "cardhouse/math/union_find.h"
#include "cardhouse/model/model.h"
#include "cardhouse/stepping/rows/contact.h"
#include "cardhouse/stepping/rows/joint_rows.h"

namespace cardhouse {

/// Dynamic bodies that contacts and joints connect, and those contacts and rows: a problem of its own (Kaufman 2009,
/// section 7.9), whose groups are the contacts and then the joints' rows.
struct Island {
  std::vector<int> bodies;      ///< indices into Model::bodies, rising
  std::vector<int> contacts;    ///< indices into the step's contacts, rising
  std::vector<int> joint_rows;  ///< indices into the step's rows of joints, rising
};

class IslandFinder {
 public:
  /// In the order of their first bodies; dynamic bodies without contacts and joints are in none.
  std::span<const Island> find(const Model& model, std::span<const Contact> contacts,
                               std::span<const JointRows> joint_rows);
  /// Those of the last call; none before the first.
  std::span<const Island> found() const { return {islands_.data(), count_}; }

 private:
  /// Unites the two bodies, those that move of them.
  void connect(const Model& model, int a, int b);
  /// The least body of the set that a contact or joint between these two belongs to.
  int set_of(const Model& model, int a, int b);

  UnionFind sets_;
  std::vector<int> slot_;
  std::vector<Island> islands_;
  std::size_t count_ = 0;  ///< of them in use
};

}  // namespace cardhouse
