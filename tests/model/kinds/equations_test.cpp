// What every kind of body promises, whatever it is.
#include "cardhouse/model/kinds/equations.h"

#include <gtest/gtest.h>

#include "cardhouse/model/network.h"

namespace cardhouse {
namespace {

struct Sample {
  std::string name;
  Body body;
  BodyState state;
  Stencil stencil;    ///< a point of it
  bool taut = false;  ///< implicit forces within it pull, and turn it a little
};

Body rigid(BodyKind kind) {
  Body body;
  body.kind = kind;
  body.mass = 2.0;
  body.inertia << 0.3, 0.02, 0.0, 0.02, 0.4, 0.01, 0.0, 0.01, 0.5;
  if (kind == BodyKind::planar) body.inertia = Vec3(0.0, 0.4, 0.0).asDiagonal();
  if (kind == BodyKind::particle) body.inertia.setZero();
  return body;
}

std::vector<Sample> samples() {
  BodyState moving;
  moving.pose = {Vec3(0.3, -0.2, 0.5), rotation_from_vector(Vec3(0.4, 0.1, -0.3))};
  moving.linear = Vec3(1.0, 2.0, -0.5);
  moving.angular = Vec3(0.3, -0.6, 0.9);
  BodyState in_plane;
  in_plane.pose = {Vec3(0.3, 0.0, 0.5), rotation_from_vector(Vec3(0.0, 0.4, 0.0))};
  in_plane.linear = Vec3(1.0, 0.0, -0.5);
  in_plane.angular = Vec3(0.0, 0.7, 0.0);
  BodyState still_frame = moving;
  still_frame.angular.setZero();
  std::vector<Sample> all = {{"spatial", rigid(BodyKind::spatial), moving, {}},
                             {"planar", rigid(BodyKind::planar), in_plane, {}},
                             {"particle", rigid(BodyKind::particle), still_frame, {}}};
  Sample network{"network", {}, {}, {2, {0, 2}, {0.25, 0.75}}};
  VecX places(9);
  places << 0.0, 0.0, 0.0, 1.0, 0.1, 0.0, 2.0, 0.0, 0.3;
  VecX velocities(9);
  velocities << 0.1, 0.2, 0.3, -0.1, 0.0, 0.4, 0.5, 0.2, -0.2;
  auto data = std::make_shared<NodeNetwork>();
  data->masses = {1.0, 0.5, 2.0};
  data->links = {{0, 1, 30.0, 1.1, 0.1}, {1, 2, 20.0, 1.2, 0.0}};
  set_network(data, places, velocities, network.body, network.state);
  all.push_back(network);
  auto taut = std::make_shared<NodeNetwork>(*data);
  taut->links[0].rest_length = 0.8;
  network.name = "taut network";
  network.taut = true;
  network.body.network = taut;
  all.push_back(network);
  return all;
}

/// The body alone: A, v_free, and rows of the stencil's velocity along the axes.
struct Alone {
  BodyMatrix a;
  VecX v_free;
  BlockRows j;
};

Alone alone(const Sample& sample, const Prediction& p) {
  const BodyEquations& equations = equations_of(sample.body);
  Alone result;
  result.v_free.resize(equations.dofs(sample.body));
  int offset = 0;
  equations.add_block(sample.body, p, result.a, result.v_free, offset);
  EXPECT_EQ(offset, equations.dofs(sample.body));
  EXPECT_EQ(result.a.blocks(), equations.blocks(sample.body));
  result.j.begin_group(3);
  FrameRows rows = FrameRows::Zero();
  rows.leftCols<3>().setIdentity();
  equations.add_rows(sample.body, sample.stencil, rows, 3, result.a, 0, result.j);
  return result;
}

Vec3 torque_on(const Sample& sample) {
  return sample.body.kind == BodyKind::spatial ? Vec3(0.1, 0.2, 0.3) : Vec3(Vec3::Zero());
}

Prediction predicted(const Sample& sample, const StepRule& rule) {
  Prediction p;
  Wrench load;
  load.force = Vec3(0.5, 0.0, -3.0);
  load.torque = torque_on(sample);
  equations_of(sample.body).predict(sample.body, sample.state, load, rule, p);
  return p;
}

TEST(BodyEquations, RowsOfAPointGiveItsVelocity) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const Prediction p = predicted(sample, {1e-2});
    const Alone body = alone(sample, p);
    VecX u;
    body.j.multiply(body.v_free, u);
    EXPECT_LT((u - point_velocity(p, sample.stencil, Vec3::Zero())).norm(), 1e-14);
  }
}

