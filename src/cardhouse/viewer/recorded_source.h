#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cardhouse/viewer/frame_table.h"
#include "cardhouse/viewer/source.h"

namespace cardhouse::viewer {

/// Parts of a recording as messages, read when they are asked for. Functions throw InputError for what is damaged or
/// out of range.
class RecordedMessages {
 public:
  explicit RecordedMessages(const std::filesystem::path& file);
  ~RecordedMessages();
  RecordedMessages(RecordedMessages&&) noexcept;

  std::int64_t frames() const;
  std::int64_t steps() const;

  Message scene(std::string_view mode, const std::string& session) const;
  /// Fewer than `count` when they would take more than a few megabytes, and at the recording's end; at least one.
  struct Frames {
    Message message;
    std::int64_t count = 0;
  };
  Frames frames(const GetFrames& request, VelocityPrecision precision) const;
  Message steps(const GetSteps& request) const;
  Message track(const GetTrack& request) const;
  Message reasons() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A recording for pages to look at.
class RecordedSource : public Source {
 public:
  /// `session` changes from one start of the program to the next.
  RecordedSource(const std::filesystem::path& file, const std::string& session);

  std::vector<Message> news(Progress& progress) override;
  std::vector<Message> answer(const Request& request) override;

 private:
  RecordedMessages messages_;
  Message scene_;
};

}  // namespace cardhouse::viewer
