// One shelf of named contact problems for all solvers: analytic cases, known troublemakers, snapshots of our own
// scenes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cardhouse/scenes/library.h"
#include "cardhouse/world/world.h"
#include "contact/analytic_problems.h"
#include "contact/pyramid.h"

namespace cardhouse::testing {

struct ShelfProblem {
  std::string name;
  ContactProblem problem;
};

/// The contact problem of a scene's step, counted from 1.
inline ContactProblem snapshot(const std::string& scene, const std::map<std::string, std::string>& parameters, int step,
                               double h = 1e-3, double mu_rolling = 0.0, double mu_torsional = 0.0) {
  Scene made = make_scene(scene, parameters);
  made.model.materials[0].mu_rolling = mu_rolling;
  made.model.materials[0].mu_torsional = mu_torsional;
  made.settings.step = h;
  made.settings.scheme = Scheme::stewart_trinkle;  // the shelf does not change with the default step
  World world(made);
  for (int i = 0; i < step; ++i) world.step();
  return world.last_problem().problem;
}

/// W and q in the place of the bodies, W's entries off by up to this part in ways that are not symmetric.
inline ContactProblem with_unsymmetric_w(const ContactProblem& problem, double part) {
  ContactProblem result = with_explicit_delassus(problem);
  Random random(23);
  SparseRows& w = result.delassus->w;
  for (int k = 0; k < w.nonZeros(); ++k) w.valuePtr()[k] *= 1.0 + part * random.uniform(-1.0, 1.0);
  return result;
}

inline ContactProblem with_mu(ContactProblem problem, double mu) {
  for (Law& law : problem.laws) law.mu = law.mu_cross = mu;
  return problem;
}

inline std::vector<ShelfProblem> problem_shelf() {
  std::vector<ShelfProblem> shelf;
  for (const NamedProblem& analytic : analytic_problems()) {
    shelf.push_back({analytic.name, analytic.solved.problem});
    shelf.push_back({analytic.name + "GivenW", with_explicit_delassus(analytic.solved.problem)});
  }
  shelf.push_back({"NoContacts", ContactProblem()});
  shelf.push_back({"HexagonalPyramid", hexagonal_pyramid(0.4)});
  shelf.push_back({"PainleveRod", snapshot("painleve_rod", {}, 5)});
  shelf.push_back({"PainleveRodAtMu5", snapshot("painleve_rod", {{"mu", "5"}}, 5)});
  const ContactProblem house = snapshot("card_house", {{"levels", "2"}}, 1);
  shelf.push_back({"CardHouse", house});
  shelf.push_back({"CardHouseGivenW", with_explicit_delassus(house)});
  shelf.push_back({"CardHouseWithoutFriction", with_mu(house, 0.0)});
  shelf.push_back({"CardHouseAtMu5", with_mu(house, 5.0)});
  shelf.push_back({"FallingCardHouse", snapshot("card_house", {{"levels", "2"}, {"mu", "0.2"}}, 40)});
  shelf.push_back({"Arch", snapshot("arch", {{"voussoirs", "11"}}, 1)});
  const ContactProblem pile = snapshot("box_pile", {{"count", "8"}}, 60, 5e-3);
  shelf.push_back({"BoxPile", pile});
  shelf.push_back({"BoxPileWithUnsymmetricW", with_unsymmetric_w(pile, 1e-5)});
  shelf.push_back({"SpherePile", snapshot("sphere_pile", {{"count", "20"}}, 60, 5e-3)});
  shelf.push_back({"RollingSpherePile", snapshot("sphere_pile", {{"count", "20"}}, 60, 5e-3, 2e-3, 1e-3)});
  shelf.push_back({"Cannonball", snapshot("cannonball", {{"base", "5"}, {"mu", "0.3"}}, 20, 5e-3)});
  return shelf;
}

}  // namespace cardhouse::testing
