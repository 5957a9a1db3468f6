#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cardhouse::viewer {

/// A text in at most so many bytes. It is cut between two characters, and what is not UTF-8 in it becomes U+FFFD:
/// browsers drop a connection that sends anything else.
std::string utf8_prefix(std::string_view text, std::size_t bytes);

/// What a socket may say when it closes: at most 123 bytes. A longer reason ends in "…".
std::string close_reason(std::string_view text);

}  // namespace cardhouse::viewer
