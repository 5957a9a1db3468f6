#include "cardhouse/stepping/island_solve.h"

#include <memory>
#include <vector>

#include "stepping/collisions.h"

namespace cardhouse {
namespace {

using namespace test;

constexpr double h = 1e-3;
constexpr double gap = 1e-12;  // m: a hairline, of a ball of 1 cm

/// Gives up, unless all rows ask for nothing and it is told to solve those.
class GivesUp final : public Solver {
 public:
  explicit GivesUp(bool solves_level_rows) : solves_level_rows_(solves_level_rows) {}
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override {
    if (solves_level_rows_ && problem.b.isZero(0.0)) return exact_->solve(problem, solution);
    SolveReport report;
    report.status = SolveStatus::iteration_limit;
    report.iterations = 5;
    return report;
  }

 private:
  bool solves_level_rows_;
  std::unique_ptr<Solver> exact_ = make_solver("auto", {});
};

/// A ball that falls by 1 cm/s onto a floor a hairline below it, as the solver of an island leaves it.
struct GivenUp {
  explicit GivenUp(bool solves_level_rows) {
    setup.add_floor();
    Body ball;
    ball.name = "ball";
    ball.shapes.push_back({Sphere{0.01}, Pose{}, 0});
    BodyState state;
    set_density(ball, state, 1000.0);
    setup.add(ball, state);
    Contact contact;
    contact.body_a = 1;
    contact.body_b = 0;
    contact.gap = gap;
    contact.rows = 1;
    contacts = {contact};
    island.contacts = {0};
    s.problem.a.add(ball.mass * MatX::Identity(3, 3));
    s.problem.v_free = Vec3(0.0, 0.0, -0.01);
    s.problem.j.begin_group(1);
    s.problem.j.add(s.problem.a, 0, Vec3::UnitZ().transpose());
    s.problem.laws = {Law{.kind = Law::Kind::unilateral}};
    s.problem.b = VecX::Constant(1, gap / h);
    s.problem.compliance = VecX::Zero(1);
    s.shifts = {gap / h};
    s.guess = VecX::Zero(1);
    s.solver = std::make_unique<GivesUp>(solves_level_rows);
    solve_island(settings, s);
  }

  void try_harder() { try_with_hairlines_closed(settings, setup.model, contacts, island, s); }

  SmallModel setup;
  std::vector<Contact> contacts;
  Island island;
  StepSettings settings;
  IslandSolve s;
};

TEST(IslandSolve, WhatIsGivenUpIsCertifiedWithItsHairlinesClosed) {
  GivenUp hard(true);
  ASSERT_FALSE(hard.s.certificate.certified(hard.settings.tolerance));
  hard.try_harder();
  EXPECT_TRUE(hard.s.certificate.certified(hard.settings.tolerance));
  EXPECT_EQ(hard.s.hairlines.rows, 1);
  EXPECT_DOUBLE_EQ(hard.s.hairlines.largest, gap);
  EXPECT_GE(hard.s.solve_report.iterations, 5) << "also of the solve in vain";
}

TEST(IslandSolve, WhatStaysHardKeepsItsProblemAndItsAnswer) {
  GivenUp hard(false);
  const double residual = hard.s.certificate.residual;
  hard.try_harder();
  EXPECT_EQ(hard.s.hairlines.rows, 0);
  EXPECT_EQ(hard.s.problem.b[0], gap / h);
  EXPECT_EQ(hard.s.guess[0], 0.0);
  EXPECT_EQ(hard.s.certificate.residual, residual);
  EXPECT_EQ(hard.s.solve_report.status, SolveStatus::iteration_limit);
}

TEST(IslandSolve, AnotherSolverThanAutoIsLeftWithWhatItCanDo) {
  GivenUp hard(true);
  hard.settings.solver = "newton";
  hard.try_harder();
  EXPECT_EQ(hard.s.hairlines.rows, 0);
  EXPECT_FALSE(hard.s.certificate.certified(hard.settings.tolerance));
}

}  // namespace
}  // namespace cardhouse
