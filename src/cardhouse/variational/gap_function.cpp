#include "cardhouse/variational/gap_function.h"

#include <fmt/format.h>

#include <cmath>

#include "cardhouse/base/error.h"

namespace cardhouse {

HalfSpaceGap::HalfSpaceGap(const Point& normal, double offset) : normal_(normal), offset_(offset) {
  const double length = normal.norm();
  if (!(length > 0.0) || !std::isfinite(length)) throw InputError("half-space: its normal must be finite and not zero");
  normal_ /= length;
}

BallGap::BallGap(const Point& centre, double radius) : centre_(centre), radius_(radius) {
  if (!(radius > 0.0) || !std::isfinite(radius)) {
    throw InputError(fmt::format("ball: radius = {} m: must be > 0 and finite", radius));
  }
}

Point BallGap::gradient(const Point& x) const {
  const Point d = x - centre_;
  const double length = d.norm();
  // At the centre every direction leads out as fast.
  if (length == 0.0) return Point::Unit(d.size(), d.size() - 1);
  return d / length;
}

SmoothGap::SmoothGap(Value value, Gradient gradient) : value_(std::move(value)), gradient_(std::move(gradient)) {
  if (!value_ || !gradient_) throw InputError("gap function: needs both value and gradient; one of them is empty");
}

}  // namespace cardhouse
