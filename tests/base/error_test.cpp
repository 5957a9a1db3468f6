#include "cardhouse/base/error.h"

#include <gtest/gtest.h>

namespace cardhouse {
namespace {

TEST(InputError, SaysWhatItWasGiven) {
  const std::string message = "scene.json: bodies[3].mass = -1 kg: must be > 0";
  EXPECT_EQ(InputError(message).what(), message);
}

TEST(InputError, CanBeToldFromAFailureOfTheSystem) {
  // The program ends with code 2 for the one and 1 for the other.
  const auto throw_system_failure = [] { throw std::runtime_error("disk full"); };
  bool is_input = false;
  try {
    throw_system_failure();
  } catch (const InputError&) {
    is_input = true;
  } catch (const std::runtime_error&) {
    is_input = false;
  }
  EXPECT_FALSE(is_input);
  EXPECT_THROW(throw InputError("bad"), std::runtime_error) << "who does not care can catch both";
}

}  // namespace
}  // namespace cardhouse
