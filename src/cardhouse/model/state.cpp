#include "cardhouse/model/state.h"

#include <bit>
#include <cmath>
#include <cstddef>

#include "cardhouse/base/error.h"
#include "cardhouse/geometry/mass_properties.h"
#include "cardhouse/model/joint_kinematics.h"
#include "cardhouse/model/model.h"

namespace cardhouse {
namespace {

class Fnv1a {
 public:
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
      hash_ = (hash_ ^ (value & 0xffU)) * 0x100000001b3ULL;
      value >>= 8;
    }
  }
  template <class Derived>
  void add(const Eigen::MatrixBase<Derived>& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) add(values(i));
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace

void move_frame(Body& body, BodyState& state, const Vec3& centre) {
  for (Shape& shape : body.shapes) shape.pose.position -= centre;
  state.pose.position = state.pose.apply(centre);
}

void set_density(Body& body, BodyState& state, double density) {
  const MassProperties unit = mass_properties(body.shapes);
  if (!std::isfinite(density * unit.volume) || !unit.centre.allFinite() || !(density * unit.inertia).allFinite()) {
    throw InputError("the shapes are so large, or so far away, that mass or inertia is not a number");
  }
  body.mass = density * unit.volume;
  body.inertia = density * unit.inertia;
  if (unit.centre != Vec3::Zero()) move_frame(body, state, unit.centre);
}

void update_joints(const Model& model, State& state) {
  state.joints.resize(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const JointGeometry geometry = joint_geometry(model.joints[j], state);
    for (int c = 0; c < geometry.coordinate_count; ++c) {
      const JointCoordinate& now = geometry.coordinates[c];
      double& kept = state.joints[j].coordinate[c];
      kept = now.angular ? unwound(now.value, kept) : now.value;
    }
  }
}

std::uint64_t state_hash(const State& state) {
  Fnv1a hash;
  hash.add(static_cast<std::uint64_t>(state.step));
  hash.add(state.time);
  for (const BodyState& body : state.bodies) {
    hash.add(body.pose.position);
    hash.add(body.pose.orientation.coeffs());
    hash.add(body.linear);
    hash.add(body.angular);
    hash.add(body.nodes);
    hash.add(body.node_velocities);
  }
  for (const JointState& joint : state.joints) {
    for (const double coordinate : joint.coordinate) hash.add(coordinate);
  }
  return hash.value();
}

}  // namespace cardhouse
