#include "cardhouse/viewer/utf8.h"

#include <algorithm>

namespace cardhouse::viewer {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view ellipsis = "\xE2\x80\xA6";     // …

/// Bytes of the character that a text begins with; 0 when it begins with none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  // Not the long forms of short characters, nor surrogates, nor what is beyond U+10FFFF.
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < least || byte(1) > most) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string utf8_prefix(std::string_view text, std::size_t bytes) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_bytes(text);
    const std::string_view character = length == 0 ? replacement : text.substr(0, length);
    if (result.size() + character.size() > bytes) break;
    result += character;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string close_reason(std::string_view text) {
  constexpr std::size_t longest = 123;                     // a control frame has 125 bytes, two of them the code
  std::string whole = utf8_prefix(text, 3 * text.size());  // each byte becomes three at most
  if (whole.size() <= longest) return whole;
  return utf8_prefix(whole, longest - ellipsis.size()).append(ellipsis);
}

}  // namespace cardhouse::viewer
