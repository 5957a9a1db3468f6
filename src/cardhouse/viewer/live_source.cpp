#include "cardhouse/viewer/live_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/viewer/command_check.h"
#include "cardhouse/viewer/live_news.h"
#include "cardhouse/viewer/live_worker.h"

namespace cardhouse::viewer {
namespace {

/// The run that a command is for; the first when it is for all.
int run_set_by(const Request& request) {
  const auto* command = std::get_if<Command>(&request);
  const auto* set = command ? std::get_if<Set>(command) : nullptr;
  return set ? set->run.value_or(0) : 0;
}

}  // namespace

LiveSource::LiveSource(Scene scene, Options options)
    : options_(std::move(options)), worker_(std::make_unique<LiveWorker>(std::move(scene), options_)) {}

LiveSource::~LiveSource() = default;

void LiveSource::set_alarm(std::function<void()> alarm) {
  worker_->set_alarm(std::move(alarm));
}

void LiveSource::watched_by(std::size_t pages) {
  worker_->watched_by(pages);
}

std::vector<Message> LiveSource::news(Progress& progress) {
  const News news = worker_->with_published([&](const Published& published) {
    // Errors from before the page came are not sent to it.
    if (progress.scene == 0) progress.error = published.error_version;
    return take_news(published, progress);
  });
  return messages_of(news, options_.session);
}

std::vector<Message> LiveSource::answer(const Request& request) {
  try {
    if (const auto* wanted = std::get_if<GetSteps>(&request)) return {steps(*wanted)};
    if (const auto* wanted = std::get_if<GetReasons>(&request)) return {reasons(wanted->run)};
    const auto* command = std::get_if<Command>(&request);
    if (command == nullptr) throw InputError("a live run keeps no frames; record it with 'cardhouse run'");
    check_command(*command, options_.solvers.size());
    if (!worker_->submit(*command)) throw InputError("too many commands are waiting; try again");
    return {};
  } catch (const RefusedValue& refused) {
    return {error_message(refused.what(), refused.field(), run_set_by(request))};
  } catch (const InputError& error) {
    return {error_message(error.what())};
  }
}

void LiveSource::check_run(int run) const {
  if (run >= static_cast<int>(options_.solvers.size())) {
    throw InputError(fmt::format("run {}: there are {}", run, options_.solvers.size()));
  }
}

Message LiveSource::steps(const GetSteps& request) {
  check_run(request.run);
  StepTableSlice slice;
  slice.run = request.run;
  slice.stride = request.stride;
  worker_->with_published([&](const Published& published) {
    const StepHistory& history = published.runs[static_cast<std::size_t>(request.run)].history;
    slice.first = std::clamp(request.first, history.first(), history.end());
    slice.columns = history.columns(slice.first, std::min(request.count, history.end() - slice.first));
  });
  const auto columns = step_columns(slice.columns.size() > plain_step_columns);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    slice.columns[i] = summarise(slice.columns[i], slice.stride, columns[i].summary);
  }
  return steps_message(slice);
}

Message LiveSource::reasons(int run) {
  check_run(run);
  const auto kept = worker_->with_published(
      [run](const Published& published) { return published.runs[static_cast<std::size_t>(run)].history.reasons(); });
  Json list = Json::array();
  for (const RecordedReason& reason : kept) list.push_back({{"step", reason.step}, {"reason", reason.reason}});
  MessageBuilder message("reasons", run);
  message.set("reasons", std::move(list));
  return message.finish();
}

}  // namespace cardhouse::viewer
