// Bullet and cardhouse on the same structures, in one run: card houses and arches of our scene library, step by step
// for a second, with the time per step and how far anything has moved. `bullet --help` tells the options.
//
// Bullet's thresholds are lengths for bodies of about a metre. A card is 2 mm thick, so each house is also given to it
// enlarged, with gravity enlarged by the same factor: the same motion in other units.
#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <Eigen/Eigenvalues>
#include <fstream>
#include <functional>
#include <memory>
#include <variant>

#include "bench_tools.h"
#include "cardhouse/scenes/library.h"
#include "cardhouse/world/world.h"

namespace {

using namespace cardhouse;

struct Settings {
  std::vector<int> levels = {2, 3, 4, 5, 6};
  std::vector<int> voussoirs = {21};
  std::vector<double> enlargements = {1.0, 20.0};
  double step = 1e-3;
  double seconds = 1.0;
  int iterations = 200;
  std::string csv;
};

/// How a run went.
struct Outcome {
  std::string engine;
  double seconds_per_step = 0.0;  ///< CPU, the mean
  double moved = 0.0;             ///< m: the farthest body's centre from its start, at the end
  double farthest = 0.0;          ///< m: the same at any time
  bool stands = false;
  int uncertified = 0;  ///< steps; of ours only
};

btVector3 to_bullet(const Vec3& x) {
  return {x.x(), x.y(), x.z()};
}

btTransform to_bullet(const Pose& pose, double enlarged) {
  const Quat& q = pose.orientation;
  return btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), to_bullet(Vec3(enlarged * pose.position)));
}

/// The rotation from the principal axes of inertia to the body's axes; Bullet's bodies have their frames along them.
Quat principal_axes(const Mat3& inertia) {
  const Mat3 off_diagonal = inertia - Mat3(inertia.diagonal().asDiagonal());
  if (off_diagonal.norm() <= 1e-12 * inertia.norm()) return Quat::Identity();
  Mat3 axes = Eigen::SelfAdjointEigenSolver<Mat3>(inertia).eigenvectors();
  if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  return Quat(axes);
}

/// No margin: edges are sharp and faces are where we have them. Hulls get their faces, so that Bullet clips them
/// against each other and finds a contact at every corner of a joint. `turned` goes from the shape's axes to Bullet's.
std::unique_ptr<btCollisionShape> to_bullet(const Geometry& geometry, const Quat& turned, double enlarged) {
  if (const auto* box = std::get_if<Box>(&geometry)) {
    if (std::abs(turned.w()) != 1.0) throw std::runtime_error("a box whose inertia is not along its sides");
    auto shape = std::make_unique<btBoxShape>(to_bullet(Vec3(enlarged * box->half_extents)));
    shape->setMargin(0.0);
    return shape;
  }
  const auto* polytope = std::get_if<Polytope>(&geometry);
  if (!polytope) throw std::runtime_error(fmt::format("a {} is in none of these scenes", shape_name(geometry)));
  auto hull = std::make_unique<btConvexHullShape>();
  for (const Vec3& vertex : polytope->hull->vertices)
    hull->addPoint(to_bullet(Vec3(enlarged * (turned * vertex))), false);
  hull->recalcLocalAabb();
  hull->setMargin(0.0);
  hull->initializePolyhedralFeatures();
  return hull;
}

