#include "cardhouse/io/fclib.h"
#include "cardhouse/io/problem_file.h"

namespace cardhouse {

void write_problem(const std::filesystem::path& path, const ContactProblem& problem, const VecX* guess) {
  ArrayWriter file(path);
  write_fclib_problem(file, problem, guess);
  if (!fclib_keeps_all(problem)) write_own_problem(file, problem, guess);
  file.close();
}

}  // namespace cardhouse
