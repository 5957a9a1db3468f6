#pragma once

#include <functional>

#include "cardhouse/io/json_reader.h"
#include "cardhouse/model/joint.h"
#include "cardhouse/model/state.h"

namespace cardhouse {

/// One element of "joints" (docs/joints.md). `body_index` turns a name into an index, −1 for the world where it is told
/// that it may be, or complains; `state` tells where the bodies are, for joints that are placed in the world.
Joint read_joint(const JsonReader& entry, int index, const std::function<int(const JsonReader&, bool)>& body_index,
                 const State& state);

}  // namespace cardhouse