/// A scene of ours in Bullet.
class BulletWorld {
 public:
  BulletWorld(const Scene& scene, double enlarged, int iterations)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_),
        enlarged_(enlarged) {
    world_.setGravity(to_bullet(Vec3(enlarged * scene.model.gravity)));
    btContactSolverInfo& info = world_.getSolverInfo();
    info.m_numIterations = iterations;
    info.m_solverMode |= SOLVER_USE_WARMSTARTING | SOLVER_USE_2_FRICTION_DIRECTIONS;
    for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
      add(scene.model, scene.model.bodies[i], scene.initial.bodies[i]);
    }
  }
  ~BulletWorld() {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  void step(double h) { world_.stepSimulation(h, 0, h); }
  Vec3 position(std::size_t body) const {
    const btVector3& x = bodies_[body]->getCenterOfMassPosition();
    return Vec3(x.x(), x.y(), x.z()) / enlarged_;
  }

 private:
  void add(const Model& model, const Body& body, const BodyState& state) {
    const Shape& shape = body.shapes.front();
    const bool plain = body.shapes.size() == 1 && shape.pose.position.isZero() && shape.pose.orientation.vec().isZero();
    if (!plain) throw std::runtime_error(body.name + ": not one shape in the body's own frame");
    const bool dynamic = body.mobility == Mobility::dynamic;
    const Quat axes = dynamic ? principal_axes(body.inertia) : Quat::Identity();
    shapes_.push_back(to_bullet(shape.geometry, axes.conjugate(), enlarged_));
    const Mat3 turned = axes.toRotationMatrix().transpose() * body.inertia * axes.toRotationMatrix();
    const Vec3 inertia = enlarged_ * enlarged_ * Vec3(turned.diagonal());  // masses stay
    btRigidBody::btRigidBodyConstructionInfo info(dynamic ? body.mass : 0.0, nullptr, shapes_.back().get(),
                                                  dynamic ? to_bullet(inertia) : btVector3(0, 0, 0));
    info.m_startWorldTransform = to_bullet(state.pose * Pose{Vec3::Zero(), axes}, enlarged_);
    // Bullet multiplies the two coefficients of friction.
    info.m_friction = std::sqrt(model.materials[static_cast<std::size_t>(shape.material)].mu);
    info.m_restitution = 0.0;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  double enlarged_ = 1.0;
};

/// Steps until the time is over and follows the farthest of the bodies that must stand.
Outcome follow(const Scene& scene, const Settings& settings, const std::function<void()>& step,
               const std::function<Vec3(std::size_t)>& position) {
  Outcome outcome;
  double stepping = 0.0;
  const int steps = static_cast<int>(std::lround(settings.seconds / settings.step));
  for (int i = 0; i < steps; ++i) {
    const double start = bench::cpu_seconds();
    step();
    stepping += bench::cpu_seconds() - start;
    outcome.moved = 0.0;
    for (std::size_t b = 0; b < scene.model.bodies.size(); ++b) {
      if (scene.model.bodies[b].mobility != Mobility::dynamic) continue;
      const double moved = (position(b) - scene.initial.bodies[b].pose.position).norm();
      outcome.moved = std::max(outcome.moved, moved);
    }
    outcome.farthest = std::max(outcome.farthest, outcome.moved);
  }
  outcome.seconds_per_step = stepping / std::max(steps, 1);
  outcome.stands = outcome.moved <= scene.stands->max_displacement;
  return outcome;
}

Outcome run_bullet(const Scene& scene, const Settings& settings, double enlarged) {
  BulletWorld world(scene, enlarged, settings.iterations);
  Outcome outcome = follow(
      scene, settings, [&] { world.step(settings.step); }, [&](std::size_t body) { return world.position(body); });
  outcome.engine = enlarged == 1.0 ? "Bullet" : fmt::format("Bullet, x{:g}", enlarged);
  return outcome;
}

Outcome run_ours(Scene scene, const Settings& settings) {
  scene.settings.step = settings.step;
  World world(scene);
  int uncertified = 0;
  Outcome outcome = follow(
      scene, settings, [&] { uncertified += world.step().certified ? 0 : 1; },
      [&](std::size_t body) { return world.state().bodies[body].pose.position; });
  outcome.engine = "cardhouse";
  outcome.uncertified = uncertified;
  return outcome;
}

void compare(const std::string& name, const Scene& scene, const Settings& settings, std::ofstream* csv) {
  std::vector<Outcome> outcomes;
  fmt::print(stderr, "{} ...\n", name);
  outcomes.push_back(run_ours(scene, settings));
  for (const double enlarged : settings.enlargements) outcomes.push_back(run_bullet(scene, settings, enlarged));
  for (const Outcome& outcome : outcomes) {
    const bool ours = outcome.engine == "cardhouse";
    fmt::print("{:28} {:12} {:>10} {:>8.3g} {:>12.3g} {:>12.3g}  {:6} {}\n", name, outcome.engine,
               bench::time_text(outcome.seconds_per_step), outcome.seconds_per_step / outcomes.front().seconds_per_step,
               1e3 * outcome.moved, 1e3 * outcome.farthest, outcome.stands ? "stands" : "falls",
               ours ? fmt::format("{} steps uncertified", outcome.uncertified) : "");
    if (csv) {
      *csv << fmt::format("{},{},{:.6g},{:.6g},{:.6g},{}\n", name, outcome.engine, outcome.seconds_per_step,
                          outcome.moved, outcome.farthest, outcome.stands);
    }
  }
  std::fflush(stdout);
}

int run(const Settings& settings) {
  std::ofstream file;
  if (!settings.csv.empty()) {
    file.open(settings.csv);
    file << "structure,engine,cpu_seconds_per_step,moved_m,farthest_m,stands\n";
  }
  std::ofstream* csv = settings.csv.empty() ? nullptr : &file;
  fmt::print("# {}; CPU time per whole step, one thread; h = {:g} ms, {:g} s; Bullet {} in double precision,\n",
             bench::processor(), 1e3 * settings.step, settings.seconds, btGetVersion());
  fmt::print("# sequential impulses, {} iterations, warm start, two friction directions; cardhouse auto at 1e-8.\n",
             settings.iterations);
  fmt::print("{:28} {:12} {:>10} {:>8} {:>12} {:>12}\n", "structure", "engine", "per step", "to ours", "moved (mm)",
             "farthest (mm)");
  for (const int levels : settings.levels) {
    compare(fmt::format("card house of {} levels", levels),
            make_scene("card_house", {{"levels", std::to_string(levels)}}), settings, csv);
  }
  for (const int voussoirs : settings.voussoirs) {
    for (const char* kind : {"semicircle", "catenary"}) {
      compare(fmt::format("{} arch of {}", kind, voussoirs),
              make_scene("arch", {{"kind", kind}, {"voussoirs", std::to_string(voussoirs)}}), settings, csv);
    }
  }
  return 0;
}

int start(int argc, char** argv) {
  Settings settings;
  CLI::App app("card houses and arches in cardhouse and in Bullet");
  app.add_option("--levels", settings.levels, "of the card houses (default 2,3,4,5,6)")->delimiter(',');
  app.add_option("--voussoirs", settings.voussoirs, "of the arches (default 21)")->delimiter(',');
  app.add_option("--enlarge", settings.enlargements, "factors of length for Bullet (default 1,20)")->delimiter(',');
  app.add_option("--step", settings.step, "s (default 0.001)");
  app.add_option("--seconds", settings.seconds, "simulated (default 1)");
  app.add_option("--iterations", settings.iterations, "of Bullet (default 200)");
  app.add_option("--csv", settings.csv, "writes the table");
  CLI11_PARSE(app, argc, argv);
  return run(settings);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_program("bullet", [&] { return start(argc, argv); });
}
