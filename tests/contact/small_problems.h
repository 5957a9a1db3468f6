// Contact problems built by hand, with the answers that pencil and paper give.
#pragma once

#include <Eigen/LU>
#include <cmath>
#include <utility>
#include <vector>

#include "cardhouse/contact/group_islands.h"
#include "cardhouse/contact/problem.h"
#include "cardhouse/math/pose.h"
#include "math/random_matrices.h"

namespace cardhouse::testing {

inline Law coulomb(double mu) {
  Law law;
  law.mu = law.mu_cross = mu;
  return law;
}

inline Law elliptic(double mu, double mu_cross) {
  Law law = coulomb(mu);
  law.friction = FrictionShape::ellipse;
  law.mu_cross = mu_cross;
  return law;
}

inline Law polygonal(double mu, int sides = 8) {
  Law law = coulomb(mu);
  law.friction = FrictionShape::polygon;
  law.sides = sides;
  return law;
}

inline Law of_kind(Law::Kind kind) {
  Law law;
  law.kind = kind;
  return law;
}

inline Law bounded(double lower, double upper) {
  Law law = of_kind(Law::Kind::bounded);
  law.lower = lower;
  law.upper = upper;
  return law;
}

/// Friction within mu (m) times the normal impulse of the group `leader`.
inline Law dependent(double mu, int leader, FrictionShape shape = FrictionShape::disk) {
  Law law = of_kind(Law::Kind::dependent);
  law.mu = law.mu_cross = mu;
  law.friction = shape;
  law.leader = leader;
  return law;
}

/// Adds bodies first, then groups of rows; vectors grow along.
struct ProblemBuilder {
  ContactProblem problem;

  int body(const MatX& a, const VecX& v_free) {
    const Eigen::Index before = problem.v_free.size();
    problem.v_free.conservativeResize(before + v_free.size());
    problem.v_free.tail(v_free.size()) = v_free;
    return problem.a.add(a);
  }

  int rigid(double mass, double inertia, const Vec3& velocity, const Vec3& spin = Vec3::Zero()) {
    Vec6 diagonal;
    diagonal << mass, mass, mass, inertia, inertia, inertia;
    Vec6 twist;
    twist << velocity, spin;
    return body(diagonal.asDiagonal().toDenseMatrix(), twist);
  }

  void rows(const Law& law, const std::vector<std::pair<int, MatX>>& sides, const VecX& b, double compliance = 0.0) {
    problem.j.begin_group(static_cast<int>(b.size()));
    for (const auto& [body, block] : sides) problem.j.add(problem.a, body, block);
    const Eigen::Index before = problem.b.size();
    problem.b.conservativeResize(before + b.size());
    problem.b.tail(b.size()) = b;
    problem.compliance.conservativeResize(before + b.size());
    problem.compliance.tail(b.size()).setConstant(compliance);
    problem.laws.push_back(law);
  }

