#pragma once

namespace tonnx::torch {

// For as long as it lives, LibTorch's warnings and the programs' own print() say nothing on this thread.
class Quiet {
 public:
  Quiet() noexcept;
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  bool printing_;
};

// From now on this thread's warnings go to the c10::WarningHandler *, but those of tonnx's calls inside of the one that is
// under way; null: to the host's own handler again.
void collect_warnings(void* handler);

}  // namespace tonnx::torch
