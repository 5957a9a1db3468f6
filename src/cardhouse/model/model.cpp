#include "cardhouse/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "cardhouse/base/error.h"
#include "cardhouse/model/kinds/equations.h"
#include "cardhouse/model/limits.h"
#include "cardhouse/model/state.h"

namespace cardhouse {
namespace {

/// A vector that is only a direction, whatever its length.
void require_finite(const std::string& path, const Vec3& v) {
  if (!v.allFinite()) limits::refuse(path, fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()), "must be finite");
}

/// Of mu_static to mu: more are none in practice, and a quotient of given numbers must not overflow.
constexpr double most_static_ratio = 1e9;

/// What materials and pairs of them have in common.
struct SurfaceNumbers {
  double mu = 0.0;
  double restitution = 0.0;
  std::optional<double> mu_static;
  double slip_velocity = 0.0;
  double mu_rolling = 0.0;
  double mu_torsional = 0.0;
  double adhesion = 0.0;
};

void check_material(const std::string& path, const SurfaceNumbers& surface) {
  limits::check_not_negative(path + ".mu", surface.mu, limits::friction);
  if (!(surface.restitution >= 0.0 && surface.restitution <= 1.0)) {
    limits::refuse(path + ".restitution", fmt::format("{}", surface.restitution), "must be in [0, 1]");
  }
  if (surface.mu_static && !(*surface.mu_static >= surface.mu && std::isfinite(*surface.mu_static))) {
    limits::refuse(path + ".mu_static", fmt::format("{}", *surface.mu_static),
                   fmt::format("must be finite and at least mu = {}", surface.mu));
  }
  if (surface.mu_static.value_or(0.0) > 0.0 && surface.mu == 0.0) {
    limits::refuse(path + ".mu_static", fmt::format("{}", *surface.mu_static),
                   "needs a mu > 0, because it is stored as a ratio to mu");
  }
  if (surface.mu_static.value_or(0.0) > most_static_ratio * surface.mu) {
    limits::refuse(path + ".mu_static", fmt::format("{}", *surface.mu_static),
                   fmt::format("must be at most {:g} times mu = {}", most_static_ratio, surface.mu));
  }
  limits::check_positive(path + ".slip_velocity", surface.slip_velocity, limits::speed);
  limits::check_not_negative(path + ".mu_rolling", surface.mu_rolling, limits::length);
  limits::check_not_negative(path + ".mu_torsional", surface.mu_torsional, limits::length);
  limits::check_not_negative(path + ".adhesion", surface.adhesion, limits::force);
}

void check_pair(const std::string& path, const Model& model, const MaterialPair& pair) {
  check_material(path, {pair.mu, pair.restitution, pair.mu_static, pair.slip_velocity.value_or(1.0),
                        pair.mu_rolling.value_or(0.0), pair.mu_torsional.value_or(0.0), pair.adhesion.value_or(0.0)});
  if (!pair.mu_cross) return;
  limits::check_not_negative(path + ".mu_cross", *pair.mu_cross, limits::friction);
  if (!model.materials[pair.first].anisotropy && !model.materials[pair.second].anisotropy) {
    throw InputError(path + ".mu_cross: needs an anisotropy of one of the two materials, which gives the direction");
  }
}

void check_shapes(const std::string& path, const Model& model, const Body& body, const BodyState& state) {
  for (std::size_t s = 0; s < body.shapes.size(); ++s) {
    const Shape& shape = body.shapes[s];
    const std::string shape_path = fmt::format("{}.shapes[{}]", path, s);
    limits::check_position(shape_path + ".position", shape.pose.position);
    if (!(std::abs(shape.pose.orientation.norm() - 1.0) < 1e-6)) {
      limits::refuse(shape_path + ".orientation", fmt::format("norm {}", shape.pose.orientation.norm()),
                     "must be a unit quaternion");
    }
    try {
      check_geometry(shape.geometry);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", shape_path, error.what()));
    }
    if (shape.material < 0 || shape.material >= static_cast<int>(model.materials.size())) {
      limits::refuse(shape_path + ".material", std::to_string(shape.material), "is not one of the scene's materials");
    }
    const bool half_space = std::holds_alternative<HalfSpace>(shape.geometry);
    if (half_space && body.mobility == Mobility::dynamic) {
      limits::refuse(shape_path, "half_space", "only fixed and kinematic bodies can be half-spaces");
    }
    if (shape.node >= 0 && state.nodes.size() == 0) {
      limits::refuse(shape_path + ".node", std::to_string(shape.node), "this kind of body has no nodes");
    }
    equations_of(body).check_shape(shape_path, body, shape);
  }
}

void check_body_state(const std::string& path, const BodyState& state) {
  limits::check_position(path + ".position", state.pose.position);
  limits::check_velocity(path + ".linear_velocity", state.linear);
  limits::check_angular_velocity(path + ".angular_velocity", state.angular);
  if (!(std::abs(state.pose.orientation.norm() - 1.0) < 1e-6)) {
    limits::refuse(path + ".orientation", fmt::format("norm {}", state.pose.orientation.norm()),
                   "must be a unit quaternion");
  }
}

void check_body(const std::string& path, const Model& model, const Body& body, const BodyState& state) {
  check_body_state(path, state);
  if (body.mobility == Mobility::dynamic) {
    limits::check_positive(path + ".mass", body.mass, limits::mass);
  }
  equations_of(body).check(path, body, state);
  if ((body.mobility == Mobility::kinematic) != body.motion.has_value()) {
    throw InputError(path + ".motion: a kinematic body needs a motion, and only a kinematic body has one");
  }
  if (body.motion) limits::check_motion(path + ".motion", *body.motion);
  limits::check_not_negative(path + ".linear_damping", body.linear_damping, limits::damping_rate);
  limits::check_not_negative(path + ".angular_damping", body.angular_damping, limits::damping_rate);
  limits::check(path + ".force", body.force, limits::force);
  limits::check(path + ".torque", body.torque, limits::torque);
  limits::check(path + ".charge", body.charge, limits::charge);
  check_shapes(path, model, body, state);
}

void check_global_forces(const GlobalForces& forces) {
  limits::check_not_negative("global_forces.gravitation", forces.gravitation, limits::gravitation);
  limits::check_not_negative("global_forces.electrostatics", forces.electrostatics, limits::electrostatics);
  limits::check_not_negative("global_forces.softening", forces.softening, limits::length);
  if (!(forces.opening_angle >= 0.0 && forces.opening_angle < 1.0)) {
    limits::refuse("global_forces.opening_angle", fmt::format("{}", forces.opening_angle), "must be in [0, 1)");
  }
  if (forces.tree_from < 1) limits::refuse("global_forces.tree_from", std::to_string(forces.tree_from), "must be ≥ 1");
}

/// Of a spring or a potential.
void check_ends(const std::string& path, const Model& model, int first, int second) {
  const int count = static_cast<int>(model.bodies.size());
  if (first < 0 || first >= count) limits::refuse(path + ".first", std::to_string(first), "no such body");
  if (second < -1 || second >= count) limits::refuse(path + ".second", std::to_string(second), "no such body");
}

void check_potential(const std::string& path, const Model& model, const PointPotential& given) {
  check_ends(path, model, given.first, given.second);
  if (!given.potential) throw InputError(path + ".potential: is missing");
  limits::check_position(path + ".point_first", given.point_first);
  limits::check_position(path + ".point_second", given.point_second);
  check_stencil(path + ".stencil_first", model, given.first, given.stencil_first);
  check_stencil(path + ".stencil_second", model, given.second, given.stencil_second);
  check_offset(path + ".point_first", given.stencil_first, given.point_first);
  check_offset(path + ".point_second", given.stencil_second, given.point_second);
}

void check_spring(const std::string& path, const Model& model, const Spring& spring) {
  check_ends(path, model, spring.first, spring.second);
  if (spring.first == spring.second && nodes_of(model.bodies[spring.first]) == 0) {
    throw InputError(path + ": connects a body with itself");
  }
  limits::check_not_negative(path + ".stiffness", spring.stiffness, limits::stiffness);
  limits::check_not_negative(path + ".rest_length", spring.rest_length, limits::length);
  limits::check_not_negative(path + ".damping", spring.damping, limits::damping);
  limits::check_position(path + ".point_first", spring.point_first);
  limits::check_position(path + ".point_second", spring.point_second);
  check_stencil(path + ".nodes_first", model, spring.first, spring.stencil_first);
  check_stencil(path + ".nodes_second", model, spring.second, spring.stencil_second);
  check_offset(path + ".point_first", spring.stencil_first, spring.point_first);
  check_offset(path + ".point_second", spring.stencil_second, spring.point_second);
}

}  // namespace

