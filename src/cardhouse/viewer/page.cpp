#include "cardhouse/viewer/page.h"

#include <fmt/format.h>

#include "cardhouse/base/error.h"
#include "cardhouse/viewer/gzip.h"

// The build leaves two files, empty ones when there is no page (cmake/viewer_page.cmake); the assembler puts them here.
__asm__(
    ".section .rodata\n"
    ".hidden cardhouse_page_begin, cardhouse_page_end, cardhouse_hashes_begin, cardhouse_hashes_end\n"
    ".global cardhouse_page_begin, cardhouse_page_end, cardhouse_hashes_begin, cardhouse_hashes_end\n"
    "cardhouse_page_begin: .incbin \"" CARDHOUSE_PAGE_FILE
    "\"\n"
    "cardhouse_page_end:\n"
    "cardhouse_hashes_begin: .incbin \"" CARDHOUSE_PAGE_HASHES
    "\"\n"
    "cardhouse_hashes_end: .byte 0\n"
    ".text\n");

extern "C" {
extern const char cardhouse_page_begin[];
extern const char cardhouse_page_end[];
extern const char cardhouse_hashes_begin[];
extern const char cardhouse_hashes_end[];
}

namespace cardhouse::viewer {

Page embedded_page() {
  return {{cardhouse_page_begin, cardhouse_page_end}, {cardhouse_hashes_begin, cardhouse_hashes_end}};
}

bool has_page() {
  return !embedded_page().gzip.empty();
}

void require_page(std::string_view command) {
  if (has_page()) return;
  throw InputError(
      fmt::format("{}: this cardhouse was built without the viewer's page, which needs Node.js 18 or newer and npm.\n"
                  "Install them ('apt install nodejs npm'), then configure with -DCARDHOUSE_VIEWER=ON and build again.",
                  command));
}

std::string page_text(const Page& page) {
  return gunzip(page.gzip);
}

}  // namespace cardhouse::viewer
