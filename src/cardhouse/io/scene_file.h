// Scene files (docs/scenes.md): JSON with comments.
#pragma once

#include <filesystem>
#include <string>

#include "cardhouse/world/scene.h"

namespace cardhouse {

/// Reads a scene from JSON (comments allowed). Every error says file, path, value and allowed range:
/// "scene.json: bodies[3].mass = -1 kg: must be > 0". `source` names the text in messages.
Scene parse_scene(const std::string& text, const std::string& source);
Scene read_scene(const std::filesystem::path& file);

/// The scene as JSON that parse_scene reads back to the same bits.
std::string scene_text(const Scene& scene);

}  // namespace cardhouse
