#pragma once

#include <memory>
#include <vector>

#include "cardhouse/math/types.h"

namespace cardhouse {

struct Body;
struct BodyState;

/// A damped spring between two nodes of one body.
struct Link {
  int first = 0;
  int second = 0;
  double stiffness = 0.0;    ///< N/m
  double rest_length = 0.0;  ///< m
  double damping = 0.0;      ///< N s/m, along the link
};

/// Masses and the springs between them, as one body: a chain, a net, a truss. The springs are taken at the end of the
/// step, so that any stiffness is stable. Nodes that a link joins do not touch each other.
struct NodeNetwork {
  std::vector<double> masses;  ///< kg, one per node
  std::vector<Link> links;

  int nodes() const { return static_cast<int>(masses.size()); }
};

/// Makes a body a network whose nodes have these places (m) and velocities (m/s), three numbers each.
void set_network(std::shared_ptr<const NodeNetwork> network, const VecX& nodes, const VecX& velocities, Body& body,
                 BodyState& state);

}  // namespace cardhouse
