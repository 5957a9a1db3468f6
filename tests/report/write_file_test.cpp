#include "cardhouse/report/write_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace cardhouse {
namespace {

namespace fs = std::filesystem;

class WriteFile : public ::testing::Test {
 protected:
  WriteFile() : folder_(fs::temp_directory_path() / ("cardhouse_write_file_" + std::to_string(::getpid()))) {
    fs::create_directory(folder_);
  }
  ~WriteFile() override { fs::remove_all(folder_); }

  static std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(WriteFile, ReplacesTheOldTextAndLeavesNothingElse) {
  const fs::path file = folder_ / "summary.json";
  write_file_atomically(file, "old and longer");
  write_file_atomically(file, "new");
  EXPECT_EQ(text_of(file), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(WriteFile, NamesTheFileWhenItCannotBeWritten) {
  try {
    write_file_atomically(folder_ / "missing" / "summary.json", "text");
    FAIL() << "must throw";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("summary.json"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace cardhouse
