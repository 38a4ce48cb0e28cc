#pragma once

#include <memory>

#include "backend/backend.h"

namespace tonnx::backend {

// What holds of LibTorch on this thread as long as the object lives. LibTorch need not be loaded: what it is to do
// begins once somebody loads it, on this thread before libtorch() returns. Objects end in the opposite order of their
// beginning.
class Scope {
 public:
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Begins what this thread's scopes are still to do.
  static void begin_all(Backend& backend) noexcept;

 protected:
  enum class Kind { Quiet, Untraced };
  explicit Scope(Kind kind) noexcept;
  ~Scope();

 private:
  void begin(Backend& backend) noexcept;

  const Kind kind_;
  Scope* const outer_;
  Backend* backend_ = nullptr;  // null: not begun
  bool quiet_before_ = false;
  std::shared_ptr<void> tracer_;  // that waits
};

// LibTorch's warnings and the programs' own print() say nothing.
class Quiet final : Scope {
 public:
  Quiet() noexcept : Scope(Kind::Quiet) {}
};

// No tracer records what this thread runs: neither a trace of tonnx's nor one of the caller's own.
class Untraced final : Scope {
 public:
  Untraced() noexcept : Scope(Kind::Untraced) {}
};

}  // namespace tonnx::backend
