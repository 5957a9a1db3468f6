#include "cardhouse/variational/mechanical_system.h"

#include <fmt/format.h>

#include <cmath>

#include "cardhouse/base/error.h"
#include "cardhouse/math/decompositions.h"

namespace cardhouse {
namespace {

void check_coordinates(const std::string& path, const Coordinates& c, int size) {
  if (c.count < 1 || c.count > 3) throw InputError(fmt::format("{}.count = {}: must be 1, 2 or 3", path, c.count));
  if (c.first < 0 || c.first + c.count > size) {
    throw InputError(fmt::format("{}.first = {}: {} coordinates from there on are not all within the system's {}", path,
                                 c.first, c.count, size));
  }
}

void check_obstacle(const std::string& path, const Obstacle& obstacle, int size) {
  if (!obstacle.gap) throw InputError(path + ".gap: must be given");
  check_coordinates(path + ".first", obstacle.first, size);
  if (obstacle.second.count != 0) {
    check_coordinates(path + ".second", obstacle.second, size);
    if (obstacle.second.count != obstacle.first.count) {
      throw InputError(fmt::format("{}.second.count = {}: must be that of the first, {}", path, obstacle.second.count,
                                   obstacle.first.count));
    }
    if (obstacle.second.first == obstacle.first.first) throw InputError(path + ": connects a particle with itself");
  }
  if (!(obstacle.mu >= 0.0) || !std::isfinite(obstacle.mu)) {
    throw InputError(fmt::format("{}.mu = {}: must be ≥ 0 and finite", path, obstacle.mu));
  }
}

}  // namespace

void check_system(const MechanicalSystem& system, const PhasePoint& state) {
  const int n = system.size();
  if (n == 0 || system.mass.cols() != n) throw InputError("mass: must be a square matrix with at least one row");
  const bool definite = system.mass.allFinite() && system.mass.isApprox(system.mass.transpose(), 1e-12) &&
                        Cholesky(system.mass).succeeded();
  if (!definite) throw InputError("mass: must be symmetric positive definite and finite");
  if (!system.potential) throw InputError("potential: must be given; a system without one has an empty PotentialSum");
  if (state.q.size() != n || state.v.size() != n) {
    throw InputError(
        fmt::format("state: {} positions and {} velocities for {} coordinates", state.q.size(), state.v.size(), n));
  }
  if (!state.q.allFinite() || !state.v.allFinite()) throw InputError("state: must be finite");
  for (std::size_t i = 0; i < system.obstacles.size(); ++i) {
    check_obstacle(fmt::format("obstacles[{}]", i), system.obstacles[i], n);
  }
}

double total_energy(const MechanicalSystem& system, const VecX& q, const VecX& v) {
  return 0.5 * v.dot(system.mass.lazyProduct(v)) + system.potential->energy(q);
}

Point place_of(const Obstacle& obstacle, const VecX& q) {
  Point x = q.segment(obstacle.first.first, obstacle.first.count);
  if (obstacle.second.count > 0) x -= q.segment(obstacle.second.first, obstacle.second.count);
  return x;
}

double distance_to(const Obstacle& obstacle, const VecX& q) {
  const Point x = place_of(obstacle, q);
  return obstacle.gap->value(x) / obstacle.gap->gradient(x).norm();
}

}  // namespace cardhouse
