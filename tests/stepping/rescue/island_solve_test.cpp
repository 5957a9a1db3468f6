#include "cardhouse/stepping/rescue/island_solve.h"

#include <memory>
#include <vector>

#include "cardhouse/stepping/rows/normal_rows.h"
#include "stepping/collisions.h"

namespace cardhouse {
namespace {

using namespace test;

constexpr double h = 1e-3;
constexpr double gap = 1e-12;  // m: a hairline, of a ball of 1 cm

enum class Solves { nothing, level_rows, uneven_rows, level_rows_after_uneven };

/// Gives up but where it is told to solve: rows that ask for nothing, for something, or for nothing after something.
class GivesUp final : public Solver {
 public:
  explicit GivesUp(Solves what) : what_(what) {}
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override {
    const bool level = problem.b.isZero(0.0);
    const bool solves = what_ == Solves::level_rows ? level
                        : what_ == Solves::uneven_rows
                            ? !level
                            : what_ == Solves::level_rows_after_uneven && level && seen_uneven_;
    seen_uneven_ = seen_uneven_ || !level;
    if (solves) return exact_->solve(problem, solution);
    SolveReport report;
    report.status = SolveStatus::iteration_limit;
    report.iterations = 5;
    return report;
  }

 private:
  Solves what_;
  bool seen_uneven_ = false;
  std::unique_ptr<Solver> exact_ = make_solver("auto", {});
};

/// A ball that falls by 1 cm/s onto a floor a hairline below it, as the solver of an island leaves it.
struct GivenUp {
  explicit GivenUp(Solves what, double rounding = 0.0) {
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
    contact.gap_rounding = rounding;
    contact.rows = 1;
    contacts = {contact};
    island.contacts = {0};
    s.problem.a.add(ball.mass * MatX::Identity(3, 3));
    s.problem.v_free = Vec3(0.0, 0.0, -0.01);
    s.problem.j.begin_group(1);
    s.problem.j.add(s.problem.a, 0, Vec3::UnitZ().transpose());
    s.problem.laws = {Law{.kind = Law::Kind::unilateral}};
    s.biases = {gap_bias(contact, settings)};
    s.problem.b = VecX::Constant(1, s.biases[0]);
    s.problem.compliance = VecX::Zero(1);
    s.guess = VecX::Zero(1);
    s.solvers[static_cast<std::size_t>(Effort::thorough)] = std::make_unique<GivesUp>(what);
    solve_island(settings, s);
  }

  void try_only(Rescue rescue) {
    RescuePass pass{.allowed = {}, .budget = settings.max_rescues};
    pass.allowed[static_cast<std::size_t>(rescue)] = true;
    rescue_island({settings, setup.model, contacts, island}, pass, s);
  }
  void try_unrounded() { try_only(Rescue::unrounded_gaps); }
  void try_harder() { try_only(Rescue::closed_hairlines); }

