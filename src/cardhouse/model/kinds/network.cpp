// Masses and the springs between them as one body: three dofs per node. With n the direction of a link, L its length,
// s = L − L₀ its stretch, k its stiffness and d its damping, the step's equations are
//
//     (M (1 + h D) + Σ h (h k + d) n nᵀ + h² k (1 − L₀/L)⁺ (1 − n nᵀ)) v⁺ = M v + h f − Σ h k s n + Jᵀ r
//
// with ±n at the link's two ends: the rows of implicit springs between particles (stepping/rows/spring_rows.h),
// eliminated. The part across a link is left out where it pushes, because it would not be positive definite there.
#include "cardhouse/model/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/model/kinds/all_kinds.h"
#include "cardhouse/model/limits.h"

namespace cardhouse {
namespace {

Vec3 node_of(const VecX& of_nodes, int node) {
  return of_nodes.segment<3>(3 * node);
}

/// Where a link is.
struct LinkPlace {
  Vec3 direction = Vec3::UnitZ();  ///< from the first node to the second
  double length = 0.0;             ///< m
  double rate = 0.0;               ///< m/s, of the length
};

LinkPlace place_of(const Link& link, const BodyState& s) {
  LinkPlace place;
  const Vec3 between = node_of(s.nodes, link.second) - node_of(s.nodes, link.first);
  place.length = between.norm();
  if (place.length > 0.0) place.direction = between / place.length;
  place.rate = place.direction.dot(node_of(s.node_velocities, link.second) - node_of(s.node_velocities, link.first));
  return place;
}

/// What a link adds to A and to the right-hand side, at its second node; the opposite at its first.
struct LinkTerms {
  Mat3 stiffness = Mat3::Zero();  ///< kg
  Vec3 impulse = Vec3::Zero();    ///< N s
};

LinkTerms terms_of(const Link& link, const BodyState& s, const StepRule& rule) {
  const LinkPlace place = place_of(link, s);
  if (place.length == 0.0 && link.rest_length > 0.0) return {};  // no direction to pull in
  // The end of the step is h times the new velocity away, or half of it and half of the old one.
  const double part = rule.mean_velocity ? 0.5 : 1.0;
  const double stretch = place.length - link.rest_length + (1.0 - part) * rule.h * place.rate;
  const double across =
      std::max(link.stiffness * (place.length > 0.0 ? 1.0 - link.rest_length / place.length : 1.0), 0.0);
  const Mat3 along = place.direction * place.direction.transpose();
  LinkTerms terms;
  terms.stiffness = rule.h * (part * rule.h * link.stiffness + link.damping) * along +
                    part * rule.h * rule.h * across * (Mat3::Identity() - along);
  terms.impulse = -rule.h * link.stiffness * stretch * place.direction;
  return terms;
}

void check_link(const std::string& path, const Link& link, int nodes) {
  for (const auto& [name, node] : {std::pair{".first", link.first}, std::pair{".second", link.second}}) {
    if (node < 0 || node >= nodes) limits::refuse(path + name, std::to_string(node), "no such node");
  }
  if (link.first == link.second) throw InputError(path + ": links a node with itself");
  limits::check_not_negative(path + ".stiffness", link.stiffness, limits::stiffness);
  limits::check_not_negative(path + ".rest_length", link.rest_length, limits::length);
  limits::check_not_negative(path + ".damping", link.damping, limits::damping);
}

void check_links(const std::string& path, const NodeNetwork& network) {
  std::vector<std::pair<int, int>> seen;
  for (std::size_t l = 0; l < network.links.size(); ++l) {
    const Link& link = network.links[l];
    check_link(fmt::format("{}.links[{}]", path, l), link, network.nodes());
    seen.push_back(std::minmax(link.first, link.second));
  }
  std::sort(seen.begin(), seen.end());
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  if (twice == seen.end()) return;
  throw InputError(fmt::format("{}.links: nodes {} and {} are linked twice", path, twice->first, twice->second));
}

class NetworkEquations final : public BodyEquations {
 public:
  int dofs(const Body& body) const override { return 3 * body.network->nodes(); }
  int blocks(const Body& body) const override { return body.network->nodes(); }
  int nodes(const Body& body) const override { return body.network ? body.network->nodes() : 0; }
  double node_mass(const Body& body, int node) const override {
    return body.network->masses[static_cast<std::size_t>(node)];
  }
  std::vector<std::pair<int, int>> joined_nodes(const Body& body) const override {
    std::vector<std::pair<int, int>> pairs;
    for (const Link& link : body.network->links) pairs.emplace_back(link.first, link.second);
    return pairs;
  }
  bool turns() const override { return false; }
  double radius_of_gyration(const Body&) const override { return 0.0; }

