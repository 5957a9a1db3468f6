#pragma once

#include <filesystem>
#include <string>

namespace cardhouse::cli {

/// Whether a file is a recording, by its first bytes. An empty or damaged file whose name is that of a recording counts
/// as one, so that the message fits.
bool looks_like_recording(const std::filesystem::path& file);

/// Throws InputError, in the name of a command, when writing `out` would destroy the recording that is read.
void check_not_same_file(const std::string& command, const std::filesystem::path& out,
                         const std::filesystem::path& recording);

}  // namespace cardhouse::cli
