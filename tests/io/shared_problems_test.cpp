// Problems of the Siconos project, where they are at hand: ../shared/problems beside the checkout.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include "cardhouse/contact/natural_map.h"
#include "cardhouse/io/problem_file.h"
#include "io/problem_files.h"
#include "source_folder.h"

namespace cardhouse::testing {
namespace {

std::filesystem::path shared_problems() {
  return test::source_folder() / ".." / "shared" / "problems";
}

struct SharedProblem {
  std::string file;
  int contacts;
  int dimension;
  int dofs;          ///< of a global problem; 0 for a local one
  double asymmetry;  ///< ‖W − Wᵀ‖ / ‖W‖, by NumPy
  double norm;       ///< ‖W‖, by NumPy
  double q;          ///< ‖q‖, by NumPy; of a global problem the reduced one
  double siconos;    ///< the natural-map error of some_impulses(), by Siconos 4.4.0; 0 where it was not asked
};

void PrintTo(const SharedProblem& problem, std::ostream* out) {
  *out << problem.file;
}

const std::vector<SharedProblem>& problems() {
  static const std::vector<SharedProblem> list = {
      {"Box_Stacks-i0122-82-5.hdf5", 82, 3, 450, 0.0, 7.651041529e+01, 1.124758e-02, 0.0},
      {"BoxesStack1-i100000-32.hdf5.dat", 52, 3, 0, 0.0, 1.230291598e+04, 6.398082e+01, 2.166816271224128e-01},
      {"Capsules-i100-889.dat", 276, 3, 0, 2.0e-04, 1.199122376e+02, 6.212612e+00, 2.769457316674698e-01},
      {"Capsules-i101-404.dat", 225, 3, 0, 1.5e-04, 1.073510713e+02, 1.130856e+01, 2.583826028383776e-01},
      {"Capsules-i125-1213.hdf5", 286, 3, 0, 3.4e-04, 1.198177427e+02, 7.083790e+00, 0.0},
      {"Confeti-ex03-Fc3D-SBM.dat", 54, 3, 0, 0.0, 2.675455941e-03, 5.241275e+01, 5.714189787961479e-01},
      {"FC2D_SliderCrankLagrangian00000.dat", 2, 2, 0, 3.6e-07, 2.316946988e+03, 1.200617e+01, 6.168468484030435e-01},
      {"FrictionContactProblem00071.dat", 89, 2, 0, 0.0, 1.499437040e+01, 3.663194e+01, 4.276186928491377e-01},
      {"FrictionContactProblem00237.dat", 376, 2, 0, 0.0, 3.286420710e+01, 6.936286e+01, 3.044049002558058e-01},
      {"GFC3D_OneContact.dat", 1, 3, 39, 0.0, 1.182129513e+00, 5.487010e-02, 0.0},
      {"GFC3D_TwoRods1.dat", 3, 3, 54, 0.0, 3.321945205e+00, 1.971932e+00, 0.0},
      {"LMGC_100_PR_PerioBox-i00361-60-03000.hdf5", 60, 3, 0, 0.0, 3.139447855e-04, 8.445337e-01, 0.0},
      {"LMGC_GlobalFrictionContactProblem00046.hdf5", 9, 3, 162, 0.0, 3.070934411e-01, 1.388682e-01, 0.0},
      {"NESpheres_10_1.dat", 9, 3, 0, 0.0, 4.069357181e+00, 3.601793e+00, 2.823068409752341e-01},
      {"OneObject-i100000-316.hdf5.dat", 25, 3, 0, 4.3e-05, 2.754872522e+02, 1.830788e+00, 1.210204272326850e-01},
      {"OneObject-i100000-499.hdf5.dat", 24, 3, 0, 7.7e-05, 3.051789151e+02, 1.306746e+00, 4.361885779679219e-02},
      {"Rover9770.dat", 5, 3, 0, 1.6e-05, 2.398187710e-01, 2.352750e+00, 3.407201875548118e-01},
      {"Spheres-i099-356-679.hdf5", 356, 3, 12000, 0.0, 1.731216992e+02, 2.478331e+01, 0.0},
      {"fc2d_granularflowonwall_02020_00213.dat", 2020, 2, 0, 0.0, 1.423915107e+05, 1.115434e+00,
       1.787016758187850e-01},
      {"gfc2d_granularflowonwall_00069_00350.dat", 69, 2, 900, 0.0, 2.817921390e+04, 2.257394e+00, 0.0},
  };
  return list;
}

/// Impulses that solve nothing.
VecX some_impulses(int rows) {
  VecX r(rows);
  for (int i = 0; i < rows; ++i) r[i] = 0.3 * std::sin(1.7 * i + 0.3) + 0.1;
  return r;
}

class SharedProblems : public ::testing::TestWithParam<SharedProblem> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(file())) GTEST_SKIP() << file() << " is not there";
  }
  static std::filesystem::path file() { return shared_problems() / GetParam().file; }
};

