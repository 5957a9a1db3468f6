#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cardhouse/model/joint_kinematics.h"
#include "cardhouse/model/momentum.h"
#include "cardhouse/stepping/rescue/rescue.h"

namespace cardhouse {

enum class RunEnd {
  done,         ///< the whole duration was simulated
  interrupted,  ///< the user ended it
  uncertified,  ///< it stopped at a step that was not certified
  stopped,      ///< it came to a state that can't be simulated
  diverged,     ///< it lost itself (world/divergence.h)
  fallen,       ///< it was to run until something fell, and that fell
  rest,         ///< it was to run until all is at rest, and all is
};
std::string_view run_end_name(RunEnd end);
/// Whether it ran as long as it was to.
bool came_to_its_end(RunEnd end);

/// Where a run diverged.
struct DivergedStep {
  std::int64_t step = 0;
  std::string body;  ///< its name; empty: none in particular
};

struct UncertifiedStep {
  std::int64_t step = 0;  ///< its number, from 1
  double residual = 0.0;  ///< (−)
  std::string reason;     ///< in words
};

/// What was run and how it went: the numbers of summary.json. A number that could not be computed is NaN or infinite
/// here and null in the file.
struct RunSummary {
  struct MeanMax {
    double mean = 0.0;
    double max = 0.0;
  };
  struct MomentumFigures {  ///< of the dynamic bodies
    Momentum initial;
    Momentum final;
    Momentum outside;  ///< the impulses from outside, summed
    /// What these do not explain of the change: round-off, where positions move by h v⁺.
    Momentum unexplained() const;
  };
  struct EnergyFigures {  ///< J
    double initial = 0.0;
    double final = 0.0;
    double max_gain = 0.0;    ///< the largest rise of the total energy in one step
    double total_gain = 0.0;  ///< the sum of all such rises
  };
  struct Seconds {  ///< s, wall, of the whole run
    double total = 0.0;
    double collision = 0.0;
    double assembly = 0.0;
    double solve = 0.0;
    double integrate = 0.0;
    double output = 0.0;
  };

  std::string scene;
  std::map<std::string, std::string> parameters;
  std::string solver;
  double step = 0.0;              ///< s; with adaptive steps the largest allowed
  double duration = 0.0;          ///< s, as asked for
  double tolerance = 0.0;         ///< of the certificate (−)
  double max_step_seconds = 0.0;  ///< wall, of a whole step; 0: no limit
  int threads = 1;
  int bodies = 0;  ///< dynamic ones
  int dofs = 0;

  RunEnd end = RunEnd::done;
  std::string stop_reason;  ///< why it ended before its time, in words; empty unless it did
  std::optional<DivergedStep> diverged;
  std::vector<std::string> warnings;  ///< what looks like a slip of the pen, in words
  double first_time = 0.0;            ///< s, simulated, at the start of the run
  double time = 0.0;                  ///< s, simulated, at the end
  std::int64_t first_step = 0;        ///< the step that the run started from; 0 unless it went on from a recording
  std::int64_t steps = 0;             ///< of this run

  MeanMax contacts;                             ///< given to the solver
  MeanMax iterations;                           ///< outer
  MeanMax passes;                               ///< solves until the contacts of a step were those of its end
  double gap_residual = 0.0;                    ///< of the size (−): the largest of all steps
  std::map<std::string, std::int64_t> methods;  ///< that the solver used, each with the number of steps it was used in
  MeanMax residual;                             ///< (−)
  std::int64_t certified_steps = 0;
  std::int64_t uncertified_steps = 0;
  std::optional<UncertifiedStep> worst_uncertified;

  double least_length = 0.0;        ///< s, of the shortest step
  double most_length = 0.0;         ///< s, of the longest
  std::int64_t rejected = 0;        ///< attempts of adaptive steps that were not kept
  std::int64_t over_tolerance = 0;  ///< adaptive steps that were kept with a larger error, as they can't be shorter

  double max_penetration = 0.0;     ///< m, positive
  std::int64_t relaxed_steps = 0;   ///< steps with overlaps that could not all be removed
  double overlap_left = 0.0;        ///< m: the most that such a step left
  int kept_overlaps = 0;            ///< the most pairs of shapes in a step whose overlap is kept
  double kept_depth = 0.0;          ///< m: the deepest of them
  std::int64_t split_steps = 0;     ///< too hard as a whole, taken in parts
  int most_parts = 1;               ///< the largest number of parts; 1 when no step was taken in parts
  std::int64_t hairline_steps = 0;  ///< steps in which hairline gaps were taken for closed
  double hairline_gap = 0.0;        ///< m: the widest of them
  RescueCounts rescues;             ///< of all steps
  int joints = 0;
  JointViolation initial_joint_violation;           ///< the largest before the first step
  JointViolation joint_violation;                   ///< the largest at the end of any step
  double max_displacement = 0.0;                    ///< m, of any dynamic body's centre from its start
  std::string farthest_body;                        ///< the name of that body; empty when none moved
  std::optional<double> max_displacement_after_1s;  ///< m, from the pose at 1 s; empty when that was not seen
  double max_rotation = 0.0;                        ///< rad, of any dynamic body from its start
  EnergyFigures energy;
  MomentumFigures momentum;
  /// By the scene's rule, over the steps that were taken. Empty when the scene has no rule, or when the run did not
  /// reach the rule's time.
  std::optional<bool> stands;
  bool has_rule = false;          ///< the scene says what standing is
  std::optional<double> fell_at;  ///< s: the end of the first step that brought a body beyond the rule
  std::string fell_body;          ///< that body's name
  double speed = 0.0;             ///< m/s, of the fastest body that the rule names, or of all, at the end
  std::string fastest_body;       ///< its name; empty when none moves

  Seconds seconds;
  double cpu_seconds = 0.0;     ///< s, all threads
  double peak_memory_mb = 0.0;  ///< MiB resident, of the process
  std::uint64_t state_hash = 0;
};

/// Whether the scene stands, for the whole of its duration: a fall is final, but a structure that stood until the run
/// was cut short, or that is still moving, may still fall.
std::optional<bool> verdict(const RunSummary& summary);

/// The summary as JSON text. Always valid JSON: numbers that are not finite become null.
std::string summary_text(const RunSummary& summary);

}  // namespace cardhouse
