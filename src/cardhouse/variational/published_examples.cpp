#include "cardhouse/variational/published_examples.h"

#include <cmath>
#include <limits>

namespace cardhouse {

MechanicalSystem contacting_particle_system(const ContactingParticle& setting) {
  MechanicalSystem system;
  system.mass = MatX::Constant(1, 1, setting.mass);
  system.potential = std::make_shared<ConstantForce>(VecX::Constant(1, -setting.mass * setting.gravity));
  system.obstacles.push_back({{0, 1}, {}, std::make_shared<HalfSpaceGap>(Point::Constant(1, 1.0)), 0.0});
  return system;
}

Trajectory run_contacting_particle(const ContactingParticle& setting, Integrator integrator, double h) {
  const MechanicalSystem system = contacting_particle_system(setting);
  const PhasePoint start{0.0, VecX::Constant(1, setting.height), VecX::Constant(1, setting.speed)};
  return run_system(system, start, {integrator, h, static_cast<int>(std::lround(setting.duration / h)), 1, {}});
}

std::vector<ContactingParticle> three_close_starts(double h) {
  std::vector<ContactingParticle> starts(3);
  // At h the particle falls by h v in the step of its collision, v = √(2 g height) ≈ 4.4 m/s: thirds of that apart, the
  // collisions fall on all parts of the step.
  const double fall = h * std::sqrt(2.0 * starts[0].gravity * starts[0].height);
  for (int i = 0; i < 3; ++i) starts[i].height += i * fall / 3.0;
  return starts;
}

double effective_restitution(const Trajectory& trajectory, const ContactingParticle& setting) {
  // The first rise after a fall; two steps later all schemes have left the wall or never will.
  for (std::size_t i = 1; i + 2 < trajectory.times.size(); ++i) {
    if (trajectory.velocities[i - 1][0] < 0.0 && trajectory.velocities[i][0] > 0.0) {
      const double base =
          0.5 * setting.mass * setting.speed * setting.speed + setting.mass * setting.gravity * setting.height;
      return std::sqrt(std::max(0.0, trajectory.energies[i + 2]) / base);
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

MechanicalSystem nonlinear_oscillator_system(const NonlinearOscillator& setting) {
  MechanicalSystem system;
  system.mass = setting.mass * MatX::Identity(2, 2);
  system.potential = std::make_shared<DoubleWell>();
  if (setting.wall) {
    system.obstacles.push_back({{0, 2}, {}, std::make_shared<HalfSpaceGap>(Vec2(0.0, 1.0)), setting.mu});
  }
  return system;
}

Trajectory run_nonlinear_oscillator(const NonlinearOscillator& setting, Integrator integrator, double h, int every) {
  const MechanicalSystem system = nonlinear_oscillator_system(setting);
  const PhasePoint start{0.0, setting.start, setting.velocity};
  return run_system(system, start, {integrator, h, static_cast<int>(std::lround(setting.duration / h)), every, {}});
}

}  // namespace cardhouse
