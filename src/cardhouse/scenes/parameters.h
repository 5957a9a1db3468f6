// The parameters of a scene of the library: typed, with defaults and ranges, stated once. The list that users see, the
// checks and the error messages all come from these statements.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cardhouse/scenes/library.h"

namespace cardhouse::scenes {

struct ParameterSpec {
  enum class Kind { number, integer, choice, boolean };

  std::string name;
  Kind kind = Kind::number;
  std::string default_value;
  std::string unit;                  ///< of a number; "-" when it has none
  double lower = 0.0;                ///< smallest allowed value of a number or integer
  double upper = 0.0;                ///< largest allowed value
  std::vector<std::string> choices;  ///< of a choice or boolean
  std::string meaning;
};

ParameterSpec number(std::string name, std::string default_value, std::string unit, double lower, double upper,
                     std::string meaning);
ParameterSpec integer(std::string name, std::string default_value, double lower, double upper, std::string meaning);
ParameterSpec choice(std::string name, std::vector<std::string> choices, std::string meaning);  ///< default: the first
ParameterSpec boolean(std::string name, bool default_value, std::string meaning);

/// As users see it: the range stands behind the meaning.
SceneParameter describe(const ParameterSpec& spec);

/// The values of all parameters of one scene, checked.
class Parameters {
 public:
  /// Throws InputError that names the scene, the parameter, the value and what is allowed.
  Parameters(std::string scene, const std::vector<ParameterSpec>& specs,
             const std::map<std::string, std::string>& given);

  double number(const std::string& name) const;
  int integer(const std::string& name) const;
  const std::string& choice(const std::string& name) const;
  bool boolean(const std::string& name) const;

  const std::string& scene() const { return scene_; }
  /// Every parameter with the value in use, given or default.
  const std::map<std::string, std::string>& texts() const { return texts_; }

  /// For ranges that depend on other parameters: throws InputError "scene: name = value: must be …".
  [[noreturn]] void reject(const std::string& name, const std::string& allowed) const;

 private:
  std::string scene_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, double> numbers_;
};

}  // namespace cardhouse::scenes
