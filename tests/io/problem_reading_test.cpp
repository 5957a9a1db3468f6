// Reading contact problems of other projects: every storage of both formats, and files with something wrong.
#include <gtest/gtest.h>

#include <cmath>

#include "cardhouse/base/error.h"
#include "cardhouse/io/problem_file.h"
#include "io/problem_files.h"

namespace cardhouse::testing {
namespace {

constexpr TextStorage kTextStorages[] = {TextStorage::dense, TextStorage::blocks, TextStorage::triplet,
                                         TextStorage::csc, TextStorage::csr};
constexpr ArrayStorage kArrayStorages[] = {ArrayStorage::triplet, ArrayStorage::csc, ArrayStorage::csr};

class ProblemReading : public ::testing::Test {
 protected:
  TemporaryFolder folder;

  ContactProblem read_text(const std::string& text, const std::string& name = "problem.dat") {
    write_text_file(folder / name, text);
    return read_problem(folder / name);
  }

  /// The message that reading gives.
  std::string complaint(const std::filesystem::path& path) {
    try {
      read_problem(path);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "no complaint";
    return "";
  }
  std::string complaint_about_text(const std::string& text, const std::string& name = "problem.dat") {
    write_text_file(folder / name, text);
    return complaint(folder / name);
  }
};

#define EXPECT_COMPLAINT(complaint, part) EXPECT_NE((complaint).find(part), std::string::npos) << (complaint)

void expect_problem(const ContactProblem& problem, const LocalData& data) {
  ASSERT_TRUE(problem.delassus.has_value());
  EXPECT_EQ(MatX(problem.delassus->w), data.w);  // not symmetrised: every bit as given
  EXPECT_EQ(problem.delassus->q, data.q);
  ASSERT_EQ(problem.groups(), data.mu.size());
  for (int g = 0; g < problem.groups(); ++g) {
    EXPECT_EQ(problem.j.group(g).dim, data.dimension);
    EXPECT_EQ(problem.laws[g].kind, Law::Kind::coulomb);
    EXPECT_EQ(problem.laws[g].mu, data.mu[g]);
    EXPECT_EQ(problem.laws[g].mu_cross, data.mu[g]);
  }
}

void expect_problem(const ContactProblem& problem, const GlobalData& data, int blocks) {
  ASSERT_FALSE(problem.delassus.has_value());
  EXPECT_EQ(problem.a.blocks(), blocks);
  EXPECT_EQ(problem.a.rows(), data.m.rows());
  EXPECT_EQ(problem.b, data.w);
  ASSERT_EQ(problem.groups(), data.mu.size());
  EXPECT_EQ(problem.j.group(0).dim, data.dimension);
  EXPECT_LE((delassus_of(problem) - data.delassus()).norm(), 1e-12 * data.delassus().norm());
  EXPECT_LE((free_velocity_of(problem) - data.free_velocity()).norm(), 1e-12 * data.free_velocity().norm());
}

TEST_F(ProblemReading, LocalTextOfEveryStorage) {
  for (const int dimension : {2, 3}) {
    const LocalData data = local_data(dimension, 5);
    for (const TextStorage storage : kTextStorages) {
      SCOPED_TRACE(static_cast<int>(storage));
      expect_problem(read_text(data.text(storage)), data);
    }
  }
}

TEST_F(ProblemReading, GlobalTextOfEveryStorage) {
  for (const int dimension : {2, 3}) {
    const GlobalData data = global_data(dimension, 5, 3, dimension == 3 ? 6 : 3);
    for (const TextStorage storage : kTextStorages) {
      SCOPED_TRACE(static_cast<int>(storage));
      expect_problem(read_text(data.text(storage, dimension == 3 ? 6 : 3), "GFC3D_problem.dat"), data, 3);
    }
  }
}

TEST_F(ProblemReading, TheTextDecidesWhenTheNameIsWrong) {
  const LocalData local = local_data(3, 4);
  const GlobalData global = global_data(3, 4, 2, 6);  // 12 velocities, and 12 rows: M would do for a W
  for (const TextStorage storage : kTextStorages) {
    expect_problem(read_text(local.text(storage), "GFC3D_TwoRods1.dat"), local);
    expect_problem(read_text(local.text(storage), "GFC3D_TwoRods1-condensed.dat"), local);
    expect_problem(read_text(global.text(storage, 6), "fc3d.dat"), global, 2);
  }
}

TEST_F(ProblemReading, ALastFlagOfOldFilesIsNoError) {
  const LocalData data = local_data(3, 4);
  expect_problem(read_text(data.text(TextStorage::blocks) + "0\n"), data);
  expect_problem(read_text(data.text(TextStorage::dense) + "1\n"), data);
  EXPECT_COMPLAINT(complaint_about_text(data.text(TextStorage::dense) + "1 2.5\n"), "sizes don't fit");
}

TEST_F(ProblemReading, NumbersInEverySpelling) {
  const std::string head = "2\n1\n0\n2\n2\n2\t2\n1. 0 0 1e+00\n";
  EXPECT_EQ(read_text(head + "+1.5 -2E-3\n.5").delassus->q, Vec2(1.5, -2e-3));
  EXPECT_EQ(read_text(head + "1e-400 -4.9406564584124654e-324\r\n0.5\r\n").delassus->q, Vec2(0.0, -5e-324));
  const VecX q = read_text(head + "-nan inf\n0.5").delassus->q;
  EXPECT_TRUE(std::isnan(q[0]) && std::isinf(q[1]));
  EXPECT_TRUE(std::isnan(read_text(head + "0 0\nnan").laws[0].mu));
}

TEST_F(ProblemReading, NothingToSolveIsAProblemToo) {
  EXPECT_EQ(read_text("3\n0\n0\n0\n0\n0\t0\n").groups(), 0);
  EXPECT_EQ(read_text("3\n0\n1\n0\n0\n0\n0\n0\n1\n0\n0\n").groups(), 0);
}

TEST_F(ProblemReading, LocalFclibOfEveryStorage) {
  for (const int dimension : {2, 3}) {
    const LocalData data = local_data(dimension, 5);
    for (const ArrayStorage storage : kArrayStorages) {
      write_fclib(folder / "local.hdf5", data, storage);
      expect_problem(read_problem(folder / "local.hdf5"), data);
    }
  }
}

TEST_F(ProblemReading, GlobalFclibOfEveryStorage) {
  for (const int dimension : {2, 3}) {
    const GlobalData data = global_data(dimension, 5, 3, dimension == 3 ? 6 : 3);
    for (const ArrayStorage storage : kArrayStorages) {
      write_fclib(folder / "global.hdf5", data, storage);
      expect_problem(read_problem(folder / "global.hdf5"), data, 3);
    }
  }
}

TEST_F(ProblemReading, OneTriangleOfMStandsForBoth) {
  const GlobalData data = global_data(3, 5, 3, 6);
  for (const bool upper : {true, false}) {
    GlobalData half = data;
    half.m = upper ? MatX(data.m.triangularView<Eigen::Upper>()) : MatX(data.m.triangularView<Eigen::Lower>());
    write_fclib(folder / "half.hdf5", half, ArrayStorage::triplet);
    expect_problem(read_problem(folder / "half.hdf5"), data, 3);
  }
}

TEST_F(ProblemReading, ASlightlyUnsymmetricMIsNotMadeSymmetric) {
  GlobalData data = global_data(3, 5, 3, 6);
  data.m(0, 1) += 1e-3;
  write_fclib(folder / "global.hdf5", data, ArrayStorage::csc);
  const ContactProblem problem = read_problem(folder / "global.hdf5");
  expect_problem(problem, data, 3);
  EXPECT_EQ(MatX(problem.a.block(0)), data.m.topLeftCorner(6, 6));
}

TEST_F(ProblemReading, BlocksOfMMayBeInterleaved) {
  const GlobalData data = global_data(3, 5, 3, 6);
  GlobalData shuffled = data;
  for (int i = 0; i < 18; ++i) {
    const int to = (5 * i) % 18;
    shuffled.f[to] = data.f[i];
    shuffled.h.row(to) = data.h.row(i);
    for (int k = 0; k < 18; ++k) shuffled.m(to, (5 * k) % 18) = data.m(i, k);
  }
  write_fclib(folder / "shuffled.hdf5", shuffled, ArrayStorage::triplet);
  expect_problem(read_problem(folder / "shuffled.hdf5"), data, 3);
}

TEST_F(ProblemReading, ADiagonalMIsTakenApartIntoBodies) {
  GlobalData data = global_data(3, 5, 3, 6);
  data.m = VecX::LinSpaced(18, 1.0, 2.0).asDiagonal();
  write_fclib(folder / "diagonal.hdf5", data, ArrayStorage::triplet);
  expect_problem(read_problem(folder / "diagonal.hdf5"), data, 18);
  for (int body = 0; body < 3; ++body) data.m.diagonal().segment<3>(6 * body).setConstant(2.0 + body);
  write_fclib(folder / "rigid.hdf5", data, ArrayStorage::triplet);
  expect_problem(read_problem(folder / "rigid.hdf5"), data, 3);  // one mass per body: rigid bodies
}

TEST_F(ProblemReading, TripletsAtOnePlaceAddUp) {
  ArrayWriter file(folder / "twice.hdf5");
  file.make_group("/fclib_local");
  file.write("/fclib_local/spacedim", 2);
  file.make_group("/fclib_local/W");
  for (const auto& [name, value] : {std::pair{"m", 2}, {"n", 2}, {"nz", 3}, {"nzmax", 9}}) {
    file.write(std::string("/fclib_local/W/") + name, value);
  }
  file.write("/fclib_local/W/i", std::vector<int>{0, 1, 0});
  file.write("/fclib_local/W/p", std::vector<int>{0, 0, 0});
  file.write("/fclib_local/W/x", std::vector<double>{1.0, 4.0, 2.0});
  file.make_group("/fclib_local/vectors");
  file.write("/fclib_local/vectors/q", VecX(Vec2(1.0, 2.0)));
  file.write("/fclib_local/vectors/mu", VecX(VecX::Constant(1, 0.5)));
  file.close();
  const ContactProblem problem = read_problem(folder / "twice.hdf5");
  Mat2 w;
  w << 3.0, 0.0, 4.0, 0.0;  // i holds rows, p columns
  EXPECT_EQ(MatX(problem.delassus->w), MatX(w));
}

TEST_F(ProblemReading, BilateralRowsBecomeEqualities) {
  const GlobalData data = global_data(3, 2, 2, 6);
  Random random(5);
  const MatX g = random.matrix(12, 2);
  const VecX b = random.vector(2);
  {
    ArrayWriter file(folder / "bilateral.hdf5");
    file.make_group("/fclib_global");
    file.write("/fclib_global/spacedim", 3);
    write_matrix(file, "/fclib_global/M", data.m, ArrayStorage::triplet);
    write_matrix(file, "/fclib_global/H", data.h, ArrayStorage::triplet);
    write_matrix(file, "/fclib_global/G", g, ArrayStorage::csc);
    file.make_group("/fclib_global/vectors");
    file.write("/fclib_global/vectors/f", data.f);
    file.write("/fclib_global/vectors/w", data.w);
    file.write("/fclib_global/vectors/b", b);
    file.write("/fclib_global/vectors/mu", data.mu);
    file.close();
  }
  const ContactProblem global = read_problem(folder / "bilateral.hdf5");
  MatX all(12, 8);
  all << data.h, g;
  const MatX w = all.transpose() * data.m.inverse() * all;
  EXPECT_LE((delassus_of(global) - w).norm(), 1e-12 * w.norm());
  ASSERT_EQ(global.groups(), 4);
  EXPECT_EQ(global.laws[3].kind, Law::Kind::equality);
  EXPECT_EQ(global.b.tail(2), b);
  {
    ArrayWriter file(folder / "local.hdf5");
    file.make_group("/fclib_local");
    file.write("/fclib_local/spacedim", 3);
    write_matrix(file, "/fclib_local/W", w.topLeftCorner(6, 6), ArrayStorage::csr);
    write_matrix(file, "/fclib_local/V", w.topRightCorner(6, 2), ArrayStorage::triplet);
    write_matrix(file, "/fclib_local/R", w.bottomRightCorner(2, 2), ArrayStorage::triplet);
    file.make_group("/fclib_local/vectors");
    file.write("/fclib_local/vectors/q", VecX(free_velocity_of(global).head(6)));
    file.write("/fclib_local/vectors/s", VecX(free_velocity_of(global).tail(2)));
    file.write("/fclib_local/vectors/mu", data.mu);
    file.close();
  }
  const ContactProblem local = read_problem(folder / "local.hdf5");
  EXPECT_LE((MatX(local.delassus->w) - w).norm(), 1e-12 * w.norm());
  EXPECT_EQ(local.delassus->q, free_velocity_of(global));
  EXPECT_EQ(local.laws[2].kind, Law::Kind::equality);
}

TEST_F(ProblemReading, NaNInTheDataIsLetThrough) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  LocalData local = local_data(3, 4);
  local.w(1, 2) = nan;
  EXPECT_TRUE(MatX(read_text(local.text(TextStorage::dense)).delassus->w).hasNaN());
  GlobalData global = global_data(3, 4, 3, 6);
  global.m(1, 1) = nan;
  write_fclib(folder / "nan.hdf5", global, ArrayStorage::csr);
  EXPECT_TRUE(free_velocity_of(read_problem(folder / "nan.hdf5")).hasNaN());
}

TEST_F(ProblemReading, EveryCutOfATextIsAnError) {
  const LocalData local = local_data(2, 3);
  const GlobalData global = global_data(2, 3, 2, 3);
  for (const TextStorage storage : kTextStorages) {
    for (const std::string& text : {local.text(storage), global.text(storage, 3)}) {
      std::size_t end = text.find_last_not_of(" \n");
      while (text[end] != ' ' && text[end] != '\n') --end;  // the last number is gone as a whole
      for (std::size_t length = 0; length <= end; length += 1 + length / 12) {
        write_text_file(folder / "cut.dat", text.substr(0, length));
        EXPECT_THROW(read_problem(folder / "cut.dat"), InputError) << length << " of " << text.size();
      }
    }
  }
}

TEST_F(ProblemReading, EveryCutOfAnHdf5FileIsAnErrorOrHarmless) {
  write_fclib(folder / "whole.hdf5", global_data(2, 3, 2, 3), ArrayStorage::triplet);
  const auto size = std::filesystem::file_size(folder / "whole.hdf5");
  for (std::uintmax_t length = 0; length + 1 < size; length += 1 + size / 97) {
    std::filesystem::copy_file(folder / "whole.hdf5", folder / "cut.hdf5",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder / "cut.hdf5", length);
    EXPECT_THROW(read_problem(folder / "cut.hdf5"), InputError) << length << " of " << size;
  }
}

TEST_F(ProblemReading, TellsWhatIsWrongWithAText) {
  const LocalData data = local_data(2, 3);
  const auto spoilt = [&](const std::string& from, const std::string& to, TextStorage storage) {
    std::string text = data.text(storage);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    return complaint_about_text(text.replace(at, from.size(), to));
  };
  EXPECT_COMPLAINT(complaint_about_text(""), "neither an HDF5 file nor Siconos's text format");
  EXPECT_COMPLAINT(complaint_about_text("{\"name\": \"a scene\"}"), "neither an HDF5 file");
  EXPECT_COMPLAINT(complaint_about_text("4\n1\n"), "2 or 3");
  EXPECT_COMPLAINT(complaint_about_text("3\n99999999999999999999\n"), "whole number");
  EXPECT_COMPLAINT(complaint_about_text("3\n1000000000\n0\n3\n3\n"), "more than the file holds");
  EXPECT_COMPLAINT(complaint_about_text("3\n-1\n"), "-1");
  EXPECT_COMPLAINT(complaint_about_text("3\n1\n7\n3\n3\n"), "storage 7");
  EXPECT_COMPLAINT(spoilt("6\t6", "6\t5", TextStorage::dense), "not the same");
  EXPECT_COMPLAINT(spoilt("2\t4\t6\t", "2\t4\t7\t", TextStorage::blocks), "block ends at 7");
  EXPECT_COMPLAINT(spoilt("nnz: ", "nnz: 9", TextStorage::triplet), "whole number");
  EXPECT_COMPLAINT(spoilt("    0 0 :", "    0 6 :", TextStorage::triplet), "column 6 is out of range");
  EXPECT_COMPLAINT(spoilt("      0 :", "      -1 :", TextStorage::csc), "row -1 is out of range");
  EXPECT_COMPLAINT(spoilt("locations 0", "locations 1", TextStorage::csc), "don't follow");
  EXPECT_COMPLAINT(spoilt("6-by-6", "6-by-8", TextStorage::csr), "6 × 8");
  EXPECT_COMPLAINT(spoilt("3\n", "4\n", TextStorage::dense), "W has 6 rows, but 4 contacts of dimension 2 need 8");
}

TEST_F(ProblemReading, ANegativeCoefficientOfFrictionIsAnError) {
  LocalData local = local_data(2, 3);
  local.mu[1] = -0.5;
  EXPECT_COMPLAINT(complaint_about_text(local.text(TextStorage::csc)), "contact 1");
  GlobalData global = global_data(3, 4, 3, 6);
  global.mu[2] = -1e-9;
  EXPECT_COMPLAINT(complaint_about_text(global.text(TextStorage::blocks, 6)), "contact 2");
  write_fclib(folder / "negative.hdf5", global, ArrayStorage::csc);
  EXPECT_COMPLAINT(complaint(folder / "negative.hdf5"), "contact 2");
}

TEST_F(ProblemReading, TellsWhatIsWrongWithAnFclibFile) {
  const auto complaint_of_global = [&](const GlobalData& data) {
    write_fclib(folder / "bad.hdf5", data, ArrayStorage::triplet);
    return complaint(folder / "bad.hdf5");
  };
  const GlobalData good = global_data(3, 4, 3, 6);
  GlobalData bad = good;
  bad.dimension = 4;
  EXPECT_COMPLAINT(complaint_of_global(bad), "2 or 3");
  bad = good;
  bad.mu = VecX::Ones(5);
  EXPECT_COMPLAINT(complaint_of_global(bad), "the problem needs");
  bad = good;
  bad.w = VecX::Ones(9);
  EXPECT_COMPLAINT(complaint_of_global(bad), "H is 18 × 12");
  bad = good;
  bad.m(0, 0) = -1.0;
  EXPECT_COMPLAINT(complaint_of_global(bad), "not positive definite");
  bad = good;
  bad.m.setZero();
  EXPECT_COMPLAINT(complaint_of_global(bad), "not positive definite");
}

TEST_F(ProblemReading, TellsWhatIsMissing) {
  ArrayWriter(folder / "empty.hdf5").close();
  EXPECT_COMPLAINT(complaint(folder / "empty.hdf5"), "neither /fclib_local nor /fclib_global");
  ArrayWriter file(folder / "half.hdf5");
  file.make_group("/fclib_local");
  file.write("/fclib_local/spacedim", VecX(Vec2(3.0, 3.0)));
  file.close();
  EXPECT_COMPLAINT(complaint(folder / "half.hdf5"), "no whole numbers");
  EXPECT_COMPLAINT(complaint(folder / "nowhere.dat"), "no such file");
  EXPECT_COMPLAINT(complaint(folder / ""), "folder");
}

}  // namespace
}  // namespace cardhouse::testing
