#pragma once

#include "cardhouse/model/springs.h"
#include "cardhouse/stepping/rows/joint_rows.h"

namespace cardhouse {

/// Equality rows, one for each of the first `count` columns of `directions`: the velocity along it of the second end of
/// a spring or potential against the first.
template <typename Pair>
JointRows rows_between(const Pair& pair, const SpringEnds& ends, const Mat3& directions, int count) {
  JointRows rows;
  rows.joint = -1;
  rows.first = pair.first;
  rows.second = pair.second;
  rows.stencil_first = pair.stencil_first;
  rows.stencil_second = pair.stencil_second;
  rows.rows = count;
  rows.law.kind = Law::Kind::equality;
  for (int i = 0; i < count; ++i) {
    const Vec3 n = directions.col(i);
    rows.on_first.row(i) << -n.transpose(), -ends.first.arm.cross(n).transpose();
    rows.on_second.row(i) << n.transpose(), ends.second.arm.cross(n).transpose();
  }
  return rows;
}

}  // namespace cardhouse
