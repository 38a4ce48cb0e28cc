#pragma once

#include "backend/backend.h"

namespace tonnx::backend {

// The backend of this process. The first call loads libtonnx_torch.so and with it LibTorch: the one the process has
// already, however it came there, else the one the library was linked with. It is looked for beside the library that
// this code is part of, then where the loader looks, and stays loaded. Throws DependencyError that names every place
// where it was looked for and why it did not come from there, and if it is of another build of tonnx; the next call
// tries again. Any thread.
Backend& libtorch();

// The same where it is loaded already, else null.
Backend* loaded() noexcept;

}  // namespace tonnx::backend