  void check(const std::string& path, const Body& body, const BodyState& state) const override {
    if (!body.network || body.network->nodes() == 0) throw InputError(path + ": a network needs at least one node");
    const NodeNetwork& network = *body.network;
    if (state.nodes.size() != 3 * network.nodes() || state.node_velocities.size() != 3 * network.nodes()) {
      throw InputError(
          fmt::format("{}: the state needs a position and a velocity for each of {} nodes", path, network.nodes()));
    }
    for (int n = 0; n < network.nodes(); ++n) {
      const std::string node = fmt::format("{}.nodes[{}]", path, n);
      limits::check_positive(node + ".mass", network.masses[static_cast<std::size_t>(n)], limits::mass);
      limits::check_position(node + ".position", node_of(state.nodes, n));
      limits::check_velocity(node + ".velocity", node_of(state.node_velocities, n));
    }
    check_links(path, network);
    if (body.mobility == Mobility::dynamic && !state.angular.isZero(0.0)) {
      throw InputError(path + ".angular_velocity: the frame of a network that moves freely does not turn");
    }
    if (!body.torque.isZero(0.0)) throw InputError(path + ".torque: a network takes none; use forces on its nodes");
    if (body.angular_damping > 0.0) throw InputError(path + ".angular_damping: the frame of a network does not turn");
  }
  void check_shape(const std::string& path, const Body& body, const Shape& shape) const override {
    if (shape.node < 0) throw InputError(path + ".node: is missing: a shape of a network belongs to one of its nodes");
    if (shape.node >= body.network->nodes()) {
      limits::refuse(path + ".node", std::to_string(shape.node), "a shape of a network belongs to one of its nodes");
    }
    if (is_planar(shape.geometry) || std::holds_alternative<HalfSpace>(shape.geometry)) {
      limits::refuse(path, std::string(shape_name(shape.geometry)), "a node takes solids in space");
    }
  }

  void predict(const Body& body, const BodyState& state, const Wrench& load, const StepRule& rule,
               Prediction& p) const override {
    const NodeNetwork& network = *body.network;
    p.linear_drag = 1.0 + rule.h * body.linear_damping;
    auto a = std::make_shared<CoupledBlocks>();
    VecX impulse(3 * network.nodes());
    for (int n = 0; n < network.nodes(); ++n) {
      const double mass = network.masses[static_cast<std::size_t>(n)];
      a->add_node(3);
      a->diagonal(n).diagonal().setConstant(p.linear_drag * mass);
      Vec3 force = mass / body.mass * load.force;
      if (load.on_nodes.size() > 0) force += node_of(load.on_nodes, n);
      impulse.segment<3>(3 * n) = mass * node_of(state.node_velocities, n) + rule.h * force;
    }
    for (const Link& link : network.links) {
      const LinkTerms terms = terms_of(link, state, rule);
      a->diagonal(link.first) += terms.stiffness;
      a->diagonal(link.second) += terms.stiffness;
      a->block(a->add_coupling(link.first, link.second)) = -terms.stiffness;
      impulse.segment<3>(3 * link.first) -= terms.impulse;
      impulse.segment<3>(3 * link.second) += terms.impulse;
    }
    if (!a->factorise()) throw InputError(fmt::format("body \"{}\": its motion is not finite", body.name));
    p.node_velocities.resize(impulse.size());
    a->solve(impulse.data(), p.node_velocities.data());
    p.coupled = std::move(a);
    move_frame_velocity(network, body.mass, p);
  }
  void stop_time(const Body& body, const BodyState& state, Prediction& p) const override {
    BodyEquations::stop_time(body, state, p);
    p.node_velocities = state.node_velocities;
    auto a = std::make_shared<CoupledBlocks>();
    for (int n = 0; n < body.network->nodes(); ++n) {
      a->add_node(3);
      a->diagonal(n).diagonal().setConstant(p.linear_drag * node_mass(body, n));
    }
    a->factorise();
    p.coupled = std::move(a);
  }
  void add_block(const Body& body, const Prediction& prediction, BodyMatrix& a, VecX& v_free,
                 int& offset) const override {
    a.add(prediction.coupled);
    v_free.segment(offset, dofs(body)) = prediction.node_velocities;
    offset += dofs(body);
  }
  void add_mass(const Body& body, const BodyState&, BodyMatrix& a) const override {
    for (const double mass : body.network->masses) a.add(mass * Mat3::Identity(), 1.0 / mass * Mat3::Identity());
  }
  void add_rows(const Body&, const Stencil& stencil, const FrameRows& rows, int count, const BodyMatrix& a,
                int first_block, BlockRows& j) const override {
    for (int i = 0; i < stencil.count; ++i) {
      j.add(a, first_block + stencil.node[i], stencil.weight[i] * rows.topLeftCorner(count, 3));
    }
  }
  double mobility(const Body& body, const Prediction& prediction, const Stencil& stencil, const FrameRows& rows,
                  int count) const override {
    double sum = 0.0;
    for (int i = 0; i < stencil.count; ++i) {
      const double mass = prediction.linear_drag * body.network->masses[static_cast<std::size_t>(stencil.node[i])];
      sum += stencil.weight[i] * stencil.weight[i] * rows.topLeftCorner(count, 3).squaredNorm() / mass;
    }
    return sum / count;
  }
  void take_velocities(const Body& body, const Prediction&, const VecX& v, int& offset,
                       BodyMotion& motion) const override {
    motion.node_velocities = v.segment(offset, dofs(body));
    motion.angular.setZero();
    move_frame_velocity(*body.network, body.mass, motion);
    offset += dofs(body);
  }
  void advance(const Body& body, const Prediction&, const BodyMotion& motion, const StepRule& rule,
               BodyState& s) const override {
    if (rule.mean_velocity) {
      s.nodes += 0.5 * rule.h * (s.node_velocities + motion.node_velocities);
    } else {
      s.nodes += rule.h * motion.node_velocities;
    }
    s.node_velocities = motion.node_velocities;
    place_frame(*body.network, body.mass, s);
  }
  void displace(const Body& body, std::span<const double> delta, double h, BodyState& s) const override {
    const Eigen::Map<const VecX> step(delta.data(), static_cast<Eigen::Index>(delta.size()));
    s.nodes += step;
    if (h > 0.0) s.node_velocities += step / h;
    place_frame(*body.network, body.mass, s);
  }
  BodyState extrapolate(const Body& body, const BodyState& now, const BodyState& before) const override {
    BodyState result = now;
    result.nodes += (now.nodes - before.nodes) / 3.0;
    result.node_velocities += (now.node_velocities - before.node_velocities) / 3.0;
    place_frame(*body.network, body.mass, result);
    return result;
  }

