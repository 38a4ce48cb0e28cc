#pragma once

#include <string>

namespace tonnx::cli {

// Makes Ctrl-C, SIGTERM and SIGHUP cancel the call in progress, and remove temporary files before they end the process:
// the files named .tonnx-PID-... that a save to `output` creates beside it. These are weights written before the last
// file is complete, and the model itself if the file system has no unnamed files.
void clean_up_on_interruption(const std::string& output);

// A call with an observer that asks is_interrupted(): the first signal during its lifetime is left to it. If it has not
// ended after two seconds, and at a second signal, the process ends at once.
class Interruptible {
 public:
  Interruptible() noexcept;
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

// True if the user has interrupted the call in progress.
bool is_interrupted() noexcept;

// Ends the process by the signal that interrupted it.
void end_by_interruption();

}  // namespace tonnx::cli
