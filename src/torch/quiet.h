#pragma once

namespace tonnx::torch {

// Between these two calls, LibTorch's warnings and print() of programs are suppressed on this thread. Pass the result
// of the first call to the second. May be nested.
bool begin_quiet() noexcept;
void end_quiet(bool before) noexcept;

// Sends this thread's warnings to this c10::WarningHandler *, except those of nested tonnx calls; null: to the host's
// own handler again.
void collect_warnings(void* handler);

}  // namespace tonnx::torch
