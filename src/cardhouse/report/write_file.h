#pragma once

#include <filesystem>
#include <string_view>

namespace cardhouse {

/// Writes a whole file or leaves what was there: the text goes to a neighbour that then takes the file's name.
/// Throws std::runtime_error with the file and the system's reason.
void write_file_atomically(const std::filesystem::path& file, std::string_view text);

}  // namespace cardhouse
