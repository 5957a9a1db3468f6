// Smooth potentials over generalised coordinates: what the integrators of the room `variational` move in. Each gives
// its energy, gradient and Hessian; whoever writes one checks it with model/derivative_check.h.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cardhouse/math/types.h"

namespace cardhouse {

/// V(q). Gradient and Hessian are added to what is there, so that potentials sum up without copies.
class Potential {
 public:
  Potential() = default;
  Potential(const Potential&) = delete;
  Potential& operator=(const Potential&) = delete;
  virtual ~Potential() = default;
  virtual double energy(const VecX& q) const = 0;                      ///< J
  virtual void add_gradient(const VecX& q, VecX& gradient) const = 0;  ///< J per unit of q
  virtual void add_hessian(const VecX& q, MatX& hessian) const = 0;
};

/// V = −f · q: a force that is the same everywhere. Gravity: f = −m g along the coordinates that rise.
class ConstantForce final : public Potential {
 public:
  explicit ConstantForce(VecX force) : force_(std::move(force)) {}
  double energy(const VecX& q) const override { return -force_.dot(q); }
  void add_gradient(const VecX&, VecX& gradient) const override { gradient -= force_; }
  void add_hessian(const VecX&, MatX&) const override {}

 private:
  VecX force_;
};

/// A particle's place among the coordinates.
struct Coordinates {
  int first = 0;
  int count = 0;  ///< axes: 1 to 3
};

/// V = k/2 (‖x_a − x_b‖ − L)² between two particles, or between one and an anchor. With L = 0 it is k/2 ‖x_a − x_b‖².
class LinearSpring final : public Potential {
 public:
  /// From a particle to a fixed point. Throws InputError for sizes that don't match and for negative numbers.
  LinearSpring(Coordinates particle, VecX anchor, double stiffness, double rest_length = 0.0);
  /// Between two particles with as many axes.
  LinearSpring(Coordinates first, Coordinates second, double stiffness, double rest_length = 0.0);

  double energy(const VecX& q) const override;
  void add_gradient(const VecX& q, VecX& gradient) const override;
  void add_hessian(const VecX& q, MatX& hessian) const override;

 private:
  using Point = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1>;
  Point between(const VecX& q) const;

  Coordinates first_;
  Coordinates second_;  ///< count 0: the anchor
  Point anchor_;
  double stiffness_;    ///< N/m
  double rest_length_;  ///< m
};

/// V = ‖q‖² (‖q‖² − 1)² (Kaufman 2009, Eq. 4.72), over all coordinates: wells at the origin and on the unit sphere.
class DoubleWell final : public Potential {
 public:
  double energy(const VecX& q) const override;
  void add_gradient(const VecX& q, VecX& gradient) const override;
  void add_hessian(const VecX& q, MatX& hessian) const override;
};

/// What a user's program computes. The callbacks add, like Potential's functions.
class UserPotential final : public Potential {
 public:
  using Energy = std::function<double(const VecX&)>;
  using Gradient = std::function<void(const VecX&, VecX&)>;
  using Hessian = std::function<void(const VecX&, MatX&)>;

  /// Throws InputError when one of them is missing.
  UserPotential(Energy energy, Gradient gradient, Hessian hessian);
  double energy(const VecX& q) const override { return energy_(q); }
  void add_gradient(const VecX& q, VecX& gradient) const override { gradient_(q, gradient); }
  void add_hessian(const VecX& q, MatX& hessian) const override { hessian_(q, hessian); }

 private:
  Energy energy_;
  Gradient gradient_;
  Hessian hessian_;
};

/// The sum of others; 0 when there are none.
class PotentialSum final : public Potential {
 public:
  void add(std::shared_ptr<const Potential> term) { terms_.push_back(std::move(term)); }
  double energy(const VecX& q) const override;
  void add_gradient(const VecX& q, VecX& gradient) const override;
  void add_hessian(const VecX& q, MatX& hessian) const override;

 private:
  std::vector<std::shared_ptr<const Potential>> terms_;
};

}  // namespace cardhouse
