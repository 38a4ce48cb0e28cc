#pragma once

#include <memory>

#include "backend/backend.h"

namespace tonnx::backend {

// A mode of LibTorch on this thread during the lifetime of the object. LibTorch need not be loaded: the mode begins
// when it is loaded, on this thread before libtorch() returns. Objects must be destroyed in reverse order of
// construction.
class Scope {
 public:
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Begins the pending modes of this thread.
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
  std::shared_ptr<void> tracer_;  // the suspended tracer
};

// Suppresses LibTorch's warnings and print() of programs.
class Quiet final : Scope {
 public:
  Quiet() noexcept : Scope(Kind::Quiet) {}
};

// Suspends tracers on this thread, both tonnx's and the caller's.
class Untraced final : Scope {
 public:
  Untraced() noexcept : Scope(Kind::Untraced) {}
};

}  // namespace tonnx::backend
