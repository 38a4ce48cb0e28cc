#pragma once

#include <atomic>
#include <memory>

namespace tonnx::capi {

// An export or a trace of the thread that makes this object, until it is destroyed on any thread. May be nested.
class Exporting {
 public:
  Exporting() : count_(of_this_thread()) { ++*count_; }
  ~Exporting() { --*count_; }
  Exporting(const Exporting&) = delete;
  Exporting& operator=(const Exporting&) = delete;

  static bool is_on_this_thread() { return *of_this_thread() > 0; }

 private:
  using Count = std::shared_ptr<std::atomic<int>>;
  static const Count& of_this_thread() {
    thread_local const Count count = std::make_shared<std::atomic<int>>(0);
    return count;
  }
  Count count_;
};

}  // namespace tonnx::capi
