// The contract of a body: all that the step, the energy and the files ask of it. Each kind of body has one
// implementation in one file of this folder. Nothing above it knows how many degrees of freedom a body has, or what
// they are (docs/architecture.md, "A new kind of body").
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cardhouse/math/block_rows.h"
#include "cardhouse/model/body_motion.h"
#include "cardhouse/model/joint_kinematics.h"
#include "cardhouse/model/model.h"
#include "cardhouse/model/momentum.h"
#include "cardhouse/model/state.h"

namespace cardhouse {

/// How a step moves a body.
struct StepRule {
  double h = 0.0;              ///< s
  bool mean_velocity = false;  ///< positions move by h (v + v⁺)/2, as in the Moreau–Jean scheme; else by h v⁺
};

/// A body linearised for a step: its free motion, and what its block of A is made of. Fixed and kinematic bodies: the
/// motion that they will have.
struct Prediction : BodyMotion {
  Mat3 inertia = Mat3::Zero();  ///< kg m², world axes, at the start of the step
  Mat3 inverse_inertia = Mat3::Zero();
  Mat3 block_inertia =
      Mat3::Zero();  ///< what A gets: `inertia`, or more where joints pull hard (geometric_stiffness.h)
  Mat3 block_inverse = Mat3::Zero();
  Vec3 angular_momentum = Vec3::Zero();  ///< kg m²/s, after the torques' impulse
  double linear_drag = 1.0;              ///< 1 + h damping: what implicit damping multiplies the mass by (−)
  double angular_drag = 1.0;             ///< the same of the inertia
  BodyState end;                         ///< of a kinematic body
  bool converged = true;                 ///< false: the body spins too fast for the step, and energy is not kept
  std::shared_ptr<const CoupledBlocks> coupled;  ///< the block of a body with nodes, factorised
};

/// A step of the energy–momentum method (Simo & Wong 1991): positions move with the mean velocities of its two ends.
///
///     x⁺ = x + h V,   V = (v + v⁺)/2;      R⁺ = cay(h W) R,   W = R (w + w⁺)/2   with w, w⁺ in the body's axes
///
/// cay(h W) turns about W by 2 atan(h ‖W‖/2). So a point of the body moves by h (V + W × a) exactly, with a the mean of
/// its arms, and the kinetic energy changes by exactly p·V + t·W with the impulses p, t that act in the step.
struct MeanStep {
  Vec3 linear = Vec3::Zero();   ///< m/s: V
  Vec3 angular = Vec3::Zero();  ///< rad/s: W
  BodyState end;
  bool converged = true;
};

/// Impulses of contacts and joints on a body in a step.
struct Push {
  Vec3 linear = Vec3::Zero();   ///< N s
  Vec3 angular = Vec3::Zero();  ///< N m s, about the centre of mass
};

class BodyEquations {
 public:
  virtual ~BodyEquations() = default;

  // What the body is.

  /// Degrees of freedom of a dynamic body.
  virtual int dofs(const Body& body) const = 0;
  /// Blocks of A that a dynamic body has: one, or one per node.
  virtual int blocks(const Body&) const { return 1; }
  /// Nodes that it has; 0: it moves as its frame does.
  virtual int nodes(const Body&) const { return 0; }
  /// kg.
  virtual double node_mass(const Body&, int /*node*/) const { return 0.0; }
  /// Pairs of its nodes that something within the body joins: these never touch each other.
  virtual std::vector<std::pair<int, int>> joined_nodes(const Body&) const { return {}; }
  /// Whether it moves in the x–z plane only.
  virtual bool in_plane() const { return false; }
  /// Whether its frame turns.
  virtual bool turns() const { return true; }
  /// m, of a dynamic body; 0 where nothing turns.
  virtual double radius_of_gyration(const Body& body) const = 0;
  /// Throws InputError for the first thing that is wrong with a body of this kind: its mass, its state.
  virtual void check(const std::string& path, const Body& body, const BodyState& state) const = 0;
  /// The same of one of its shapes.
  virtual void check_shape(const std::string& path, const Body& body, const Shape& shape) const = 0;

  // A step of a dynamic body.

