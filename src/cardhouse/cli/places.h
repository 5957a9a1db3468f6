// Checks of output paths before any work is done, so that bad input leaves nothing behind.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace cardhouse::cli {

/// A scene's or file's name with only characters that are good in a file name.
std::string plain_name(const std::string& name);

/// Throws InputError, in the name of an option, when the folder is not there and could not be made, or not be written
/// in.
void check_folder(const std::filesystem::path& folder, const std::string& option);

/// Throws InputError, in the name of an option, when the file could not be put there.
void check_file(const std::filesystem::path& file, const std::string& option);

/// The same for a file that is left out when its name is empty and is standard output for "-". None of `sources` may
/// be overwritten.
void check_output(const std::string& file, const std::string& option, const std::vector<std::string>& sources);

/// Throws InputError, as another place would do, or std::runtime_error where the system is short of something.
[[noreturn]] void throw_not_made(const std::filesystem::path& folder, std::error_code error);

/// Makes a folder with all its parents; tells which are new, outermost first.
std::vector<std::filesystem::path> make_folders(const std::filesystem::path& folder);

}  // namespace cardhouse::cli
