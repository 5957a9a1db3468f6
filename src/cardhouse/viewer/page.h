#pragma once

#include <string>
#include <string_view>

namespace cardhouse::viewer {

/// The viewer's page as it is kept in the program: one HTML file, compressed.
struct Page {
  std::string_view gzip;           ///< empty when the program was built without it
  std::string_view script_hashes;  ///< 'sha256-…' of its inline scripts, for the content security policy
};

Page embedded_page();
bool has_page();

/// Throws InputError that says what is missing and how to get it.
void require_page(std::string_view command);

/// The page as text.
std::string page_text(const Page& page);

}  // namespace cardhouse::viewer
