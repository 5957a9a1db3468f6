#pragma once

#include <string>
#include <string_view>

namespace cardhouse::viewer {

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);
/// Throws InputError for what is no base64.
std::string from_base64(std::string_view text);

}  // namespace cardhouse::viewer
