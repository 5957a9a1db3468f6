#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cardhouse/contact/certificate.h"
#include "cardhouse/contact/diagnosis.h"
#include "cardhouse/math/types.h"
#include "cardhouse/model/energy.h"
#include "cardhouse/model/joint_kinematics.h"
#include "cardhouse/model/momentum.h"
#include "cardhouse/model/state.h"
#include "cardhouse/solvers/report.h"
#include "cardhouse/stepping/rescue/rescue.h"

namespace cardhouse {

enum class ContactMode : std::uint8_t { open = 0, stick = 1, slip = 2 };

/// One contact of a step, after the solve.
struct ContactRecord {
  ContactKey key;
  int body_a = 0;
  int body_b = 0;
  int island = -1;               ///< of the step's islands
  Vec3 point = Vec3::Zero();     ///< m, world
  Vec3 normal = Vec3::Zero();    ///< unit, from b to a
  Vec3 impulse = Vec3::Zero();   ///< N s, world, on a; along the normal negative where adhesion pulls
  Vec3 velocity = Vec3::Zero();  ///< m/s, world, of a against b at the end of the step
  double gap = 0.0;              ///< m, at the start of the step
  double mu = 0.0;               ///< at the slip of the start of the step (−)
  double residual = 0.0;         ///< this contact's share of the certificate (−)
  ContactMode mode = ContactMode::open;
  double painleve_ratio = 0.0;  ///< mu ‖W_nT‖ / W_nn, when the run diagnoses its problems
  Vec3 turning = Vec3::Zero();  ///< N m s, world, on a: of rolling and torsional friction
};

/// One joint of a step, after the solve. Forces are impulses over h.
struct JointRecord {
  Vec3 point = Vec3::Zero();    ///< m, world, at the start of the step
  Vec3 arm = Vec3::Zero();      ///< m, from the first body's centre of mass to `point`
  Vec3 impulse = Vec3::Zero();  ///< N s, world, on the first body
  Vec3 torque = Vec3::Zero();   ///< N m s, world, on the first body about `point`
  /// N s or N m s along each coordinate: of limits, motor and friction together; part of the above.
  std::array<double, most_joint_coordinates> drive{};
  std::array<double, most_joint_coordinates> coordinate{};  ///< m or rad, at the end of the step
  JointViolation violation;                                 ///< at the end of the step
  double residual = 0.0;                                    ///< this joint's share of the certificate (−)
};

/// s, wall.
struct PhaseSeconds {
  double collision = 0.0;
  double assembly = 0.0;
  double solve = 0.0;
  double integrate = 0.0;

  PhaseSeconds& operator+=(const PhaseSeconds& other);
};

struct StepReport {
  Certificate certificate;  ///< the worst island's
  bool certified = true;
  SolveStatus status = SolveStatus::converged;  ///< the worst island's
  bool hard = false;                            ///< not certified, but only because its contact problems are hard
  std::string reason;                           ///< why a step is not certified, in words; else empty
  double length = 0.0;                          ///< s, of this step
  int rejected = 0;                             ///< longer attempts of an adaptive step that were not kept
  bool over_tolerance = false;                  ///< an adaptive step with a larger error, which can't be shorter
  int passes = 0;                               ///< solves until its contacts were those of its end
  double gap_residual = 0.0;      ///< of the size (−): overlap at the end, or error of a gap that something pushes at
  int parts = 1;                  ///< number of parts it was taken in; 1: whole
  int relaxed_rows = 0;           ///< rows of overlaps that could not all be removed in one step
  double overlap_left = 0.0;      ///< m: the largest overlap that these leave
  int kept_overlaps = 0;          ///< pairs of shapes whose overlap is kept (kept_overlaps.h)
  double kept_depth = 0.0;        ///< m: the deepest of them
  int hairline_rows = 0;          ///< rows of hairline gaps that were closed because the problem was too hard
  double hairline_gap = 0.0;      ///< m: the widest of them
  int indefinite_potentials = 0;  ///< implicit ones whose negative curvature was left out
  RescueCounts rescues;           ///< what was tried where the contact problem was not solved, and what helped
  std::string warning;            ///< what is unusual about a certified step, in words; else empty
  int contacts = 0;               ///< given to the solver
  int islands = 0;                ///< with at least one contact or joint
  int iterations = 0;             ///< outer, the largest over the islands, of all solves of the step
  std::vector<std::string> methods;  ///< every method that was used for an island of the step, in any of its solves
  double penetration = 0.0;          ///< m, positive: the deepest overlap at the start of the step
  JointViolation joint_violation;    ///< the largest over the joints at the end of the step
  double work = 0.0;                 ///< J, done from outside in the step (outside_work.h)
  Momentum impulse;                  ///< on the dynamic bodies from outside in the step (outside_impulse.h)
  Momentum momentum;                 ///< of the dynamic bodies at the end of the step
  PhaseSeconds seconds;
  std::optional<Diagnosis> diagnosis;  ///< of the whole step's problem, when asked for

  /// What another attempt at the step cost: iterations, methods, rescues, seconds.
  void add_cost(const StepReport& attempt);
  /// Makes the report of a step's last part that of the whole: the worst values of both, and sums.
  void include_earlier(const StepReport& before);
  void include(const Diagnosis& other);
};

}  // namespace cardhouse
