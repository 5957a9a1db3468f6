// Reads messages as the page does (docs/wire-format.md), and insists on what the format promises.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cardhouse::viewer {

struct Decoded {
  nlohmann::json header;
  std::string arrays;

  std::string type() const { return header.at("type"); }
  bool has(const std::string& name) const { return header.at("arrays").contains(name); }
  std::vector<std::int64_t> shape(const std::string& name) const { return header.at("arrays").at(name).at("shape"); }

  template <typename T>
  std::vector<T> array(const std::string& name, const std::string& type_name) const {
    const auto& entry = header.at("arrays").at(name);
    EXPECT_EQ(entry.at("type"), type_name) << name;
    const std::size_t offset = entry.at("offset");
    EXPECT_EQ(offset % 8, 0U) << name;
    std::size_t count = 1;
    for (const std::int64_t n : shape(name)) count *= static_cast<std::size_t>(n);
    std::vector<T> values(count);
    if (offset + count * sizeof(T) > arrays.size()) {
      ADD_FAILURE() << name << " ends behind the message";
    } else if (count > 0) {
      std::memcpy(values.data(), arrays.data() + offset, count * sizeof(T));
    }
    return values;
  }
  std::vector<double> reals(const std::string& name) const { return array<double>(name, "float64"); }
};

inline Decoded decode(const std::string& bytes) {
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ((4 + length) % 8, 0U);
  return {nlohmann::json::parse(bytes.substr(4, length)), bytes.substr(4 + length)};
}

}  // namespace cardhouse::viewer