TEST_P(SharedProblems, ReadsAsNumPyAndSiconosReadIt) {
  const SharedProblem& expected = GetParam();
  const ContactProblem problem = read_problem(file());
  ASSERT_EQ(problem.groups(), expected.contacts);
  for (int g = 0; g < problem.groups(); ++g) {
    EXPECT_EQ(problem.j.group(g).dim, expected.dimension);
    EXPECT_EQ(problem.laws[g].kind, Law::Kind::coulomb);
  }
  EXPECT_EQ(problem.delassus.has_value(), expected.dofs == 0);
  EXPECT_EQ(problem.a.rows(), expected.dofs);
  const VecX q = free_velocity_of(problem);
  ASSERT_EQ(q.size(), expected.contacts * expected.dimension);
  EXPECT_NEAR(q.norm(), expected.q, 1e-6 * expected.q);

  double norm = 0.0;
  double asymmetry = 0.0;
  if (problem.delassus) {
    const SparseRows& w = problem.delassus->w;
    const SparseRows transposed = w.transpose();
    ASSERT_TRUE(w.rows() == q.size() && w.cols() == q.size());
    norm = w.norm();
    asymmetry = SparseRows(w - transposed).norm() / norm;
  } else {
    const MatX w = delassus_of(problem);
    norm = w.norm();
    asymmetry = (w - w.transpose()).norm() / norm;
  }
  EXPECT_NEAR(norm, expected.norm, 1e-8 * expected.norm);
  constexpr double round_off = 1e-11;  // of M⁻¹; local files have less
  EXPECT_NEAR(asymmetry, expected.asymmetry, 0.1 * expected.asymmetry + round_off);
  if (expected.siconos > 0.0) {
    const NaturalMap map = natural_map_error(problem, some_impulses(problem.rows()));
    EXPECT_NEAR(map.scaled, expected.siconos, 1e-12 * expected.siconos);
  }
}

TEST_P(SharedProblems, HasABlockOfItsOwnForEveryContact) {
  const ContactProblem problem = read_problem(file());
  for (int g = 0; g < problem.groups(); ++g) {
    const Mat3 block = delassus_block(problem, g);
    const int dim = problem.j.group(g).dim;
    for (int i = 0; i < dim; ++i) EXPECT_GT(block(i, i), 0.0) << "contact " << g;
  }
}

TEST_P(SharedProblems, SurvivesARoundTrip) {
  const TemporaryFolder folder;
  const ContactProblem problem = read_problem(file());
  write_problem(folder / "copy.hdf5", problem);
  const ContactProblem copy = read_problem(folder / "copy.hdf5");
  Random random(1);
  const VecX r = random.vector(problem.rows());
  VecX v;
  VecX u;
  VecX v_copy;
  VecX u_copy;
  contact_velocity(problem, r, v, u);
  contact_velocity(copy, r, v_copy, u_copy);
  EXPECT_TRUE(same_bits(v, v_copy) && same_bits(u, u_copy));
  EXPECT_TRUE(same_bits(natural_map_error(problem, r).scaled, natural_map_error(copy, r).scaled));
}

INSTANTIATE_TEST_SUITE_P(Files, SharedProblems, ::testing::ValuesIn(problems()), [](const auto& problem) {
  std::string name;
  for (const char c : problem.param.file) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

TEST(SharedProblemFolder, HasNoFileThatIsNotTested) {
  if (!std::filesystem::is_directory(shared_problems())) GTEST_SKIP() << shared_problems() << " is not there";
  std::set<std::string> known = {"README.md", "FORMAT.md"};
  for (const SharedProblem& problem : problems()) known.insert(problem.file);
  for (const auto& entry : std::filesystem::directory_iterator(shared_problems())) {
    EXPECT_EQ(known.count(entry.path().filename().string()), 1U) << entry.path();
  }
}

}  // namespace
}  // namespace cardhouse::testing
