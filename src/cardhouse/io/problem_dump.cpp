#include "cardhouse/io/problem_dump.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "cardhouse/io/problem_file.h"

namespace cardhouse {
namespace {

/// NaN counts as worse than any number: it is the case to look at.
bool is_worse(double residual, double than) {
  return !std::isnan(than) && !(residual <= than);
}

}  // namespace

ProblemDump::ProblemDump(Which which, std::int64_t step, std::filesystem::path folder, std::string scene)
    : which_(which), step_(step), folder_(std::move(folder)), scene_(std::move(scene)) {}

void ProblemDump::see(const World& world) {
  const StepReport& report = world.last_report();
  const std::int64_t step = world.state().step;
  if (report.islands == 0) return;  // neither contacts nor joints
  switch (which_) {
    case Which::step:
      if (step == step_) write(step, world.last_problem());
      return;
    case Which::uncertified:
      if (!report.certified) write(step, world.last_problem());
      return;
    case Which::worst:
      if (worst_ && !is_worse(report.certificate.residual, worst_->residual)) return;
      worst_ = Worst{step, report.certificate.residual, world.last_problem()};
      return;
  }
}

void ProblemDump::finish() {
  if (worst_) write(worst_->step, worst_->problem);
  worst_.reset();
}

void ProblemDump::write(std::int64_t step, const StepProblem& problem) {
  std::filesystem::create_directories(folder_);
  std::filesystem::path file = folder_ / fmt::format("{}-step-{:06}.hdf5", scene_, step);
  write_problem(file, problem.problem, &problem.guess);
  files_.push_back(std::move(file));
}

}  // namespace cardhouse
