#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>

#include "cardhouse/base/error.h"
#include "cardhouse/cli/arguments.h"
#include "cardhouse/cli/commands.h"
#include "cardhouse/cli/places.h"
#include "cardhouse/cli/recording_file.h"
#include "cardhouse/cli/signals.h"
#include "cardhouse/io/recording_reader.h"
#include "cardhouse/report/write_file.h"
#include "cardhouse/viewer/film.h"
#include "cardhouse/viewer/headless_browser.h"
#include "cardhouse/viewer/page.h"
#include "cardhouse/viewer/report_page.h"
#include "cardhouse/viewer/temporary_folder.h"

namespace cardhouse::cli {
namespace {

struct RenderOptions {
  std::string recording;
  std::string out;
  std::optional<double> time;
  std::string size = "1280x720";
  std::optional<double> frames_per_second;
  bool contacts = false;
  std::string theme = "light";
  std::string look;  ///< empty: as the page does, from the front for planar scenes
};

using viewer::HeadlessBrowser;

HeadlessBrowser::Size parse_size(const std::string& text) {
  constexpr int least = 16;
  constexpr int most = 8192;
  HeadlessBrowser::Size size;
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  const bool has_cross = width.ec == std::errc() && width.ptr != end && *width.ptr == 'x';
  const auto height = has_cross ? std::from_chars(width.ptr + 1, end, size.height) : width;
  const auto fits = [](int n) { return n >= least && n <= most; };
  if (!has_cross || height.ec != std::errc() || height.ptr != end || !fits(size.width) || !fits(size.height)) {
    throw InputError(fmt::format("--size {}: expected WxH, such as 1280x720, each {} … {}", text, least, most));
  }
  return size;
}

/// The moments to draw, in simulated time.
struct Moments {
  double first = 0.0;  ///< s
  double last = 0.0;
};

Moments moments_of(const RecordingReader& recording) {
  const double first = recording.frame(0).time;
  const double last = recording.frame(recording.frames() - 1).time;
  return {first, last};
}

enum class Kind { picture, film, folder };

Kind kind_of(const std::filesystem::path& out) {
  if (out.extension() == ".png") return Kind::picture;
  if (out.extension() == ".mp4") return Kind::film;
  if (!out.has_extension() || std::filesystem::is_directory(out)) return Kind::folder;
  throw InputError(
      fmt::format("render: --out {}: give a .png file, an .mp4 file, or a folder for pictures", out.string()));
}

/// A picture frames what is there at its moment; a film keeps all of the run in sight, from its first picture on.
std::string hash_of(const RenderOptions& options, double time, std::string_view fit) {
  return fmt::format("time={}&bare=1&contacts={}&theme={}&look={}&fit={}", time, options.contacts ? 1 : 0,
                     options.theme, fit.empty() ? "" : options.look, fit);
}

double picture_time(const RenderOptions& options, const Moments& moments) {
  if (!options.time) return moments.last;
  // Half a nanosecond: times are written in decimals, and sums of steps are not exact.
  constexpr double slack = 5e-10;
  if (*options.time < moments.first - slack || *options.time > moments.last + slack) {
    throw InputError(fmt::format("render: --time {} s: the recording covers {:g} … {:g} s", *options.time,
                                 moments.first, moments.last));
  }
  return *options.time;
}

void check(const RenderOptions& options, Kind kind) {
  if (kind == Kind::picture && options.frames_per_second) {
    throw InputError("render: --fps is for a film or a folder of pictures; --time chooses a picture's moment");
  }
  if (kind != Kind::picture && options.time) {
    throw InputError("render: --time is for one picture: --out FILE.png");
  }
}

/// Draws every moment in turn; `take` gets each picture's number and PNG. False when it was interrupted.
template <typename Take>
bool draw_series(const RenderOptions& options, HeadlessBrowser& browser, const std::filesystem::path& page,
                 const Moments& moments, double frames_per_second, Take&& take) {
  const auto count = static_cast<int>(std::floor((moments.last - moments.first) * frames_per_second + 1e-6)) + 1;
  for (int i = 0; i < count; ++i) {
    if (interrupted()) return false;
    const std::string hash =
        hash_of(options, std::min(moments.first + i / frames_per_second, moments.last), i == 0 ? "run" : "");
    i == 0 ? browser.open(page, hash) : browser.change_hash(hash);
    take(i, browser.picture());
  }
  return true;
}

int render(const RenderOptions& options) {
  viewer::require_page("render");
  const std::filesystem::path out = options.out;
  const Kind kind = kind_of(out);
  const HeadlessBrowser::Size size = parse_size(options.size);
  check(options, kind);
  check_not_same_file("render", out, options.recording);
  const Moments moments = moments_of(RecordingReader(options.recording));
  const double time = picture_time(options, moments);
  kind == Kind::folder ? check_folder(out, "render: --out") : check_file(out, "render: --out");
  constexpr double default_rate = 30.0;
  const double rate = options.frames_per_second.value_or(default_rate);

  std::optional<viewer::FilmWriter> film;
  if (kind == Kind::film) film.emplace(out, rate);
  HeadlessBrowser browser(size);
  const viewer::TemporaryFolder folder;
  const std::filesystem::path page = folder.path() / "report.html";
  write_file_atomically(page, viewer::report_page(viewer::embedded_page(), options.recording));
  catch_interrupts();
  bool complete = true;
  switch (kind) {
    case Kind::picture:
      browser.open(page, hash_of(options, time, "now"));
      write_file_atomically(out, browser.picture());
      break;
    case Kind::film:
      complete =
          draw_series(options, browser, page, moments, rate, [&](int, const std::string& png) { film->add(png); });
      if (complete) film->finish();
      break;
    case Kind::folder:
      std::filesystem::create_directories(out);
      complete = draw_series(options, browser, page, moments, rate, [&](int i, const std::string& png) {
        write_file_atomically(out / fmt::format("frame-{:05}.png", i), png);
      });
      break;
  }
  if (!complete) return exit_code::interrupted;
  fmt::print("{}\n", out.string());
  return exit_code::done;
}

constexpr const char* render_examples = R"(
Examples:
  cardhouse render out/card_house-1/recording.h5 --out house.png --time 2.5
  cardhouse render out/card_house-1/recording.h5 --out house.mp4 --size 1920x1080 --fps 60
  cardhouse render out/card_house-1/recording.h5 --out pictures      a folder of frame-00000.png, …

Pictures need Chromium, films ffmpeg as well.)";

}  // namespace