  SmallModel setup;
  std::vector<Contact> contacts;
  Island island;
  StepSettings settings;
  IslandSolve s;
};

TEST(IslandSolve, WhatIsGivenUpIsCertifiedWithItsHairlinesClosed) {
  GivenUp hard(Solves::level_rows);
  ASSERT_FALSE(hard.s.certificate.certified(hard.settings.tolerance));
  hard.try_harder();
  EXPECT_TRUE(hard.s.certificate.certified(hard.settings.tolerance));
  EXPECT_EQ(hard.s.hairlines.rows, 1);
  EXPECT_DOUBLE_EQ(hard.s.hairlines.largest, gap);
  EXPECT_GE(hard.s.solve_report.iterations, 5) << "also of the solve in vain";
}

TEST(IslandSolve, EverySolverGetsTheSameRescues) {
  for (const char* solver : {"auto", "newton", "gauss-seidel"}) {
    GivenUp hard(Solves::level_rows);
    hard.settings.solver = solver;
    hard.try_harder();
    EXPECT_TRUE(hard.s.certificate.certified(hard.settings.tolerance)) << solver;
    EXPECT_EQ(hard.s.rescues.of(Rescue::closed_hairlines).tried, 1) << solver;
    EXPECT_EQ(hard.s.rescues.of(Rescue::closed_hairlines).helped, 1) << solver;
  }
}

TEST(IslandSolve, RescuesInVainAreCounted) {
  GivenUp hard(Solves::nothing, 2.0 * gap);
  hard.try_unrounded();
  EXPECT_EQ(hard.s.rescues.of(Rescue::unrounded_gaps).tried, 1);
  EXPECT_EQ(hard.s.rescues.of(Rescue::unrounded_gaps).helped, 0);
}

TEST(IslandSolve, AttemptsInVainUseUpTheBudget) {
  GivenUp hard(Solves::nothing, 2.0 * gap);
  const RescueInput in{hard.settings, hard.setup.model, hard.contacts, hard.island};
  rescue_island(in, {.budget = 1}, hard.s);
  EXPECT_EQ(hard.s.rescues.of(Rescue::unrounded_gaps).tried, 1);
  EXPECT_EQ(hard.s.rescues.of(Rescue::closed_hairlines).tried, 0) << "nothing is left for it";
  EXPECT_EQ(hard.s.rescues.in_vain(), 1);
  GivenUp again(Solves::nothing);  // a gap that counts, so that there is a hairline to close
  rescue_island({again.settings, again.setup.model, again.contacts, again.island}, {.budget = 2}, again.s);
  EXPECT_EQ(again.s.rescues.of(Rescue::closed_hairlines).tried, 1);
}

TEST(IslandSolve, TheTableHasEveryRescueOnceAndOnlyPartsIsTheSteps) {
  std::array<int, rescue_count> seen{};
  for (const RescueRow& row : rescue_table()) {
    ++seen[static_cast<std::size_t>(row.rescue)];
    EXPECT_EQ(row.attempt == nullptr, row.rescue == Rescue::parts) << row.name;
    EXPECT_EQ(row.needed == nullptr, row.rescue == Rescue::parts) << row.name;
  }
  for (const int times : seen) EXPECT_EQ(times, 1);
}

TEST(IslandSolve, WithoutRescuesWhatIsGivenUpStays) {
  GivenUp hard(Solves::level_rows);
  hard.settings.max_rescues = 0;
  EXPECT_FALSE(is_hard(hard.settings, hard.s));
  hard.try_harder();
  EXPECT_FALSE(hard.s.certificate.certified(hard.settings.tolerance));
  EXPECT_EQ(hard.s.rescues.of(Rescue::closed_hairlines).tried, 0);
}

TEST(IslandSolve, WhatStaysHardKeepsItsProblemAndItsAnswer) {
  GivenUp hard(Solves::nothing);
  const double residual = hard.s.certificate.residual;
  hard.try_harder();
  EXPECT_EQ(hard.s.hairlines.rows, 0);
  EXPECT_EQ(hard.s.problem.b[0], gap / h);
  EXPECT_EQ(hard.s.guess[0], 0.0);
  EXPECT_EQ(hard.s.certificate.residual, residual);
  EXPECT_EQ(hard.s.solve_report.status, SolveStatus::iteration_limit);
}

TEST(IslandSolve, WhatIsGivenUpIsTriedWithUnroundedGaps) {
  GivenUp hard(Solves::uneven_rows, 2.0 * gap);
  ASSERT_FALSE(hard.s.certificate.certified(hard.settings.tolerance));
  hard.try_unrounded();
  EXPECT_TRUE(hard.s.certificate.certified(hard.settings.tolerance));
  EXPECT_DOUBLE_EQ(hard.s.problem.b[0], gap / h) << "the certificate is for the gap as it is";
  EXPECT_EQ(hard.s.hairlines.rows, 0);
}

TEST(IslandSolve, AndFromThereWithRoundedOnes) {
  GivenUp hard(Solves::level_rows_after_uneven, 2.0 * gap);
  hard.try_unrounded();
  EXPECT_TRUE(hard.s.certificate.certified(hard.settings.tolerance));
  EXPECT_EQ(hard.s.problem.b[0], 0.0);
  EXPECT_EQ(hard.s.biases[0], 0.0);
  EXPECT_GE(hard.s.solve_report.iterations, 10) << "also of the two solves in vain";
}

TEST(IslandSolve, InVainItStaysAsItWas) {
  GivenUp hard(Solves::nothing, 2.0 * gap);
  const double residual = hard.s.certificate.residual;
  hard.try_unrounded();
  EXPECT_EQ(hard.s.problem.b[0], 0.0);
  EXPECT_EQ(hard.s.biases[0], 0.0);
  EXPECT_EQ(hard.s.certificate.residual, residual);
  EXPECT_EQ(hard.s.solve_report.iterations, 15);
}

TEST(IslandSolve, ARowThatAsksForAReboundIsNotTriedWithUnroundedGaps) {
  GivenUp hard(Solves::nothing, 2.0 * gap);
  hard.s.biases[0] = hard.s.problem.b[0] = -0.25;
  hard.try_unrounded();
  EXPECT_EQ(hard.s.solve_report.iterations, 5) << "of the first solve alone";
}

TEST(IslandSolve, WhatAnotherLawLeavesIsNotHard) {
  GivenUp hard(Solves::level_rows);
  hard.s.solve_report.other_law = true;
  hard.try_harder();
  EXPECT_EQ(hard.s.hairlines.rows, 0);
  EXPECT_FALSE(hard.s.certificate.certified(hard.settings.tolerance));
}

}  // namespace
}  // namespace cardhouse
