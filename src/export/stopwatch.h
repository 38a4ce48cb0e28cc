#pragma once

#include <chrono>

#include "export/report.h"

namespace tonnx::exporting {

// Stores the seconds of each stage of an export in its report.
class Stopwatch {
 public:
  explicit Stopwatch(Report& report) : report_(report), start_(Clock::now()) {}
  // Ends the current stage.
  void lap(const char* stage) {
    const Clock::time_point now = Clock::now();
    report_.seconds.emplace_back(stage, std::chrono::duration<double>(now - start_).count());
    start_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Report& report_;
  Clock::time_point start_;
};

}  // namespace tonnx::exporting