void add_render_command(CLI::App& app, int& result) {
  const auto options = std::make_shared<RenderOptions>();
  CLI::App* command = app.add_subcommand("render", "Draw a recording: a picture, a folder of pictures or a film");
  command->add_option("RECORDING", options->recording, "Recording of 'cardhouse run'")->type_name("")->required();
  command->add_option("--out", options->out, "What to write: FILE.png, FILE.mp4, or a folder for pictures")
      ->type_name("OUT")
      ->required();
  command->add_option("--time", options->time, "Moment of the picture (s) [the end]")
      ->type_name("T")
      ->check(non_negative_number("s"));
  command->add_option("--size", options->size, "Width and height in pixels [1280x720]")->type_name("WxH");
  command->add_option("--fps", options->frames_per_second, "Pictures per second of film or folder [30]")
      ->type_name("F")
      ->check(positive_number("1/s"));
  command->add_flag("--contacts", options->contacts, "Show contacts and their impulses");
  command->add_option("--theme", options->theme, "light or dark [light]")
      ->type_name("THEME")
      ->check(CLI::IsMember({"light", "dark"}));
  command
      ->add_option("--look", options->look, "From where: quarter, front, side or top [quarter; planar scenes: front]")
      ->type_name("WHERE")
      ->check(CLI::IsMember({"quarter", "front", "side", "top"}));
  command->footer(render_examples);
  command->callback([options, &result] { result = render(*options); });
}

}  // namespace cardhouse::cli