void check_stencil(const std::string& path, const Model& model, int body, const Stencil& stencil) {
  const int nodes = body < 0 ? 0 : nodes_of(model.bodies[body]);
  if (nodes == 0 && stencil.count > 0) throw InputError(path + ": this body has no nodes");
  if (nodes > 0 && stencil.count == 0) throw InputError(path + ": must say which nodes of the body hold this end");
  double sum = 0.0;
  for (int i = 0; i < stencil.count; ++i) {
    const int node = stencil.node[i];
    if (node < 0 || node >= nodes) limits::refuse(path, std::to_string(node), "no such node");
    if (std::find(stencil.node.begin(), stencil.node.begin() + i, node) != stencil.node.begin() + i) {
      limits::refuse(path, std::to_string(node), "the node is named twice");
    }
    if (!(stencil.weight[i] >= 0.0)) {
      limits::refuse(path + ".weight", fmt::format("{}", stencil.weight[i]), "must be ≥ 0");
    }
    sum += stencil.weight[i];
  }
  if (stencil.count > 0 && !(std::abs(sum - 1.0) <= 1e-9)) throw InputError(path + ": weights must sum to 1");
}

void check_offset(const std::string& path, const Stencil& stencil, const Vec3& offset) {
  if (stencil.count == 0 || offset.norm() <= rounding_of_offsets) return;
  limits::refuse(path, fmt::format("[{}, {}, {}]", offset.x(), offset.y(), offset.z()),
                 "nodes hold the point that their weights give, and nothing beside it: it must be 0");
}

