#pragma once

namespace tonnx::torch {

// Between the two, LibTorch's warnings and the programs' own print() say nothing on this thread. The second gets what
// the first gave. They nest.
bool begin_quiet() noexcept;
void end_quiet(bool before) noexcept;

// From now on this thread's warnings go to the c10::WarningHandler *, but those of tonnx's calls inside of the one that
// is under way; null: to the host's own handler again.
void collect_warnings(void* handler);

}  // namespace tonnx::torch
