// The exact solution of one group of rows: impulses r with u = W_ii r + q_i that obey the group's law, all else held.
//
// Friction with a disk or an ellipse. With tangents scaled by the semi-axes, s = r_T/mu and y = mu u_T, both cones are
// ‖s‖ ≤ r_N. Let W_ii = [a cᵀ; b M] in these coordinates. Three cases:
//
//     take-off   r = 0, when q_N ≥ 0
//     stick      u = 0, when the r that gives it lies in the cone
//     slip       u_N = 0, ‖s‖ = r_N, y = −λ s with λ > 0
//
// Slip, with u_N = 0 eliminated: (S + λ) s = −p, S = M − b cᵀ/a, p = q_T − b q_N/a. Cramer's rule on the 2 × 2 matrix
// gives s = −(e + λ p)/D, e = adj(S) p, D = λ² + λ tr S + det S, so that ‖s‖ = r_N is one equation for λ,
//
//     ψ(λ) = ‖e + λ p‖ + (q_N D − c·(e + λ p))/a = 0
//
// (squared: the quartic of Bonnefon & Daviet 2011). ψ > 0 at 0 when stick fails, and ψ → −∞ since q_N < 0: a root
// exists however strongly normal and tangents are coupled (Painlevé), and a safeguarded Newton iteration finds it.
// A dependent law (rolling, torsional) is friction in F(r_N) with an r_N that is given: the same as a contact with one
// more row in front, W_NN = 1, coupled with no other, and q_N = −r_N.
//
// Polygons are solved by trying corners and sides, rows without friction by trying which are at their bounds.
#pragma once

#include <limits>

#include "cardhouse/laws/law.h"
#include "cardhouse/math/types.h"

namespace cardhouse {

/// One group's law and W_ii with what all solves share. W_ii need be neither symmetric nor regular.
class LocalContactSolver {
 public:
  /// w: W_ii in the upper left dim × dim part.
  void set(const Law& law, int dim, const Mat3& w);
  /// From any r and its u = W_ii r + q_i to an r that obeys the law. `load` is the normal impulse that bounds a
  /// dependent law. If there are several solutions, it finds one. It returns false when it finds none, as for a closing
  /// contact that nothing can move; r is then the best approximation that it has.
  bool solve(const double* u, double load, double* r) const;

  /// dim / trace(W_ii), the certificate's rho; 0 where nothing moves the rows.
  double rho() const { return rho_; }
  /// W_ii; of a dependent law with the row in front.
  const Mat3& w() const { return w_; }

 private:
  enum class Method {
    immovable,     ///< W_ii = 0
    free,          ///< equality rows
    row,           ///< one row within bounds
    rows,          ///< two or three rows within bounds
    frictionless,  ///< a normal alone
    line,          ///< friction along one tangent
    round,         ///< disk and ellipse in space
    polygon,
  };
  /// A point of the polygon's boundary where u_N = 0.
  struct PolygonTry {
    double normal = 0.0;                                         ///< r_N
    Vec2 s = Vec2::Zero();                                       ///< scaled friction
    double violation = std::numeric_limits<double>::infinity();  ///< J
  };

  bool solve_rows_with_normal(const double* u, double* r) const;
  void set_friction(const Law& law);
  void set_scaled();
  bool solve_free(const double* u, double* r) const;
  bool solve_row(const double* u, double* r) const;
  bool solve_rows(const Vec3& q, double* r) const;
  bool solve_frictionless(const Vec3& q, double* r) const;
  bool solve_line(const Vec3& q, double* r) const;
  bool solve_round(const Vec3& q, const double* u, double* r) const;
  bool solve_polygon(const Vec3& q, double* r) const;
  /// The impulse that stops the contact, without its friction test: S s = −p. False when there is none.
  bool stick(double q_normal, const Vec2& p, double& normal, Vec2& s) const;
  PolygonTry try_corner(const Vec3& q, const Vec2& corner, const Vec2& before, const Vec2& after) const;
  PolygonTry try_side(const Vec3& q, const Vec2& start, const Vec2& end) const;
  /// The root of ψ; `guess` may be anything.
  bool find_slip(double q_normal, const Vec2& p, const Vec2& e, double guess, double& lambda) const;

  Method method_ = Method::immovable;
  int dim_ = 0;  ///< with the row in front of a dependent law
  bool dependent_ = false;
  int tangent_ = 1;  ///< the row of the only tangent (line)
  int sides_ = 0;
  bool regular_ = false;  ///< S has an inverse
  double lower_ = 0.0, upper_ = 0.0;
  double rho_ = 0.0;
  double mu_ = 0.0;              ///< along that tangent (line)
  Vec2 axes_ = Vec2::Zero();     ///< mu along each tangent
  Mat3 w_ = Mat3::Zero();        ///< W_ii
  Mat3 inverse_ = Mat3::Zero();  ///< of W_ii, or pseudo-inverse (equality)
  double a_ = 0.0;               ///< the scaled W_ii, as above
  Vec2 b_, c_;
  Mat2 m_, adjugate_, inverse_s_;           ///< M, adj(S), and the inverse or pseudo-inverse of S
  double trace_ = 0.0, determinant_ = 0.0;  ///< of S
};

}  // namespace cardhouse