TEST(BodyEquations, AnImpulseAtAPointChangesTheMomentumByItself) {
  const double h = 1e-2;
  for (Sample sample : samples()) {
    for (const double damping : {0.0, 0.5}) {
      SCOPED_TRACE(sample.name);
      sample.body.linear_damping = damping;
      const BodyEquations& equations = equations_of(sample.body);
      const Prediction p = predicted(sample, {h});
      const Alone body = alone(sample, p);
      const Vec3 impulse(0.3, sample.body.kind == BodyKind::planar ? 0.0 : 0.2, -0.1);
      VecX pushed = VecX::Zero(body.v_free.size());
      body.j.add_transposed(impulse, pushed);
      VecX change;
      body.a.solve(pushed, change);
      BodyMotion motion;
      int offset = 0;
      equations.take_velocities(sample.body, p, body.v_free + change, offset, motion);
      BodyState after = sample.state;
      equations.advance(sample.body, p, motion, {h}, after);
      const Vec3 force = h * Vec3(0.5, 0.0, -3.0);
      Momentum expected = equations.momentum(sample.body, sample.state);
      expected.linear += impulse + force;
      expected.angular += origin_of(sample.state, sample.stencil).cross(impulse);
      expected.angular += sample.state.pose.position.cross(force) + h * torque_on(sample);
      expected += equations.drag_impulse(sample.body, sample.state, after, h);
      const Momentum found = equations.momentum(sample.body, after);
      EXPECT_LT((found.linear - expected.linear).norm(), 1e-13);
      if (sample.taut) continue;
      EXPECT_LT((found.angular - expected.angular).norm(), 1e-13);
    }
  }
}

TEST(BodyEquations, DisplacingByAStepOfTheVelocityIsAdvancing) {
  const double h = 1e-3;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const BodyEquations& equations = equations_of(sample.body);
    const Prediction p = predicted(sample, {h});
    const Alone body = alone(sample, p);
    BodyState advanced = sample.state;
    equations.advance(sample.body, p, p, {h}, advanced);
    BodyState displaced = sample.state;
    const VecX delta = h * body.v_free;
    equations.displace(sample.body, {delta.data(), static_cast<std::size_t>(delta.size())}, 0.0, displaced);
    EXPECT_LT((advanced.pose.position - displaced.pose.position).norm(), 1e-15);
    EXPECT_LT(advanced.pose.orientation.angularDistance(displaced.pose.orientation), 1e-14);
    EXPECT_LT((advanced.nodes - displaced.nodes).norm(), 1e-15);
    EXPECT_EQ(displaced.linear, sample.state.linear);
  }
}

TEST(BodyEquations, StoppedTimeLeavesTheStatesVelocitiesAndTheMassesAlone) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const BodyEquations& equations = equations_of(sample.body);
    Prediction p = predicted(sample, {1e-2});
    equations.stop_time(sample.body, sample.state, p);
    const Alone body = alone(sample, p);
    VecX u;
    body.j.multiply(body.v_free, u);
    EXPECT_LT((u - point_velocity(sample.state, sample.stencil, Vec3::Zero())).norm(), 1e-14);
    BodyMatrix mass;
    equations.add_mass(sample.body, sample.state, mass);
    const VecX x = VecX::LinSpaced(mass.rows(), 0.1, 1.0);
    VecX expected;
    VecX found;
    mass.multiply(x, expected);
    body.a.multiply(x, found);
    EXPECT_LT((found - expected).norm(), 1e-13);
  }
}

TEST(BodyEquations, NodesAreThoseOfTheStateAndWeighAsMuchAsTheBody) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const BodyEquations& equations = equations_of(sample.body);
    EXPECT_EQ(3 * nodes_of(sample.body), sample.state.nodes.size());
    double mass = 0.0;
    for (int n = 0; n < nodes_of(sample.body); ++n) mass += equations.node_mass(sample.body, n);
    EXPECT_DOUBLE_EQ(mass, nodes_of(sample.body) > 0 ? sample.body.mass : 0.0);
    for (const auto& [one, other] : equations.joined_nodes(sample.body)) {
      EXPECT_TRUE(one >= 0 && other >= 0 && one < nodes_of(sample.body) && other < nodes_of(sample.body));
    }
  }
}

TEST(BodyEquations, TheMassBlockIsThatOfTheKineticEnergy) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const BodyEquations& equations = equations_of(sample.body);
    BodyMatrix mass;
    equations.add_mass(sample.body, sample.state, mass);
    const VecX delta = VecX::LinSpaced(mass.rows(), 0.1, 1.0);
    BodyState moving = sample.state;
    moving.linear.setZero();
    moving.angular.setZero();
    moving.node_velocities.setZero();
    // With h = 1 the displacement is the velocity, at the place where it ends.
    BodyState after = moving;
    equations.displace(sample.body, {delta.data(), static_cast<std::size_t>(delta.size())}, 1.0, after);
    after.pose.orientation = moving.pose.orientation;
    VecX product;
    mass.multiply(delta, product);
    EXPECT_NEAR(equations.kinetic_energy(sample.body, after), 0.5 * delta.dot(product), 1e-13);
  }
}

}  // namespace
}  // namespace cardhouse
