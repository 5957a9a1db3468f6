// Reads the reference scenes that may lie beside the checkout: exact coordinates made by another generator.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cardhouse/math/pose.h"
#include "source_folder.h"

namespace cardhouse::testing {

struct ReferenceBody {
  bool fixed = false;
  double mass = 0.0;
  Vec3 half_extents = Vec3::Zero();  ///< of its first box
  Pose pose;
  std::vector<Vec2> section;  ///< outline in the body's x–z plane
};

/// The numbers in the brackets (or the one number) that follow `key`, nested or not.
inline std::vector<double> numbers_after(const std::string& text, const std::string& key) {
  std::vector<double> numbers;
  std::size_t at = text.find("\"" + key + "\":") + key.size() + 3;
  int depth = 0;
  do {
    if (text[at] == '[')
      ++depth, ++at;
    else if (text[at] == ']')
      --depth, ++at;
    else if (text[at] == ',')
      ++at;
    else {
      char* end = nullptr;
      numbers.push_back(std::strtod(text.data() + at, &end));
      at = end - text.data();
    }
  } while (depth > 0);
  return numbers;
}

/// Bodies by name, from a file with one body per line; nothing when the file is not there.
inline std::optional<std::map<std::string, ReferenceBody>> read_reference(const std::string& file) {
  const auto checkout = test::source_folder();
  std::ifstream stream(checkout.parent_path() / "shared" / "scenes" / file);
  if (!stream) return std::nullopt;
  std::map<std::string, ReferenceBody> bodies;
  const std::string start = "{\"name\":\"";
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind(start, 0) != 0 || line.find("\"pos\"") == std::string::npos) continue;
    const std::string name = line.substr(start.size(), line.find('"', start.size()) - start.size());
    ReferenceBody body;
    body.fixed = line.find("\"fixed\":true") != std::string::npos;
    body.mass = numbers_after(line, "mass").at(0);
    const std::vector<double> half = numbers_after(line, "half");
    body.half_extents = Vec3(half.at(0), half.at(1), half.at(2));
    const std::vector<double> position = numbers_after(line, "pos");
    body.pose.position = Vec3(position.at(0), position.at(1), position.at(2));
    const std::vector<double> turn = numbers_after(line, "rot_wxyz");
    body.pose.orientation = Quat(turn.at(0), turn.at(1), turn.at(2), turn.at(3));
    const std::vector<double> section = numbers_after(line, "section_xz");
    for (std::size_t i = 0; i + 1 < section.size(); i += 2) body.section.emplace_back(section[i], section[i + 1]);
    bodies[name] = body;
  }
  return bodies;
}

}  // namespace cardhouse::testing
