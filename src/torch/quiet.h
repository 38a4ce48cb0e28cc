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
  void* handler_;  // of warnings, which is in force again at the end
  bool printing_;
};

}  // namespace tonnx::torch
