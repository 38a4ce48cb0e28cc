#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tonnx.hpp"

namespace tonnx::cli {

// Prints the events of the calls of a command to standard error, and cancels them when the user interrupts.
class Console {
 public:
  // `level`: of log messages, or "" for none; with a level, warnings are printed when they are found. `has_bar`: shows
  // the progress in one line of the terminal. Throws Error(TONNX_STATUS_ARGUMENT) for an unknown level.
  Console(const std::string& level, bool has_bar);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  const Observer& observer() const { return observer_; }
  bool has_bar() const { return has_bar_; }
  // Prints what the command does next, or its summary, if there is a bar.
  void say(const char* what);
  // Prints warnings that were not printed when they were found.
  void warn(const std::vector<std::string>& warnings);
  // Removes the bar, before other output.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool receive(const Event& event);
  void show(const Event& event);
  static std::string text_of(const Event& event, double seconds);

  const bool logs_;
  const bool has_bar_;
  bool is_shown_ = false;
  std::string stage_;
  Clock::time_point begin_, drawn_;
  Observer observer_;
};

}  // namespace tonnx::cli
