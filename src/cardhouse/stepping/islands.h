#pragma once

#include <span>
#include <vector>

#include "cardhouse/math/union_find.h"
#include "cardhouse/model/model.h"
#include "cardhouse/stepping/contact.h"

namespace cardhouse {

/// Moving bodies that contacts connect, and those contacts: a problem of its own (Kaufman 2009, section 7.9).
struct Island {
  std::vector<int> bodies;    ///< indices into Model::bodies, rising
  std::vector<int> contacts;  ///< indices into the step's contacts, rising
};

class IslandFinder {
 public:
  /// In the order of their first bodies; moving bodies without contacts are in none.
  std::span<const Island> find(const Model& model, std::span<const Contact> contacts);
  /// Those of the last call; none before the first.
  std::span<const Island> found() const { return {islands_.data(), count_}; }

 private:
  UnionFind sets_;
  std::vector<int> slot_;
  std::vector<Island> islands_;
  std::size_t count_ = 0;  ///< of them in use
};

}  // namespace cardhouse
