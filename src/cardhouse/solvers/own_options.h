// What a user may add to a solver's name: "staggered-projections:anderson=0:form=parallel".
#pragma once

#include <map>
#include <string>
#include <vector>

namespace cardhouse {

class OwnOptions {
 public:
  /// Splits NAME[:option=value…]. Throws InputError for words without "=" and for options given twice.
  explicit OwnOptions(const std::string& text);

  const std::string& solver() const { return solver_; }
  /// A whole number within [least, most], or `otherwise` when it is not given.
  int number(const std::string& option, int least, int most, int otherwise);
  /// The same of even numbers.
  int even_number(const std::string& option, int least, int most, int otherwise);
  /// The place of the given value among the choices; the first is the default.
  int choice(const std::string& option, const std::vector<std::string>& choices);
  /// Throws InputError when something was given that no one asked for.
  void finish() const;

 private:
  [[noreturn]] void refuse(const std::string& option, const std::string& value, const std::string& rule) const;

  std::string solver_;
  std::map<std::string, std::string> given_;
  std::vector<std::string> known_;
};

}  // namespace cardhouse
