// What is written reads back bit for bit, in both forms of the problem.
#include <gtest/gtest.h>

#include <limits>

#include "cardhouse/base/error.h"
#include "cardhouse/io/problem_file.h"
#include "io/problem_files.h"
#include "io/same_problem.h"

namespace cardhouse::testing {
namespace {

struct RoundTrip : public ::testing::Test {
  TemporaryFolder folder;

  /// With numbers that no text would keep, signed zeros, NaN and a contact between two points of one body.
  static ContactProblem hard_problem() {
    Random random(11);
    ContactProblem problem = random_problem(random, 7, 24);
    problem.v_free[0] = -0.0;
    problem.v_free[1] = 5e-324;
    problem.v_free[2] = std::numeric_limits<double>::quiet_NaN();
    problem.b[3] = -std::numeric_limits<double>::infinity();
    problem.laws[0].mu = -0.0;
    problem.laws[6].lower = -1e300;
    problem.j.begin_group(3);
    problem.j.add(problem.a, 1, random.matrix(3, problem.a.size(1)));
    problem.j.add(problem.a, 1, random.matrix(3, problem.a.size(1)));
    problem.j.begin_group(2);  // nothing that moves
    problem.laws.push_back(coulomb(0.5));
    problem.laws.push_back(coulomb(0.25));
    problem.b.conservativeResize(problem.rows());
    problem.b.tail(5).setConstant(0.1);
    problem.compliance.conservativeResize(problem.rows());
    problem.compliance.tail(5).setZero();
    return problem;
  }

