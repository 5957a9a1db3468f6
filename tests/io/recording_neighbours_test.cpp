// Recordings whose tables are sound HDF5, but hold numbers and shapes that no run writes.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <limits>

#include "cardhouse/base/error.h"
#include "cardhouse/io/hdf5_file.h"
#include "cardhouse/io/recording_reader.h"
#include "cardhouse/world/world.h"
#include "io/recording_files.h"

namespace cardhouse {
namespace {

using namespace testing;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A recording of 100 steps with contacts, made anew for each change.
class ChangedRecording {
 public:
  ChangedRecording() { write_recording(path(), small_scene(), 100); }
  std::filesystem::path path() const { return folder_ / "r.h5"; }

  /// Sets the element of a dataset that comes at `index`, counted over all rows.
  template <typename T>
  void set(const std::string& dataset, hsize_t index, T value) {
    const Hdf5Id file(H5Fopen(path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const Hdf5Id data(H5Dopen2(file.get(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Id space(H5Dget_space(data.get()), H5Sclose);
    std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
    ASSERT_LT(index, values.size()) << dataset;
    const hid_t type = std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
    ASSERT_GE(H5Dread(data.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    values[index] = value;
    ASSERT_GE(H5Dwrite(data.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }

  /// Puts a dataset of zeros with another extent in the place of one.
  void reshape(const std::string& dataset, const std::vector<hsize_t>& extent) {
    const Hdf5Id file(H5Fopen(path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    ASSERT_GE(H5Ldelete(file.get(), dataset.c_str(), H5P_DEFAULT), 0) << dataset;
    const Hdf5Id space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
    const Hdf5Id layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const std::vector<hsize_t> chunk(extent.size(), 1);  // so that a huge one takes no space
    H5Pset_chunk(layout.get(), static_cast<int>(chunk.size()), chunk.data());
    const Hdf5Id made(
        H5Dcreate2(file.get(), dataset.c_str(), H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, layout.get(), H5P_DEFAULT),
        H5Dclose);
    ASSERT_GE(made.get(), 0) << dataset;
  }

  void set_attribute(const std::string& name, double value) {
    const Hdf5Id file(H5Fopen(path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const Hdf5Id attribute(H5Aopen(file.get(), name.c_str(), H5P_DEFAULT), H5Aclose);
    ASSERT_GE(H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, &value), 0) << name;
  }

  /// Does all that reads of a recording: "accepted", or what it says.
  std::string words() const {
    try {
      const RecordingReader reader(path());
      const RecordingInfo info = reader.info();
      for (std::int64_t i = 0; i < reader.frames(); ++i) reader.frame(i);
      reader.reasons();
      World world(small_scene());
      for (const std::int64_t step : info.checkpoint_steps) world.restore(reader.checkpoint(step));
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  TemporaryFolder folder_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RecordedNumbers, AreAcceptedAsTheyWereWritten) {
  EXPECT_EQ(ChangedRecording().words(), "accepted");
}

TEST(RecordedNumbers, OfStepsMustGoUpFromZero) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  for (const std::string table : {"/checkpoints/step", "/frames/step"}) {
    for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{-5'000'000'000}, most, least}) {
      for (const hsize_t row : {0, 1}) {
        ChangedRecording recording;
        recording.set(table, row, bad);
        EXPECT_TRUE(has(recording.words(), table + "[")) << table << " " << bad << ": " << recording.words();
      }
    }
  }
  ChangedRecording later;
  later.set("/checkpoints/step", 0, std::int64_t{50});
  EXPECT_TRUE(has(later.words(), "/checkpoints/step goes from 50")) << later.words();
}

TEST(RecordedNumbers, OfAStateMustBeFiniteAndWithinBounds) {
  for (const std::string column : {"time", "position", "orientation", "linear_velocity", "angular_velocity",
                                   "initial_position", "initial_orientation", "impulses/impulse"}) {
    for (const double bad : {nan, std::numeric_limits<double>::infinity(), -1e300}) {
      ChangedRecording recording;
      recording.set("/checkpoints/" + column, 0, bad);
      const bool only_a_start = column == "impulses/impulse" || column == "initial_position";
      if (only_a_start && bad == -1e300) continue;  // of an iteration, or of a motion that there is none of
      EXPECT_NE(recording.words(), "accepted") << column << " " << bad;
    }
  }
}

TEST(RecordedNumbers, ThatAreIndicesMustBeSome) {
  for (const auto& [column, bad] : {std::pair{"/frames/contact_start", -1},
                                    {"/frames/contact_count", -1},
                                    {"/frames/contact_count", 1 << 30},
                                    {"/checkpoints/impulse_start", -7},
                                    {"/checkpoints/impulse_count", 1 << 30},
                                    {"/contacts/body_a", -1},
                                    {"/contacts/body_b", 1000},
                                    {"/contacts/mode", 77}}) {
    ChangedRecording recording;
    recording.set(column, 0, static_cast<std::int64_t>(bad));
    EXPECT_NE(recording.words(), "accepted") << column << " " << bad;
  }
}

TEST(RecordedTables, MustHaveRowsOfTheRightSize) {
  for (const std::string column :
       {"/frames/step", "/frames/time", "/frames/position", "/frames/contact_start", "/contacts/point",
        "/contacts/normal", "/contacts/mode", "/contacts/body_a", "/checkpoints/step", "/checkpoints/time",
        "/checkpoints/orientation", "/checkpoints/impulses/impulse", "/checkpoints/impulses/shape_a",
        "/checkpoints/initial_position", "/steps/residual", "/steps/time"}) {
    for (const std::vector<hsize_t>& extent :
         {std::vector<hsize_t>{10, 2}, {1000, 5}, {10, 3, 3}, {hsize_t{1} << 40, 7}}) {
      ChangedRecording recording;
      recording.reshape(column, extent);
      EXPECT_NE(recording.words(), "accepted") << column << " of " << extent.size() << " dimensions";
    }
  }
}

TEST(RecordedAttributes, MustBeFiniteAndNotNegative) {
  for (const std::string name : {"step", "tolerance", "frames_per_second"}) {
    for (const double bad : {nan, -1.0, std::numeric_limits<double>::infinity()}) {
      ChangedRecording recording;
      recording.set_attribute(name, bad);
      EXPECT_TRUE(has(recording.words(), name + " = ")) << name << " " << bad << ": " << recording.words();
    }
  }
}

}  // namespace
}  // namespace cardhouse
