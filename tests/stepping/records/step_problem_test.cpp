#include "cardhouse/stepping/records/step_problem.h"

#include <gtest/gtest.h>

#include "cardhouse/contact/residual.h"
#include "contact/small_problems.h"

namespace cardhouse {
namespace {

/// Two islands whose bodies and contacts lie between each other.
struct Interleaved {
  testing::SolvedProblem cards = testing::leaning_cards(0.3, 0.8);  // 2 bodies, 3 contacts of 2 rows
  testing::SolvedProblem box = testing::box_stack(1);               // 1 body, 4 contacts of 3 rows
  Island first{{2, 7}, {0, 3, 5}, {}};
  Island second{{4}, {1, 2, 4, 6}, {}};
  StepProblem whole;

  Interleaved() {
    const IslandProblem parts[] = {{first, cards.problem, cards.r}, {second, box.problem, box.r}};
    whole = join_islands(parts);
  }
};

TEST(StepProblem, HasBodiesAndContactsInTheirOrder) {
  const Interleaved setup;
  const ContactProblem& problem = setup.whole.problem;
  ASSERT_EQ(problem.a.blocks(), 3);
  EXPECT_EQ(problem.a.size(0), 3);
  EXPECT_EQ(problem.a.size(1), 6);
  EXPECT_EQ(problem.a.size(2), 3);
  std::vector<int> dims;
  for (int g = 0; g < problem.groups(); ++g) dims.push_back(problem.j.group(g).dim);
  EXPECT_EQ(dims, (std::vector<int>{2, 3, 3, 2, 3, 2, 3}));
  // The cards' last contact, the fifth of the step, is between the first and the last body.
  ASSERT_EQ(problem.j.entries(5).size(), 2u);
  EXPECT_EQ(problem.j.entries(5)[0].block, 0);
  EXPECT_EQ(problem.j.entries(5)[1].block, 2);
  EXPECT_EQ(problem.laws[0].mu, 0.8);
  EXPECT_EQ(problem.laws[1].mu, 0.5);
}

TEST(StepProblem, GivesTheVelocitiesOfItsParts) {
  const Interleaved setup;
  VecX v;
  VecX whole;
  VecX cards;
  VecX box;
  contact_velocity(setup.whole.problem, setup.whole.guess, v, whole);
  contact_velocity(setup.cards.problem, setup.cards.r, v, cards);
  contact_velocity(setup.box.problem, setup.box.r, v, box);
  const auto expect_part = [&](const Island& island, const ContactProblem& problem, const VecX& u) {
    for (std::size_t k = 0; k < island.contacts.size(); ++k) {
      const BlockRows::Group& part = problem.j.group(static_cast<int>(k));
      const BlockRows::Group& rows = setup.whole.problem.j.group(island.contacts[k]);
      EXPECT_EQ(whole.segment(rows.row, rows.dim), u.segment(part.row, part.dim)) << "contact " << island.contacts[k];
    }
  };
  expect_part(setup.first, setup.cards.problem, cards);
  expect_part(setup.second, setup.box.problem, box);
}

TEST(StepProblem, IsAsExactAsItsWorstPart) {
  Interleaved setup;
  setup.whole.guess[0] *= 1.5;  // the cards' first contact
  setup.cards.r[0] *= 1.5;
  const Certificate part = certify(setup.cards.problem, setup.cards.r);
  const Certificate whole = certify(setup.whole.problem, setup.whole.guess);
  EXPECT_GT(part.residual, 1e-3);
  EXPECT_EQ(whole.residual, part.residual);
  EXPECT_EQ(whole.worst_group, setup.first.contacts[part.worst_group]);
}

TEST(StepProblem, OfNoIslandsIsEmpty) {
  const StepProblem none = join_islands({});
  EXPECT_EQ(none.problem.rows(), 0);
  EXPECT_EQ(none.guess.size(), 0);
}

}  // namespace
}  // namespace cardhouse
