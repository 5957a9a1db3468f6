#pragma once

#include "math/random_matrices.h"

namespace cardhouse::testing {

/// Bodies at the points of a cube of side³, each linked with its neighbours: the graph of a pile. Every seventh body
/// has three dofs, the others six.
struct Lattice {
  Lattice(Random& random, int side) {
    const auto at = [side](int x, int y, int z) { return (x * side + y) * side + z; };
    for (int i = 0; i < side * side * side; ++i) a.add(random.positive_definite(i % 7 == 3 ? 3 : 6));
    const auto link = [&](int first, int second) {
      j.begin_group(3);
      j.add(a, first, random.matrix(3, a.size(first)));
      j.add(a, second, random.matrix(3, a.size(second)));
    };
    for (int x = 0; x < side; ++x) {
      for (int y = 0; y < side; ++y) {
        for (int z = 0; z < side; ++z) {
          if (x + 1 < side) link(at(x, y, z), at(x + 1, y, z));
          if (y + 1 < side) link(at(x, y, z), at(x, y + 1, z));
          if (z + 1 < side) link(at(x, y, z), at(x, y, z + 1));
        }
      }
    }
  }

  BodyMatrix a;
  BlockRows j;
};

}  // namespace cardhouse::testing