  double kinetic_energy(const Body& body, const BodyState& s) const override {
    double sum = 0.0;
    for (int n = 0; n < body.network->nodes(); ++n) {
      sum += 0.5 * body.network->masses[static_cast<std::size_t>(n)] * node_of(s.node_velocities, n).squaredNorm();
    }
    return sum;
  }
  double inner_energy(const Body& body, const BodyState& s) const override {
    double sum = 0.0;
    for (const Link& link : body.network->links) {
      const double stretch = place_of(link, s).length - link.rest_length;
      sum += 0.5 * link.stiffness * stretch * stretch;
    }
    return sum;
  }
  Momentum momentum(const Body& body, const BodyState& s) const override {
    Momentum sum;
    for (int n = 0; n < body.network->nodes(); ++n) {
      const Vec3 own = body.network->masses[static_cast<std::size_t>(n)] * node_of(s.node_velocities, n);
      sum.linear += own;
      sum.angular += node_of(s.nodes, n).cross(own);
    }
    return sum;
  }
  Momentum drag_impulse(const Body& body, const BodyState& start, const BodyState& end, double h) const override {
    Momentum sum;
    for (int n = 0; n < body.network->nodes(); ++n) {
      const double mass = body.network->masses[static_cast<std::size_t>(n)];
      const Vec3 own = -h * body.linear_damping * mass * node_of(end.node_velocities, n);
      sum.linear += own;
      sum.angular += node_of(start.nodes, n).cross(own);
    }
    return sum;
  }

 private:
  static void move_frame_velocity(const NodeNetwork& network, double mass, BodyMotion& motion) {
    motion.linear = mean(network, mass, motion.node_velocities);
  }
  static void place_frame(const NodeNetwork& network, double mass, BodyState& s) {
    s.pose.position = mean(network, mass, s.nodes);
    s.linear = mean(network, mass, s.node_velocities);
  }
  static Vec3 mean(const NodeNetwork& network, double mass, const VecX& of_nodes) {
    Vec3 sum = Vec3::Zero();
    for (int n = 0; n < network.nodes(); ++n) sum += network.masses[static_cast<std::size_t>(n)] * node_of(of_nodes, n);
    return sum / mass;
  }
};

}  // namespace

const BodyEquations& network_equations() {
  static const NetworkEquations equations;
  return equations;
}

void set_network(std::shared_ptr<const NodeNetwork> network, const VecX& nodes, const VecX& velocities, Body& body,
                 BodyState& state) {
  body.kind = BodyKind::network;
  body.mass = 0.0;
  for (const double mass : network->masses) body.mass += mass;
  body.network = std::move(network);
  state.nodes = nodes;
  state.node_velocities = velocities;
  state.pose = Pose{};
  state.angular.setZero();
  network_equations().displace(body, std::vector<double>(static_cast<std::size_t>(nodes.size())), 0.0, state);
}

}  // namespace cardhouse
