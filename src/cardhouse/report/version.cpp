#include "cardhouse/report/version.h"

namespace cardhouse {

std::string_view version() {
  return CARDHOUSE_VERSION;
}

}  // namespace cardhouse
