#pragma once

#include <csignal>
#include <string>
#include <unistd.h>

namespace callbacks {

// Ends the process with the name of the case if the object lives longer than kSeconds. One object at a time.
class TimeLimit {
 public:
  explicit TimeLimit(const std::string& name) {
    running() = name;
    std::signal(SIGALRM, give_up);
    alarm(kSeconds);
  }
  ~TimeLimit() { alarm(0); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  static constexpr unsigned kSeconds = 20;

  static std::string& running() {
    static std::string name;
    return name;
  }
  static void give_up(int) {
    constexpr char kText[] = "\ntook too long: ";
    static_cast<void>(!write(STDERR_FILENO, kText, sizeof kText - 1));
    static_cast<void>(!write(STDERR_FILENO, running().data(), running().size()));
    _exit(1);
  }
};

}  // namespace callbacks
