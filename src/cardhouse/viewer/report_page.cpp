#include "cardhouse/viewer/report_page.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "cardhouse/base/error.h"
#include "cardhouse/viewer/base64.h"
#include "cardhouse/viewer/gzip.h"
#include "cardhouse/viewer/recorded_source.h"

namespace cardhouse::viewer {
namespace {

constexpr std::string_view place = "<!-- cardhouse-report -->";

/// More than any plot has pixels, and less than what one answer takes; longer runs are summarised.
constexpr std::int64_t max_report_rows = 20'000;

/// A message with its length before it and padding behind it.
void add(GzipWriter& gzip, const Message& message) {
  std::array<char, 8> length{};
  const auto size = static_cast<std::uint32_t>(message->size());
  std::memcpy(length.data(), &size, sizeof size);
  gzip.add({length.data(), length.size()});
  gzip.add(*message);
  gzip.add(std::string((8 - message->size() % 8) % 8, '\0'));
}

void add_steps(GzipWriter& gzip, const RecordedMessages& recording) {
  const std::int64_t stride = (recording.steps() + max_report_rows - 1) / max_report_rows;
  if (stride > 0) add(gzip, recording.steps({0, 0, recording.steps(), stride}));
}

void add_frames(GzipWriter& gzip, const RecordedMessages& recording) {
  for (std::int64_t first = 0; first < recording.frames();) {
    const auto frames = recording.frames({0, first, recording.frames() - first, true}, VelocityPrecision::single);
    add(gzip, frames.message);
    first += frames.count;
  }
}

}  // namespace

std::string report_page(const Page& page, const std::filesystem::path& recording) {
  std::string text = page_text(page);
  const std::size_t at = text.find(place);
  if (at == std::string::npos) throw InputError("the viewer's page has no place for a report: build it again");
  const RecordedMessages messages(recording);
  GzipWriter gzip;
  add(gzip, messages.scene("report", ""));
  add_steps(gzip, messages);
  add_frames(gzip, messages);
  add(gzip, messages.reasons());
  text.replace(at, place.size(),
               "<script type=\"text/plain\" id=\"cardhouse-report\">" + base64(gzip.finish()) + "</script>");
  return text;
}

}  // namespace cardhouse::viewer
