#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>
#include <unistd.h>

namespace host {

// Repeats `work` on four detached threads and returns after the time, so that main() can return while they run. A call
// that throws ends the process with code 3.
inline void start_threads(const std::function<void()>& work, int milliseconds) {
  for (int k = 0; k < 4; ++k) {
    std::thread([work] {
      try {
        while (true) work();
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        ::_exit(3);
      }
    }).detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

}  // namespace host
