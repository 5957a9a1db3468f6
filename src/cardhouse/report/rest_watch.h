// Whether bodies are at rest. A body's speed is that of its fastest point, at most ‖v‖ + R ‖w‖ with R the farthest
// point from its centre; of a body with nodes it is that of the fastest node. As seen from another body, v is by how
// much the centre or node moved in that body's frame since the last state, over the time: velocities at the end of a
// step are along chords, and would differ by the turn of a step.
//
// A run has come to rest when
//
//   - all bodies that count were slower than 1 mm/s at the ends of all steps of the last 0.1 s, so that the top of a
//     flight is no rest, and
//   - bodies that are moved stand still too, and no motion is still to begin.
#pragma once

#include <vector>

#include "cardhouse/model/state.h"
#include "cardhouse/world/scene.h"

namespace cardhouse {

/// m/s: slower is at rest. Structures that stand creep with less than a hundredth of it; what falls has more within
/// a ten-thousandth of a second.
inline constexpr double rest_speed = 1e-3;
/// s of simulated time.
inline constexpr double rest_time = 0.1;

class RestWatch {
 public:
  /// Of the bodies with these indices, as seen from the body `frame`; −1: in the world.
  RestWatch(const Scene& scene, const State& start, std::vector<int> bodies, int frame);

  void see(const State& state);

  /// m/s, of the fastest body that counts, at the last state that was seen.
  double speed() const { return speed_; }
  /// The index of that body; −1 when none moves.
  int fastest() const { return fastest_; }
  bool at_rest() const;

 private:
  /// `at` counts the points that were seen last, and is advanced.
  double speed_of(const State& state, int body, std::size_t& at) const;

  std::vector<int> bodies_;
  int frame_;
  std::vector<int> moved_;         ///< kinematic bodies
  std::vector<double> radii_;      ///< m, of all bodies
  std::vector<Vec3> last_points_;  ///< m, of `bodies_` as seen from a body, at the last state; else none
  double last_beginning_ = 0.0;    ///< s: of the prescribed motions
  double speed_ = 0.0;
  int fastest_ = -1;
  double quiet_since_ = 0.0;  ///< s
  double time_ = 0.0;         ///< s
};

}  // namespace cardhouse
