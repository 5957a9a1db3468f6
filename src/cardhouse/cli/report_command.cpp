#include <fmt/format.h>

#include <memory>

#include "cardhouse/cli/commands.h"
#include "cardhouse/cli/places.h"
#include "cardhouse/cli/recording_file.h"
#include "cardhouse/io/recording.h"
#include "cardhouse/report/write_file.h"
#include "cardhouse/viewer/page.h"
#include "cardhouse/viewer/report_page.h"

namespace cardhouse::cli {
namespace {

struct ReportOptions {
  std::string recording;
  std::string out;
};

void write_report(const ReportOptions& options) {
  viewer::require_page("report");
  const std::filesystem::path recording = options.recording;
  const std::filesystem::path out = options.out.empty() ? std::filesystem::path(recording).replace_extension(".html")
                                                        : std::filesystem::path(options.out);
  check_not_same_file("report", out, recording);
  // Before the work, which may take minutes: a recording that can be opened, and a place for the report.
  read_recording_info(recording);
  check_file(out, "report: --out");
  const std::string text = viewer::report_page(viewer::embedded_page(), recording);
  write_file_atomically(out, text);
  fmt::print("{}\n", out.string());
}

constexpr const char* report_examples = R"(
Examples:
  cardhouse report out/card_house-1/recording.h5                  writes out/card_house-1/recording.html
  cardhouse report out/card_house-1/recording.h5 --out house.html

The file needs no network and no server: open it, send it, put it on a page. Its name is printed.)";

}  // namespace

void add_report_command(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Write a recording as one HTML file with replay and plots");
  command->add_option("RECORDING", options->recording, "Recording of 'cardhouse run'")->type_name("")->required();
  command->add_option("--out", options->out, "File to write [the recording's name with .html]")->type_name("FILE.html");
  command->footer(report_examples);
  command->callback([options] { write_report(*options); });
}

}  // namespace cardhouse::cli
