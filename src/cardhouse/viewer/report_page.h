#pragma once

#include <filesystem>
#include <string>

#include "cardhouse/viewer/page.h"

namespace cardhouse::viewer {

/// The page with a whole recording in it, as text. Throws InputError.
std::string report_page(const Page& page, const std::filesystem::path& recording);

}  // namespace cardhouse::viewer
