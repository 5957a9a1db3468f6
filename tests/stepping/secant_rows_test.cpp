#include "cardhouse/stepping/secant_rows.h"

#include "stepping/collisions.h"

namespace cardhouse {
namespace {

using namespace test;

constexpr double h = 1e-3;

/// A planar body with these shapes, made of 1 kg/m².
void add_figure(SmallModel& setup, std::vector<Shape> shapes, const Vec3& position, double spin,
                const Vec3& velocity = Vec3::Zero()) {
  Body body;
  body.name = "figure" + std::to_string(setup.model.bodies.size());
  body.kind = BodyKind::planar;
  body.shapes = std::move(shapes);
  BodyState s;
  set_density(body, s, 1.0);
  s.pose.position = position;
  s.angular = Vec3(0.0, spin, 0.0);
  s.linear = velocity;
  setup.add(body, s);
}

Shape ellipse(double x, double z) {
  return {Ellipse{x, z}, Pose{}, 0};
}

/// Two disks of one body: its outline rolls off its centre of mass.
std::vector<Shape> lopsided() {
  Pose aside;
  aside.position.x() = 0.8;
  return {{Disk{1.0}, Pose{}, 0}, {Disk{0.5}, aside, 0}};
}

SmallModel dropped(std::vector<Shape> shapes, double mu) {
  SmallModel setup;
  setup.model.materials[0].mu = mu;
  setup.add_floor();
  add_figure(setup, std::move(shapes), Vec3(0.0, 0.0, 3.0), 3.0);
  return setup;
}

struct Course {
  double largest_gain = 0.0;  ///< of the initial energy, in a step (−)
  double penetration = 0.0;   ///< m
};

Course course_of(SmallModel setup, NormalRows rows, int steps) {
  StepSettings settings;
  settings.step = h;
  settings.rows = rows;
  Stepper stepper(setup.model, settings);
  const double initial = energy_of(setup.model, setup.state).total();
  double before = initial;
  Course result;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = stepper.step(setup.model, setup.state);
    EXPECT_TRUE(report.certified) << "step " << k << ": " << report.reason;
    const double after = energy_of(setup.model, setup.state).total();
    result.largest_gain = std::max(result.largest_gain, (after - before) / initial);
    result.penetration = std::max(result.penetration, report.penetration);
    before = after;
  }
  return result;
}

TEST(SecantRows, BodiesThatRollOffTheirCentreGainNoEnergy) {
  for (const double mu : {0.0, 0.3, 2.0}) {
    for (const std::vector<Shape>& shapes : {std::vector<Shape>{ellipse(2.0, 1.0)}, lopsided()}) {
      SCOPED_TRACE("mu " + std::to_string(mu) + ", shapes " + std::to_string(shapes.size()));
      const Course secant = course_of(dropped(shapes, mu), NormalRows::secant, 3000);
      EXPECT_LE(secant.largest_gain, 1e-12);
      EXPECT_LE(secant.penetration, 2e-9) << "each step leaves 1e-13 m, until there is more than a negligible gap";
      const Course linear = course_of(dropped(shapes, mu), NormalRows::linear, 3000);
      EXPECT_GT(linear.largest_gain, 1e-9) << "else this test shows nothing";
      EXPECT_GT(linear.penetration, 1e-8);
    }
  }
}

/// Two ellipses that meet off their middles in free space, and turn on each other.
TEST(SecantRows, KeepMomentum) {
  SmallModel setup;
  setup.model.gravity.setZero();
  setup.model.materials[0].mu = 0.5;
  add_figure(setup, {ellipse(1.0, 0.5)}, Vec3(-1.2, 0.0, 0.0), 2.0, Vec3(1.0, 0.0, 0.2));
  add_figure(setup, {ellipse(0.8, 0.6)}, Vec3(1.0, 0.0, 0.3), -1.0, Vec3(-1.0, 0.0, 0.0));
  const auto momentum = [&] {
    Vec3 sum = Vec3::Zero();  // linear x and z, angular about the origin
    for (std::size_t i = 0; i < 2; ++i) {
      const Body& body = setup.model.bodies[i];
      const BodyState& s = setup.state.bodies[i];
      const Vec3 p = body.mass * s.linear;
      sum += Vec3(p.x(), s.pose.position.cross(p).y() + body.inertia(1, 1) * s.angular.y(), p.z());
    }
    return sum;
  };
  const Vec3 before = momentum();
  StepSettings settings;
  settings.step = h;
  settings.rows = NormalRows::secant;
  Stepper stepper(setup.model, settings);
  int touching = 0;
  for (int k = 0; k < 1000; ++k) {
    stepper.step(setup.model, setup.state);
    for (const ContactRecord& contact : stepper.contacts()) touching += contact.impulse.norm() > 0.0 ? 1 : 0;
    EXPECT_LE(stepper.report().penetration, 2e-9) << "bodies of a metre: a negligible gap";
  }
  EXPECT_GT(touching, 10) << "they must have pushed each other";
  EXPECT_LE((momentum() - before).norm(), 1e-10);
}

/// A coin that falls on its rim, leaning, and rolls: what it gains and loses over two seconds (J).
struct Exchange {
  double gained = 0.0, lost = 0.0;
  double penetration = 0.0;  ///< m
};

Exchange rolling_coin(NormalRows rows, double step) {
  SmallModel setup;
  setup.model.materials[0].mu = 0.5;
  setup.add_floor();
  Body coin;
  coin.name = "coin";
  coin.shapes.push_back({Cylinder{0.012, 0.001}, Pose{}, 0});
  BodyState s;
  set_density(coin, s, 8000.0);
  s.pose.position.z() = 0.0131;
  s.pose.orientation = rotation_from_vector(Vec3(1.2566, 0.0, 0.0));
  s.linear = Vec3(0.3, 0.0, 0.0);
  s.angular = Vec3(0.0, 0.0, 8.0);
  setup.add(coin, s);
  StepSettings settings;
  settings.step = step;
  settings.rows = rows;
  Stepper stepper(setup.model, settings);
  Exchange exchange;
  double before = energy_of(setup.model, setup.state).total();
  while (setup.state.time < 2.0) {
    const StepReport& report = stepper.step(setup.model, setup.state);
    EXPECT_TRUE(report.certified) << report.reason;
    const double after = energy_of(setup.model, setup.state).total();
    (after > before ? exchange.gained : exchange.lost) += std::abs(after - before);
    exchange.penetration = std::max(exchange.penetration, report.penetration);
    before = after;
  }
  return exchange;
}

TEST(SecantRows, ACoinThatRollsOnItsRimGainsNoEnergy) {
  for (const double step : {4e-3, 2e-3, 1e-3}) {
    const Exchange secant = rolling_coin(NormalRows::secant, step);
    EXPECT_LE(secant.gained, 1e-5 * secant.lost) << step;
    EXPECT_LE(secant.penetration, 1e-10) << step;
    const Exchange linear = rolling_coin(NormalRows::linear, step);
    EXPECT_GT(linear.gained, 1e-2 * linear.lost) << "else this test shows nothing";
    EXPECT_GT(linear.penetration, 1e-7);
  }
}

/// An ellipse in a drum that turns with it: the gap bends though they don't turn on each other, which no place of the
/// contact can mend. It must stay where bodies touch.
TEST(SecantRows, StayBetweenThePlacesWhereBodiesTouch) {
  SmallModel setup;
  setup.model.gravity.setZero();
  setup.model.materials[0].mu = 0.5;
  add_figure(setup, {ellipse(0.3, 0.15)}, Vec3(0.0, 0.0, 1.0), 6.0, Vec3(6.0, 0.0, 0.0));
  add_figure(setup, {ellipse(3.0, 0.5)}, Vec3(0.0, 0.0, 0.34), 6.0);
  StepSettings settings;
  settings.step = h;
  settings.rows = NormalRows::secant;
  Stepper stepper(setup.model, settings);
  for (int k = 0; k < 500; ++k) {
    const State start = setup.state;
    stepper.step(setup.model, setup.state);
    for (const ContactRecord& contact : stepper.contacts()) {
      const double far = (contact.point - start.bodies[0].pose.position).norm();
      EXPECT_LE(far, 0.3 + 10.0 * h * 10.0) << "farther than the ellipse reaches and bodies move in a step";
    }
  }
}

/// Overlaps that are meant to stay are no reason to solve again.
TEST(SecantRows, LeaveWhatTheRowSees) {
  SmallModel setup = dropped({ellipse(2.0, 1.0)}, 0.3);
  setup.state.bodies[1].pose.position.z() = 0.9;  // 10 cm deep
  setup.state.bodies[1].angular.y() = 1e-4;       // so slowly that the gap bends by 1e-14 m
  Detector detector(setup.model);
  StepSettings settings;
  settings.step = h;
  const std::vector<Twist> twists = setup.twists();
  std::vector<Contact>& contacts = detector.detect(setup.model, setup.state, twists, settings);
  ASSERT_EQ(contacts.size(), 1u);
  const Vec3 point = contacts[0].point();
  State end = setup.state;
  end.bodies[1].pose.orientation = rotation_from_vector(h * twists[1].angular) * end.bodies[1].pose.orientation;
  std::vector<Vec3> offsets;
  EXPECT_FALSE(follow_surfaces(setup.state, end, twists, h, setup.model, detector, contacts, offsets));
  EXPECT_EQ(contacts[0].point(), point);
  end.bodies[1].pose.orientation = rotation_from_vector(Vec3(0.0, 0.1, 0.0)) * setup.state.bodies[1].pose.orientation;
  std::vector<Twist> fast = twists;
  fast[1].angular.y() = 0.1 / h;
  EXPECT_TRUE(follow_surfaces(setup.state, end, fast, h, setup.model, detector, contacts, offsets));
  EXPECT_NE(contacts[0].point(), point);
}

}  // namespace
}  // namespace cardhouse
