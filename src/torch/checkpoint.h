#pragma once

namespace tonnx::torch {

// The checkpoint() of src/backend, which is in the other library. Set before the backend is first used.
void set_checkpoint(void (*checkpoint)() noexcept) noexcept;

// Called before each operator that LibTorch runs or tonnx imports. Blocks for ever if the process is exiting.
void checkpoint() noexcept;

}  // namespace tonnx::torch
