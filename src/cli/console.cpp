#include "cli/console.h"

#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/interruption.h"
#include "cli/summary.h"
#include "cli/usage.h"

namespace tonnx::cli {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::size_t kBar = 24;  // characters
constexpr std::size_t kNarrow = 80;

const Choices kLevels = {{"debug", TONNX_LEVEL_DEBUG}, {"info", TONNX_LEVEL_INFO}, {"warning", TONNX_LEVEL_WARNING}};

const char* name_of(std::int32_t level) {
  for (const auto& [name, value] : kLevels)
    if (value == level) return name.c_str();
  return "log";
}

std::size_t width_of_terminal() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kNarrow;
}

}  // namespace

Console::Console(const std::string& level, bool has_bar)
    : logs_(!level.empty()), has_bar_(has_bar), observer_([this](const Event& event) { return receive(event); }) {
  observer_.level(logs_ ? choose("--log", level, kLevels) : TONNX_LEVEL_WARNING);
}

Console::~Console() { clear(); }

void Console::say(const char* what) {
  if (!has_bar_) return;
  clear();
  std::fprintf(stderr, "%s\n", what);
}

void Console::warn(const std::vector<std::string>& warnings) {
  clear();
  if (logs_) return;
  for (const std::string& warning : warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
}

void Console::clear() {
  if (is_shown_) std::fputs("\r\x1b[K", stderr);
  is_shown_ = false;
}

bool Console::receive(const Event& event) {
  if (event.kind() == TONNX_EVENT_PROGRESS) {
    if (has_bar_) show(event);
  } else if (logs_) {
    clear();
    std::string where = event.module();
    if (const std::string source = event.source(); !source.empty()) where += (where.empty() ? "" : ", ") + source;
    std::fprintf(stderr, "%s: %s%s\n", name_of(event.level()), event.text().c_str(),
                 where.empty() ? "" : (" (" + where + ")").c_str());
  }
  return !is_interrupted();
}

void Console::show(const Event& event) {
  const Clock::time_point now = Clock::now();
  if (event.stage() != stage_) {
    stage_ = event.stage();
    begin_ = now;
    drawn_ = {};
  }
  if (now - drawn_ < kRedraw) return;
  drawn_ = now;
  const std::string text = text_of(event, std::chrono::duration<double>(now - begin_).count());
  std::fprintf(stderr, "\r\x1b[K%s", text.substr(0, width_of_terminal() - 1).c_str());
  std::fflush(stderr);
  is_shown_ = true;
}

std::string Console::text_of(const Event& event, double seconds) {
  const auto done = static_cast<double>(event.done()), total = static_cast<double>(event.total());
  std::string text = event.stage();
  if (event.total() > 0) {
    const auto filled = static_cast<std::size_t>(kBar * std::min(1.0, done / total));
    text += " [" + std::string(filled, '#') + std::string(kBar - filled, ' ') + "]";
  }
  if (event.is_bytes()) {
    text += " " + bytes_text(done) + (event.total() > 0 ? " of " + bytes_text(total) : "");
    if (seconds > 0) text += ", " + bytes_text(done / seconds) + "/s";
  } else if (event.total() > 0) {
    text += " " + std::to_string(event.done()) + " of " + std::to_string(event.total()) + " operators";
  } else if (event.done() > 0) {
    text += " " + std::to_string(event.done()) + " steps";
  }
  return text;
}

}  // namespace tonnx::cli