  /// Linearises the body: free motion and block of A.
  virtual void predict(const Body& body, const BodyState& state, const Wrench& load, const StepRule& rule,
                       Prediction& prediction) const = 0;
  /// For a collision that takes no time: the velocities of the state, and no forces within the body.
  virtual void stop_time(const Body& body, const BodyState& state, Prediction& prediction) const;
  /// A joint that pulls hard adds inertia (kg m²); bodies without rotation have no use for it.
  virtual void add_geometric_stiffness(const Mat3&, Prediction&) const {}
  /// Appends the block of A, and the free velocities from `offset` on, which is advanced.
  virtual void add_block(const Body& body, const Prediction& prediction, BodyMatrix& a, VecX& v_free,
                         int& offset) const = 0;
  /// Appends the block of masses alone.
  virtual void add_mass(const Body& body, const BodyState& state, BodyMatrix& a) const = 0;
  /// Adds to the group of J that was begun last: the first `count` rows on the velocity and spin of a stencil.
  virtual void add_rows(const Body& body, const Stencil& stencil, const FrameRows& rows, int count, const BodyMatrix& a,
                        int first_block, BlockRows& j) const = 0;
  /// 1/kg or 1/(kg m²): the mean of the diagonal of J A⁻¹ Jᵀ over the rows, about.
  virtual double mobility(const Body& body, const Prediction& prediction, const Stencil& stencil, const FrameRows& rows,
                          int count) const = 0;
  /// The motion that belongs to the body's part of the velocities v, which begins at `offset` (advanced).
  virtual void take_velocities(const Body& body, const Prediction& prediction, const VecX& v, int& offset,
                               BodyMotion& motion) const = 0;
  /// To the end of the step.
  virtual void advance(const Body& body, const Prediction& prediction, const BodyMotion& motion, const StepRule& rule,
                       BodyState& state) const = 0;
  /// Moves positions by Δ, one number per degree of freedom; with h > 0 velocities by Δ/h.
  virtual void displace(const Body& body, std::span<const double> delta, double h, BodyState& state) const = 0;
  /// (4 x − x₋)/3 of positions and velocities, for BDF2; of any mobility.
  virtual BodyState extrapolate(const Body& body, const BodyState& now, const BodyState& before) const = 0;

  // The energy–momentum step.

  /// Whether the body can take it.
  virtual bool has_mean_step() const { return false; }
  /// Where the push takes the body in h seconds, besides what is in its free motion `free`.
  virtual MeanStep mean_step(const Body&, const BodyState&, const Prediction&, const Push&, double /*h*/) const {
    return {};
  }
  /// The body's share of a problem of mean velocities, linearised at a step that `push` led to.
  virtual Prediction predict_mean(const Body&, const BodyState&, const Prediction& free, const MeanStep&,
                                  const Push&) const {
    return free;
  }
  /// The push with which the problem of predict_mean comes to these mean velocities.
  virtual Push push_of(const Body&, const Prediction&, const BodyMotion&) const { return {}; }

  // Energy and momentum.

  virtual double kinetic_energy(const Body& body, const BodyState& state) const = 0;
  /// J: of the forces within the body.
  virtual double inner_energy(const Body&, const BodyState&) const { return 0.0; }
  virtual Momentum momentum(const Body& body, const BodyState& state) const = 0;
  /// What implicit damping took in a step.
  virtual Momentum drag_impulse(const Body& body, const BodyState& start, const BodyState& end, double h) const = 0;
};

const BodyEquations& equations_of(BodyKind kind);
inline const BodyEquations& equations_of(const Body& body) {
  return equations_of(body.kind);
}

/// 0 for fixed and kinematic bodies.
inline int dofs_of(const Body& body) {
  return body.mobility == Mobility::dynamic ? equations_of(body).dofs(body) : 0;
}

/// 0 for bodies that move as their frame does.
inline int nodes_of(const Body& body) {
  return equations_of(body).nodes(body);
}

/// m; 0 for bodies that do not turn, infinite for bodies that contacts do not move.
double radius_of_gyration(const Body& body);
/// m: the smaller one's of two bodies.
double smaller_radius_of_gyration(const Body& a, const Body& b);

}  // namespace cardhouse
