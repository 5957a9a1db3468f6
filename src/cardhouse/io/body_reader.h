#pragma once

#include "cardhouse/io/json_reader.h"
#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"

namespace cardhouse {

/// One entry of a scene's "bodies". The materials must have been read before.
struct BodyEntry {
  Body body;
  BodyState state;
};
BodyEntry read_body(const JsonReader& entry, int index, const std::vector<Material>& materials);

/// One entry of a body's "shapes".
Shape read_shape(const JsonReader& entry, const std::vector<Material>& materials);

/// The index of the material that an entry names.
int material_index(const JsonReader& name, const std::vector<Material>& materials);

/// The weighted nodes that hold an end of a spring or a joint.
Stencil read_stencil(const JsonReader& entry, int body, const State& state);

}  // namespace cardhouse