  void check(const ContactProblem& problem, const VecX* guess = nullptr) {
    write_problem(folder / "first.hdf5", problem, guess);
    const ContactProblem read = read_problem(folder / "first.hdf5");
    expect_same(problem, read);
    const std::optional<VecX> read_guess = read_problem_guess(folder / "first.hdf5");
    ASSERT_EQ(read_guess.has_value(), guess != nullptr && guess->size() > 0);
    if (read_guess) {
      EXPECT_TRUE(same_bits(*guess, *read_guess));
    }
    write_problem(folder / "second.hdf5", read, read_guess ? &*read_guess : nullptr);
    // Not byte for byte: HDF5 leaves what it finds in memory between its own tables.
    expect_same(problem, read_problem(folder / "second.hdf5"));
    EXPECT_EQ(std::filesystem::file_size(folder / "first.hdf5"), std::filesystem::file_size(folder / "second.hdf5"));
    EXPECT_FALSE(std::filesystem::exists(folder / "first.hdf5.partial"));
  }
};

TEST_F(RoundTrip, OfRollingAndTorsionalFriction) {
  Random random(12);
  const ContactProblem problem = random_problem_with_rolling(random, 5, 12);
  check(problem);
  check(with_explicit_delassus(problem));
}

TEST_F(RoundTrip, RefusesALeaderThatIsNoContact) {
  Random random(12);
  ContactProblem problem = random_problem_with_rolling(random, 5, 12);
  problem.laws.back().leader = 3;  // a joint
  write_problem(folder / "bad.hdf5", problem, nullptr);
  EXPECT_THROW(read_problem(folder / "bad.hdf5"), InputError);
}

TEST_F(RoundTrip, OfBodiesWithEveryLaw) {
  const ContactProblem problem = hard_problem();
  check(problem);
  Random random(3);
  const VecX guess = random.vector(problem.rows());
  check(problem, &guess);
}

TEST_F(RoundTrip, OfContactsAlone) {
  const SolvedProblem spatial = box_stack(4);
  check(spatial.problem, &spatial.r);
  const SolvedProblem planar = leaning_cards(0.3, 0.5);
  check(planar.problem, &planar.r);
}

TEST_F(RoundTrip, OfAGivenW) {
  const SolvedProblem stack = box_stack(3);
  ContactProblem problem = with_explicit_delassus(stack.problem);
  problem.delassus->w.coeffRef(0, 1) = 1e-5;   // not symmetric
  problem.delassus->w.coeffRef(1, 30) = -0.0;  // a zero that is kept
  problem.delassus->w.makeCompressed();
  check(problem, &stack.r);
  Random random(4);
  check(with_explicit_delassus(random_problem(random, 5, 18)));  // with joints, bounds and polygons
}

TEST_F(RoundTrip, OfNothing) {
  check(ContactProblem());
  ContactProblem local;
  local.delassus.emplace();
  local.delassus->w.resize(0, 0);
  check(local);
}

TEST_F(RoundTrip, OfProblemsFromOtherFiles) {
  write_fclib(folder / "global.hdf5", global_data(3, 5, 3, 6), ArrayStorage::csc);
  check(read_problem(folder / "global.hdf5"));
  write_fclib(folder / "local.hdf5", local_data(2, 5), ArrayStorage::triplet);
  check(read_problem(folder / "local.hdf5"));
}

/// What a reader sees that knows FCLIB only.
ContactProblem as_others_read(const std::filesystem::path& folder, const std::filesystem::path& file) {
  const ArrayReader reader(file);
  const std::string root = reader.has("/fclib_global") ? "/fclib_global" : "/fclib_local";
  const std::filesystem::path copy = folder / "fclib_only.hdf5";
  ArrayWriter writer(copy);
  const auto copy_matrix = [&](const std::string& path) {
    if (!reader.has(path)) return;
    writer.make_group(path);
    for (const char* name : {"/m", "/n", "/nz", "/nzmax", "/p", "/i"})
      writer.write(path + name, reader.integers(path + name));
    writer.write(path + "/x", reader.reals(path + "/x"));
  };
  writer.make_group(root);
  writer.write(root + "/spacedim", reader.integer(root + "/spacedim"));
  for (const char* name : {"/M", "/H", "/G", "/W", "/V", "/R"}) copy_matrix(root + name);
  writer.make_group(root + "/vectors");
  for (const char* name : {"/f", "/w", "/b", "/mu", "/q", "/s"}) {
    const std::string path = root + "/vectors" + name;
    if (reader.has(path)) writer.write(path, reader.reals(path));
  }
  writer.close();
  return read_problem(copy);
}

TEST_F(RoundTrip, OthersSeeTheContacts) {
  const SolvedProblem stack = box_stack(4);
  for (const ContactProblem& problem : {stack.problem, with_explicit_delassus(stack.problem)}) {
    write_problem(folder / "problem.hdf5", problem, &stack.r);
    const ContactProblem seen = as_others_read(folder / "", folder / "problem.hdf5");
    ASSERT_EQ(seen.groups(), problem.groups());
    EXPECT_EQ(seen.laws[0].mu, problem.laws[0].mu);
    EXPECT_LE((delassus_of(seen) - delassus_of(problem)).norm(), 1e-12);
    EXPECT_LE((free_velocity_of(seen) - free_velocity_of(problem)).norm(), 1e-14);
    const ArrayReader reader(folder / "problem.hdf5");
    EXPECT_EQ(reader.integer("/guesses/number_of_guesses"), 1);
    EXPECT_TRUE(same_bits(reader.reals("/guesses/1/r"), stack.r));
  }
}

TEST_F(RoundTrip, OthersSeeJointsAsBilateralRows) {
  ProblemBuilder builder;
  builder.rigid(1.0, 0.1, Vec3(0.1, 0.2, -1.0));
  builder.rigid(2.0, 0.3, Vec3(0.0, -0.1, -1.0));
  Random random(8);
  builder.rows(of_kind(Law::Kind::equality), {{0, random.matrix(2, 6)}, {1, random.matrix(2, 6)}}, Vec2(0.1, 0.2));
  builder.rows(coulomb(0.5), {{0, random.matrix(3, 6)}}, Vec3(0.0, 0.1, 0.2));
  for (const ContactProblem& problem : {builder.problem, with_explicit_delassus(builder.problem)}) {
    write_problem(folder / "joint.hdf5", problem);
    const ContactProblem seen = as_others_read(folder / "", folder / "joint.hdf5");
    ASSERT_EQ(seen.groups(), 3);  // the contact, then each row of the joint
    EXPECT_EQ(seen.laws[0].kind, Law::Kind::coulomb);
    EXPECT_EQ(seen.laws[2].kind, Law::Kind::equality);
    const MatX w = delassus_of(problem);
    MatX reordered(5, 5);
    const int from[] = {2, 3, 4, 0, 1};
    for (int i = 0; i < 5; ++i) {
      for (int k = 0; k < 5; ++k) reordered(i, k) = w(from[i], from[k]);
    }
    EXPECT_LE((delassus_of(seen) - reordered).norm(), 1e-12 * w.norm());
  }
}

TEST_F(RoundTrip, ADamagedGroupOfOurOwnIsRefused) {
  const SolvedProblem stack = box_stack(2);
  const auto complaint = [&](const std::string& path, const std::vector<int>& values) {
    // All of the file but for one array of whole numbers.
    write_problem(folder / "good.hdf5", stack.problem);
    const ArrayReader reader(folder / "good.hdf5");
    {
      ArrayWriter writer(folder / "bad.hdf5");
      writer.make_group("/cardhouse");
      for (const char* group : {"/cardhouse/laws", "/cardhouse/a", "/cardhouse/j"}) writer.make_group(group);
      for (const char* name :
           {"version", "laws/kind", "laws/friction", "laws/sides", "a/size", "j/dim", "j/entries", "j/block"}) {
        const std::string full = std::string("/cardhouse/") + name;
        writer.write(full, full == path ? values : reader.integers(full));
      }
      for (const char* name : {"laws/mu", "laws/mu_cross", "laws/lower", "laws/upper", "a/value", "a/inverse",
                               "j/value", "v_free", "b", "compliance"}) {
        writer.write(std::string("/cardhouse/") + name, reader.reals(std::string("/cardhouse/") + name));
      }
      writer.close();
    }
    try {
      read_problem(folder / "bad.hdf5");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint("", {}), "");
  EXPECT_NE(complaint("/cardhouse/version", {4}).find("version is 4"), std::string::npos);
  EXPECT_NE(complaint("/cardhouse/laws/kind", std::vector<int>(8, 9)).find("kind 9"), std::string::npos);
  EXPECT_NE(complaint("/cardhouse/laws/sides", {8}).find("instead of 8"), std::string::npos);
  EXPECT_NE(complaint("/cardhouse/a/size", {6, 5}).find("instead of"), std::string::npos);
  EXPECT_NE(complaint("/cardhouse/a/size", {6, -6}).find("size -6"), std::string::npos);
  EXPECT_NE(complaint("/cardhouse/j/dim", std::vector<int>(8, 4)).find("4 rows"), std::string::npos);
  EXPECT_NE(complaint("/cardhouse/j/block", std::vector<int>(12, 2)).find("block 2"), std::string::npos);
  EXPECT_NE(complaint("/cardhouse/j/block", std::vector<int>(11, 0)).find("too short"), std::string::npos);
  EXPECT_NE(complaint("/cardhouse/j/entries", std::vector<int>(8, 1)).find("more entries"), std::string::npos);
}

TEST_F(RoundTrip, AWrongPlaceIsRefusedAndAnOldFileReplaced) {
  const ContactProblem problem = box_stack(1).problem;
  EXPECT_THROW(write_problem(folder / "nowhere/problem.hdf5", problem), InputError);
  EXPECT_THROW(write_problem(folder / "", problem), InputError);
  write_text_file(folder / "old.hdf5", "something else");
  write_problem(folder / "old.hdf5", problem);
  expect_same(read_problem(folder / "old.hdf5"), problem);
}

}  // namespace
}  // namespace cardhouse::testing
