#include "cardhouse/stepping/rescue/hairline_gaps.h"

#include "stepping/collisions.h"

namespace cardhouse {
namespace {

using namespace test;

/// A ball of 1 cm with contacts to the floor whose rows have the bias gap/h.
struct BiasedRows {
  explicit BiasedRows(BodyKind kind, std::vector<double> gaps) {
    setup.add_floor();
    Body ball;
    ball.name = "ball";
    ball.kind = kind;
    ball.shapes.push_back({Sphere{0.01}, Pose{}, 0});
    BodyState s;
    set_density(ball, s, 1000.0);
    setup.add(ball, s);
    for (std::size_t k = 0; k < gaps.size(); ++k) {
      Contact contact;
      contact.body_a = 1;
      contact.body_b = 0;
      contact.gap = gaps[k];
      contact.rows = 3;
      contacts.push_back(contact);
      island.contacts.push_back(static_cast<int>(k));
      biases.push_back(gaps[k] / h);
      problem.j.begin_group(3);
    }
    problem.b = VecX::Constant(problem.j.rows(), 7.0);  // something else that stands there
    for (std::size_t k = 0; k < gaps.size(); ++k) problem.b[problem.j.group(static_cast<int>(k)).row] += biases[k];
  }

  double left(int k) const { return problem.b[problem.j.group(k).row] - 7.0; }

  static constexpr double h = 1e-3;
  SmallModel setup;
  std::vector<Contact> contacts;
  Island island;
  std::vector<double> biases;
  ContactProblem problem;
};

TEST(HairlineGaps, FinerThanThePartOfTheBodyAskForNothing) {
  BiasedRows rows(BodyKind::spatial, {1e-11, -2e-11, 1e-9, 0.0});
  const double gyration = 0.01 * std::sqrt(0.6);  // √(trace I/2m), I = 2/5 m r² about each axis
  const double width = 1.01 * 2e-11 / gyration;
  const HairlineGaps closed =
      close_hairlines(rows.setup.model, rows.contacts, rows.island, width, BiasedRows::h, rows.biases, rows.problem);
  EXPECT_EQ(closed.rows, 2);
  EXPECT_DOUBLE_EQ(closed.largest, 2e-11);
  EXPECT_NEAR(rows.left(0), 0.0, 1e-14);  // round-off of 7
  EXPECT_NEAR(rows.left(1), 0.0, 1e-14);
  EXPECT_NEAR(rows.left(2), 1e-6, 1e-14);
  EXPECT_EQ(rows.biases[0], 0.0);
  EXPECT_EQ(rows.biases[2], 1e-6);
  const HairlineGaps narrower = close_hairlines(rows.setup.model, rows.contacts, rows.island, 0.5 * width,
                                                BiasedRows::h, rows.biases, rows.problem);
  EXPECT_EQ(narrower.rows, 0);
}

TEST(HairlineGaps, OfParticlesStay) {
  BiasedRows rows(BodyKind::particle, {1e-15});
  EXPECT_EQ(
      close_hairlines(rows.setup.model, rows.contacts, rows.island, 1e-3, BiasedRows::h, rows.biases, rows.problem)
          .rows,
      0);
}

TEST(HairlineGaps, AreLeftAloneInStepsThatAreSolvedAsTheyAre) {
  SmallModel setup = ball_over_floor(1e-12, 0.0);
  Stepper stepper(setup.model, {});
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_TRUE(report.certified);
  EXPECT_EQ(report.hairline_rows, 0);
  EXPECT_TRUE(report.warning.empty());
}

}  // namespace
}  // namespace cardhouse