  /// Rows of a contact of a rigid body at `arm` from its centre; frame: normal and two tangents as rows.
  static MatX rigid_rows(const Mat3& frame, const Vec3& arm) {
    MatX result(3, 6);
    result << frame, -frame * cross_matrix(arm);
    return result;
  }
};

/// Normal and two tangents as rows.
inline Mat3 frame_of(const Vec3& normal) {
  const Vec3 helper = std::abs(normal.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 tangent = (helper - helper.dot(normal) * normal).normalized();
  Mat3 frame;
  frame << normal.transpose(), tangent.transpose(), normal.cross(tangent).transpose();
  return frame;
}

struct SolvedProblem {
  ContactProblem problem;
  VecX r;  ///< a solution
};

/// A particle with u = (normal, tangents) of one contact; v_free chosen so that r gives u.
inline SolvedProblem particle_with(const Law& law, const VecX& r, const VecX& u, double mass = 2.0) {
  const Eigen::Index n = r.size();
  ProblemBuilder builder;
  builder.body(mass * MatX::Identity(n, n), u - r / mass);
  builder.rows(law, {{0, MatX::Identity(n, n)}}, VecX::Zero(n));
  return {builder.problem, r};
}

/// Unit cubes on each other on a floor, at rest under gravity; four corners per face. The top one weighs `ratio`.
inline SolvedProblem box_stack(int count, double ratio = 1.0, const Law& law = coulomb(0.5)) {
  constexpr double speed = 9.81e-3;  // g h
  ProblemBuilder builder;
  std::vector<double> mass(count, 1.0);
  mass.back() = ratio;
  for (double m : mass) builder.rigid(m, m / 6.0, Vec3(0, 0, -speed));
  SolvedProblem result;
  result.r = VecX::Zero(12 * count);
  const Mat3 frame = frame_of(Vec3::UnitZ());
  for (int i = 0; i < count; ++i) {
    double load = 0.0;
    for (int k = i; k < count; ++k) load += mass[k] * speed;
    for (int corner = 0; corner < 4; ++corner) {
      const Vec3 arm(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, -0.5);
      std::vector<std::pair<int, MatX>> sides{{i, ProblemBuilder::rigid_rows(frame, arm)}};
      if (i > 0) sides.emplace_back(i - 1, -ProblemBuilder::rigid_rows(frame, arm + Vec3::UnitZ()));
      builder.rows(law, sides, VecX::Zero(3));
      result.r[12 * i + 3 * corner] = load / 4.0;
    }
  }
  result.problem = builder.problem;
  return result;
}

/// A unit cube of mass 1 that slides along +x on a floor at `speed` after the step: the two corners ahead carry more,
/// so that friction's torque about the centre is balanced.
inline SolvedProblem sliding_box(double mu, double speed = 0.02) {
  constexpr double load = 9.81e-3;
  ProblemBuilder builder;
  builder.rigid(1.0, 1.0 / 6.0, Vec3(speed + mu * load, 0, -load));
  SolvedProblem result;
  result.r = VecX::Zero(12);
  const Mat3 frame = frame_of(Vec3::UnitZ());  // first tangent: +x
  for (int corner = 0; corner < 4; ++corner) {
    const Vec3 arm(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, -0.5);
    builder.rows(coulomb(mu), {{0, ProblemBuilder::rigid_rows(frame, arm)}}, VecX::Zero(3));
    // About the centre along y: Σ(−x_i N_i) + mu Σ N_i/2 = 0 with x = ±½: N_ahead − N_behind = mu N.
    const double normal = 0.25 * load * (corner & 1 ? 1.0 + mu : 1.0 - mu);
    result.r[3 * corner] = normal;
    result.r[3 * corner + 1] = -mu * normal;
  }
  result.problem = builder.problem;
  return result;
}

/// What a ball of radius 0.1 m and mass 3 kg on a floor does at the end of a step.
struct BallState {
  Vec3 contact;                          ///< N s: normal, along x, along y
  Vec2 rolling;                          ///< N m s, about x and y
  double torsional = 0.0;                ///< N m s
  Vec2 slip = Vec2::Zero();              ///< m/s
  Vec3 angular_velocity = Vec3::Zero();  ///< rad/s
};

/// Groups: the contact, rolling about x and y, spinning about the normal. v_free is such that the impulses lead to the
/// state that is asked for.
inline SolvedProblem ball_on_floor(const BallState& ball, double mu, double mu_rolling, double mu_torsional,
                                   FrictionShape shape = FrictionShape::disk) {
  constexpr double radius = 0.1;
  constexpr double mass = 3.0;
  constexpr double inertia = 0.4 * mass * radius * radius;
  Mat3 frame;
  frame << Vec3::UnitZ().transpose(), Vec3::UnitX().transpose(), Vec3::UnitY().transpose();
  const Vec3 arm(0, 0, -radius);
  const Vec3 at_contact(ball.slip.x(), ball.slip.y(), ball.contact[0] > 0.0 ? 0.0 : 0.2);
  const Vec3 linear = at_contact - ball.angular_velocity.cross(arm);
  const Vec3 force = frame.transpose() * ball.contact;
  const Vec3 torque = arm.cross(force) + Vec3(ball.rolling.x(), ball.rolling.y(), ball.torsional);
  ProblemBuilder builder;
  builder.rigid(mass, inertia, linear - force / mass, ball.angular_velocity - torque / inertia);
  MatX rolling = MatX::Zero(2, 6);
  rolling(0, 3) = rolling(1, 4) = 1.0;
  MatX spinning = MatX::Zero(1, 6);
  spinning(0, 5) = 1.0;
  Law law = coulomb(mu);
  law.friction = shape;
  builder.rows(law, {{0, ProblemBuilder::rigid_rows(frame, arm)}}, VecX::Zero(3));
  builder.rows(dependent(mu_rolling, 0, shape), {{0, rolling}}, VecX::Zero(2));
  builder.rows(dependent(mu_torsional, 0), {{0, spinning}}, VecX::Zero(1));
  SolvedProblem result{builder.problem, VecX(6)};
  result.r << ball.contact, ball.rolling, ball.torsional;
  return result;
}

/// Rows of a planar contact (normal, tangent) at an arm from the centre; dofs x, z, angle from z towards x.
inline MatX planar_rows(const Vec2& normal, const Vec2& arm) {
  const Vec2 tangent(normal.y(), -normal.x());
  const Vec2 turn(arm.y(), -arm.x());  // velocity of the arm's end per angle rate
  MatX result(2, 3);
  result << normal.transpose(), normal.dot(turn), tangent.transpose(), tangent.dot(turn);
  return result;
}

inline MatX planar_mass(double mass, double inertia) {
  return Vec3(mass, mass, inertia).asDiagonal();
}

/// Two thin planar cards leaning on each other at `lean` from the vertical, feet on a floor: the smallest card house.
/// The thrust at the top is half the weight times tan(lean); the feet carry weight and thrust.
inline SolvedProblem leaning_cards(double lean, double mu) {
  constexpr double speed = 9.81e-3;
  constexpr double half = 0.05;
  constexpr double mass = 0.002;
  ProblemBuilder builder;
  for (int i = 0; i < 2; ++i) {
    builder.body(planar_mass(mass, mass * half * half / 3.0), Vec3(0, -speed, 0));
  }
  const Vec2 up_left(half * std::sin(lean), half * std::cos(lean));  // of the left card, from its centre to its top
  const Vec2 up_right(-up_left.x(), up_left.y());
  builder.rows(coulomb(mu), {{0, planar_rows(Vec2::UnitY(), -up_left)}}, VecX::Zero(2));
  builder.rows(coulomb(mu), {{1, planar_rows(Vec2::UnitY(), -up_right)}}, VecX::Zero(2));
  // The normal points from the second card to the first: −x.
  builder.rows(coulomb(mu), {{0, planar_rows(-Vec2::UnitX(), up_left)}, {1, -planar_rows(-Vec2::UnitX(), up_right)}},
               VecX::Zero(2));
  const double weight = mass * speed;
  const double thrust = 0.5 * weight * std::tan(lean);
  SolvedProblem result{builder.problem, VecX(6)};
  result.r << weight, thrust, weight, -thrust, thrust, 0.0;
  return result;
}

/// A planar wheel that rolls at 2 rad/s after the step, braked by rolling friction. The row that depends comes first.
inline SolvedProblem braked_wheel(double mu, double mu_rolling) {
  constexpr double radius = 0.1;
  constexpr double mass = 3.0;
  constexpr double inertia = 0.5 * mass * radius * radius;
  constexpr double spin = 2.0;
  const MatX contact = planar_rows(Vec2::UnitY(), Vec2(0, -radius));
  Vec2 push(0.7, -0.1);
  const double braking = -mu_rolling * push.x();
  const Vec3 at_rest = contact.transpose() * push + Vec3(0, 0, braking);
  // u_T = 0: the tangent row gives the speed that goes with the spin.
  const Vec3 v(-contact(1, 2) * spin / contact(1, 0), 0.0, spin);
  const Vec3 inverse_mass(1.0 / mass, 1.0 / mass, 1.0 / inertia);
  ProblemBuilder builder;
  builder.body(planar_mass(mass, inertia), v - inverse_mass.cwiseProduct(at_rest));
  MatX turning = MatX::Zero(1, 3);
  turning(0, 2) = 1.0;
  builder.rows(dependent(mu_rolling, 1), {{0, turning}}, VecX::Zero(1));
  builder.rows(coulomb(mu), {{0, contact}}, VecX::Zero(2));
  SolvedProblem result{builder.problem, VecX(3)};
  result.r << braking, push;
  return result;
}

/// Every group's entries, made anew by `change(group, block)`.
template <class Change>
BlockRows changed_rows(const ContactProblem& problem, Change change) {
  BlockRows j;
  for (int g = 0; g < problem.groups(); ++g) {
    j.begin_group(problem.j.group(g).dim);
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      MatX block = problem.j.block(g, entry);
      change(g, block);
      j.add(problem.a, entry.block, block);
    }
  }
  return j;
}

/// A strip of nodes on a floor, each coupled to the next by a stiff term: one body with a sparse block of A. The first
/// half of the nodes slips at `speed` (m/s), the others stick.
inline SolvedProblem strip_of_nodes(int count, double speed, double mu = 0.5) {
  auto strip = std::make_shared<CoupledBlocks>();
  for (int n = 0; n < count; ++n) strip->add_node(3);
  for (int n = 0; n < count; ++n) strip->diagonal(n) = 0.1 * Mat3::Identity();
  const Mat3 stiffness = Vec3(30.0, 2.0, 1.0).asDiagonal();
  for (int n = 1; n < count; ++n) {
    strip->block(strip->add_coupling(n, n - 1)) = -stiffness;
    strip->diagonal(n) += stiffness;
    strip->diagonal(n - 1) += stiffness;
  }
  strip->factorise();
  ProblemBuilder builder;
  builder.problem.a.add(strip);
  const Mat3 frame = frame_of(Vec3::UnitZ());
  VecX r(3 * count);
  VecX v(3 * count);
  for (int n = 0; n < count; ++n) {
    const bool slips = speed > 0.0 && 2 * n < count;
    const Vec3 u = slips ? Vec3(0.0, 0.6 * speed, -0.8 * speed) : Vec3(Vec3::Zero());
    const Vec3 impulse = slips ? Vec3(1.0, -0.6 * mu, 0.8 * mu) : Vec3(1.0 + 0.1 * n, 0.3 * mu, 0.1 * mu);
    r.segment<3>(3 * n) = impulse;
    v.segment<3>(3 * n) = frame.transpose() * u;
    builder.rows(coulomb(mu), {{n, frame}}, Vec3::Zero());
  }
  VecX impulses = VecX::Zero(3 * count);
  builder.problem.j.add_transposed(r, impulses);
  VecX change;
  builder.problem.a.solve(impulses, change);
  builder.problem.v_free = v - change;
  return {builder.problem, r};
}

/// The second form of the same problem, W by dense products.
inline ContactProblem with_explicit_delassus(const ContactProblem& problem) {
  const MatX j = dense(problem.j, problem.a.rows());
  const MatX inverse = dense(problem.a).inverse();
  ContactProblem result;
  for (int g = 0; g < problem.groups(); ++g) result.j.begin_group(problem.j.group(g).dim);
  result.laws = problem.laws;
  MatX w = j * inverse * j.transpose();
  w.diagonal() += problem.compliance;
  const VecX terms = j.cwiseAbs() * problem.v_free.cwiseAbs() + problem.b.cwiseAbs();
  GroupIslands islands;
  islands.find(problem);
  result.delassus = ExplicitDelassus{w.sparseView(), j * problem.v_free + problem.b, terms, islands.of_groups()};
  return result;
}

/// Two problems side by side, independent of each other.
inline SolvedProblem side_by_side(const SolvedProblem& first, const SolvedProblem& second) {
  ProblemBuilder builder;
  for (const SolvedProblem* part : {&first, &second}) {
    const ContactProblem& problem = part->problem;
    const int before = builder.problem.a.blocks();
    const int groups_before = builder.problem.groups();
    for (int i = 0; i < problem.a.blocks(); ++i) {
      if (problem.a.first_of_body(i) == i) builder.problem.a.add_body_of(problem.a, i);
    }
    const VecX before_free = builder.problem.v_free;
    builder.problem.v_free.resize(before_free.size() + problem.v_free.size());
    builder.problem.v_free << before_free, problem.v_free;
    for (int g = 0; g < problem.groups(); ++g) {
      const BlockRows::Group& rows = problem.j.group(g);
      std::vector<std::pair<int, MatX>> sides;
      for (const BlockRows::Entry& e : problem.j.entries(g))
        sides.emplace_back(before + e.block, problem.j.block(g, e));
      Law law = problem.laws[g];
      if (is_dependent(law)) law.leader += groups_before;
      builder.rows(law, sides, problem.b.segment(rows.row, rows.dim), problem.compliance[rows.row]);
    }
  }
  SolvedProblem result{builder.problem, VecX(first.r.size() + second.r.size())};
  result.r << first.r, second.r;
  return result;
}

/// A few random boxes and particles with contacts, joints and bounded rows among them; nothing about it is special.
inline ContactProblem random_problem(Random& random, int bodies, int groups) {
  ProblemBuilder builder;
  for (int i = 0; i < bodies; ++i) {
    const int size = i % 3 == 2 ? 3 : 6;
    builder.body(random.positive_definite(size), random.vector(size));
  }
  for (int g = 0; g < groups; ++g) {
    const Law laws[] = {coulomb(0.5),
                        elliptic(0.3, 0.8),
                        polygonal(0.4),
                        of_kind(Law::Kind::equality),
                        of_kind(Law::Kind::unilateral),
                        bounded(-0.2, 0.3)};
    const Law& law = laws[g % 6];
    const int dim = law.kind == Law::Kind::coulomb ? 3 : 1;
    const int first = random.index(bodies);
    const int second = random.index(bodies);
    std::vector<std::pair<int, MatX>> sides{{first, random.matrix(dim, builder.problem.a.size(first))}};
    if (second != first) sides.emplace_back(second, random.matrix(dim, builder.problem.a.size(second)));
    builder.rows(law, sides, 0.1 * random.vector(dim), g % 4 == 0 ? 0.01 : 0.0);
  }
  return builder.problem;
}

/// The same with rolling and torsional friction at its contacts; of bodies that turn only the last three columns count.
inline ContactProblem random_problem_with_rolling(Random& random, int bodies, int groups) {
  ProblemBuilder builder{random_problem(random, bodies, groups)};
  for (int g = 0; g < groups; ++g) {
    if (builder.problem.laws[g].kind != Law::Kind::coulomb) continue;
    for (const int dim : {2, 1}) {
      std::vector<std::pair<int, MatX>> sides;
      for (const BlockRows::Entry& entry : builder.problem.j.entries(g)) {
        MatX block = MatX::Zero(dim, entry.size);
        block.rightCols(3) = random.matrix(dim, 3);
        sides.emplace_back(entry.block, block);
      }
      builder.rows(dependent(0.1 * dim, g), sides, 0.1 * random.vector(dim));
    }
  }
  return builder.problem;
}

}  // namespace cardhouse::testing
