#include "cardhouse/stepping/rows/mean_rows.h"

#include <gtest/gtest.h>

#include "stepping/bodies.h"

namespace cardhouse {
namespace {

using test::SmallModel;

/// A body that moves and turns over a fixed one.
struct Moving {
  SmallModel setup;
  std::vector<MeanStep> steps;
  double h = 1e-2;

  explicit Moving(const Vec3& linear, const Vec3& angular) {
    setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, 0.5));
    setup.add_floor();
    BodyState& s = setup.state.bodies[0];
    s.linear = linear;
    s.angular = angular;
    Prediction free;
    const Body& body = setup.model.bodies[0];
    equations_of(body).predict(body, s, Wrench{}, StepRule{h}, free);
    steps = {equations_of(body).mean_step(body, s, free, Push{}, h), MeanStep{}};
    steps[1].end = setup.state.bodies[1];
  }
  MeanMotion motion() const { return {setup.state, steps, h}; }
  Vec3 rate_at(const Vec3& place) const {
    return steps[0].linear +
           steps[0].angular.cross(place - setup.state.bodies[0].pose.position - 0.5 * h * steps[0].linear);
  }
  /// A sphere of this radius about a point of the body, over the floor.
  Contact of_sphere(const Vec3& point, double radius) const {
    const BodyState& end = steps[0].end;
    const Vec3 before = setup.state.bodies[0].pose.position + point - radius * Vec3::UnitZ();
    const Vec3 after = end.pose.position + end.pose.orientation * point - radius * Vec3::UnitZ();
    Contact contact;
    contact.body_b = 1;
    contact.size = 0.1;
    contact.basis << 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0;
    contact.on_a = contact.on_b = before;
    contact.gap = before.z();
    contact.ends = true;
    contact.end_point = after;
    contact.end_normal = Vec3::UnitZ();
    contact.end_gap = after.z();
    return contact;
  }
};

TEST(MeanRows, ArePreciselyTheChangeOfTheGap) {
  const Moving moving(Vec3(1.0, 0.5, -0.2), Vec3(3.0, -5.0, 2.0));
  for (const double radius : {0.0, 0.05}) {
    const Contact contact = moving.of_sphere(Vec3(0.1, -0.08, -0.1), radius);
    const Contact mean = mean_contact(contact, moving.motion());
    const double change = moving.h * mean.normal().dot(moving.rate_at(mean.point()));
    EXPECT_NEAR(change + mean.bend, contact.end_gap - contact.gap, 1e-15);
    EXPECT_LE(std::abs(mean.bend), 1e-12) << "the row itself is the discrete gradient";
    EXPECT_LE((mean.normal() - Vec3::UnitZ()).norm(), radius == 0.0 ? 1e-12 : 1e-3);
  }
}

TEST(MeanRows, TellWhatBeginsToTouch) {
  const Moving moving(Vec3(1.0, 0.0, 0.0), Vec3::Zero());
  Contact contact = moving.of_sphere(Vec3::Zero(), 0.5);
  EXPECT_FALSE(begins_to_touch(contact, moving.motion())) << "it slides";
  contact.gap = 1e-3;
  EXPECT_TRUE(begins_to_touch(contact, moving.motion()));
  EXPECT_TRUE(begins_to_touch(Moving(-Vec3::UnitZ(), Vec3::Zero()).of_sphere(Vec3::Zero(), 0.5),
                              Moving(-Vec3::UnitZ(), Vec3::Zero()).motion()));
}

}  // namespace
}  // namespace cardhouse