void check_model(const Model& model, const State& state) {
  if (state.bodies.size() != model.bodies.size()) throw InputError("the state does not have one entry per body");
  limits::check_gravity(model.gravity);
  check_global_forces(model.global_forces);
  const int sides = model.friction.sides;
  if (model.friction.polygon && (sides < 4 || sides > most_friction_sides || sides % 2 != 0)) {
    limits::refuse("friction.sides", std::to_string(sides),
                   fmt::format("must be even, from 4 to {}", most_friction_sides));
  }
  for (std::size_t m = 0; m < model.materials.size(); ++m) {
    const Material& material = model.materials[m];
    const std::string path = fmt::format("materials[{}]", m);
    check_material(path, {material.mu, material.restitution, material.mu_static, material.slip_velocity,
                          material.mu_rolling, material.mu_torsional, material.adhesion});
    if (material.anisotropy) {
      limits::check_not_negative(path + ".anisotropy.mu_cross", material.anisotropy->mu_cross, limits::friction);
      require_finite(path + ".anisotropy.direction", material.anisotropy->direction);
      if (!(material.anisotropy->direction.norm() > 0.0)) {
        throw InputError(path + ".anisotropy.direction = [0, 0, 0]: must not be zero");
      }
      if (model.friction.polygon) {
        throw InputError(path + ".anisotropy: not together with the polygonal friction cone; use cone \"exact\"");
      }
    }
  }
  for (std::size_t p = 0; p < model.material_pairs.size(); ++p) {
    check_pair(fmt::format("material_pairs[{}]", p), model, model.material_pairs[p]);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    check_body(fmt::format("bodies[{}]", i), model, model.bodies[i], state.bodies[i]);
  }
  for (std::size_t s = 0; s < model.springs.size(); ++s) {
    check_spring(fmt::format("springs[{}]", s), model, model.springs[s]);
  }
  for (std::size_t p = 0; p < model.potentials.size(); ++p) {
    check_potential(fmt::format("potentials[{}]", p), model, model.potentials[p]);
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) check_joint(model, state, static_cast<int>(j));
  if (!state.joints.empty() && state.joints.size() != model.joints.size()) {
    throw InputError(fmt::format("the state has {} joints, the model {}", state.joints.size(), model.joints.size()));
  }
}

}  // namespace cardhouse
