#pragma once

#include <string>

#include "cardhouse/cli/arguments.h"
#include "cardhouse/world/scene.h"

namespace cardhouse::cli {

/// Whether a word names a scene: one of the library, or a file with JSON in it. Other files are taken for contact
/// problems; what is neither is left for load_scene to refuse.
bool names_scene(const std::string& file_or_name);

/// A scene from a file, or from the library by name. A word with a slash or ending in .json is a file; else a name of
/// the library wins. Throws InputError.
Scene load_scene(const std::string& file_or_name, const Parameters& parameters);

}  // namespace cardhouse::cli
