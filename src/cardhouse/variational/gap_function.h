// Signed gaps g(x) ≥ 0 that particles must keep, with their gradients. x is a particle's position, or the difference of
// two particles' positions, in 1 to 3 axes.
#pragma once

#include <functional>

#include "cardhouse/math/types.h"

namespace cardhouse {

/// 1 to 3 numbers, without an allocation.
using Point = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1>;

class GapFunction {
 public:
  GapFunction() = default;
  GapFunction(const GapFunction&) = delete;
  GapFunction& operator=(const GapFunction&) = delete;
  virtual ~GapFunction() = default;
  virtual double value(const Point& x) const = 0;  ///< positive when apart
  /// Must not be 0 where the gap closes: its direction is the contact's normal. Its length may be any; integrators
  /// divide by it.
  virtual Point gradient(const Point& x) const = 0;
};

/// g = n · x − offset with a unit normal n.
class HalfSpaceGap final : public GapFunction {
 public:
  /// Throws InputError for a normal without a direction; normalises it otherwise.
  explicit HalfSpaceGap(const Point& normal, double offset = 0.0);
  double value(const Point& x) const override { return normal_.dot(x) - offset_; }
  Point gradient(const Point&) const override { return normal_; }

 private:
  Point normal_;
  double offset_;  ///< m
};

/// g = ‖x − centre‖ − radius: outside a ball; between two balls with x the difference of their centres, centre 0 and
/// the sum of their radii.
class BallGap final : public GapFunction {
 public:
  BallGap(const Point& centre, double radius);
  double value(const Point& x) const override { return (x - centre_).norm() - radius_; }
  Point gradient(const Point& x) const override;

 private:
  Point centre_;
  double radius_;  ///< m
};

/// What a user's program computes.
class SmoothGap final : public GapFunction {
 public:
  using Value = std::function<double(const Point&)>;
  using Gradient = std::function<Point(const Point&)>;
  /// Throws InputError when one of them is missing.
  SmoothGap(Value value, Gradient gradient);
  double value(const Point& x) const override { return value_(x); }
  Point gradient(const Point& x) const override { return gradient_(x); }

 private:
  Value value_;
  Gradient gradient_;
};

}  // namespace cardhouse
