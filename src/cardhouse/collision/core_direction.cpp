#include "cardhouse/collision/core_direction.h"

namespace cardhouse {
namespace {

class DirectionFinder {
 public:
  DirectionFinder(const Core& a, const Core& b, const Separation& separation, const TieBands& bands)
      : a_(a), b_(b), separation_(separation), bands_(bands) {}

  std::optional<CoreDirection> find(double reach) {
    found_.distance = separation_.best;
    if (found_.distance <= 0.0 && has_volume()) {
      const FaceChoice face = first_face(bands_.round_off);
      found_.normal = separation_.best_normal;
      if (face.face >= 0 && face.separation >= found_.distance - bands_.round_off) take_face(face);
    } else if (!take_attained(best_face(separation_.faces_a, true, 0.0)) &&
               !take_attained(best_face(separation_.faces_b, false, 0.0))) {
      found_.closest = closest_points(a_, b_, separation_, reach);
      if (!found_.closest) return std::nullopt;
      found_.distance = found_.closest->distance;
      found_.normal = found_.closest->normal;
    }
    if (found_.distance <= bands_.rest) settle();
    return found_;
  }

 private:
  bool has_volume() const { return a_.face_count() > 0 || b_.face_count() > 0; }

  void take_face(const FaceChoice& choice) {
    found_.face = choice;
    found_.normal = normal_of(choice, a_, b_);
  }

  /// The first face, of a before b, that is as good as any to within `slack`; −1 where there are no faces.
  FaceChoice first_face(double slack) const {
    const FaceChoice of_a = best_face(separation_.faces_a, true, slack);
    const FaceChoice of_b = best_face(separation_.faces_b, false, slack);
    return of_b.separation > of_a.separation + slack ? of_b : of_a;
  }

  /// Of clearly different directions that separate touching or overlapping cores equally well, the first face's.
  void settle() {
    const FaceChoice face = first_face(bands_.equal);
    if (face.face < 0 || face.separation < found_.distance - bands_.equal) return;
    if (!same_direction(normal_of(face, a_, b_), found_.normal)) take_face(face);
  }

  bool take_attained(const FaceChoice& choice) {
    if (!attained(choice)) return false;
    found_.distance = choice.separation;
    take_face(choice);
    return true;
  }

  /// Whether the separation along this face is the distance: it is a lower bound, and a vertex over the face shows it.
  bool attained(const FaceChoice& choice) const {
    if (choice.face < 0) return false;
    const double round_off = bands_.round_off;
    const bool at_rest = choice.separation <= bands_.rest;
    if (choice.separation < separation_.best - (at_rest ? round_off : 1e-3 * round_off)) return false;
    const Core& reference = choice.of_a ? a_ : b_;
    const Core& other = choice.of_a ? b_ : a_;
    const double lowest = choice.separation + reference.offsets[choice.face] + 1e-3 * round_off;
    const double beside = at_rest ? bands_.equal : std::max(kBeside * choice.separation, 1e-3 * round_off);
    return std::any_of(other.vertices.begin(), other.vertices.end(), [&](const Vec3& v) {
      return reference.normals[choice.face].dot(v) <= lowest && over_face(reference, choice.face, v, beside);
    });
  }

  const Core& a_;
  const Core& b_;
  const Separation& separation_;
  const TieBands& bands_;
  CoreDirection found_;
};

}  // namespace

FaceChoice best_face(const std::vector<double>& separations, bool of_a, double slack) {
  FaceChoice best{of_a, -1, -infinity};
  for (int f = 0; f < static_cast<int>(separations.size()); ++f) {
    if (separations[f] > best.separation + slack) best = {of_a, f, separations[f]};
  }
  return best;
}

std::optional<CoreDirection> find_direction(const Core& a, const Core& b, const Separation& separation,
                                            const TieBands& bands, double reach) {
  return DirectionFinder(a, b, separation, bands).find(reach);
}

}  // namespace cardhouse
